"""What may happen to serializers between two calls: uses, looks and changes."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.test import override_settings
from django.utils import translation
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import BindingDict

import fastschema
from fastschema.contrib import django as front_end
from tests.promises.django.walk.kinds import GUESTS, LOG, Noting, Representing, Subject, guest
from tests.promises.django.walk.models import Guest

Happening = Callable[[Subject], Any]
TOWN = {"name": "Town", "size": "3", "land": {"name": "Land", "code": "LND"}}
GOOD = {"name": "ann", "age": "1", "time": "2024-07-01T00:00Z", "town": TOWN, "visited": [TOWN]}
WRONG = {**GOOD, "name": None, "town": {"size": "x", "land": None}, "visited": [TOWN, {}]}


def many(count: int) -> list[Guest]:
    """So many guests, of whom few have visited a town."""
    return [*GUESTS, *GUESTS[-1:] * count][:count]


def validated(serializer: Any) -> Any:
    """What it says of its input."""
    return serializer.is_valid(), serializer.errors, serializer.validated_data


def in_thread(call: Callable[[], Any]) -> Any:
    """What a function returns in another thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(call).result()


# Uses


def valid_then_data(subject: Subject) -> Any:
    """What was valid, as it is shown then."""
    serializer = subject.new(data=GOOD)
    return serializer.is_valid(), serializer.data


def several(subject: Subject) -> Any:
    """Thirty requests for one object each."""
    return [subject.new(row).data for row in many(30)][-3:]


def several_valid(subject: Subject) -> Any:
    """Thirty requests with input."""
    return [validated(subject.new(data=data)) for data in [GOOD] * 29 + [WRONG]][-2:]


def row_that_fails(subject: Subject) -> Any:
    """A row without what a nested serializer needs."""
    row = copy.copy(guest())
    row.town = None
    return subject.kept.to_representation(row)


OF_KEPT: dict[str, Happening] = {
    "a row": lambda s: s.kept.to_representation(guest()),
    "a row that fails": row_that_fails,
    "a row that is a dictionary": lambda s: s.kept.to_representation(
        {"name": "ann", "age": 1, "time": None, "town": guest().town, "visited": []}
    ),
    "rows one by one": lambda s: [s.kept.to_representation(row) for row in GUESTS],
    "30 rows one by one": lambda s: [s.kept.to_representation(row) for row in many(30)][-3:],
    "data": lambda s: s.kept.data,
    "list of 3": lambda s: s.kept_list.to_representation(GUESTS),
    "list of 25": lambda s: s.kept_list.to_representation(many(25)),
    "list of a generator": lambda s: s.kept_list.to_representation(iter(GUESTS)),
    "list of a queryset": lambda s: s.kept_list.to_representation(Guest.objects.order_by("pk")),
    "child of the list": lambda s: s.kept_list.child.to_representation(guest()),
    "validate": lambda s: s.kept.run_validation(GOOD),
    "validate wrong": lambda s: s.kept.run_validation(WRONG),
    "validate list": lambda s: s.kept_list.run_validation([GOOD, GOOD, WRONG]),
}
OF_NEW: dict[str, Happening] = {
    "new: data": lambda s: s.new(guest(), user="ben").data,
    "new: 30 times data": several,
    "new: list of 1": lambda s: s.new(many(1), many=True).data,
    "new: list of 3": lambda s: s.new(GUESTS, many=True, user="ben").data,
    "new: list of 25": lambda s: s.new(many(25), many=True).data,
    "new: list of 300": lambda s: s.new(many(300), many=True).data[-3:],
    "new: list of a queryset": lambda s: (
        s.new(Guest.objects.order_by("pk").select_related("town__land"), many=True).data
    ),
    "new: valid": lambda s: validated(s.new(data=GOOD)),
    "new: valid, then data": valid_then_data,
    "new: wrong": lambda s: validated(s.new(data=WRONG)),
    "new: partial": lambda s: validated(s.new(guest(), data={"name": "ben"}, partial=True)),
    "new: 30 times valid": several_valid,
    "new: list of 3 wrong": lambda s: validated(s.new(data=[GOOD, WRONG, {}], many=True)),
    "new: list of 25 valid": lambda s: validated(s.new(data=[GOOD] * 25, many=True))[:2],
}
USES = {**OF_KEPT, **OF_NEW}


