"""Whether new schemas of a class are still like the one from which a template was learnt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copyreg import dispatch_table
from operator import attrgetter, is_
from typing import Any

import marshmallow.schema
from marshmallow import Schema, fields
from marshmallow.fields import Field
from marshmallow.orderedset import OrderedSet

from fastschema.class_versions import (
    METHODS,
    defined,
    dictionary_of_class,
    gives_the_same,
    join,
    order_of,
)
from fastschema.dictionary_versions import reads_plainly
from fastschema.marshmallow.binding import bind_to_schema, init_fields
from fastschema.marshmallow.copying import COPIED_BY, NAMES, has_own_way, has_plain_deep_copies
from fastschema.marshmallow.noticing import set_attribute
from fastschema.marshmallow.templates import (
    ATTRIBUTES,
    DEFAULTS,
    DICTIONARY,
    NAME_OPTIONS,
    FieldTemplate,
    SchemaTemplate,
    class_messages,
    demand,
    dictionary_of,
)
from fastschema.unchanged import Unchanged

_FORMAT_OPTION = "SCHEMA_OPTS_VAR_NAME"
_READ_OF_FIELDS = {*NAMES, "_bind_to_schema", "__setattr__", "__bool__", "__len__"}
_READ_BY_BINDING = (
    _FORMAT_OPTION,
    "DEFAULT_FORMAT",
    "format",
    "inner",
    "tuple_fields",
    "key_field",
    "value_field",
    "only",
    "exclude",
    "serialize_method_name",
    "deserialize_method_name",
    "_serialize_method",
    "_deserialize_method",
)
"""What ``_bind_to_schema`` reads and writes of some fields, besides what all fields have."""


def _of_marshmallow(owner: type, name: str, module: Any) -> Any:
    """A method as it stands in a class; None, as where there is none, if somebody replaced it."""
    method = dictionary_of_class(owner).get(name)
    return method if getattr(method, "__globals__", None) is vars(module) else None


_of_object = vars(object)
_DEFAULTS_BEFORE = {**DEFAULTS}
_METHODS: Mapping[str, tuple[Any, ...]] = {
    **{
        name: (_of_marshmallow(Schema, name, marshmallow.schema),)
        for name in (
            "_normalize_nested_options",
            "_Schema__apply_nested_option",
            "_bind_field",
            "on_bind_field",
        )
    },
    "_init_fields": (_of_marshmallow(Schema, "_init_fields", marshmallow.schema), init_fields),
    "__setattr__": (_of_object["__setattr__"],),
    "__getattribute__": (_of_object["__getattribute__"],),
}
_CLASSES = {"set_class": OrderedSet, "dict_class": dict, "__class__": _of_object["__class__"]}
_SETTERS = (None, set_attribute, _of_object["__setattr__"])
_BINDINGS = (
    None,
    bind_to_schema,
    *(
        _of_marshmallow(cls, "_bind_to_schema", fields)
        for cls in vars(fields).values()
        if isinstance(cls, type) and issubclass(cls, Field)
    ),
)
_OF_TYPE = {name: vars(type)[name] for name in ("__getattribute__", "__mro__")}
_of_module = vars(marshmallow.schema)
_OF_MODULE: Mapping[str, tuple[Any, ...]] = {
    **{name: (_of_module.get(name),) for name in ("is_collection", "OrderedSet")},
    "copy": COPIED_BY,
}
_dictionary = attrgetter("__dict__")  # faster than dictionary_of


class Alike:
    """What must be so for a template to tell what new schemas of its class are like.

    It keeps the class and its fields alive.

    :param template: the template, learnt just now
    :raises NotAlikeError: if code that is not marshmallow's may have a part in new schemas
    """

    __slots__ = (
        "_classes",
        "_dictionaries",
        "_field_classes",
        "_lists",
        "_messages",
        "_metaclass",
        "_methods",
        "_opts",
        "_owners",
        "_snapshots",
        "_template",
        "_unchanged",
    )

    def __init__(self, template: SchemaTemplate) -> None:
        self._template = template
        cls, fields = template.cls, [*template.all_fields()]
        demand(not any(has_own_way(field.before) for field in fields))
        demand(not any("_bind_to_schema" in field.before for field in fields))
        demand(_are_items_same(DEFAULTS, _DEFAULTS_BEFORE))
        self._metaclass = type(cls)
        self._opts: Any = defined(cls, "opts")
        self._messages = class_messages(cls)
        # Whatever may get another class, or other attributes, without a number telling.
        self._owners = [self._opts, *(field.original for field in fields)]
        self._classes = [*map(type, self._owners)]
        self._dictionaries = [vars(self._opts), *map(dictionary_of, self._owners[1:])]
        self._field_classes = _FieldClass.of(fields)
        self._methods = {name: method for field in fields for name, method in field.methods.items()}
        # A list may change without a number telling.
        named = [template.options[each] for each in NAME_OPTIONS]
        self._lists = [(each, (*each,)) for each in named if type(each) is list]
        self._lists += [each for field in fields for each in field.lists]
        declared = {name: field.original for name, field in template.fields.items()}
        before = [template.options, *(field.before for field in fields)]
        self._snapshots = [
            (defined(cls, "_declared_fields"), declared),
            (DEFAULTS, _DEFAULTS_BEFORE),
            *zip(self._messages, template.messages, strict=True),
            *zip(self._dictionaries, before, strict=True),
        ]
        classes = Unchanged()
        metaclasses = {type(each.cls): () for each in self._field_classes}
        classes.add(
            self._are_classes_plain,
            of_classes=[
                (cls, _METHODS),
                (type(cls), ()),
                (type(OrderedSet), ()),
                *((each.cls, _READ_OF_FIELDS) for each in self._field_classes),
                *metaclasses.items(),
            ],
            of_objects=[(type(self._opts), template.options)],
        )
        # Without numbers it takes longer to ask than to make a schema.
        demand(classes.are_told and self._are_classes_plain())
        self._unchanged = Unchanged(classes)
        self._unchanged.add(
            self._are_dictionaries_same,
            dictionaries=[
                dispatch_table,
                _of_module,
                *(dictionary for dictionary, _ in self._snapshots),
            ],
        )

    def still(self) -> bool:
        """Whether new schemas are as the template has them."""
        unchanged = self._unchanged
        try:
            return (
                (join(unchanged.versions) == unchanged.seen or unchanged.ask())
                and all(map(is_, map(_dictionary, self._owners), self._dictionaries))
                and all(map(is_, map(type, self._owners), self._classes))
                and type(self._template.cls) is self._metaclass
                and all(_are_same(each, items) for each, items in self._lists)
            )
        except Exception:  # NotAlikeError, or what the odd thing raises that somebody put there
            return False

    def _are_classes_plain(self) -> bool:
        """Whether a new schema runs marshmallow's own code only, as far as classes decide."""
        opts_class = type(self._opts)
        return (
            self._is_schema_class_plain(self._template.cls)
            and reads_plainly(opts_class)
            and gives_the_same(opts_class, self._template.options, METHODS)
            and all(each.is_plain() for each in self._field_classes)
        )

    def _is_schema_class_plain(self, cls: Any) -> bool:
        return (
            all(_is_one_of(defined(cls, name), methods) for name, methods in _METHODS.items())
            and all(defined(cls, name) is known for name, known in _CLASSES.items())
            and defined(cls, "_declared_fields") is self._snapshots[0][0]
            and defined(cls, "opts") is self._opts
            and not any(hasattr(type(each), "__get__") for each in (self._opts, OrderedSet))
            and all(defined(cls, name) is known for name, known in self._methods.items())
            and gives_the_same(cls, ATTRIBUTES, METHODS)
            and _are_same(class_messages(cls), self._messages)
            and all(map(_has_plain_attributes, map(type, order_of(cls))))
        )

    def _are_dictionaries_same(self) -> bool:
        return (
            all(_are_items_same(*pair) for pair in self._snapshots)
            and not any(each.cls in dispatch_table for each in self._field_classes)
            and all(_is_one_of(_of_module.get(name), known) for name, known in _OF_MODULE.items())
        )


