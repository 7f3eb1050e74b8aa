"""Making new schemas: what ``Schema.__init__`` does with fields, in less time.

A schema is often made for a single object, and copies and binds all fields of its class, which
takes several times as long as dumping the object. Here fields are copied attribute by attribute,
where ``copy`` would come to the same, and bound without the ordered sets that stock sorts them out
with. Whatever is out of the ordinary is left to stock.

What is made in this way is as its class says, so the schema is told that its fields are fresh (see
:mod:`schema_state`).
"""

from __future__ import annotations

import copy
from abc import ABCMeta
from copyreg import dispatch_table
from inspect import signature
from types import SimpleNamespace
from typing import Any

from marshmallow import Schema, fields, missing
from marshmallow.orderedset import OrderedSet

from fastschema.marshmallow.schema_state import SchemaState
from fastschema.runtime.guard import ATTRIBUTE
from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_INIT_FIELDS: Any = stock_method(Schema, "_init_fields")
STOCK_BIND_TO_SCHEMA: Any = stock_method(fields.Field, "_bind_to_schema")
STOCK_DEEPCOPY: Any = stock_method(fields.Field, "__deepcopy__")
_STOCK_BIND_FIELD = stock_method(Schema, "_bind_field")
_STOCK_ON_BIND_FIELD = stock_method(Schema, "on_bind_field")
_STOCK_DICT_CLASS = Schema.dict_class  # in marshmallow 3 a property
_Inferred = getattr(fields, "Inferred", None)  # of marshmallow 3
_REFUSES_CLASSES = _Inferred is not None  # marshmallow 4 does so when a schema class is made
_FIELD: Any = getattr(fields, "FieldABC", fields.Field)  # of marshmallow 3
_FIELD_CLASSES = {
    cls
    for cls in vars(fields).values()
    if isinstance(cls, type) and issubclass(cls, fields.Field) and cls.__module__ == fields.__name__
}
_KNOWN_BINDING = {stock_method(cls, "_bind_to_schema") for cls in _FIELD_CLASSES}
_METACLASSES = (type, ABCMeta)
_new: Any = object.__new__
_get_attribute: Any = object.__getattribute__
_get_class_attribute: Any = type.__getattribute__
_set: Any = object.__setattr__  # copies are made without writing to them


_OWN_WAYS = frozenset(
    [
        "__copy__",
        "__deepcopy__",
        "__del__",  # would see copies that are not used
        "__getattr__",
        "__getattribute__",
        "__getnewargs__",
        "__getnewargs_ex__",
        "__getstate__",
        "__new__",
        "__reduce__",
        "__reduce_ex__",
        "__setstate__",
        "__slots__",
    ]
)
"""What says how an object is to be copied, or what becomes of copies."""
_PLAIN_CLASSES = frozenset(base for cls in _FIELD_CLASSES for base in cls.__mro__)


def has_plain_copies(cls: Any) -> bool:
    """Whether copies of a class's instances are new ones with the same attributes."""
    if type(cls) not in _METACLASSES or cls in dispatch_table:
        return False
    for base in cls.__mro__:
        if base not in _PLAIN_CLASSES and not base.__dict__.keys().isdisjoint(_OWN_WAYS):
            return False
    return True


def copy_field(field: Any) -> Any:
    """A shallow copy of a field, as ``copy.copy`` makes it."""
    own = field.__dict__
    if type(own) is not dict or not own.keys().isdisjoint(_OWN_WAYS):
        return copy.copy(field)
    copied: Any = _new(type(field))
    # Attributes are read faster than those of a dictionary that is put in the place of its own.
    copied.__dict__.update(own)
    return copied


_LISTS = ("tuple_fields", "validators")
"""The attributes of fields that are lists of what they are made of."""


def frozen_copy(field: Any) -> Any:
    """A copy of a field, and of the fields inside of it, that later changes to those pass by."""
    copied = copy_field(field)
    own = copied.__dict__
    for name, value in own.items():
        if isinstance(value, fields.Field) and name != "parent":
            own[name] = frozen_copy(value)
        elif name in _LISTS and type(value) is list:
            own[name] = [
                frozen_copy(each) if isinstance(each, fields.Field) else each for each in value
            ]
    return copied


