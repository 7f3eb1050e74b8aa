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

from fastschema.class_versions import METHODS, defined, gives_the_same, join, order_of
from fastschema.dictionary_versions import reads_plainly
from fastschema.marshmallow.binding import bind_to_schema, init_fields
from fastschema.marshmallow.copying import COPIED_BY, NAMES, has_own_way, has_plain_deep_copies
from fastschema.marshmallow.noticing import set_attribute
from fastschema.marshmallow.templates import (
    ATTRIBUTES,
    DICTIONARY,
    NAME_OPTIONS,
    SchemaTemplate,
    class_messages,
    demand,
    dictionary_of,
)
from fastschema.unchanged import Unchanged

_OPTIONS = {*NAME_OPTIONS, "many", "unknown"}
_FORMAT_OPTION = "SCHEMA_OPTS_VAR_NAME"
_READ_OF_FIELDS = {*NAMES, "_bind_to_schema", "__setattr__", "__bool__", "__len__"}


def _of_marshmallow(owner: type, name: str, module: Any) -> Any:
    """A method as it stands in a class; None, as where there is none, if somebody replaced it."""
    method = vars(owner).get(name)
    return method if getattr(method, "__globals__", None) is vars(module) else None


_of_object = vars(object)
_METHODS: Mapping[str, tuple[Any, ...]] = {
    **{
        name: (_of_marshmallow(Schema, name, marshmallow.schema),)
        for name in ("_normalize_nested_options", "_bind_field", "on_bind_field")
    },
    "_init_fields": (_of_marshmallow(Schema, "_init_fields", marshmallow.schema), init_fields),
    "__setattr__": (_of_object["__setattr__"],),
    "__getattribute__": (_of_object["__getattribute__"],),
}
_dictionary = attrgetter("__dict__")  # faster than dictionary_of
_CLASSES = {"set_class": OrderedSet, "dict_class": dict, "__class__": _of_object["__class__"]}
_SETTERS = (None, set_attribute, _of_object["__setattr__"])
_BINDINGS = {
    None,
    bind_to_schema,
    *(
        _of_marshmallow(cls, "_bind_to_schema", fields)
        for cls in vars(fields).values()
        if isinstance(cls, type) and issubclass(cls, Field)
    ),
}
_TYPE_GET_ATTRIBUTE = vars(type)["__getattribute__"]


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
        "_methods",
        "_opts",
        "_originals",
        "_snapshots",
        "_template",
        "_unchanged",
    )

    def __init__(self, template: SchemaTemplate) -> None:
        self._template = template
        cls, fields = template.cls, [*template.all_fields()]
        self._opts: Any = defined(cls, "opts")
        self._messages = class_messages(cls)
        self._originals = [field.original for field in fields]
        self._classes = [field.cls for field in fields]
        self._dictionaries = [*map(dictionary_of, self._originals)]
        # By class, one of its fields and the attributes that they have.
        self._field_classes: dict[type, tuple[Any, set[str]]] = {}
        for field in fields:
            _, names = self._field_classes.setdefault(field.cls, (field.original, set()))
            names |= field.attributes.keys()
        self._methods = {name: method for field in fields for name, method in field.methods.items()}
        # A list may change without a number telling.
        named = [template.options[each] for each in NAME_OPTIONS]
        self._lists = [(each, (*each,)) for each in named if type(each) is list]
        declared = {name: field.original for name, field in template.fields.items()}
        self._snapshots = [
            (defined(cls, "_declared_fields"), declared),
            (vars(self._opts), template.options),
            *zip(self._messages, template.messages, strict=True),
            *zip(self._dictionaries, [field.before for field in fields], strict=True),
        ]
        classes = Unchanged()
        classes.add(
            self._are_classes_plain,
            of_classes=[
                (cls, _METHODS),
                (type(cls), ()),
                (type(OrderedSet), ()),
                *dict.fromkeys(self._field_classes, _READ_OF_FIELDS).items(),
                *dict.fromkeys(map(type, self._field_classes), ()).items(),
            ],
            of_objects=[(type(self._opts), self._options)],
        )
        demand(not any(has_own_way(field.before) for field in fields))
        # Without numbers it takes longer to ask than to make a schema.
        demand(classes.are_told and self._are_classes_plain())
        self._unchanged = Unchanged(classes)
        self._unchanged.add(
            self._are_dictionaries_same,
            dictionaries=[
                dispatch_table,
                vars(marshmallow.schema),
                *(dictionary for dictionary, _ in self._snapshots),
            ],
        )

    @property
    def _options(self) -> set[str]:
        """The names of the options that are read."""
        of_formats = {defined(cls, _FORMAT_OPTION) for cls in self._classes}
        return {*_OPTIONS, *(name for name in of_formats if isinstance(name, str))}

    def still(self) -> bool:
        """Whether new schemas are as the template has them."""
        unchanged = self._unchanged
        return (
            (join(unchanged.versions) == unchanged.seen or unchanged.ask())
            # An object may get another class, or other attributes, without a number telling.
            and all(map(is_, map(_dictionary, self._originals), self._dictionaries))
            and all(map(is_, map(type, self._originals), self._classes))
            and all(_are_same(each, names) for each, names in self._lists)
        )

    def _are_classes_plain(self) -> bool:
        """Whether a new schema runs marshmallow's own code only, as far as classes decide."""
        return (
            self._is_schema_class_plain(self._template.cls)
            and reads_plainly(type(self._opts))
            and gives_the_same(type(self._opts), self._options, METHODS)
            and all(_is_field_plain(cls, *each) for cls, each in self._field_classes.items())
        )

    def _is_schema_class_plain(self, cls: Any) -> bool:
        return (
            all(defined(cls, name) in methods for name, methods in _METHODS.items())
            and all(defined(cls, name) is known for name, known in _CLASSES.items())
            and defined(cls, "_declared_fields") is self._snapshots[0][0]
            and defined(cls, "opts") is self._opts
            and not any(hasattr(type(each), "__get__") for each in (self._opts, OrderedSet))
            and all(defined(cls, name) is known for name, known in self._methods.items())
            and gives_the_same(cls, ATTRIBUTES, METHODS)
            and [*map(id, class_messages(cls))] == [*map(id, self._messages)]
            and all(map(_has_plain_attributes, {*map(type, order_of(cls))}))
        )

    def _are_dictionaries_same(self) -> bool:
        return (
            all(_are_items_same(*pair) for pair in self._snapshots)
            and not any(cls in dispatch_table for cls in self._classes)
            and vars(marshmallow.schema).get("copy") in COPIED_BY
        )


