"""Rows that are as most rows are."""

import itertools
import types
import weakref

import pytest

from fastschema.nodes import ATTRIBUTE, ITEM, Conversion, Form, Read, Source
from tests.nodes import MISSING, dispatch, field, kind, node

TEXT = kind(Conversion("str", None, "repr({value})"))
DOUBLED = kind(Conversion("str", "{value} * 2", "repr({value})", is_pure=True))
LOUD = kind(Conversion("str", "{value}.upper()", "repr({value})"))
CERTAIN = kind(Conversion("str", None, "repr({value})"), none_stays=False)
USUAL = {"item_errors": "KeyError"}


def test_rows_are_dumped_as_one_by_one():
    usual = {"a": "x", "b": "y"}
    others = [
        {"a": "x"},
        {"b": "y"},
        {},
        {"a": None, "b": None},
        {"a": 1, "b": "y"},
        {"a": "x", "b": MISSING},
        {"a": MISSING, "b": 2},
        types.SimpleNamespace(a="x"),
        {"a": "x", "b": "y", "c": "z"},
    ]
    for first in (TEXT, DOUBLED, LOUD, CERTAIN):
        dump = dispatch(node(field("a", first), field("b"), field("c", DOUBLED), **USUAL))
        for other in others:
            rows = [usual, {**usual, "c": "z"}, other, usual]
            assert dump.many(rows) == [dump(row) for row in rows]
            assert dump.many(iter(rows)) == [dump(row) for row in rows]


def tries(*fields, access=ITEM, **options):
    """Whether usual rows are tried as such."""
    dump = dispatch(node(*fields, **{**USUAL, **options}))
    return "usual" in dump.program.function(Form.FAITHFUL, access, many=True).text


def test_dictionaries_are_tried_where_nobody_would_notice():
    assert tries(field("a", TEXT), field("b"), field("c", DOUBLED))
    assert not tries(field("a"), item_errors=None)
    assert not tries(field("a"), access=ATTRIBUTE)
    assert not tries(field("a"), dict_class="dict")
    assert not tries(field("a", key_slot="key"))
    assert not tries(field("a"), field("b", LOUD))
    assert not tries(field("a"), field("b", kind(Conversion(otherwise="repr({value})"))))
    assert not tries(field("a"), field("b", kind(Conversion(), link="inner")))
    assert not tries(field("a"), field("b", source=Source("b", Read("read(obj, 'b')"))))
    assert not tries()


NAMES = ["a", "b", "c", "d"]
ATTRIBUTES = {"item_errors": "(KeyError, AttributeError)"}


def test_dictionaries_are_read_as_attributes_where_that_pays():
    def reads(*names, **options):
        dump = dispatch(node(*map(field, names), **{**ATTRIBUTES, **options}))
        return dump.program.function(Form.FAITHFUL, ITEM, many=True).text

    assert "values.a" in reads(*NAMES)
    assert "values.a" in reads(*NAMES, "in")
    assert "obj['in']" in reads(*NAMES, "in")
    assert "values" not in reads(*NAMES[:3])
    assert "values" not in reads(*NAMES[:3], "in")
    assert "values" not in reads(*NAMES, item_errors="KeyError")


def test_attributes_are_found_wherever_they_are():
    rows = [
        {name: f"{number} {name}" for name in names}
        for number, names in enumerate([*itertools.permutations(NAMES)] * 3)
    ]
    rows += [{"z": 1, **row, "e": 2} for row in rows]
    dump = dispatch(node(*[field(name, TEXT) for name in NAMES], **ATTRIBUTES))
    assert dump.many(rows) == [dump(row) for row in rows]


def test_a_row_read_as_attributes_may_lack_some():
    usual = dict.fromkeys(NAMES, "x")
    dump = dispatch(node(*[field(name, TEXT) for name in NAMES], **ATTRIBUTES))
    for name in NAMES:
        other = {each: "y" for each in NAMES if each != name}
        for rows in ([usual, other, usual], [other, usual], [usual, {}, {1: 2}, usual]):
            assert dump.many(rows) == [dump(row) for row in rows]


@pytest.mark.parametrize("other", [{"a": "x"}, types.SimpleNamespace(a="x")])
def test_a_row_goes_when_the_next_ones_are_there(other):
    """Also the last one that was read as attributes."""

    class Value:
        pass

    seen = []

    def rows():
        value = Value()
        gone = weakref.ref(value)
        yield {**dict.fromkeys(NAMES, "x"), "more": value}
        del value
        yield other
        yield other
        seen.append(gone())

    dump = dispatch(node(*[field(name, TEXT) for name in NAMES], **ATTRIBUTES))
    dump.many(rows())
    assert seen == [None]


class Key(str):
    """A key that counts comparisons with it."""

    compared = 0

    def __eq__(self, other):
        Key.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def compared(*rows):
    """How often a dump compares the keys of rows with two fields."""
    before = Key.compared
    dispatch(node(field("a", TEXT), field("b", TEXT), **USUAL)).many([*rows])
    return Key.compared - before


def test_usual_rows_are_read_once():
    rows = [{Key("a"): "x", Key("b"): "y"}, {Key("a"): None, Key("b"): "z"}]

    assert compared(*rows) == 4


def test_after_a_row_that_is_not_usual_none_is_tried():
    odd = {Key("a"): 1, Key("b"): 2}

    assert compared(odd) == 3
    assert compared(odd, odd, odd) == 7


def test_values_are_converted_in_order_in_a_row_that_is_not_usual():
    log = []
    logged = kind(Conversion("str", None, "log.append({value})"))
    fields = field("a", logged), field("b", logged)

    rows = [{"a": 1, "b": "x"}, {"b": 2}]
    dispatch(node(*fields, names={"log": log}, **USUAL)).many(rows)

    assert log == [1, 2]
    log.clear()
    dispatch(node(*fields, names={"log": log}, **USUAL)).many(
        [{"a": "x", "b": 1}, {"a": 2, "b": 3}]
    )
    assert log == [1, 2, 3]
