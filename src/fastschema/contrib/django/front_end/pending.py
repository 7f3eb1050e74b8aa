"""Fields of serializers, made when they are needed.

Stock keeps the fields of a serializer as ``fields`` in its ``__dict__`` once code has asked for
them; so do we. Until then no code can have changed a field, and the serializer follows its class.
Fields that are there, though unseen by code of users, are in a drawer, ``_fastschema_fields``:

- in a dictionary, single fields that generated code has needed. A shallow copy of the serializer
  has those of the original, which are not its own: their ``parent`` says so.
- in stock's own mapping, all of them: they were compared, and put away (``snapshots``).
"""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import ModelSerializer
from rest_framework.settings import api_settings
from rest_framework.utils.serializer_helpers import BindingDict

from fastschema.compiler.nodes import UnreadableError
from fastschema.contrib.django.front_end.customization import STOCK_FIELDS, has_stock_fields
from fastschema.contrib.django.front_end.field_maker import (
    BUILDING,
    FieldMaker,
    gets_fields_as_stock,
    with_url_name,
)
from fastschema.contrib.django.front_end.record import DUMP, Reading, class_record
from fastschema.contrib.django.front_end.schema_reader import readable_fields

DRAWER = "_fastschema_fields"
_DECIDING = frozenset([*BUILDING, "Meta", "_declared_fields", "_readable_fields", "get_fields"]) | {
    name for name in vars(ModelSerializer) if name.startswith("serializer_")
}
"""What a serializer may have of its own that decides on its fields."""


def can_put_away(cls: Any) -> bool:
    """Return whether who looks at ``fields`` gets what is kept here.

    Stock's own property, and those of users, know nothing of that.
    """
    return cls.fields is not STOCK_FIELDS and has_stock_fields(cls)


def has_made_fields(serializer: Any) -> bool:
    """Return whether a serializer has fields, which code of users may have changed."""
    attributes = serializer.__dict__
    return "fields" in attributes or type(attributes.get(DRAWER)) is BindingDict


def made_fields(serializer: Any) -> Any:
    """Return the fields of a serializer that are made, seen by code of users or not."""
    attributes = serializer.__dict__
    return attributes["fields"] if "fields" in attributes else attributes.get(DRAWER, {})


def follows_its_class(serializer: Any) -> bool:
    """Return whether a serializer has nothing of its own that decides on its fields."""
    attributes = serializer.__dict__
    url_name = attributes.get("url_field_name")
    return _DECIDING.isdisjoint(attributes) and url_name in (None, api_settings.URL_FIELD_NAME)


def is_pending(serializer: Any) -> bool:
    """Return whether no code has looked at the fields of a serializer, or chosen others."""
    return follows_its_class(serializer) and not has_made_fields(serializer)


def reading_of_pending(serializer: Any) -> Reading | None:
    """Return what a serializer runs without fields; None if it has made them, or must."""
    return class_record(type(serializer)).pending(DUMP) if is_pending(serializer) else None


def known_fields(serializer: Any) -> list[Any] | None:
    """Return a serializer's fields, or fields like them; None if code of users is to make them."""
    if has_made_fields(serializer):
        try:
            return readable_fields(serializer)
        except UnreadableError:
            return None
    reading = reading_of_pending(serializer)
    if reading is None:
        return None
    fields: list[Any] = reading.compiled.fields
    return fields


def new_fields(serializer: Any, *, uses_clones: bool) -> Any:
    """Return what ``Serializer.fields`` gives to the first who looks at it."""
    attributes = serializer.__dict__
    drawer = attributes.get(DRAWER, {})
    if type(drawer) is BindingDict:
        attributes["fields"] = drawer  # first, for other threads
        attributes.pop(DRAWER, None)
        return drawer
    if "fields" in attributes:
        return attributes["fields"]  # another thread was first
    attributes.pop(DRAWER, None)
    is_plain = uses_clones and gets_fields_as_stock(type(serializer))
    maker = _field_maker(serializer, 0) if is_plain else None
    if maker is not None:
        mapping = maker.bound_fields(with_url_name(serializer))
    else:
        mapping = STOCK_FIELDS.func(serializer)
    for name, field in drawer.items():
        if name in mapping and field.parent is serializer:
            mapping.fields[name] = field
    return mapping


def needed_field(serializer: Any, name: str) -> Any:
    """Return a field of a serializer; no code can tell that it was made.

    In the call that needs the field, the serializer was found to be pending, or to be made.
    """
    fields, is_made = made_fields(serializer), has_made_fields(serializer)
    if name in fields and (is_made or fields[name].parent is serializer):
        return fields[name]
    cls = type(serializer)
    is_later = not is_made and cls.fields is not STOCK_FIELDS
    maker = class_record(cls).current_field_maker() if is_later else None
    field = None if maker is None else maker.bound_field(name, serializer)
    if field is not None:
        serializer.__dict__[DRAWER] = fields | {name: field}  # a shallow copy keeps what it has
        return field
    if name not in serializer.fields:
        raise RuntimeError(f"the field {name!r} was removed while its serializer dumps")
    return serializer.fields[name]


def get_fields(serializer: Any) -> dict[str, Any] | None:
    """Return what stock's ``get_fields`` does; None if stock must make it."""
    maker = _field_maker(serializer, 1)
    if maker is None:
        return None
    with_url_name(serializer)
    return maker.fields()


def _field_maker(serializer: Any, objects: int) -> FieldMaker | None:
    """Return what makes a serializer's fields, counted as some objects; None if stock must."""
    record = class_record(type(serializer))
    if record.leaves_fields_to_stock or not follows_its_class(serializer):
        return None
    return record.field_maker() if record.count_by(serializer, objects) else None
