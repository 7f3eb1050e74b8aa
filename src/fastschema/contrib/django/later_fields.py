"""Fields of serializers that are made alone, before the others or without them."""

from __future__ import annotations

import copy
from typing import Any

from rest_framework.utils.serializer_helpers import BindingDict


class LaterBindingDict(BindingDict):
    """The ``fields`` of a serializer, of which only some are made yet.

    The others are made by the serializer, when somebody looks at the first field. From then on it
    is a plain ``BindingDict``, in stock's order.

    :param serializer: the serializer
    """

    def __init__(self, serializer: Any) -> None:
        self.serializer = serializer
        self._alone: dict[str, Any] = {}

    def field_alone(self, name: str, declared: Any) -> Any:
        """One field, as ``Serializer.get_fields`` copies and ``BindingDict`` binds it."""
        field = self._alone.get(name)
        if field is None:
            field = self._alone[name] = copy.deepcopy(declared)
            field.bind(field_name=name, parent=self.serializer)
        return field

    def made_alone(self, name: str) -> Any:
        """One field if it was made alone, or None."""
        return self._alone.get(name)

    @property
    def fields(self) -> dict[str, Any]:
        """All fields."""
        made = self.serializer.get_fields()
        alone = self._alone
        del self._alone
        self.__class__ = BindingDict
        fields: dict[str, Any] = {}
        self.__dict__["fields"] = fields
        for name, field in made.items():
            if name in alone:
                fields[name] = alone[name]
            else:
                self[name] = field
        return fields


def has_made_fields(serializer: Any) -> bool:
    """Whether a serializer has made all its fields."""
    own = vars(serializer)
    return "fields" in own and type(own["fields"]) is not LaterBindingDict


def made_field(serializer: Any, name: str) -> Any:
    """A field of a serializer if it is made, or None."""
    mapping = vars(serializer).get("fields")
    if type(mapping) is LaterBindingDict:
        return mapping.made_alone(name)
    return None if mapping is None else mapping.get(name)


def field_alone(serializer: Any, name: str) -> Any:
    """A field of a serializer that has not made its fields, without making the others.

    None if it cannot be made without them, or if they are made.
    """
    own = vars(serializer)
    declared = type(serializer)._declared_fields
    field = declared.get(name)
    # A field of two names is copied once, and bound twice.
    if has_made_fields(serializer) or [*declared.values()].count(field) != 1:
        return None
    if "fields" not in own:
        own["fields"] = LaterBindingDict(serializer)
    return own["fields"].field_alone(name, field)