# Looks, and where an object may come from


def names(serializer: Any) -> Any:
    """The fields of a serializer: what they are, how often they were used, whose they are."""
    return [
        (
            *(name, type(field).__name__, str(field.label)),
            *(getattr(field, "times", 0), field.parent is serializer),
        )
        for name, field in serializer.fields.items()
    ]


def nested(serializer: Any) -> Any:
    """What is nested in a serializer, in its list too, by name."""
    return {
        name: getattr(field, "child", field)
        for name, field in serializer.fields.items()
        if isinstance(field, serializers.BaseSerializer)
    }


def made_before_installation(subject: Subject) -> None:
    """Keep serializers that are older than the installation."""
    front_end.uninstall()
    try:
        subject.keep_new()
    finally:
        front_end.install()


def duplicate(how: Callable[[Any], Any], subject: Subject) -> None:
    """Keep copies of what is kept, which has been used by then."""
    subject.keep(how(subject.kept))
    subject.keep_list(how(subject.kept_list))
    _ = subject.kept, subject.kept_list


def duplicate_new(how: Callable[[Any], Any], subject: Subject) -> None:
    """Keep copies of what was not used.

    One that was used has fields in stock, which go into shallow copies and pickles; here it has
    none until other code looks: see "How new schemas are made" in docs/patching.md.
    """
    subject.keep_new()
    duplicate(how, subject)


def duplicate_seen(subject: Subject) -> None:
    """Keep shallow copies of what was looked at and used."""
    subject.keep_new()
    _ = subject.kept.fields, subject.kept_list.child.fields
    copy.copy(subject.kept)  # the first copy changes the class: copyreg notes something there
    for _ in range(3):
        subject.kept.to_representation(guest())
    duplicate(copy.copy, subject)


def copy_of_one_that_is_gone(subject: Subject) -> Any:
    """What a shallow copy shows of a row, when what it was copied from is gone."""
    subject.keep_new()
    for _ in range(3):
        subject.kept.to_representation(guest())
    duplicate = copy.copy(subject.kept)
    subject.keep_new()
    gc.collect()
    return duplicate.to_representation(guest())


def pickled(value: Any) -> Any:
    """A copy by way of a pickle."""
    return pickle.loads(pickle.dumps(value))


def made_in_method(subject: Subject) -> None:
    """Keep a serializer that a method field of another has made."""

    class Around(serializers.Serializer):
        made = serializers.SerializerMethodField()

        def get_made(self, obj):
            subject.keep_new()

    Around({}).data  # noqa: B018  # for what it does


def used_in_fields(subject: Subject) -> Any:
    """Show what is kept as a field of another serializer."""
    subject.keep_new()
    around = type(
        "Around", (serializers.Serializer,), {"guest": type(subject.kept)(), "more": subject.kept}
    )
    return around({"guest": guest(), "more": guest()}).data


LOOKS: dict[str, Happening] = {
    "fields": lambda s: names(s.kept),
    "a field": lambda s: s.kept.fields["name"].label,
    "_readable_fields": lambda s: [field.field_name for field in s.kept._readable_fields],
    "_writable_fields": lambda s: [field.field_name for field in s.kept._writable_fields],
    "get_fields()": lambda s: list(s.kept.get_fields()),
    "repr": lambda s: repr(s.kept),
    "iteration": lambda s: [bound.name for bound in s.kept],
    "an item": lambda s: s.kept["name"].value,
    "get_initial()": lambda s: s.kept.get_initial(),
    "validators": lambda s: [list(map(type, field.validators)) for field in s.kept.fields.values()],
    "nested fields": lambda s: [names(field) for field in nested(s.kept).values()],
    "twice nested fields": lambda s: [
        names(deep) for field in nested(s.kept).values() for deep in nested(field).values()
    ],
    "nested represents": lambda s: s.kept.fields["town"].to_representation(guest().town),
    "fields of the list's child": lambda s: names(s.kept_list.child),
    "fields in a thread": lambda s: in_thread(lambda: names(s.kept)),
    "new fields in another language": lambda s: in_language(lambda: names(s.new())),
    "a deep copy represents": lambda s: copy.deepcopy(s.kept).to_representation(guest()),
    "a pickle represents": lambda s: pickled(s.new()).to_representation(guest()),
    "a copy of one that is gone represents": copy_of_one_that_is_gone,
    "keep a new one": lambda s: s.keep_new(),
    "keep one that is older than the installation": made_before_installation,
    "keep a copy of a new one": partial(duplicate_new, copy.copy),
    "keep a copy of one that was looked at": duplicate_seen,
    "keep a deep copy": partial(duplicate, copy.deepcopy),
    "keep a pickle of a new one": partial(duplicate_new, pickled),
    "keep one of another thread": lambda s: in_thread(s.keep_new),
    "keep one that a method has made": made_in_method,
    "keep one that has input": lambda s: s.keep(s.new(guest(), data=GOOD)),
    "keep the child of a list": lambda s: s.keep(s.new(many=True).child),
    "keep what is nested in another": used_in_fields,
}


