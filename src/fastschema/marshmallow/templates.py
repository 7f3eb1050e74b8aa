"""What new schemas of a class are like, so that the next one is made at once.

A new schema copies all fields of its class, binds the copies, and sorts them; for a schema that
dumps a single object that takes several times as long as the dump. Where no code but marshmallow's
own takes part, and the class, its options and its fields are as they were
(:mod:`fastschema.marshmallow.alike`), the outcome is the same each time: the same attributes, but
for fields and collections, which are new. A template is learnt from a schema that stock has made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any, cast

from marshmallow import Schema
from marshmallow.fields import Field
from marshmallow.orderedset import OrderedSet

from fastschema.class_versions import defined, is_plain, order_of
from fastschema.dictionary_versions import reads_plainly

_DEEPEST = 8
NAME_OPTIONS = ("exclude", "load_only", "dump_only", "fields")
"""The options of a schema class that are names of fields."""
ATTRIBUTES = [
    "declared_fields",
    "many",
    "only",
    "exclude",
    "load_only",
    "dump_only",
    "partial",
    "unknown",
    "fields",
    "load_fields",
    "dump_fields",
    "error_messages",
]
"""What a new schema has as attributes, in this order."""
_MAY_BE_NONE = (type(None), str)
_SETTINGS = {
    "load_only": (bool,),
    "dump_only": (bool,),
    "data_key": _MAY_BE_NONE,
    "attribute": _MAY_BE_NONE,
}
_METHODS = {
    "_serialize_method": "serialize_method_name",
    "_deserialize_method": "deserialize_method_name",
}

STOCK_INIT: Any = Schema.__init__
DEFAULTS: dict[str, Any] = STOCK_INIT.__kwdefaults__ or {}
"""The arguments that are given if no others are: stock's own dictionary."""
_new: Any = object.__new__
_ordered_set: Any = OrderedSet
DICTIONARY: Any = defined(Field, "__dict__")
dictionary_of: Any = DICTIONARY.__get__
"""The attributes of a field, past anything that its class may have in their place."""
dictionary_of_schema: Any = cast("Any", defined(Schema, "__dict__")).__get__
"""Those of a schema, likewise."""
_set_dictionary: Any = DICTIONARY.__set__  # nobody is told of a field in the making

Arguments = tuple[tuple[str, tuple[str, ...]], ...]
"""The arguments of a new schema that are names of its fields."""

Completion = Callable[[Any, Any], Any]
"""From a new field and its schema to an attribute that the field has for itself."""


class NotAlikeError(Exception):
    """New schemas of a class are not alike, or it is not known what they have in common."""


def demand(condition: object) -> None:
    """See to it that a condition holds.

    :raises NotAlikeError: if it does not
    """
    if not condition:
        raise NotAlikeError


