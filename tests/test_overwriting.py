"""Rows that are dumped over others."""

import gc
import types
import weakref
from itertools import islice

import pytest

from fastschema.nodes import ITEM, Conversion, Form, Slot
from fastschema.overwriting import ChunkDumper, can_be_written_over
from tests.nodes import dispatch, field, kind, node

AB = node(field("a"), field("b"))
DICTS = [{"a": number, "b": -number} for number in range(20)]
OBJECTS = [types.SimpleNamespace(**row) for row in DICTS]


def chunks(rows, size, schema=AB):
    """The chunks as they were when each was dumped."""
    json = dispatch(schema, Form.JSON)
    dump_chunk = json.chunk_dumper()
    iterator = iter(rows)
    dumped = []
    while chunk := dump_chunk(islice(iterator, size)):
        dumped.append([dict(row) if type(row) is dict else row for row in chunk])
    return dumped


def flat(rows, size, schema=AB):
    return [row for chunk in chunks(rows, size, schema) for row in chunk]


@pytest.mark.parametrize("rows", [DICTS, OBJECTS], ids=["dictionaries", "objects"])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 19, 20, 100])
def test_rows_are_dumped_as_one_by_one(rows, size):
    assert flat(rows, size) == DICTS


def test_a_chunk_may_be_shorter_than_those_before():
    assert [len(chunk) for chunk in chunks(DICTS, 3)] == [3, 3, 3, 3, 3, 3, 2]


def test_later_chunks_are_written_over_earlier_ones():
    dump_chunk = dispatch(AB, Form.JSON).chunk_dumper()
    rows = iter(DICTS)
    results = [dump_chunk(islice(rows, 2)) for _ in range(6)]

    first, later = results[0], results[-2:]

    assert first == DICTS[:2]
    assert [id(row) for row in later[0]] == [id(row) for row in later[1]]


@pytest.mark.parametrize("number", range(8, 20))
def test_a_row_without_some_value_stands_where_it_belongs(number):
    rows = [dict(row) for row in DICTS]
    del rows[number]["a"]

    assert flat(rows, 4) == rows
    assert flat([types.SimpleNamespace(**row) for row in rows], 4) == rows


@pytest.mark.parametrize("number", range(8, 20))
def test_a_row_of_another_class_stands_where_it_belongs(number):
    mixed = [*DICTS[:number], OBJECTS[number], *DICTS[number + 1 :]]

    assert flat(mixed, 4) == DICTS


def test_rows_of_many_classes_are_built():
    mixed = [
        row if number % 2 else type(f"Row{number}", (), dict(row))()
        for number, row in enumerate(DICTS)
    ]

    assert flat(mixed, 4) == DICTS


def test_no_key_stays_from_the_row_before():
    rows = [row if number % 3 else {} for number, row in enumerate(DICTS)]

    assert flat(rows, 2) == rows


def test_values_are_converted_before_they_are_written():
    doubled = node(field("a", kind(Conversion("int", "{value} * 2", "str({value})"))))

    assert flat([*DICTS[:9], {"a": "x"}, {"a": None}, *DICTS[:9]], 2, doubled) == [
        *({"a": number * 2} for number in range(9)),
        {"a": "x"},
        {"a": None},
        *({"a": number * 2} for number in range(9)),
    ]


@pytest.mark.parametrize(
    "key", ["", "first-name", "class", "None", "1st", "__class__", "__dict__", "é", "ﬁ", "a\0b"]
)
def test_keys_that_are_no_attributes_are_built(key):
    schema = node(field(key))
    rows = [{key: number} for number in range(12)]

    assert not can_be_written_over(schema)
    assert flat(rows, 2, schema) == rows


def test_a_schema_without_fields_is_built():
    assert not can_be_written_over(node())
    assert flat(DICTS, 3, node()) == [{}] * len(DICTS)


def test_what_others_get_is_built():
    faithful = dispatch(AB, Form.FAITHFUL)

    assert faithful.chunk_dumper() == faithful.all_rows


