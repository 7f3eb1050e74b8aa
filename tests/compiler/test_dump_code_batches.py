"""Texts that are written at once, in rows of no framework."""

import itertools
import json
from uuid import UUID

import pytest

from fastschema.compiler.nodes import Conversion, Form
from tests.nodes import MISSING, dispatch, field, kind, node

ID = UUID(int=7)
SOME = [ID, None, MISSING, "given", UUID(int=13)]


def together(condition="", **options):
    """The conversion of a UUID, on a condition; others become a list, from which texts differ."""
    return Conversion("UUID", "text({value})", "[{value}]", batchable=condition, **options)


class Engine:
    """Writes texts, and counts how often."""

    def __init__(self):
        self.at_once = []
        self.one_by_one = []

    def names(self):
        return {
            "UUID": UUID,
            "text": self.text,
            "dumps": lambda values: self.at_once.append(values) or json.dumps([*map(str, values)]),
            "loads": lambda text: [None if each == "None" else each for each in json.loads(text)],
        }

    def text(self, value):
        self.one_by_one.append(value)
        return str(value)


@pytest.fixture
def engine():
    return Engine()


def dumped(engine, row, *conversions):
    """A row, dumped by fields of some conversions, one by one and as a list of rows."""
    keys = "abc"[: len(conversions)]
    made = node(
        *(field(key, kind(each)) for key, each in zip(keys, conversions, strict=True)),
        names=engine.names(),
    )
    values = {key: value for key, value in zip(keys, row, strict=True) if value is not MISSING}
    one = dispatch(made, Form.PYTHON).one_row(values)
    assert dispatch(made, Form.PYTHON).all_rows([values, values]) == [one, one]
    return one


def expected(row):
    whole = {"a": row[0], "b": row[1], "c": row[2]}
    return {
        key: str(value) if type(value) is UUID else value if value is None else [value]
        for key, value in whole.items()
        if value is not MISSING
    }


def test_texts_of_a_row_are_written_at_once(engine):
    row = (ID, ID, ID)

    assert dumped(engine, row, together(), together(), together()) == expected(row)
    assert engine.at_once[0] == row
    assert not engine.one_by_one


def test_none_is_written_with_the_others(engine):
    row = (ID, None, ID)

    assert dumped(engine, row, together(), together(), together()) == expected(row)
    assert not engine.one_by_one


@pytest.mark.parametrize("row", [*itertools.product(SOME, repeat=3)])
def test_whatever_the_values_are_each_becomes_what_it_becomes_alone(engine, row):
    alone = Conversion("UUID", "text({value})", "[{value}]")

    assert dumped(engine, row, alone, alone, alone) == expected(row)
    assert dumped(engine, row, together(), together(), together()) == expected(row)
    assert dumped(engine, row, together(), alone, together()) == expected(row)


@pytest.mark.parametrize("row", [*itertools.product([ID, UUID(int=13), None], repeat=3)])
def test_a_value_on_which_the_condition_does_not_hold_is_written_alone(engine, row):
    conditional = together("{value}.int == 7")

    assert dumped(engine, row, conditional, together(), conditional) == expected(row)
    assert bool(engine.at_once) is (UUID(int=13) not in (row[0], row[2]))


def test_what_a_value_became_is_not_written_again(engine):
    # An odd object's own code may give anything, a value of the common class among it.
    odd = Conversion("UUID", "text({value})", "UUID(int={value})", batchable="")

    assert dumped(engine, (5, ID), odd, odd) == {"a": UUID(int=5), "b": str(ID)}


def test_a_single_text_is_written_alone(engine):
    assert dumped(engine, (ID,), together()) == {"a": str(ID)}
    assert not engine.at_once
