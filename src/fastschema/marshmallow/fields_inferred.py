"""Fields that take their class from each value: marshmallow 3 has them for undeclared names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields

from fastschema.compiler.kinds import for_all, new_slot
from fastschema.compiler.nodes import Kind, Slot, as_template
from fastschema.runtime.programs import Description, stock

_TYPE_MAPPING = Schema.TYPE_MAPPING
_FIELDS_OF_VALUES: dict[Any, Any] = {
    str: fields.String,
    int: fields.Integer,
    float: fields.Float,
    list: fields.Raw,
    dict: None,
    type(None): None,
}
"""The fields by which values stay what they are."""
_UNCHANGED = frozenset([str, int, float, list])
"""Classes of values that marshmallow's inferred fields leave as they are, though they have one."""


def describe_inferred(field: Any) -> Description:
    """Return what is done to the value of such a field."""
    root = field.root
    mapping = getattr(root, "TYPE_MAPPING", None)
    if mapping is not _TYPE_MAPPING or type(mapping) is not dict:
        return stock("TYPE_MAPPING is overridden")
    if any(mapping.get(cls) is not _FIELDS_OF_VALUES[cls] for cls in _FIELDS_OF_VALUES):
        return stock("TYPE_MAPPING has other fields for common values")
    return (inferred,)


def inferred(*, path: Any, slots: list[Slot]) -> Kind:
    methods = new_slot(
        slots, "serialize", lambda subject, cls, form: _SerializeByClass(path.get(subject.fields))
    )
    serialize = f"serialize({{value}}, {as_template(path.arguments)})"
    return for_all(
        "inferred from each value",
        f"{{value}} if (serialize := {methods}[type({{value}})]) is None else {serialize}",
    )


class _SerializeByClass(dict[type, Callable[..., Any] | None]):
    """By which method an inferred field serializes values of a class; None if they stay.

    :param field: the field
    """

    def __init__(self, field: Any) -> None:
        self._field = field

    def __missing__(self, cls: type) -> Callable[..., Any] | None:
        """Find it as ``Inferred._serialize`` does, which keeps a field for each class of fields.

        :raises Exception: what making such a field raises
        """
        field = self._field
        field_class = field.root.TYPE_MAPPING.get(cls)
        if field_class is None:
            self[cls] = None
            return None
        inner = field._field_cache.get(field_class)
        if inner is None:
            inner = field_class()
            inner._bind_to_schema(field.name, field.parent)
            field._field_cache[field_class] = inner
        serialize = self[cls] = None if cls in _UNCHANGED else inner._serialize
        return serialize