def test_each_row_is_dumped_as_it_is_read():
    def reuse():
        row = {}
        for number in range(20):
            row.update(a=number, b=-number)
            yield row

    assert flat(reuse(), 4) == DICTS


def test_a_row_goes_when_the_next_is_there():
    class Row:
        a = b = 1

    living = []

    def rows():
        for _ in range(20):
            row = Row()
            living.append(weakref.ref(row))
            yield row
            del row
            assert sum(row() is not None for row in living) <= 1

    assert len(flat(rows(), 4)) == 20


def test_what_a_row_raises_is_raised():
    class Refusing:
        @property
        def a(self):
            raise ValueError("not today")

    with pytest.raises(ValueError, match="not today"):
        flat([*OBJECTS[:18], Refusing()], 4)


class Value:
    pass


def test_nothing_is_left_when_the_text_is_written():
    value = Value()
    rows = [{"a": value, "b": 1} for _ in range(20)]
    flat(rows, 4)
    living = weakref.ref(value)
    del value, rows
    gc.collect()

    assert living() is None


@pytest.mark.parametrize("keys", [[], ["b"]], ids=["no value", "some value"])
def test_the_values_of_rows_go_when_others_are_built(keys):
    values = [Value() for _ in range(20)]
    living = [weakref.ref(value) for value in values]
    rows = [{"a": values.pop(0), "b": 1} for _ in range(10)]
    rows += [dict.fromkeys(keys, 1) for _ in range(10)]
    dump_chunk = dispatch(AB, Form.JSON).chunk_dumper()
    chunk = (rows.pop(0) for _ in range(20))

    for _ in range(6):
        dump_chunk(islice(chunk, 2))

    assert [value() for value in living[:10]] == [None] * 10


def test_the_values_of_rows_go_when_there_are_no_more():
    dump_chunk = dispatch(AB, Form.JSON).chunk_dumper()
    rows = [{"a": Value(), "b": 1} for _ in range(10)]
    living = [weakref.ref(row["a"]) for row in rows]
    chunk = (rows.pop() for _ in range(10))

    while dump_chunk(islice(chunk, 2)):
        pass

    assert [value() for value in living] == [None] * 10


def test_what_belongs_to_a_dump_is_looked_up_once_for_all_chunks():
    resolved = []

    def resolve(subject, cls, form):
        resolved.append(cls)
        return len(resolved)

    numbered = kind(Conversion("int", "({value}, number)"))
    schema = node(field("a", numbered), slots=(Slot("number", resolve),))
    mixed = [*DICTS[:12], {}, {}, {}, *DICTS[:5]]

    dumped = flat(mixed, 2, schema)

    assert resolved == [dict]
    assert {row["a"][1] for row in dumped if row} == {1}


def test_rows_are_written_over_with_the_slots_that_they_are_built_with():
    a, b = (Slot(name, lambda subject, cls, form: None) for name in "ab")
    schema = node(field("x", kind(Conversion(otherwise="({value}, b)"))), slots=(a, b))
    program = dispatch(schema, Form.JSON).program

    assert program.function(Form.JSON, ITEM, many=True, over=True).slots == (b,)
    assert program.function(Form.JSON, ITEM, many=True).slots == (b,)


def test_all_rows_are_counted():
    counted = []
    json = dispatch(AB, Form.JSON)

    class Counting:
        all_rows = json.all_rows
        bind_over = json.bind_over
        count = staticmethod(counted.append)

    dump_chunk = ChunkDumper(Counting(), AB)
    rows = iter(DICTS)
    while dump_chunk(islice(rows, 4)):
        pass

    assert counted == [4, 4]


def test_the_generated_code_sets_what_was_read():
    program = dispatch(AB, Form.JSON).program
    text = program.function(Form.JSON, ITEM, many=True, over=True).text

    assert "for obj, row in zip(rows, written):" in text
    assert "row.a = a" in text