def deepcopy_field(self: Any, memo: Any) -> Any:
    """``Field.__deepcopy__``: a shallow copy of the field."""
    if is_disabled() or not has_plain_copies(type(self)):
        return copy.copy(self)
    return copy_field(self)


class Copy:
    """The module ``copy``, as ``Schema.__init__`` uses it: to copy the fields of its class."""

    def __getattr__(self, name: str) -> Any:
        return getattr(copy, name)

    @staticmethod
    def deepcopy(declared: Any, memo: Any = None) -> Any:
        """``copy.deepcopy``, faster for a dictionary of fields that are copied plainly."""
        if type(declared) is dict and memo is None and not is_disabled():
            copied = _copied_fields(declared)
            if copied is not None:
                return copied
        return copy.deepcopy(declared, memo)


def _copied_fields(declared: dict[Any, Any]) -> dict[str, Any] | None:
    """The fields copied plainly; None if that is not how all of them are copied."""
    copied: dict[str, Any] = {}
    classes: set[type] = set()
    for name, field in declared.items():
        cls = type(field)
        if cls not in classes:
            if getattr(cls, "__deepcopy__", None) is not deepcopy_field:
                return None
            if not has_plain_copies(cls):
                return None
            classes.add(cls)
        own = field.__dict__
        if type(name) is not str or type(own) is not dict or not own.keys().isdisjoint(_OWN_WAYS):
            return None
        copied[name] = copy_field(field)
    # A field that has two names is copied once.
    return copied if len(set(map(id, declared.values()))) == len(copied) else None


fast_copy = Copy()
"""What takes the place of the module in marshmallow."""


def init_fields(self: Any) -> None:
    """``Schema._init_fields``: bind the schema's fields, sort out which are for what.

    :raises ValueError: as stock, for names that no field has and for keys that two fields have
    """
    names = _names(self)
    if names is None:
        STOCK_INIT_FIELDS(self)
        return
    is_first = not self.__dict__.get("fields")
    bound, is_plain = _bound_fields(self, names)
    load_fields, dump_fields = {}, {}
    for name, field in bound.items():
        if not field.dump_only:
            load_fields[name] = field
        if not field.load_only:
            dump_fields[name] = field
    keys = [
        field.data_key if field.data_key is not None else name
        for name, field in dump_fields.items()
    ]
    if len(set(keys)) != len(keys):
        _refuse([{"data_key": key, "dump_only": True} for key in keys])
    attributes = [field.attribute or name for name, field in load_fields.items()]
    if len(set(attributes)) != len(attributes):
        _refuse([{"attribute": attribute, "load_only": True} for attribute in attributes])
    self.fields = bound
    self.dump_fields = dump_fields
    self.load_fields = load_fields
    if is_first and is_plain and _are_as_declared(self, bound):
        self.__dict__[ATTRIBUTE] = SchemaState(self, bound.copy())


def _names(schema: Any) -> list[Any] | None:
    """The names of the schema's fields, in order; None where stock must tell."""
    cls: Any = type(schema)
    if (
        type(cls).__getattribute__ is not _get_class_attribute
        or cls.__getattribute__ is not _get_attribute
    ):
        return None
    own = schema.__dict__
    has_stock_property = cls.dict_class is _STOCK_DICT_CLASS and "ordered" in own
    if (
        "declared_fields" not in own  # but a property
        or "only" not in own
        or "exclude" not in own
        or cls.set_class is not OrderedSet
        or (cls.dict_class is not dict and not has_stock_property)
        or "set_class" in own
        or "dict_class" in own
        or fields.Field.__setattr__ is not _set
    ):
        return None
    opts, declared, only, exclude = schema.opts, schema.declared_fields, schema.only, schema.exclude
    if (
        schema.dict_class is not dict
        or opts.fields
        or getattr(opts, "additional", ())  # of marshmallow 3
        or type(declared) is not dict
        or (only is not None and type(only) is not OrderedSet)
        or type(exclude) not in (set, OrderedSet)
        or is_disabled()
    ):
        return None
    names = list(declared) if only is None else list(only)
    if exclude:
        names = [name for name in names if name not in exclude]
    is_known = (only is None or only <= declared.keys()) and exclude <= declared.keys()
    return names if is_known else None


