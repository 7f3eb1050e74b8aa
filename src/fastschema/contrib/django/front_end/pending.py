"""Pending serializers: their fields are made when somebody looks at them.

Stock keeps the fields of a serializer as ``fields`` in its ``__dict__`` once somebody has asked for
them; so do we. Until then nobody can have changed a field, and the serializer is *pending*.
"""

from __future__ import annotations

from typing import Any

from rest_framework.serializers import ModelSerializer
from rest_framework.settings import api_settings

from fastschema.contrib.django.front_end.class_state import CompiledState, class_state
from fastschema.contrib.django.front_end.exemplars import (
    BUILDING,
    STOCK_FIELDS,
    Exemplar,
    gets_fields_as_stock,
    with_url_name,
)
from fastschema.switch import is_disabled

_UNSEEN = "_fastschema_fields"
"""Where a pending serializer has single fields that it needed itself: a key of its ``__dict__``."""


def state_of_pending(serializer: Any) -> CompiledState | None:
    """Return what a serializer runs without fields; None if it has made them, or must."""
    return class_state(type(serializer)).pending() if is_still_pending(serializer) else None


def is_still_pending(serializer: Any) -> bool:
    """Return whether nobody has looked at the fields of a serializer, or chosen others for it."""
    return not has_made_fields(serializer) and follows_its_class(serializer)


def has_made_fields(serializer: Any) -> bool:
    """Return whether somebody has looked at the fields of a serializer."""
    return "fields" in vars(serializer)


def made_fields(serializer: Any) -> Any:
    """Return the fields of a serializer that are made, be it that nobody has looked at them."""
    own = vars(serializer)
    return own.get("fields", own.get(_UNSEEN, {}))


def fields(serializer: Any) -> Any:
    """Return what ``Serializer.fields`` gives to the first who looks at it."""
    unseen = vars(serializer).pop(_UNSEEN, {})
    is_plain = gets_fields_as_stock(type(serializer)) and not is_disabled()
    exemplar = _exemplar(serializer, 0) if is_plain else None
    if exemplar is not None:
        made = exemplar.bound_fields(with_url_name(serializer))
    else:
        made = STOCK_FIELDS.func(serializer)
    made.fields.update((name, field) for name, field in unseen.items() if name in made)
    return made


def unseen_field(serializer: Any, name: str) -> Any:
    """Return a field of a serializer, of which nobody can tell that it was made.

    :raises RuntimeError: as stock, if it is not there any more
    """
    made = made_fields(serializer)
    if name in made:
        return made[name]
    # Stock's own property knows nothing of such fields.
    is_later = not has_made_fields(serializer) and type(serializer).fields is not STOCK_FIELDS
    exemplar = class_state(type(serializer)).exemplar() if is_later else None
    field = None if exemplar is None else exemplar.bound_field(name, serializer)
    if field is not None:
        return vars(serializer).setdefault(_UNSEEN, {}).setdefault(name, field)
    if name not in serializer.fields:
        raise RuntimeError(f"the field {name!r} was removed while its serializer dumps")
    return serializer.fields[name]


def follows_its_class(serializer: Any) -> bool:
    """Return whether a serializer has nothing of its own that decides on its fields."""
    own = vars(serializer)
    url_name = own.get("url_field_name")
    return _DECIDING.isdisjoint(own) and url_name in (None, api_settings.URL_FIELD_NAME)


_DECIDING = frozenset([*BUILDING, "Meta", "_declared_fields", "_readable_fields", "get_fields"]) | {
    name for name in vars(ModelSerializer) if name.startswith("serializer_")
}


def get_fields(serializer: Any) -> dict[str, Any] | None:
    """Return what stock's ``get_fields`` does; None if stock must make it."""
    exemplar = _exemplar(serializer, 1)
    return None if exemplar is None else exemplar.fields(with_url_name(serializer))


def _exemplar(serializer: Any, objects: int) -> Exemplar | None:
    """Return what makes the fields of a serializer; None if stock must.

    :param objects: as how many objects this counts
    """
    if not follows_its_class(serializer):
        return None
    state = class_state(type(serializer))
    return state.exemplar() if state.is_in_use(objects) else None