def in_language(call: Callable[[], Any]) -> Any:
    """What a function returns in another language."""
    with translation.override("de"):
        return call()


# Changes of a serializer


def set_on_serializer(name: str, value: Callable[[Subject], Any], subject: Subject) -> None:
    """Set an attribute that decides on fields, before they are made."""
    subject.keep_new()
    setattr(subject.kept, name, value(subject))


def pop(get: Callable[[Subject], Any], subject: Subject) -> None:
    """Remove the second field."""
    for serializer in get(subject):
        serializer.fields.pop(list(serializer.fields)[1])


def each_nested(subject: Subject) -> Any:
    """What is nested in the serializer that is kept."""
    return nested(subject.kept).values()


def each_twice_nested(subject: Subject) -> Any:
    """The same one deeper."""
    return [deep for field in each_nested(subject) for deep in nested(field).values()]


def option(name: str, value: Any, subject: Subject, get: Any = None) -> None:
    """Set an option of a field."""
    for serializer in [subject.kept] if get is None else get(subject):
        setattr(serializer.fields["name"], name, value)


def subclass(serializer: Any) -> type:
    """A class of users that inherits from the class of a serializer."""
    return type("Subclass", (Representing, type(serializer)), {})


OF_SERIALIZERS: dict[str, Happening] = {
    "pop a field": partial(pop, lambda s: [s.kept]),
    "pop a nested field": partial(pop, each_nested),
    "pop a twice nested field": partial(pop, each_twice_nested),
    "pop a field of the list's child": partial(pop, lambda s: [s.kept_list.child]),
    "add a field": lambda s: s.kept.fields.__setitem__(
        "more", serializers.CharField(source="name", required=False)
    ),
    "replace a field": lambda s: s.kept.fields.__setitem__("name", Noting(source="town.name")),
    "an option": partial(option, "source_attrs", ["town", "name"]),
    "an option of a nested field": partial(option, "source_attrs", ["pk"], get=each_nested),
    "an option of a twice nested field": partial(option, "write_only", True, get=each_twice_nested),
    "a method of a field": partial(option, "to_representation", lambda value: "changed"),
    "the class of a field": partial(option, "__class__", Noting),
    "a required field": partial(option, "required", False),
    "the order of fields": lambda s: s.kept.fields.__setitem__("name", s.kept.fields.pop("name")),
    "the fields of another": lambda s: setattr(s.kept, "fields", s.new().fields),
    "the class of the serializer": lambda s: setattr(s.kept, "__class__", subclass(s.kept)),
    "the context": lambda s: s.kept._context.update(user="eve"),
    "get_fields of an object": partial(
        set_on_serializer, "get_fields", lambda s: lambda: {"name": Noting()}
    ),
    "_declared_fields of an object": partial(
        set_on_serializer, "_declared_fields", lambda s: {"name": Noting()}
    ),
    "a message of a field": lambda s: s.kept.fields["name"].error_messages.update(null="changed"),
    "to_representation of an object": lambda s: setattr(
        s.kept, "to_representation", lambda row: "changed"
    ),
    "to_internal_value of an object": lambda s: setattr(
        s.kept, "to_internal_value", lambda data: {"changed": list(data)}
    ),
    "validate of an object": lambda s: setattr(s.kept, "validate", lambda attrs: {"changed": True}),
}


