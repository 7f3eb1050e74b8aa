"""The second table of the walk: calls of a schema object, and what may happen between two of them.

Each is a function of a :class:`~.kinds.Subject`, whose result is compared with what stock gives.
Add a line to the table that fits. What sets something sets it back when it happens again. What
docs/is-it-the-same.md says is not noticed, or not the same, does not happen.
"""

from __future__ import annotations

import copy
import pickle
import re
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, fields, utils, validate

from tests.promises.marshmallow.walk.notes import in_order, note, number

Happening = Callable[[Any], Any]
_NAMES = ("declared_fields", "fields", "load_fields", "dump_fields")


def _dump(rows: int, row: Callable[[Any], Any]) -> Happening:
    def dump(subject: Any) -> Any:
        return subject.for_call().dump([row(subject)] * rows, many=True)

    return dump


def _load(rows: int, **options: Any) -> Happening:
    def load(subject: Any) -> Any:
        return subject.for_call().load([_data(subject)] * rows, many=True, **options)

    return load


def _row(subject: Any, **values: Any) -> Any:
    return subject.module.row_of(subject.cls) | values


def _object(subject: Any) -> Any:
    return subject.module.object_of(subject.cls)


def _data(subject: Any, **values: Any) -> Any:
    return subject.module.data_of(subject.cls) | values


def _nested(subject: Any) -> Any:
    return subject.schema.fields["dog"].schema


def _listed(subject: Any) -> Any:
    return _with_schema(subject.schema.fields["dogs"]).schema


def _with_schema(field: Any) -> Any:
    """The field that nests a schema, of a field and those inside of it."""
    if isinstance(field, fields.Tuple):
        return field.tuple_fields[0]
    return getattr(
        field, {fields.List: "inner", fields.Dict: "value_field"}.get(type(field), ""), field
    )


def _with_nested(schema: Any) -> Any:
    """The schema, after a look at all that is nested in it.

    Stock makes nested schemas when it dumps or loads first, fastschema when other code looks: see
    "How new schemas are made" in docs/patching.md. From now on they are the same.
    """
    for name in [name for name in ("dog", "dogs") if name in schema.fields]:
        _with_nested(_with_schema(schema.fields[name]).schema)
    return schema


_WRONG = {"flag": "ja", "real": "nan", "both": [1], "numbers": "a", "pairs": {1: "x"}}
_WRONG |= {"dogs": 5, "dog": {"number": "x", "name": [], **_WRONG}}
_WRONG |= {"number": "three", "name": "too long"}
_ODD = {"name": None, "number": 3.5}
_LITTLE = {"plucked": {}}

CALLS: dict[str, Happening] = {
    "dump a dictionary": lambda subject: subject.for_call().dump(_row(subject)),
    "dump an object": lambda subject: subject.for_call().dump(_object(subject)),
    "dump a dictionary 30 times": lambda subject: [
        subject.for_call().dump(_row(subject)) for _ in range(30)
    ],
    "dump 3": _dump(3, _row),
    "dump 25": _dump(25, _object),
    "dump 90": _dump(90, _row),
    "dump none": lambda subject: subject.for_call().dump([], many=True),
    "dump what has nothing": lambda subject: subject.for_call().dump({}),
    "dump what has little": lambda subject: subject.for_call().dump({**_LITTLE, "dog": _LITTLE}),
    "dump what cannot be dumped": lambda subject: subject.for_call().dump(
        _row(subject, number="x")
    ),
    "dump text": lambda subject: subject.for_call().dumps([_row(subject)] * 3, many=True),
    "load one": lambda subject: subject.for_call().load(_data(subject)),
    "load one 30 times": lambda subject: [
        subject.for_call().load(_data(subject)) for _ in range(30)
    ],
    "load 3": _load(3),
    "load 25": _load(25),
    "load 90": _load(90),
    "load 25, one of which is wrong": lambda subject: subject.for_call().load(
        [*[_data(subject)] * 24, _data(subject, **_WRONG)], many=True
    ),
    "load what is wrong": lambda subject: subject.for_call().load(_data(subject, **_WRONG)),
    "load what is odd": lambda subject: subject.for_call().load(_data(subject, **_ODD, dog=_ODD)),
    "load nothing": lambda subject: subject.for_call().load({}),
    "load no dictionary": lambda subject: subject.for_call().load(5),
    "load text": lambda subject: subject.for_call().loads('{"name": "Rex", "number": "3"}'),
    "load partially": _load(3, partial=True),
    "load partially by name": _load(3, partial=("name", "absent", "dog.absent"), unknown=EXCLUDE),
    # More than one such key would be in the order of a set, which differs from process to process.
    "load another key": lambda subject: subject.for_call().load({"Name": "Max"}, unknown=INCLUDE),
    "load and refuse other keys": _load(3, unknown=RAISE),
    "validate": lambda subject: in_order(subject.for_call().validate(_data(subject, number="x"))),
    "dump by another object with only": lambda subject: subject.cls(only=("name",)).dump(
        _row(subject)
    ),
    "dump in another thread": lambda subject: _in_another_thread(
        lambda: subject.for_call().dump(_row(subject))
    ),
}
"""Dumps and loads, some of which fail."""

