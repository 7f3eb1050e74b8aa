"""Compiled serializers for those who name them one by one (``FASTSCHEMA = {"INSTALL": False}``)."""

from __future__ import annotations

from functools import partial
from typing import Any

from rest_framework.serializers import BaseSerializer, ListSerializer, Serializer

from fastschema.contrib.django.dump import represent, represent_list
from fastschema.contrib.django.front_end.customization import (
    STOCK_LIST_TO_REPRESENTATION,
    STOCK_TO_REPRESENTATION,
    is_stock_serializer,
)
from fastschema.contrib.django.input import validation
from fastschema.contrib.django.input.validation import STOCK_RUN_VALIDATION
from fastschema.runtime.patching import is_stock, stands_for
from fastschema.runtime.rooms import room

_bulk = room("fastschema.contrib.django.bulk.create")


class FastListSerializer(ListSerializer):
    """``ListSerializer``, compiled; also to derive from."""

    run_validation = validation.run_list_validation
    if _bulk is not None:
        create = _bulk.create_list

    def to_representation(self, data: Any) -> Any:
        """Return what ``ListSerializer.to_representation`` returns, compiled."""
        return represent_list(self, data)


class FastSerializerMixin:
    """Compiles one serializer class, single and ``many=True``; it is listed first.

    ::

        class AlbumSerializer(FastSerializerMixin, serializers.ModelSerializer): ...

    A method of another base class is called as ever, be it listed after this one.
    A ``many=True`` serializer is a :class:`FastListSerializer`, unless ``Meta`` names a list
    serializer or ``many_init`` makes one.

    :raises TypeError: where a class is defined in which it has no effect
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        following = cls.__mro__[cls.__mro__.index(FastSerializerMixin) + 1 :]
        if issubclass(cls, ListSerializer):
            raise TypeError(f"{cls.__name__}: derive list serializers from FastListSerializer")
        if issubclass(cls, BaseSerializer) and BaseSerializer not in following:
            raise TypeError(f"{cls.__name__}: list FastSerializerMixin before the serializer")
        for name, stock in _METHODS.items():
            method = next((vars(base)[name] for base in following if name in vars(base)), stock)
            is_ours = getattr(cls, name) is getattr(FastSerializerMixin, name)
            if is_ours and not is_stock(method, stock):
                setattr(cls, name, method)  # so that everybody sees that it is overridden

    run_validation = validation.run_validation

    def to_representation(self, instance: Any) -> Any:
        """Return what ``Serializer.to_representation`` returns, compiled."""
        following: Any = super().to_representation  # type: ignore[misc]  # of a serializer
        if is_stock(following.__func__, STOCK_TO_REPRESENTATION):
            return represent(self, instance)
        return following(instance)

    @classmethod
    def many_init(cls, *args: Any, **kwargs: Any) -> Any:
        """Return the list serializer that ``BaseSerializer.many_init`` makes, compiled."""
        many = super().many_init(*args, **kwargs)  # type: ignore[misc]  # of a serializer
        return fast_list(many)


_METHODS = {
    "to_representation": STOCK_TO_REPRESENTATION,
    "run_validation": STOCK_RUN_VALIDATION,
}
stands_for(FastSerializerMixin.to_representation, STOCK_TO_REPRESENTATION)
stands_for(FastListSerializer.to_representation, STOCK_LIST_TO_REPRESENTATION)


def speed_up(serializer: Any) -> Any:
    """Make one serializer instance use programs, single or ``many=True``.

    A serializer that overrides ``to_representation``, and what is no serializer, stay as they are.

    :returns: the serializer itself
    """
    if isinstance(serializer, ListSerializer):
        if type(serializer) is ListSerializer:
            return fast_list(serializer)
        speed_up(serializer.child)
    elif isinstance(serializer, Serializer) and is_stock_serializer(serializer):
        serializer.to_representation = partial(represent, serializer)
    return serializer


def fast_list(many: Any) -> Any:
    """Return a plain list serializer as a compiled one, made by whatever has made it."""
    if type(many) is ListSerializer:
        many.__class__ = FastListSerializer
    return many
