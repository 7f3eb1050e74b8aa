"""What marshmallow-sqlalchemy adds: related objects, mapped instances, loading into instances.

It is never imported here: what belongs to it is there only if the application has imported it.

SQLAlchemy keeps what it has loaded in an instance's ``__dict__``, and its descriptor
(``InstrumentedAttribute.__get__``) looks there first. Generated code looks there itself, and asks
the descriptor for everything else: what is expired, deferred, or loaded when it is asked for.

SQLAlchemy is not imported here: whoever has instances of mapped classes has imported it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from types import GetSetDescriptorType
from typing import Any

from fastschema.compiler.kinds import for_all, new_slot
from fastschema.compiler.nodes import Kind, Slot
from fastschema.runtime.patching import StockMethods, stock_method
from fastschema.runtime.programs import Description, Rule, own_method

_FIELDS = "marshmallow_sqlalchemy.fields"
_INSTANCES = "marshmallow_sqlalchemy.load_instance_mixin"


def _is_method(function: Any, module_name: str, path: str) -> bool:
    """Return whether a function is a method of the library, as it was written there."""
    owner: Any = sys.modules.get(module_name)
    *classes, name = path.split(".")
    for cls in classes:
        owner = getattr(owner, cls, None)
    return owner is not None and function is stock_method(owner, name)


def gets_value_as_stock(function: Any) -> bool:
    """Return whether ``RelatedList.get_value`` is asked, which calls that of ``Field``."""
    return _is_method(function, _FIELDS, "RelatedList.get_value")


def rule_of_related(method: Any) -> Rule | None:
    """Return the rule for the method of ``Related``; None for other methods."""
    return _describe_related if _is_method(method, _FIELDS, "Related._serialize") else None


def _describe_related(field: Any) -> Description:
    cls = sys.modules[_FIELDS].Related
    for name in ("model", "related_model", "related_keys"):
        if getattr(type(field), name, None) is not vars(cls)[name]:
            return own_method("it overrides how the keys of the related model are found")
    return (_related,)


def _related(*, path: Any, slots: list[Slot]) -> Kind:
    keys = new_slot(slots, "related", lambda bound, cls, form: RelatedKeys(path.get(bound.fields)))
    return for_all("keys of a related object", f"{keys}($value)", none_stays=False)


class RelatedKeys:
    """From a related object to its keys, as ``Related._serialize``; looked up once for a dump."""

    __slots__ = ("_field", "_keys")

    def __init__(self, field: Any) -> None:
        self._field = field
        self._keys: list[str] | None = None

    def __call__(self, value: Any) -> Any:
        keys = self._keys
        if keys is None:
            keys = self._keys = [column.key for column in self._field.related_keys]
        if len(keys) == 1:
            return getattr(value, keys[0], None)
        return {key: getattr(value, key, None) for key in keys}


def passes_session(method: Any) -> bool:
    """Return whether a nested field's ``_deserialize`` only gives its schema the session."""
    return _is_method(method, _FIELDS, "Nested._deserialize")


def pass_session(field: Any, schema: Any) -> None:
    """Give the schema of a nested field the session of the outermost schema."""
    if hasattr(schema, "session"):
        schema.session = field.root.session
        schema.transient = field.root.transient


def loads_instances(method: Any) -> bool:
    return _is_method(method, _INSTANCES, "LoadInstanceMixin.Schema.load")


def makes_schemas(method: Any) -> bool:
    return _is_method(method, _INSTANCES, "LoadInstanceMixin.Schema.__init__")


def load_instances(schema: Any, load: Callable[[], Any]) -> Any:
    """Return what that ``load`` returns without options of its own."""
    if schema._load_instance and not (schema.transient or schema.session):
        raise ValueError("Deserialization requires a session")
    try:
        return load()
    finally:
        schema.instance = None


MAPPED = "mapped"
"""The access to such instances."""

_NEVER_A_KEY = object()


def is_mapped(cls: type) -> bool:
    """Return whether SQLAlchemy keeps the attributes of a class's instances in their ``__dict__``.

    Not where an instrumentation extension keeps them elsewhere, nor where another library is to
    know that an attribute is read: nplusone, say, which puts something around the descriptor.
    """
    attributes: Any = sys.modules.get("sqlalchemy.orm.attributes")
    return (
        attributes is not None
        and "_sa_class_manager" in cls.__dict__
        and are_read_as_stock()
        and type(attributes.instance_dict) is attrgetter
        and type(_found_on(cls, "__dict__")) is GetSetDescriptorType
    )


def are_read_as_stock(bound: Any = None) -> bool:
    """Return whether SQLAlchemy's own descriptor reads the attributes of instances."""
    global _descriptor
    if _descriptor is None:
        attributes: Any = sys.modules["sqlalchemy.orm.attributes"]
        descriptor = StockMethods([(attributes.InstrumentedAttribute, "__get__")])
        if not descriptor.are_stock():
            return False  # by now; whoever has replaced it may put it back
        _descriptor = descriptor
    return _descriptor.are_stock()


_descriptor: StockMethods | None = None


def key_finder(cls: type) -> Callable[[str], object]:
    """Return what finds the key of a loaded attribute of a class's instances.

    For all attributes of a class that is not mapped, it gives something that is no key at all.
    """
    return partial(loaded_key, cls) if is_mapped(cls) else lambda name: _NEVER_A_KEY


def loaded_key(cls: type, name: str) -> object:
    """Return the key of a loaded attribute of a mapped class's instances.

    Something that is no key at all for an attribute whose reading means more than that.
    """
    attributes = cls.__dict__
    attribute = attributes[name] if name in attributes else _found_on(cls, name)
    plain = sys.modules["sqlalchemy.orm.attributes"].InstrumentedAttribute
    if type(attribute) is not plain or attribute.key != name:
        return _NEVER_A_KEY
    return name if attribute.impl.supports_population else _NEVER_A_KEY


def _found_on(cls: type, name: str) -> Any:
    """Return what a class has by a name, without asking descriptors."""
    return next((base.__dict__[name] for base in cls.__mro__ if name in base.__dict__), None)
