"""What says whether the schema of a nested field is still what it was."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from fastschema.nodes import Checks, ClassCheck
from fastschema.reuse import Uses
from fastschema.writes import writes

_STOCK_SCHEMA = fields.Nested.schema
_TRUTH = ("__bool__", "__len__")


def same_schema(field: Any, schema: Any, attributes: tuple[str, ...], uses: Uses) -> Checks:
    """What says whether a nested field still has the schema that was found, and attributes of the
    field are the same.

    :param uses: what was made for the schema depends on
    """
    cls: Any = type(field)
    kept = ("_schema", *attributes)

    def finds_what_is_kept() -> bool:
        return cls.schema is _STOCK_SCHEMA and writes.are_told_by(cls, kept)

    own = vars(field)
    if (
        uses.are_noticed(field)
        and finds_what_is_kept()
        and own.get("_schema") is schema
        and all(name in own for name in attributes)
    ):
        # Stock asks a schema whether it is true, and looks for another if not.
        schema_class = type(schema)
        return [
            ClassCheck(cls, finds_what_is_kept, ("schema",)),
            ClassCheck(schema_class, lambda: not _has_truth(schema_class), _TRUTH),
        ]
    values = [(name, getattr(field, name)) for name in attributes]

    def is_the_same() -> bool:
        return field.schema is schema and all(
            getattr(field, name) is value for name, value in values
        )

    return [is_the_same]


def is_plain_many(*values: object) -> bool:
    """Whether what ``many`` is cannot come to mean something else while it is the same object."""
    return all(value is None or type(value) is bool for value in values)


def _has_truth(cls: type) -> bool:
    return any(hasattr(cls, name) for name in _TRUTH)