class _FieldClass:
    """What a class must be like for its fields to be copied and bound by marshmallow's own code.

    :param cls: the class
    :param field: one of them
    """

    __slots__ = ("_attributes", "_bindings", "_field", "_order", "_read", "cls")

    def __init__(self, cls: Any, field: Any) -> None:
        self.cls = cls
        self._field = field
        self._attributes: set[str] = {*_READ_BY_BINDING}
        self._order = order_of(cls)
        self._bindings = self._of_each("_bind_to_schema")
        self._read = [defined(cls, name) for name in _READ_BY_BINDING]

    @classmethod
    def of(cls, fields: list[FieldTemplate]) -> list[_FieldClass]:
        """Those of some fields, whose attributes are read as well."""
        found: dict[int, _FieldClass] = {}
        for field in fields:
            each = found.setdefault(id(field.cls), cls(field.cls, field.original))
            each._attributes.update(field.attributes)
        return [*found.values()]

    def is_plain(self) -> bool:
        """Whether it is like that, and what binding does is what it was."""
        cls = self.cls
        return (
            has_plain_deep_copies(self._field)
            and _are_same(order_of(cls), self._order)
            # Each of these may call the next one.
            and all(_is_one_of(each, _BINDINGS) for each in self._bindings)
            and all(_is_one_of(each, _SETTERS) for each in self._of_each("__setattr__"))
            and _are_same(self._of_each("_bind_to_schema"), self._bindings)
            and all(map(is_, [defined(cls, name) for name in _READ_BY_BINDING], self._read))
            and defined(cls, "__dict__") is DICTIONARY
            and defined(cls, "__class__") is _of_object["__class__"]
            # A field in a mapping is asked whether it is true.
            and defined(cls, "__bool__") is defined(cls, "__len__") is None
            and gives_the_same(cls, self._attributes, METHODS)
        )

    def _of_each(self, name: str) -> list[Any]:
        """What it and each class that it inherits from defines of a name itself."""
        return [dictionary_of_class(base).get(name) for base in order_of(self.cls)]


def _has_plain_attributes(metaclass: type) -> bool:
    """Whether the error messages of such classes are what stands in the classes."""
    return (
        all(defined(metaclass, name) is plain for name, plain in _OF_TYPE.items())
        and defined(metaclass, "__getattr__") is None
        and defined(metaclass, "error_messages") is None
    )


def _is_one_of(value: object, known: Iterable[object]) -> bool:
    """Whether it is the very same as one of these; ``in`` would ask the value."""
    return any(value is each for each in known)


def _are_same(some: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether these are the same objects, in the same order."""
    some, others = [*some], [*others]
    return len(some) == len(others) and all(map(is_, some, others))


def _are_items_same(some: dict[Any, Any], others: dict[Any, Any]) -> bool:
    return _are_same(some, others) and _are_same(some.values(), others.values())
