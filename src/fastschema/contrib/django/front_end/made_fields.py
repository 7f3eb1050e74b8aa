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
from typing import Any

from rest_framework.serializers import ListSerializer
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.customization import (
    STOCK_FIELDS,
    is_stock_list,
    is_stock_serializer,
)
from fastschema.contrib.django.front_end.fields import OPTIONS, inner_fields
from fastschema.contrib.django.front_end.schema_reader import all_fields
from fastschema.runtime.guard import Snapshot

UNSEEN = "_fastschema_fields"
_SEEN = "_fastschema_seen"


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


class MadeFields:
    """The fields of a serializer, and of what is nested in it and compiled, where they are made.

    They are put away until somebody looks, who may change them: so one look at each ``__dict__``
    says that all is as it was.

    :raises UnreadableError: if code of users would see a look at fields, or decides about them
    """

    __slots__ = ("_all", "_may_put_away", "_owners")

    def __init__(self, serializer: Any, readable: list[Any], snapshot: Snapshot) -> None:
        # Stock's own property knows nothing of such fields.
        self._may_put_away = type(serializer).fields is not STOCK_FIELDS
        self._all = list(_seen(serializer, readable, snapshot))
        self._owners = [attributes for attributes, _, _, _ in self._all]
        self._put_away()

    def are_current(self) -> bool:
        """Return whether they are what they were."""
        return not any("fields" in attributes for attributes in self._owners) or self._are_alike()

    def _are_alike(self) -> bool:
        for attributes, mapping, fields, snapshot in self._all:
            if "fields" in attributes:
                if attributes["fields"] is not mapping or len(mapping) != len(fields):
                    return False
                now = mapping.fields.values()
                if not (all(map(is_, now, fields)) and snapshot.matches(now)):
                    return False
        self._put_away()
        return True

    def _put_away(self) -> None:
        for attributes, mapping, _, _ in self._all if self._may_put_away else ():
            if mapping is not None:
                attributes[_SEEN] = mapping  # first, for other threads
                attributes.pop("fields", None)


def _seen(
    serializer: Any, readable: list[Any] | None = None, snapshot: Snapshot | None = None
) -> Iterator[tuple[dict[str, Any], Any, list[Any], Any]]:
    """Yield the ``__dict__`` of a serializer, its mapping of fields (None: they are not made), the
    fields and what they are like; then the same for what is nested in it.
    """
    attributes = vars(serializer)
    if not has_made_fields(serializer):
        yield attributes, None, [], None
        return
    mapping = made_fields(serializer)
    if type(mapping) is not BindingDict:
        raise UnreadableError("fields is overridden")
    fields = list(mapping.fields.values())
    if readable is None or len(fields) != len(readable):
        fields = all_fields(serializer)
        snapshot = Snapshot(fields, OPTIONS, inner_fields)
    yield attributes, mapping, fields, snapshot
    for field in fields:
        is_list = isinstance(field, ListSerializer) and is_stock_list(field)
        nested = field.child if is_list else field
        if is_stock_serializer(nested):
            yield from _seen(nested)