def _bound_fields(schema: Any, names: list[Any]) -> tuple[dict[Any, Any], bool]:
    """The fields, each bound as by ``Schema._bind_field``, and whether nobody else had a say."""
    cls, own = type(schema), schema.__dict__
    is_plain = cls._bind_field is _STOCK_BIND_FIELD and cls.on_bind_field is _STOCK_ON_BIND_FIELD
    bound = {}
    for name in names:
        field = schema.declared_fields.get(name, missing)
        if field is missing:
            field = _undeclared_field(name)
        bound[name] = field
        # A field that is bound may give the schema a method of its own.
        if (
            not is_plain
            or "_bind_field" in own
            or (_REFUSES_CLASSES and issubclass(type(field), type))
        ):
            is_plain = False
            schema._bind_field(name, field)
            continue
        if name in schema.load_only:
            field.load_only = True
        if name in schema.dump_only:
            field.dump_only = True
        field._bind_to_schema(name, schema)
        if "on_bind_field" in own:
            is_plain = False
            schema.on_bind_field(name, field)
    return bound, is_plain


def _are_as_declared(schema: Any, bound: dict[Any, Any]) -> bool:
    """Whether fields that were just bound are what the class declares, and nothing else.

    Fields with ways of their own to be copied or bound may differ from schema to schema.
    """
    declared = type(schema)._declared_fields
    classes = set()
    for name, field in bound.items():
        cls = type(field)
        if type(declared.get(name, field if cls is _Inferred else None)) is not cls:
            return False
        classes.add(cls)
    return all(
        (cls._bind_to_schema is bind_to_schema or cls._bind_to_schema in _KNOWN_BINDING)
        and cls.__deepcopy__ in (deepcopy_field, STOCK_DEEPCOPY)
        and has_plain_copies(cls)
        for cls in classes
    )


def _bind_to_schema(self: Any, field_name: Any, parent: Any) -> None:
    """``Field._bind_to_schema``: tell the field its name and where it is.

    A field of one of marshmallow's own classes, which have nothing of these names, is told without
    writing to its attributes: nobody can have seen a field that is not bound yet.
    """
    cls = type(self)
    if cls in _FIELD_CLASSES and cls.__setattr__ is _set and not is_disabled():
        own = self.__dict__
        get = own.get
        if get("parent") is None and get("name") is None and get("root") is None:
            own["parent"] = parent
            own["name"] = field_name
            own["root"] = parent.root if isinstance(parent, _FIELD) else parent
            return
    STOCK_BIND_TO_SCHEMA(self, field_name, parent)


def _bind_to_schema_3(self: Any, field_name: Any, schema: Any) -> None:
    """The same with the name that marshmallow 3 has for the parameter."""
    _bind_to_schema(self, field_name, schema)


_NAMES_IT_PARENT = "parent" in signature(fields.Field._bind_to_schema).parameters
bind_to_schema = _bind_to_schema if _NAMES_IT_PARENT else _bind_to_schema_3
bind_to_schema.__qualname__ = fields.Field._bind_to_schema.__qualname__  # errors tell it


def _undeclared_field(name: Any) -> Any:
    """What stock takes for a field that was declared until another was bound.

    :raises KeyError: as marshmallow 4
    """
    if _Inferred is None:
        raise KeyError(name)
    return _Inferred()


def _refuse(settings: list[dict[str, Any]]) -> None:
    """Have stock say which of the settings two fields share; the fields are not asked again.

    :raises ValueError: as stock
    """
    unset = {"data_key": None, "attribute": None, "load_only": False, "dump_only": False}
    STOCK_INIT_FIELDS(
        SimpleNamespace(
            declared_fields={
                number: SimpleNamespace(**(unset | each)) for number, each in enumerate(settings)
            },
            opts=SimpleNamespace(fields=(), additional=()),
            only=None,
            exclude=(),
            set_class=OrderedSet,
            dict_class=dict,
            _bind_field=lambda name, field: None,
        )
    )