MANY = (
    ["dump 25", "dump 25", "dump a dictionary 30 times"],
    ["load 25", "load 25, one of which is wrong", "load one 30 times"],
)
"""Dumps and loads by which users' thresholds have a schema compiled, when they come twice."""

FEW = (
    ["dump a dictionary", "dump an object", "dump 3"],
    ["load one", "load 3", "load what is wrong"],
)
"""Those that take less time where everything is compiled at once."""


def _in_another_thread(use: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(use).result()


def _seen(schema: Any, *names: str) -> Any:
    """Which fields a schema has, and whose these are."""
    return [
        (
            number(getattr(schema, name)),
            [
                (key, *map(number, (field, field.parent, field.root)))
                for key, field in getattr(schema, name).items()
            ],
        )
        for name in names
    ]


def _unbound(subject: Any) -> Any:
    return [*subject.schema.declared_fields]


def _own_validators(subject: Any) -> None:
    """Give fields lists that fields of other schemas do not share, with what these have."""
    for schema in _SCHEMAS.values():
        with suppress(KeyError):  # not all nest another one
            subject.own(schema(subject).fields["name"], "validators")


def _turn(what: str, subject: Any) -> None:
    """Turn something on for code of users, or off."""
    subject.module.REQUEST[what] = not subject.module.REQUEST[what]


LOOKS: dict[str, Happening] = {
    "look at all fields": lambda subject: _seen(subject.schema, *_NAMES[1:]),
    "look at dump_fields": lambda subject: _seen(subject.schema, "dump_fields"),
    "look at load_fields": lambda subject: _seen(subject.schema, "load_fields"),
    "look at declared_fields": _unbound,
    "look at a field": lambda subject: number(subject.schema.fields["name"].parent),
    "look at the nested schema": lambda subject: _seen(_nested(subject), *_NAMES[1:]),
    "look at the nested schema, not at its fields": lambda subject: number(_nested(subject)),
    "look at the schema in a list": lambda subject: _seen(_listed(subject), *_NAMES[1:]),
    "give fields validators of their own": _own_validators,
    "look in another thread": lambda subject: _in_another_thread(
        lambda: _seen(subject.schema, "fields")
    ),
    "look at the options": lambda subject: (
        repr(subject.schema),
        sorted(subject.schema.exclude),
        sorted(subject.schema.load_only),
        sorted(subject.schema.dump_only),
    ),
    "copy": lambda subject: subject.replace(copy.copy(subject.schema)),
    "copy deeply": lambda subject: subject.replace(copy.deepcopy(_with_nested(subject.schema))),
    "pickle": lambda subject: subject.replace(
        pickle.loads(pickle.dumps(_with_nested(subject.schema)))
    ),
    "copy the nested schema": lambda subject: subject.replace(copy.copy(_nested(subject))),
    "go on with the other object": lambda subject: subject.swap(),
    "go on with another object of the class": lambda subject: subject.replace(subject.cls()),
    "another visitor comes": partial(_turn, "flag"),
    "code of users looks at fields, or no more": partial(_turn, "looks"),
    "forget": lambda subject: subject.library.forget(),
    "forget the schema": lambda subject: subject.library.forget(subject.schema),
    "forget the class": lambda subject: subject.library.forget(subject.cls),
    "uninstall": lambda subject: subject.library.uninstall(),
    "install": lambda subject: subject.library.install(),
}
"""What changes nothing that stock would show later on, but for another object."""

TOUCHES = ["look at all fields", "give fields validators of their own"]
"""Looks after which a schema, and what is nested in it, has its fields."""

MIDST = ["code of users looks at fields, or no more"]
"""After this, fields are looked at in the midst of dumps and loads."""

Change = Callable[[Any, Any], Any]
"""What is done to a schema, or to a class; the subject is there to ask for the module of users."""


def _sets(name: str, value: Any) -> Change:
    """Set an attribute, or set it back."""
    return lambda owner, subject: subject.toggle(owner, name, value)


def _of_field(field: str, name: str, value: Any) -> Change:
    return lambda schema, subject: subject.toggle(schema.fields[field], name, value)


def _of_users(name: str, method: str) -> Change:
    """Set an attribute to something of the module of users', or set it back."""
    return lambda owner, subject: subject.toggle(owner, name, getattr(subject.module, method))


def _without_field(schema: Any, subject: Any) -> None:
    for fields_by_name in (schema.fields, schema.dump_fields, schema.load_fields):
        fields_by_name.pop("name", None)


def _with_field(names: tuple[str, ...], make: Callable[[], Any] = fields.Integer) -> Change:
    def add(schema: Any, subject: Any) -> None:
        for name in names:
            getattr(schema, name)["id"] = make()

    return add


def _reordered(schema: Any, subject: Any) -> None:
    for fields_by_name in (schema.dump_fields, schema.load_fields):
        fields_by_name["name"] = fields_by_name.pop("name")


def _another_name(schema: Any, subject: Any) -> None:
    """Give the last field another name."""
    for fields_by_name in (schema.dump_fields, schema.load_fields):
        fields_by_name["Name"] = fields_by_name.pop([*fields_by_name][-1])


def _declared_by_another_name(schema: Any, subject: Any) -> None:
    """Give a declared field another name, in the same place."""
    declared = list(schema.declared_fields.items())
    schema.declared_fields.clear()
    schema.declared_fields.update(("id" if name == "name" else name, one) for name, one in declared)


def _other_attributes(schema: Any, subject: Any) -> None:
    field = schema.fields["name"]
    field.__dict__ = {**vars(field), "data_key": "Name"}


def _shout(schema: Any, subject: Any) -> None:
    for fields_by_name in (schema.fields, schema.dump_fields, schema.load_fields):
        fields_by_name["name"] = subject.module.Shouting()


def _on_field_itself(value: Any, *args: Any, **kwargs: Any) -> Any:
    note("a method of the field object")
    return "own"


def _one_validator_more(schema: Any, subject: Any) -> None:
    """Add one to a list that fields of other schemas do not share: such a change is not noticed."""
    validators = subject.own(schema.fields["name"], "validators")
    validators.append(validate.Length(max=2))


def _another_validator(schema: Any, subject: Any) -> None:
    subject.own(schema.fields["name"], "validators")[-1] = validate.Length(min=5)


def _one_message(schema: Any, subject: Any) -> None:
    subject.own(schema.fields["number"], "error_messages").update(invalid="changed")


def _of_nesting(name: str, value: Any) -> Change:
    def change(schema: Any, subject: Any) -> None:
        subject.toggle(_with_nested(schema).fields["dog"], name, value)

    return change


OF_FIELDS: dict[str, Change] = {
    "key": _of_field("name", "data_key", "Name"),
    "attribute": _of_field("number", "attribute", "id"),
    "dump_default": _of_field("absent", "dump_default", 5),
    "dump_default that is called": _of_field("absent", "dump_default", lambda: 6),
    "load_default": _of_field("absent", "load_default", 7),
    "required": _of_field("absent", "required", True),
    "allow_none": _of_field("name", "allow_none", True),
    "as_string": _of_field("number", "as_string", True),
    "allow_nan": _of_field("real", "allow_nan", True),
    "truthy": _of_field("flag", "truthy", {"ja"}),
    "format of a moment": _of_field("moment", "format", "%Y-%m-%dT%H:%M"),
    "enum": lambda schema, subject: subject.toggle(
        schema.fields["colour"], "enum", subject.module.OtherColour
    ),
    "enum in a tuple": lambda schema, subject: subject.toggle(
        schema.fields["odd"].tuple_fields[0], "enum", subject.module.OtherColour
    ),
    "order of a tuple": lambda schema, subject: schema.fields["both"].tuple_fields.reverse(),
    "length of a tuple": _of_field("both", "validate_length", validate.Length(1)),
    "key field": _of_field("pairs", "key_field", None),
    "value field": _of_field("pairs", "value_field", fields.String()),
    "option of a value field": lambda schema, subject: subject.toggle(
        schema.fields["pairs"].value_field, "as_string", True
    ),
    "constant": _of_field("constant", "constant", "late"),
    "function": _of_field("computed", "serialize_func", lambda obj: "late"),
    "plucked field": lambda schema, subject: subject.toggle(
        schema.fields["plucked"].schema.fields["name"], "dump_default", "late"
    ),
    "strict": _of_field("number", "strict", True),
    "format": _of_field("day", "format", "%d.%m.%Y"),
    "places": _of_field("price", "places", None),
    "metadata": _of_field("name", "metadata", {"title": "changed"}),
    "validators": _of_field("name", "validators", [validate.Length(max=2)]),
    "one validator more": _one_validator_more,
    "another validator": _another_validator,
    "messages": _of_field("number", "error_messages", {"invalid": "changed", "type": "changed"}),
    "one message": _one_message,
    "inner field": _of_field("numbers", "inner", fields.String()),
    "inner option": lambda schema, subject: subject.toggle(
        schema.fields["numbers"].inner, "as_string", True
    ),
    "_serialize of a field": _of_field("name", "_serialize", _on_field_itself),
    "_deserialize of a field": _of_field("name", "_deserialize", _on_field_itself),
    "serialize of a field": _of_field("number", "serialize", _on_field_itself),
    "deserialize of a field": _of_field("number", "deserialize", _on_field_itself),
    "_validate of a field": _of_field("number", "_validate", _on_field_itself),
    "make_error of a field": _of_field("number", "make_error", _on_field_itself),
    "an attribute of a field that means nothing": _of_field("name", "note", 1),
    "class of a field": lambda schema, subject: setattr(
        schema.fields["name"], "__class__", subject.module.Shouting
    ),
    "all attributes of a field": _other_attributes,
    "another field in its place": _shout,
}
"""What may be changed about the fields that a schema object has."""

OF_SCHEMAS: dict[str, Change] = {
    "load_only": _of_field("name", "load_only", True),
    "a field less": _without_field,
    "a field more": _with_field(("dump_fields", "load_fields")),
    "a field more in dump_fields": _with_field(("dump_fields",), fields.String),
    "a field more, bound": lambda schema, subject: (
        schema.declared_fields.update(more=fields.Constant(1)),
        schema._init_fields(),
    ),
    "another order": _reordered,
    "another name": _another_name,
    "other dump_fields": lambda schema, subject: subject.toggle(
        schema, "dump_fields", {"number": fields.Float()}
    ),
    "exclude, bound again": lambda schema, subject: (
        setattr(schema, "exclude", {"name"}),
        schema._init_fields(),
    ),
    "bound again": lambda schema, subject: schema._init_fields(),
    "exclude": _sets("exclude", {"name"}),
    "a declared field less": lambda schema, subject: bool(
        schema.declared_fields.pop("absent", None)
    ),
    "another declared field": lambda schema, subject: schema.declared_fields.update(
        number=fields.Raw(data_key="Name")
    ),
    "another name of a declared field": _declared_by_another_name,
    "many": _sets("many", True),
    "unknown": _sets("unknown", RAISE),
    "partial": _sets("partial", ("name", "absent")),
    "option set": lambda schema, subject: _with_nested(schema).dump_only.add("name"),
    "one message of the schema": lambda schema, subject: schema.error_messages.update(
        unknown="changed", type="changed"
    ),
    "a note": _sets("note", 1),
    "own get_attribute": _of_users("get_attribute", "get_number"),
    "own dump": _of_users("dump", "dump_by_itself"),
    "own _serialize": _of_users("_serialize", "dump_by_itself"),
    "own load": _of_users("load", "load_by_itself"),
    "own dict_class": _sets("dict_class", OrderedDict),
    "another class": lambda schema, subject: setattr(schema, "__class__", subject.module.Hooked),
    "a class with get_attribute": lambda schema, subject: setattr(
        schema, "__class__", subject.module.WithAttribute
    ),
    "many of the nested field": _of_nesting("many", True),
    "only of the nested field": _of_nesting("only", {"name"}),
    "unknown of the nested field": _of_field("dog", "unknown", RAISE),
    "another nested schema": lambda schema, subject: setattr(
        schema.fields["dog"], "_schema", subject.module.DogWithCode(only=("number", "about"))
    ),
    "the nested schema anew": lambda schema, subject: setattr(
        schema.fields["dog"], "_schema", None
    ),
    "another nested class": lambda schema, subject: (
        subject.toggle(schema.fields["dog"], "nested", subject.module.DogWithCode),
        setattr(schema.fields["dog"], "_schema", None),
    ),
}
"""What may be changed about a schema object, and about which fields it has."""

_SCHEMAS: dict[str, Callable[[Any], Any]] = {
    "of the schema": lambda subject: subject.schema,
    "of the nested schema": _nested,
    "of the schema in a list": _listed,
    "of the other object": lambda subject: subject.other[0],
}
_NESTED_OBJECTS: dict[str, Callable[[Any], Any]] = {
    "of the nested object": lambda subject: subject.module.THE_DOG,
}
"""Stock copies it when what nests it dumps first, fastschema when it needs the copy, which has the
same fields; so there are new objects when anything else of it has changed."""

OF_CLASSES: dict[str, Change] = {
    "get_attribute": _of_users("get_attribute", "get_number"),
    "dump": _of_users("dump", "dump_by_itself"),
    "_serialize": _of_users("_serialize", "dump_by_itself"),
    "load": _of_users("load", "load_by_itself"),
    "_do_load": _of_users("_do_load", "load_by_itself"),
    "handle_error": _of_users("handle_error", "handle"),
    "on_bind_field": _of_users("on_bind_field", "bind"),
    "__init__": _of_users("__init__", "init"),
    "get_about": _of_users("get_about", "get_more"),
    "dict_class": _sets("dict_class", OrderedDict),
    "error_messages": _sets("error_messages", {"unknown": "changed", "type": "changed"}),
    "an attribute that means nothing": _sets("note", 1),
    "hooks": lambda cls, subject: (
        subject.toggle(cls, "_hooks", subject.module.Hooked._hooks),
        [
            subject.toggle(cls, name, vars(subject.module.Hooked)[name])
            for name in ("before_dump", "after_dump", "before_load", "after_load", "check")
        ],
        subject.toggle(cls, "check_all", subject.module.Hooked.check_all),
    ),
    "a declared field": lambda cls, subject: cls._declared_fields.update(
        number=fields.String(data_key="Name")
    ),
    "a declared field more": lambda cls, subject: cls._declared_fields.update(
        more=fields.Constant(1)
    ),
    "a declared field less": lambda cls, subject: bool(cls._declared_fields.pop("absent", None)),
    "all declared fields": lambda cls, subject: subject.toggle(
        cls, "_declared_fields", subject.module.Tiny._declared_fields
    ),
    "option unknown": lambda cls, subject: subject.toggle(cls.opts, "unknown", RAISE),
    "option exclude": lambda cls, subject: subject.toggle(cls.opts, "exclude", ("price",)),
    "option dump_only": lambda cls, subject: subject.toggle(cls.opts, "dump_only", ("name",)),
    "option many": lambda cls, subject: subject.toggle(cls.opts, "many", True),
}
"""What may be changed about a class."""

_OWN_CLASS: dict[str, Callable[[Any], Any]] = {"of the class": lambda subject: subject.cls}
_NESTED_CLASSES: dict[str, Callable[[Any], Any]] = {
    "of the nested class": lambda subject: subject.module.Dog,
    "of the nested class with code": lambda subject: subject.module.DogWithCode,
    "of the class between": lambda subject: subject.module.Plain,
    "of the mixin": lambda subject: subject.module.Mixin,
}
"""Those that may be nested. What is nested in objects that have dumped before follows such a change
in fastschema only (see "How new schemas are made"), so there are new objects then."""


def _put_in_place(owner: Any, name: str) -> Happening:
    """Replace a function of the framework by one that calls it, or put back what was there."""
    stock = vars(owner)[name]

    def put(subject: Any) -> None:
        method = getattr(owner, name)

        def replacement(*args: Any, **kwargs: Any) -> Any:
            note(name, *args[:1])
            return method(*args, **kwargs)

        subject.toggle(owner, name, replacement, stock)

    return put


_REPLACED: list[tuple[Any, str]] = [
    *[(Schema, name) for name in ("dump", "load", "dumps", "loads", "_serialize", "_deserialize")],
    *[(Schema, name) for name in ("_do_load", "get_attribute", "_invoke_dump_processors")],
    *[(Schema, name) for name in ("handle_error", "_invoke_field_validators")],
    *[(fields.Field, name) for name in ("serialize", "deserialize", "get_value", "_validate")],
    *[(fields.String, name) for name in ("_serialize", "_deserialize")],
    *[(fields.Integer, name) for name in ("_validated", "_serialize")],
    *[(fields.Number, name) for name in ("_serialize", "_deserialize")],
    *[(fields.Nested, name) for name in ("_serialize", "_deserialize", "_load")],
    *[(fields.List, name) for name in ("_serialize", "_deserialize")],
    (fields.Date, "_serialize"),
    *[(fields.Boolean, name) for name in ("_serialize", "_deserialize")],
    (utils, "get_value"),
]
"""What dumps and loads."""

_REPLACED_MAKERS: list[tuple[Any, str]] = [
    *[(Schema, name) for name in ("__init__", "_init_fields", "_bind_field", "on_bind_field")],
    *[(fields.Field, name) for name in ("_bind_to_schema", "__deepcopy__")],
    *[(fields.Nested, "_bind_to_schema"), (fields.List, "_bind_to_schema")],
]
"""What makes schemas and their fields: those that are nested may be made later than in stock, so
there are new objects when it is replaced."""


def _then_begin(happening: Happening) -> Happening:
    """Have something happen, and new objects from then on."""

    def happen(subject: Any) -> None:
        happening(subject)
        subject.begin()

    return happen


def _all_of(changes: dict[str, Change], owners: dict[str, Any]) -> dict[str, Happening]:
    def happening(change: Change, find: Callable[[Any], Any]) -> Happening:
        def happen(subject: Any) -> None:
            change(find(subject), subject)

        return happen

    return {
        f"{name} {place}": happening(change, find)
        for (name, change), (place, find) in product(changes.items(), owners.items())
    }


def _all_in_place(methods: list[tuple[Any, str]]) -> dict[str, Happening]:
    return {
        f"{owner.__name__}.{name}": _put_in_place(owner, name)
        for owner, name in methods
        if name in vars(owner)
    }


def _with_new_objects(happenings: dict[str, Happening]) -> dict[str, Happening]:
    return {name: _then_begin(happening) for name, happening in happenings.items()}


CHANGES: dict[str, Happening] = {
    **_all_of(OF_FIELDS, _SCHEMAS | _NESTED_OBJECTS),
    **_all_of(OF_SCHEMAS, _SCHEMAS),
    **_with_new_objects(_all_of(OF_SCHEMAS, _NESTED_OBJECTS)),
    **_all_of(OF_CLASSES, _OWN_CLASS),
    **_with_new_objects(_all_of(OF_CLASSES, _NESTED_CLASSES)),
    **_all_in_place(_REPLACED),
    **_with_new_objects(_all_in_place(_REPLACED_MAKERS)),
    "a method of a field's class": lambda subject: subject.toggle(
        subject.module.Loud, "_serialize", _on_field_itself
    ),
    "a property of the class of objects": lambda subject: subject.toggle(
        subject.module.Row, "absent", subject.module.an_attribute
    ),
}
"""What may be changed: about schemas, classes, the framework, what is dumped."""

_NESTING = r"(By|Plucked|WithCodeNested|Deep|Holding)"
_NOT_PLAIN = (
    "allow_nan|truthy|of a moment|enum|of a tuple|key field|value field"
    "|constant|function|plucked field"
)
"""What is changed of fields that only schemas of all kinds of fields have."""
_SEEN_BY = {
    rf"({_NOT_PLAIN}) of the (schema|nested schema|schema in a list|other object)$": r"Holding",
    r"( of the (schema|nested schema|schema in a list|other object))$": r".*, (kept|copied)",
    r"nested": _NESTING,
    r"schema in a list$": _NESTING,
    r"^Boolean": _NESTING,
    r"nested \w+ .*(of the nested schema|of the schema in a list)$": r"Deep",
    r"of the nested object$": r"(ByObject|ByFunction|Plucked|Deep)",
    r"with code$": r"WithCodeNested",
    r"get_about of the class$": r".*WithMethod",
}
"""By what the name of a change has, what that of a kind begins with whose objects may show it."""


def is_seen(change: str, kind: str) -> bool:
    """Return whether objects of a kind may show a change; if not, it may happen to them, too."""
    return all(
        re.match(kinds, kind) for changes, kinds in _SEEN_BY.items() if re.search(changes, change)
    )
