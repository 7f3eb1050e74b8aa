"""Snapshots of the fields of made serializers: were they changed since?"""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_
from typing import Any, NamedTuple

from rest_framework.serializers import ListSerializer
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.customization import (
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.fields import OPTIONS, inner_fields
from fastschema.contrib.django.front_end.makers import drop_maker_functions
from fastschema.contrib.django.front_end.pending import (
    DRAWER,
    can_put_away,
    has_made_fields,
    made_fields,
)
from fastschema.contrib.django.front_end.schema_reader import all_fields
from fastschema.runtime.guard import Snapshot


class _Owner(NamedTuple):
    """A serializer, and its fields as they were.

    :param attributes: its ``__dict__``
    :param mapping: its ``fields``; None if they are not made
    :param snapshot: what the fields are like
    """

    attributes: dict[str, Any]
    mapping: Any
    fields: list[Any]
    snapshot: Any

    def put_away(self) -> None:
        if self.mapping is not None:
            self.attributes[DRAWER] = self.mapping  # first, for other threads
            self.attributes.pop("fields", None)

    def is_current(self) -> bool:
        """Return whether the fields are alike, if code may have changed them."""
        if "fields" not in self.attributes:
            return True
        if self.attributes["fields"] is not self.mapping or len(self.mapping) != len(self.fields):
            return False
        now = self.mapping.fields.values()
        drop_maker_functions(now)
        is_alike: bool = all(map(is_, now, self.fields)) and self.snapshot.matches(now)
        return is_alike


class MadeFields:
    """The fields of a serializer, and of what is nested in it and compiled, where they are made.

    They are put away until code asks for them, which may change them: so one look at each
    ``__dict__`` says that all is as it was.

    :raises UnreadableError: if code of users would see a look at fields, or decides about them
    """

    __slots__ = ("_attributes", "_owners")

    def __init__(self, serializer: Any, readable: list[Any], snapshot: Snapshot) -> None:
        self._owners = list(_owners(serializer, readable, snapshot))
        self._attributes = [owner.attributes for owner in self._owners]
        self._put_away()

    def is_current(self) -> bool:
        """Return whether they are what they were."""
        if not any("fields" in attributes for attributes in self._attributes):
            return True
        if not all(owner.is_current() for owner in self._owners):
            return False
        self._put_away()
        return True

    def _put_away(self) -> None:
        for owner in self._owners:
            owner.put_away()


def _owners(
    serializer: Any, readable: list[Any] | None = None, snapshot: Snapshot | None = None
) -> Iterator[_Owner]:
    """Yield a serializer, and then those that are nested in it."""
    attributes = vars(serializer)
    if not can_put_away(type(serializer)):  # its own property would not find them
        raise UnreadableError("fields is overridden")
    if not has_made_fields(serializer):
        yield _Owner(attributes, None, [], None)
        return
    mapping = made_fields(serializer)
    if type(mapping) is not BindingDict:
        raise UnreadableError("fields is overridden")
    fields = list(mapping.fields.values())
    if readable is None or len(fields) != len(readable):
        fields = all_fields(serializer)
        snapshot = Snapshot(fields, OPTIONS, inner_fields)
    yield _Owner(attributes, mapping, fields, snapshot)
    for field in fields:
        is_list = isinstance(field, ListSerializer) and is_stock_list(field)
        nested = field.child if is_list else field
        if is_stock_serializer(nested):
            yield from _owners(nested)
