"""When reading and binding a schema pay; what is too small runs as stock.

The numbers are measured: see docs/how-it-works.md.
"""

from __future__ import annotations

import sys
from typing import Any

from fastschema.compiler.load_nodes import LoadNode
from fastschema.compiler.nodes import ObjectNode

MANY = 1_000_000
"""Stands for the number of rows where nobody knows it: those of a generator, say."""

rows_worth_reading = 24
"""Reading a schema costs about as much as stock needs for so many rows of it. Until a schema that
is not known has dumped (or loaded) so many, it runs as stock. The same goes for a serializer that
represents its rows one by one."""

rows_worth_reading_at_once = 8
"""The same for a list of rows by a serializer: stock needs longer for each of them."""

rows_worth_validating = 10
"""Looking once at a serializer whose rows are validated costs less than stock needs for so many."""

rows_worth_writing = 4
"""Generated code that writes text is bound anew for each text; that pays from so many rows on."""

fields_worth_comparing = 6
"""A serializer that represents its rows one by one, and whose fields have to be compared for each
of them, runs as stock if it has fewer, none of which is nested."""

values_worth_binding = {"dump": 48, "load": 10}
"""A schema that has just been made, of a class that is known, need not be read. To find its program
and to bind that costs as much as stock needs for so many values (rows times fields)."""


fewest_rows = {"dump": 40, "load": 10} if sys.implementation.name == "pypy" else None
"""On PyPy stock's own loops become machine code, too. Binding generated code, which is new code
each time, pays from so many marshmallow rows on."""

values_worth_comparing = 24
"""To find out whether a schema still reads as it did costs as much as stock needs for so many
values."""


keys_worth_loading = 4
"""The same for loading a single row, whose fields are many more than its keys at times."""

values_of_a_list = 8
"""For how many values a field that is a list of nested objects counts."""


def least_rows(node: ObjectNode | LoadNode) -> int:
    """For how many rows at least generated code pays, where a schema was read before.

    A list of nested objects counts as some values, as nobody knows how long it is. (What a nested
    schema with ``many`` dumps is a list of its own.)
    """
    if isinstance(node, LoadNode):
        return 1
    values = sum(values_of_a_list if field.kind.item_link else 1 for field in node.fields)
    return max(1, -(-values_worth_comparing // max(1, values)))


def least_rows_to_bind(fields: int) -> int:
    """For how many rows at least a new schema with so many fields is bound."""
    return -(-values_worth_binding["dump"] // max(1, fields))


def are_too_few(side: str, rows: int) -> bool:
    """Whether so few rows run as stock in any case.

    :param side: "dump" or "load"
    """
    return fewest_rows is not None and rows < fewest_rows[side]


def is_row_worth_loading(row: Any) -> bool:
    """Whether a single row may be loaded by generated code, which wants a dictionary.

    Lists and dictionaries in a row with few keys may be long.
    """
    if type(row) is not dict or are_too_few("load", 1):
        return False
    if len(row) >= keys_worth_loading:
        return True
    for value in row.values():  # noqa: SIM110  # slower as a generator
        if type(value) is list or type(value) is dict:
            return True
    return False


def is_worth_reading(rows: int) -> bool:
    """Whether a schema of which so many rows were dumped (or loaded) should be read.

    :param rows: those before, and those that are to be dumped now
    """
    return rows >= rows_worth_reading


def is_list_worth_reading(rows: int) -> bool:
    """Whether a serializer that has represented so many rows in lists should be read."""
    return rows >= rows_worth_reading_at_once


def is_worth_binding(side: str, values: int) -> bool:
    """Whether a schema that was just made should be bound to the program that its class has.

    :param side: "dump" or "load"
    :param values: how many are to be dumped or loaded, those of before included
    """
    return values >= values_worth_binding[side]
