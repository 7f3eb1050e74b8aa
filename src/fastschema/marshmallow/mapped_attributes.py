"""Instances of SQLAlchemy's mapped classes: their loaded attributes, past the descriptors.

SQLAlchemy keeps what it has loaded in an instance's ``__dict__``, and its descriptor
(``InstrumentedAttribute.__get__``) looks there first. Generated code looks there itself, and asks
the descriptor for everything else: what is expired, deferred, or loaded when it is asked for.

SQLAlchemy is not imported here: whoever has instances of mapped classes has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from operator import attrgetter
from types import GetSetDescriptorType
from typing import Any

MAPPED = "mapped"
"""The access to such instances."""

_NEVER_A_KEY = object()


def is_mapped(cls: type) -> bool:
    """Whether SQLAlchemy keeps the attributes of a class's instances in their ``__dict__``.

    Not where an instrumentation extension keeps them elsewhere.
    """
    attributes: Any = sys.modules.get("sqlalchemy.orm.attributes")
    return (
        attributes is not None
        and "_sa_class_manager" in cls.__dict__
        and type(attributes.instance_dict) is attrgetter
        and type(_found_on(cls, "__dict__")) is GetSetDescriptorType
    )


def key_finder(cls: type) -> Callable[[str], object]:
    """What finds the key under which instances of a class keep an attribute once it is loaded.

    For an attribute whose reading means more than that, and for all attributes of a class that is
    not mapped, it gives something that is no key at all.
    """
    attributes: Any = sys.modules.get("sqlalchemy.orm.attributes")
    if attributes is None or not is_mapped(cls):
        return lambda name: _NEVER_A_KEY
    plain, own = attributes.InstrumentedAttribute, cls.__dict__

    def find(name: str) -> object:
        attribute = own[name] if name in own else _found_on(cls, name)
        if type(attribute) is not plain or attribute.key != name:
            return _NEVER_A_KEY
        return name if attribute.impl.supports_population else _NEVER_A_KEY

    return find


def _found_on(cls: type, name: str) -> Any:
    """What a class has by a name, without asking descriptors."""
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
