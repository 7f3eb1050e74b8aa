"""Where a field object is found in a dump, its options, and slots for what is looked up there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from rest_framework.settings import api_settings

from fastschema.compiler.kinds import FieldPath, new_slot
from fastschema.compiler.nodes import Slot


@dataclass(frozen=True, slots=True)
class SerializerPath(FieldPath):
    """Where a field is found, and what stock does with its value before it is represented.

    :param is_called: whether stock would no longer call a value that is a method
    :param is_own: whether it is a field of the serializer, or one inside of such a field
    """

    is_called: bool = True
    is_own: bool = False

    @classmethod
    def of(cls, index: int, is_called: bool) -> SerializerPath:
        """Return the path to a field of the serializer."""
        return cls(f"fields[{index}]", lambda fields: fields[index], is_called, is_own=True)

    def inside(self, attribute: str) -> SerializerPath:
        """Return the path to the field that this one keeps in an attribute."""
        inner = FieldPath.within(self, f".{attribute}", attrgetter(attribute))
        return SerializerPath(inner.expression, inner.get)

    @property
    def own_method(self) -> str:
        """A template: the field's own ``to_representation``."""
        if self.is_called:
            return "{field}.to_representation({value})"
        return "represent({field}, {value}, obj)"

    def called(self, template: str) -> str:
        """Return a template for any value, but for those that stock calls or looks into."""
        if self.is_called:
            return template
        is_called = "type({value}) is not PKOnlyObject and not callable({value})"
        return f"({template}) if {is_called} else {self.own_method}"


def option(field: Any, attribute: str, setting: str) -> Any:
    """Return an option of a field, or the setting that stands in for it."""
    is_given = hasattr(field, attribute)
    return getattr(field, attribute) if is_given else getattr(api_settings, setting)


def option_slot(
    slots: list[Slot],
    name: str,
    path: FieldPath,
    get: Callable[[Any], Any],
    ambient: Callable[[Any], object] | None = None,
) -> str:
    """Return the name of a new slot for what a function gives of the options of a field.

    :param ambient: what the value depends on; None: on what the function gives
    """

    def resolve(bound: Any, cls: Any = None, form: Any = None) -> Any:
        return get(path.get(bound.options))

    return new_slot(slots, name, resolve, ambient or resolve)