class FieldTemplate:
    """A field of new schemas, or one inside of such a field.

    :param original: the field of the class
    :param copied: a copy of it, as a new schema has it
    :param name: the name of the schema's field
    :param parent: what the copy is bound to, if it is
    :param schema: the new schema
    :param options: the options of its class
    :raises NotAlikeError: if it is not known how the copy came about
    """

    __slots__ = (
        "attributes",
        "before",
        "cls",
        "completions",
        "inner",
        "is_bound",
        "lists",
        "methods",
        "original",
    )

    def __init__(
        self,
        original: Any,
        copied: Any,
        name: str,
        parent: Any,
        schema: Any,
        options: dict[str, Any],
        depth: int = 0,
    ) -> None:
        demand(type(original) is type(copied) and depth <= _DEEPEST)
        self.cls: Any = type(copied)
        demand(is_plain(self.cls))
        self.original = original
        self.before: dict[str, Any] = {**dictionary_of(original)}
        """The attributes of the original."""
        self.attributes: dict[str, Any] = {**dictionary_of(copied)}
        """Those of its copies, None for what each has for itself."""
        self.inner: list[FieldTemplate] = []
        """The fields inside that are copied with it."""
        self.lists: list[tuple[list[Any], tuple[Any, ...]]] = []
        """The lists of such, and what they contain."""
        self.methods: dict[str, FunctionType] = {}
        """The schema's methods that it has, by their names."""
        self.completions: list[tuple[str, Completion]] = []
        """What makes those, by their names."""
        names = [*self.attributes]
        demand({*map(type, names)} == {str} and names[: len(self.before)] == [*self.before])
        changed = [
            each
            for each in names
            if each not in self.before or self.attributes[each] is not self.before[each]
        ]
        self.is_bound = bool(changed)
        if not self.is_bound:
            return
        self._understand_binding(name, parent, schema, options)

        def inner(original: Any, copied_inner: Any) -> FieldTemplate:
            self.inner.append(
                FieldTemplate(original, copied_inner, name, copied, schema, options, depth + 1)
            )
            return self.inner[-1]

        for each in changed:
            if each in ("load_only", "dump_only"):
                demand(self.attributes[each] is True and name in options[each])
            elif each not in ("parent", "name", "root", "format"):
                self.completions.append((each, self._completion(each, schema, inner)))
                self.attributes[each] = None

    def _understand_binding(
        self, name: str, parent: Any, schema: Any, options: dict[str, Any]
    ) -> None:
        """What ``Field._bind_to_schema`` has done."""
        for key, value in {"parent": parent, "name": name, "root": schema}.items():
            demand(self.before.get(key) is None and self.attributes.get(key) is value)
        for key, classes in _SETTINGS.items():
            # Stock asks whether these are true, or for their hashes.
            demand(key in self.before and type(self.before[key]) in classes)
        demand(type(self.before.get("format")) in _MAY_BE_NONE)
        is_temporal = defined(self.cls, "SCHEMA_OPTS_VAR_NAME") is not None
        expected = self._format(options) if is_temporal else self.before.get("format")
        demand(self.attributes.get("format") is expected)
        for key in ("key_field", "value_field"):  # which are only copied if they are true
            inner = self.before.get(key)
            demand(inner is None or inner is not self.attributes[key])
        self.attributes["parent"] = self.attributes["root"] = None

    def _format(self, options: dict[str, Any]) -> Any:
        """That of a date or time."""
        option = options[str(defined(self.cls, "SCHEMA_OPTS_VAR_NAME"))]
        demand(type(option) in _MAY_BE_NONE)
        return self.before.get("format") or option or defined(self.cls, "DEFAULT_FORMAT")

    def _completion(
        self, key: str, schema: Any, inner: Callable[[Any, Any], FieldTemplate]
    ) -> Completion:
        """What a subclass's ``_bind_to_schema`` does to an attribute."""
        before: Any = self.before.get(key)
        value = self.attributes[key]
        if issubclass(type(value), Field):
            return inner(before, value).make
        if key == "tuple_fields":
            demand(type(value) is type(before) is list)
            self.lists.append((before, (*before,)))
            return partial(_each, [inner(*pair) for pair in zip(before, value, strict=True)])
        demand(key in _METHODS)
        name: Any = self.before.get(_METHODS[key])
        demand(type(value) is MethodType and value.__self__ is schema and type(name) is str)
        function = value.__func__
        demand(type(function) is FunctionType and defined(type(schema), name) is function)
        self.methods[name] = function
        return lambda field, schema: MethodType(function, schema)

    def make(self, parent: Any, schema: Any) -> Any:
        """A new field, bound to a parent if that is what the schema does."""
        own = self.attributes.copy()
        if self.is_bound:
            own["parent"] = parent
            own["root"] = schema
        field = _new(self.cls)
        _set_dictionary(field, own)
        for key, completion in self.completions:
            own[key] = completion(field, schema)
        return field

    def all_fields(self) -> Iterator[FieldTemplate]:
        """The field itself, and those inside of it."""
        yield self
        for each in self.inner:
            yield from each.all_fields()


def _each(templates: list[FieldTemplate], parent: Any, schema: Any) -> list[Any]:
    return [template.make(parent, schema) for template in templates]