def _is_field_plain(cls: Any, field: Any, attributes: Iterable[str]) -> bool:
    """Whether fields of a class are copied and bound by marshmallow's own code.

    :param field: one of them
    :param attributes: what they have as attributes of their own
    """
    return (
        has_plain_deep_copies(field)
        # Each of these may call the next one.
        and all(vars(base).get("_bind_to_schema") in _BINDINGS for base in order_of(cls))
        and all(vars(base).get("__setattr__") in _SETTERS for base in order_of(cls))
        and defined(cls, "__dict__") is DICTIONARY
        and defined(cls, "__class__") is _of_object["__class__"]
        # A field in a mapping is asked whether it is true.
        and defined(cls, "__bool__") is defined(cls, "__len__") is None
        and gives_the_same(cls, [*attributes, _FORMAT_OPTION, "DEFAULT_FORMAT"], METHODS)
    )


def _has_plain_attributes(metaclass: type) -> bool:
    """Whether the error messages of such classes are what stands in the classes."""
    return (
        defined(metaclass, "__getattribute__") is _TYPE_GET_ATTRIBUTE
        and defined(metaclass, "__getattr__") is None
        and defined(metaclass, "error_messages") is None
    )


def _are_same(some: Iterable[Any], others: Iterable[Any]) -> bool:
    """Whether these are the same objects, in the same order."""
    some, others = [*some], [*others]
    return len(some) == len(others) and all(map(is_, some, others))


def _are_items_same(some: dict[Any, Any], others: dict[Any, Any]) -> bool:
    return _are_same(some, others) and _are_same(some.values(), others.values())
