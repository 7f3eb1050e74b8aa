"""The fields that a serializer has made, and whether somebody may have changed them since.

Stock keeps them as ``fields`` in the ``__dict__`` of the serializer, once somebody has asked for
them. So do we, but for two things, which are keys of the same ``__dict__``:

- ``_fastschema_fields``: single fields that a serializer needed itself before anybody looked at
  them. A shallow copy has those of the original, which are not its own: their ``parent`` says so.
- ``_fastschema_seen``: all of its fields, if they were compared and nobody has looked since.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import is_
from typing import Any, NamedTuple

from rest_framework.serializers import ListSerializer
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.customization import (
    STOCK_FIELDS,
    has_stock_fields,
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.fields import OPTIONS, inner_fields
from fastschema.contrib.django.front_end.makers import forget_made
from fastschema.contrib.django.front_end.schema_reader import all_fields
from fastschema.runtime.guard import Snapshot

UNSEEN = "_fastschema_fields"
_SEEN = "_fastschema_seen"


def can_put_away(cls: Any) -> bool:
    """Return whether who looks at ``fields`` gets what is kept here.

    Stock's own property, and those of users, know nothing of that.
    """
    return cls.fields is not STOCK_FIELDS and has_stock_fields(cls)


def has_made_fields(serializer: Any) -> bool:
    """Return whether the fields of a serializer are there, for anybody to change."""
    attributes = vars(serializer)
    return "fields" in attributes or _SEEN in attributes


def made_fields(serializer: Any) -> Any:
    """Return the fields of a serializer that are made, be it that nobody has looked at them."""
    attributes = vars(serializer)
    for name in ("fields", _SEEN):
        if name in attributes:
            return attributes[name]
    return attributes.get(UNSEEN, {})


def seen_again(serializer: Any) -> Any:
    """Return the fields that :class:`MadeFields` has put away, for who looks at them; or None."""
    attributes = vars(serializer)
    if _SEEN not in attributes:
        return attributes.get("fields")  # another thread was first
    attributes["fields"] = fields = attributes[_SEEN]
    attributes.pop(_SEEN, None)
    return fields


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
            self.attributes[_SEEN] = self.mapping  # first, for other threads
            self.attributes.pop("fields", None)

    def is_current(self) -> bool:
        """Return whether the fields are alike, if somebody may have changed them."""
        if "fields" not in self.attributes:
            return True
        if self.attributes["fields"] is not self.mapping or len(self.mapping) != len(self.fields):
            return False
        now = self.mapping.fields.values()
        forget_made(now)
        is_alike: bool = all(map(is_, now, self.fields)) and self.snapshot.matches(now)
        return is_alike


class MadeFields:
    """The fields of a serializer, and of what is nested in it and compiled, where they are made.

    They are put away until somebody looks, who may change them: so one look at each ``__dict__``
    says that all is as it was.

    :raises UnreadableError: if code of users would see a look at fields, or decides about them
    """

    __slots__ = ("_attributes", "_owners")

    def __init__(self, serializer: Any, readable: list[Any], snapshot: Snapshot) -> None:
        self._owners = list(_owners(serializer, readable, snapshot))
        self._attributes = [owner.attributes for owner in self._owners]
        self._put_away()

    def are_current(self) -> bool:
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