# Changes of classes


def fewer_fields(cls: Any) -> None:
    """Set ``Meta.fields`` to all but the second one."""
    names = list(cls.Meta.fields)
    del names[1]
    cls.Meta.fields = names


def exclude(cls: Any) -> None:
    """Set ``Meta.exclude``."""
    if hasattr(cls.Meta, "fields"):
        del cls.Meta.fields
    cls.Meta.exclude = ["id", "code" if hasattr(cls.Meta.model, "code") else "size"]


def extra_kwargs(cls: Any) -> None:
    """Set ``Meta.extra_kwargs``."""
    cls.Meta.extra_kwargs = {list(cls.Meta.fields)[1]: {"source": "pk", "label": "changed"}}


def read_only_fields(cls: Any) -> None:
    """Set ``Meta.read_only_fields``."""
    cls.Meta.read_only_fields = [list(cls.Meta.fields)[1]]


def other_meta(cls: Any) -> None:
    """Set another ``Meta``."""
    cls.Meta = type("Meta", (cls.Meta,), {"fields": [*cls.Meta.fields, "id"]})


def list_serializer_class(cls: Any) -> None:
    """Set ``Meta.list_serializer_class``."""
    cls.Meta.list_serializer_class = type("List", (serializers.ListSerializer,), {})
    cls.Meta.list_serializer_class.to_representation = lambda self, data: "changed"


def declare(cls: Any) -> None:
    """Declare another field."""
    cls._declared_fields["more"] = serializers.CharField(source="name", required=False)
    cls.Meta.fields = [*getattr(cls.Meta, "fields", ()), "more"]


def declare_other(cls: Any) -> None:
    """Declare a field anew."""
    cls._declared_fields["name"] = serializers.CharField(source="pk", read_only=True)


def undeclare(cls: Any) -> None:
    """Declare a field no more."""
    cls._declared_fields.pop("name", None)


def late_get_fields(cls: Any) -> None:
    """Give a class a ``get_fields``."""
    cls.get_fields = _late_get_fields(cls.get_fields)


def _late_get_fields(before: Any) -> Any:
    def get_fields(self):
        LOG.append("late get_fields")
        fields = before(self)
        fields.popitem()
        return fields

    return get_fields


def late_fields(cls: Any) -> None:
    """Give a class a property for fields."""

    def fields(self):
        LOG.append("late fields")
        mapping = BindingDict(self)
        for name, field in self.get_fields().items():
            mapping[name] = field
        return mapping

    cls.fields = property(fields)


def late_init(cls: Any) -> None:
    """Give a class an ``__init__``."""
    before = cls.__init__

    def init(self, *args, **kwargs):
        before(self, *args, **kwargs)
        LOG.append("late __init__")
        self.fields.pop("name", None)

    cls.__init__ = init


def late_to_representation(cls: Any) -> None:
    """Give a class a ``to_representation``."""
    before = cls.to_representation
    cls.to_representation = lambda self, row: {**before(self, row), "late": True}


def late_to_internal_value(cls: Any) -> None:
    """Give a class a ``to_internal_value``."""
    before = cls.to_internal_value
    cls.to_internal_value = lambda self, data: {**before(self, data), "late": True}


def late_run_validation(cls: Any) -> None:
    """Give a class a ``run_validation``."""
    before = cls.run_validation
    cls.run_validation = lambda self, data=serializers.empty: {**before(self, data), "run": True}


def late_validate(cls: Any) -> None:
    """Give a class a ``validate``."""
    cls.validate = lambda self, attrs: {**attrs, "validated": list(attrs)}


def late_validate_name(cls: Any) -> None:
    """Give a class a method that validates a field."""
    cls.validate_name = lambda self, value: f"validated {value}"


DECIDING = [
    *(fewer_fields, exclude, extra_kwargs, read_only_fields, other_meta, list_serializer_class),
    *(declare, declare_other, undeclare, late_get_fields, late_fields, late_init),
]
"""What decides on fields: serializers that have made theirs do not see it."""
METHODS = [
    *(late_to_representation, late_to_internal_value, late_run_validation),
    *(late_validate, late_validate_name),
]
"""What all serializers see in stock, and here those that are made later, or after ``forget``."""