class SchemaTemplate:
    """New schemas of a class.

    :param schema: one that stock has just made
    :param arguments: the names that were given for it
    :raises NotAlikeError: if it is not known how it came about
    """

    __slots__ = (
        "_exclude",
        "_flags",
        "_names",
        "_only",
        "_rows",
        "cls",
        "error_messages",
        "fields",
        "messages",
        "options",
    )

    def __init__(self, schema: Any, arguments: Arguments = ()) -> None:
        self.cls: Any = type(schema)
        opts: Any = defined(self.cls, "opts")
        demand(type(type(opts)) is type and reads_plainly(type(opts)))
        self.options: dict[str, Any] = {**vars(opts)}
        """The options of the class."""
        demand("many" in self.options and "unknown" in self.options)
        for each in NAME_OPTIONS:
            names: Any = self.options.get(each)
            demand(type(names) in (tuple, list) and {*map(type, names)} <= {str})
        self.messages = [{**each} for each in class_messages(self.cls)]
        """The error messages of its classes."""
        self.error_messages: dict[str, Any] = {}
        for messages in self.messages:
            self.error_messages.update(messages)
        own = dictionary_of_schema(schema)
        declared: Any = defined(self.cls, "_declared_fields")
        demand([*own] == ATTRIBUTES and type(declared) is dict)
        copies: dict[str, Any] = own["declared_fields"]
        demand([*copies] == [*declared] and {*map(type, copies)} <= {str})
        demand(len({*map(id, copies.values())}) == len(copies))  # a field may have two names
        given: dict[str, Any] = dict(arguments)
        self._only: tuple[str, ...] | None = given.get("only")
        self._flags = {
            each: given.get(each) or self.options[each] for each in ("load_only", "dump_only")
        }
        options = {**self.options, **self._flags}
        self.fields = {
            name: FieldTemplate(declared[name], copied, name, schema, schema, options)
            for name, copied in copies.items()
        }
        """The templates of its fields, by their names."""
        self._rows = [
            (name, field.cls, field.attributes.copy, field.is_bound, field.completions)
            for name, field in self.fields.items()
        ]
        excluded = {*self.options["exclude"], *given.get("exclude", ())}
        self._names = self._sorted_names(excluded)
        self._exclude: Callable[[], Any] = set
        if excluded:
            demand({*own["exclude"]} == excluded)
            self._exclude = partial(_ordered_set, [*own["exclude"]])
        self._compare(own)

    def _sorted_names(self, excluded: set[str]) -> dict[str, list[str] | None]:
        """The names of its fields, of those that are loaded, and of those that are dumped; None
        where those are all that are declared.
        """
        fields = self.fields
        chosen = (self.options["fields"] or fields) if self._only is None else self._only
        names = [name for name in dict.fromkeys(chosen) if name not in excluded]
        demand({*names} == {name for name, field in fields.items() if field.is_bound})
        found = {
            "fields": names,
            "load_fields": [name for name in names if not fields[name].attributes["dump_only"]],
            "dump_fields": [name for name in names if not fields[name].attributes["load_only"]],
        }
        return {each: None if names == [*fields] else names for each, names in found.items()}

    def _compare(self, own: dict[str, Any]) -> None:
        """See to it that this is what the attributes of the schema are like."""
        made = self._attributes(own["declared_fields"], self.options["many"])
        for name, value in made.items():
            demand(type(own[name]) is type(value))
            if isinstance(value, dict):
                demand([*own[name]] == [*value])
                demand([*map(id, own[name].values())] == [*map(id, value.values())])
            elif isinstance(value, (set, OrderedSet)):
                demand([*own[name]] == [*value])
            elif name != "many":
                demand(own[name] is value)

    def make(self, schema: Any, many: Any) -> None:
        """Initialize a new schema.

        :param many: its ``many``, or None for that of its options
        """
        # As FieldTemplate.make does, without a call for each field.
        declared: dict[str, Any] = {}
        for name, cls, attributes_like, is_bound, completions in self._rows:
            own = attributes_like()
            if is_bound:
                own["parent"] = own["root"] = schema
            declared[name] = field = _new(cls)
            _set_dictionary(field, own)
            if completions:
                for key, completion in completions:
                    own[key] = completion(field, schema)
        many = self.options["many"] if many is None else many
        dictionary_of_schema(schema).update(self._attributes(declared, many))

    def _attributes(self, declared: dict[str, Any], many: Any) -> dict[str, Any]:
        """Those of a new schema.

        :param declared: its fields, also those that it does not use
        """
        fields, load_fields, dump_fields = [
            declared.copy() if names is None else {name: declared[name] for name in names}
            for names in self._names.values()
        ]
        return {
            "declared_fields": declared,
            "many": many,
            "only": None if self._only is None else _ordered_set(self._only),
            "exclude": self._exclude(),
            "load_only": {*self._flags["load_only"]},
            "dump_only": {*self._flags["dump_only"]},
            "partial": None,
            "unknown": self.options["unknown"],
            "fields": fields,
            "load_fields": load_fields,
            "dump_fields": dump_fields,
            "error_messages": self.error_messages.copy(),
        }

    def all_fields(self) -> Iterator[FieldTemplate]:
        """Its fields, and those inside of them."""
        for each in self.fields.values():
            yield from each.all_fields()


def class_messages(cls: Any) -> list[dict[str, Any]]:
    """The dictionaries of error messages that a new schema puts together.

    :raises NotAlikeError: if they are not what stands in the classes
    """
    found = [defined(cls, "_default_error_messages")]
    found += [defined(base, "error_messages") for base in (*reversed(order_of(cls)), cls)]
    messages = [each for each in found if each is not None]
    for each in messages:
        demand(type(each) is dict and {*map(type, each)} <= {str})
    return messages  # type: ignore[return-value]  # as was just seen
