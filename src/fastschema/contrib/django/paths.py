"""Where a field object is found in a dump, and slots for what is looked up there."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

from fastschema.contrib.django.encoding import json_value
from fastschema.nodes import Resolve, Slot

JSON_VALUE = {"json_value": json_value}
"""The name that templates in JSON form use."""


class FieldPath(NamedTuple):
    """Where the field object of a dump is found.

    :param expression: in generated code
    :param get: from the list of the serializer's fields
    :param is_settled: whether stock would no longer call a value that is a method
    :param is_own: whether it is a field of the serializer, or one inside of such a field
    """

    expression: str
    get: Callable[[Any], Any]
    is_settled: bool = True
    is_own: bool = False

    @classmethod
    def of(cls, index: int, is_settled: bool) -> FieldPath:
        """The path to a field of the serializer."""
        return cls(f"fields[{index}]", lambda fields: fields[index], is_settled, is_own=True)

    def within(self, attribute: str) -> FieldPath:
        """The path to the field that this one keeps in an attribute."""
        get = attrgetter(attribute)
        return FieldPath(f"{self.expression}.{attribute}", lambda fields: get(self.get(fields)))

    @property
    def own_method(self) -> str:
        """A template: the field's own ``to_representation``."""
        if self.is_settled:
            return "{field}.to_representation({value})"
        return "represent({field}, {value}, obj)"

    def settled(self, template: str) -> str:
        """A template that holds for any value, but for those that stock calls or looks into."""
        if self.is_settled:
            return template
        is_settled = "type({value}) is not PKOnlyObject and not callable({value})"
        return f"({template}) if {is_settled} else {self.own_method}"


def finished(expression: str) -> str:
    """A template that makes the value of another one fit for the JSON engine."""
    return f"text if type(text := ({expression})) is str else json_value(text)"


def option_slot(slots: list[Slot], name: str, path: FieldPath, get: Callable[[Any], Any]) -> str:
    """The name of a new slot for what a function gives of the options of a field."""
    slot = f"{name}_{len(slots)}"
    slots.append(Slot(slot, lambda subject, cls, form: get(path.get(subject.options))))
    return slot


def new_slot(slots: list[Slot], name: str, resolve: Resolve) -> str:
    """The name of a new slot."""
    slot = f"{name}_{len(slots)}"
    slots.append(Slot(slot, resolve))
    return slot