LEVELS = ("outer", "inner", "deep")


def on_class(change: Callable[[Any], None], level: str, subject: Subject) -> None:
    """Change a class, of which a new serializer is kept then."""
    try:
        change(subject.levels[level])
    finally:
        subject.changed()


def on_class_and_forget(change: Callable[[Any], None], level: str, subject: Subject) -> None:
    """Change a method, and say so: serializers that have been used see it, too."""
    change(subject.levels[level])
    fastschema.forget()


def field_class(subject: Subject) -> None:
    """Give the class of fields a method."""
    before = subject.classes.text.to_representation
    subject.classes.text.to_representation = lambda self, value: f"late {before(self, value)}"
    subject.changed()


def added_field_class(subject: Subject) -> None:
    """The same for the class of fields that ``get_fields`` adds."""
    before = subject.classes.added.to_representation
    subject.classes.added.to_representation = lambda self, value: f"late {before(self, value)}"
    subject.changed()


def field_class_input(subject: Subject) -> None:
    """Give the class of fields a method for input."""
    before = subject.classes.text.to_internal_value
    subject.classes.text.to_internal_value = lambda self, data: f"late {before(self, data)}"
    subject.changed()


# Changes of the framework


def replaced(owner: Any, name: str, around: Callable[[Any], Any], subject: Subject) -> None:
    """Replace a method of the framework."""
    before = getattr(owner, name)
    subject.replace(owner, name, lambda self, *args: around(before(self, *args)))


def put_back(subject: Subject) -> None:
    """Put back what was replaced."""
    subject.put_back()
    subject.changed()


def without_last(fields: Any) -> Any:
    """All fields but the last one."""
    fields.popitem()
    return fields


def other_settings(subject: Subject) -> None:
    """Show dates in another way."""
    settings = {"DATETIME_FORMAT": "%Y"}
    subject.undo.enter_context(override_settings(REST_FRAMEWORK=settings))


OF_THE_FRAMEWORK: dict[str, Happening] = {
    "replace DateTimeField.enforce_timezone": partial(
        replaced, serializers.DateTimeField, "enforce_timezone", lambda value: value.replace(year=1)
    ),
    "replace CharField.to_representation": partial(
        replaced, serializers.CharField, "to_representation", "replaced {}".format
    ),
    "replace IntegerField.to_internal_value": partial(
        replaced, serializers.IntegerField, "to_internal_value", lambda value: value + 1
    ),
    "replace Field.get_attribute": partial(
        replaced, serializers.Field, "get_attribute", lambda value: value
    ),
    "replace Serializer.to_representation": partial(
        replaced, serializers.Serializer, "to_representation", lambda row: {**row, "replaced": 1}
    ),
    "replace ListSerializer.to_representation": partial(
        replaced, serializers.ListSerializer, "to_representation", lambda rows: [*rows, "replaced"]
    ),
    "replace Serializer.get_fields": partial(
        replaced, serializers.Serializer, "get_fields", without_last
    ),
    "replace ModelSerializer.get_fields": partial(
        replaced, serializers.ModelSerializer, "get_fields", without_last
    ),
    "put back": put_back,
    "a setting": other_settings,
    "forget": lambda s: fastschema.forget(),
    "forget the serializer": lambda s: fastschema.forget(s.kept),
    "forget the nested class": lambda s: fastschema.forget(s.classes.inner),
    "uninstall": lambda s: front_end.uninstall(),
    "install": lambda s: front_end.install(),
    "uninstall and install": lambda s: (front_end.uninstall(), front_end.install()),
}

CHANGES: dict[str, Happening] = {
    **OF_SERIALIZERS,
    **{
        f"{change.__name__} of {level}": partial(on_class, change, level)
        for change in (*DECIDING, *METHODS)
        for level in LEVELS
    },
    **{
        f"{change.__name__} of {level}, and forget": partial(on_class_and_forget, change, level)
        for change in METHODS
        for level in LEVELS
    },
    "a method of a field's class": field_class,
    "a method of an added field's class": added_field_class,
    "a method for input of a field's class": field_class_input,
    **OF_THE_FRAMEWORK,
}
