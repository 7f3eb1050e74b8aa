"""Make DRF serializers run compiled programs."""

from __future__ import annotations

from typing import Any

from django.utils.functional import cached_property
from rest_framework.mixins import ListModelMixin
from rest_framework.serializers import ListSerializer, ModelSerializer, Serializer

from fastschema.contrib.django.dump import represent, represent_list, stock_row
from fastschema.contrib.django.front_end.customization import (
    STOCK_FIELDS,
    STOCK_LIST_TO_REPRESENTATION,
    STOCK_TO_REPRESENTATION,
)
from fastschema.contrib.django.front_end.field_maker import STOCK_GET_FIELDS, STOCK_MODEL_GET_FIELDS
from fastschema.contrib.django.front_end.pending import get_fields, new_fields
from fastschema.contrib.django.input import validation
from fastschema.contrib.django.lists.cursors import CURSORS
from fastschema.contrib.django.lists.pagination import PAGINATE
from fastschema.contrib.django.lists.views import STOCK_LIST, list_rows
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.patching import Replacements, warn_of_newer
from fastschema.runtime.plugins import plugin
from fastschema.runtime.switch import is_disabled

_PLUGINS = [
    module
    for name in ("contrib.django.bulk", "contrib.django_filter", "contrib.adrf", "doctor.django")
    if (module := plugin(f"fastschema.{name}")) is not None
]
_NEWEST_TESTED = {"django": (6, 1), "djangorestframework": (3, 18)}


def _to_representation(self: Any, instance: Any) -> Any:
    """``Serializer.to_representation``, compiled."""
    runs = self._fastschema  # guard.STATE_KEY
    if runs is not None and runs.left > 0:
        runs.left -= 1
        return stock_row(self, instance)
    if not _replacements.are_installed:
        return STOCK_TO_REPRESENTATION(self, instance)
    return represent(self, instance)


def _list_to_representation(self: Any, data: Any) -> Any:
    """``ListSerializer.to_representation``, compiled."""
    if not _replacements.are_installed:
        return STOCK_LIST_TO_REPRESENTATION(self, data)
    return represent_list(self, data)


def _uses_clones() -> bool:
    return _replacements.are_installed and not is_disabled()


def _by_clones(stock: Any) -> Any:
    """Return a ``get_fields`` that makes clones, for that of ``Serializer`` or a class of it."""

    def method(self: Any) -> dict[str, Any]:
        fields = get_fields(self) if _uses_clones() else None
        return stock(self) if fields is None else fields

    return method


_get_fields = _by_clones(STOCK_GET_FIELDS)
_model_get_fields = _by_clones(STOCK_MODEL_GET_FIELDS)


def _new_fields(self: Any) -> Any:
    return new_fields(self, uses_clones=_uses_clones())


_fields = cached_property(_new_fields)
_fields.__set_name__(Serializer, "fields")
_lasting = Replacements([(Serializer, "fields", STOCK_FIELDS, _fields)])
"""What stays when the rest is uninstalled: serializers may be there that keep their fields here."""

_replacements = Replacements(
    [
        (Serializer, "to_representation", STOCK_TO_REPRESENTATION, _to_representation),
        (
            ListSerializer,
            "to_representation",
            STOCK_LIST_TO_REPRESENTATION,
            _list_to_representation,
        ),
        (Serializer, "get_fields", STOCK_GET_FIELDS, _get_fields),
        (ModelSerializer, "get_fields", STOCK_MODEL_GET_FIELDS, _model_get_fields),
        *validation.REPLACEMENTS,
        (ListModelMixin, "list", STOCK_LIST, list_rows),
        *PAGINATE,
        *CURSORS,
    ]
)


def install() -> None:
    """Make DRF serializers run compiled programs, single ones and ``many=True``.

    A method that another library has replaced stays as it is. Installing again does nothing.
    """
    for package, newest in _NEWEST_TESTED.items():
        warn_of_newer(package, newest)
    # The default, so that ``serializer._fastschema`` never raises.
    setattr(Serializer, STATE_KEY, None)
    _lasting.install()
    _replacements.install()
    for module in _PLUGINS:
        module.install()


def uninstall() -> None:
    """Give the classes of DRF their own methods back, where ``install`` has replaced them.

    But for ``Serializer.fields``: see ``_lasting``.
    """
    _replacements.uninstall()
    for module in _PLUGINS:
        module.uninstall()
