"""Fields with ways of their own to be copied are copied in these ways."""

from collections import OrderedDict
from functools import partial

import pytest
from marshmallow import Schema, fields

from tests.promises.marshmallow.differential import installed, outcome

LOG = []


class Slotted(fields.String):
    __slots__ = ("extra",)


def noting(name, answer):
    """A class of fields with a method that notes that it was called."""

    def method(self, *args):
        LOG.append((name, len(args)))
        return answer(self, *args)

    return type(name, (fields.String,), {name: method})


Copied = noting("__copy__", lambda self: Copied(metadata={"copied": True}))
Reduced = noting("__reduce__", lambda self: (Reduced, (), {"reduced": True}))
DeepCopied = noting("__deepcopy__", lambda self, memo: fields.Field.__deepcopy__(self, memo))
WithState = noting("__getstate__", lambda self: {**self.__dict__, "state": "got"})


class SettingState(fields.String):
    def __setstate__(self, state):
        LOG.append("__setstate__")
        self.__dict__.update(state, state="set")


class MadeAnew(fields.String):
    def __new__(cls, *args, **kwargs):
        LOG.append(("__new__", args, kwargs))
        return super().__new__(cls)


class AskedForTheRest(fields.String):
    def __getattr__(self, name):
        LOG.append(name)
        raise AttributeError(name)


class NoticesWrites(fields.String):
    def __setattr__(self, name, value):
        LOG.append(name)
        super().__setattr__(name, value)


class Dictionary(fields.String, dict):
    def __init__(self):
        super().__init__()
        self["key"] = "value"


def _with_slot():
    field = Slotted()
    field.extra = "slot"
    return field


def _with_ordered_attributes():
    field = fields.String()
    field.__dict__ = OrderedDict(reversed(field.__dict__.items()))
    return field


def _with_own(name):
    field = fields.String()
    setattr(field, name, lambda *args: LOG.append(name) or fields.String)
    return field


USES = 4  # a class is not asked again when it was asked twice


FIELDS = {
    "String": lambda: fields.String(required=True, metadata={"a": 1}),
    "List": lambda: fields.List(fields.Integer()),
    "Nested": lambda: fields.Nested("Dog", only=["name"]),
    "slots": _with_slot,
    "ordered attributes": _with_ordered_attributes,
    **{
        f"own __{name}__": partial(_with_own, f"__{name}__")
        for name in ("reduce_ex", "reduce", "getstate", "deepcopy", "copy", "getnewargs")
    },
    **{
        cls.__name__: cls
        for cls in (
            DeepCopied,
            Copied,
            Reduced,
            WithState,
            SettingState,
            MadeAnew,
            AskedForTheRest,
            NoticesWrites,
            Dictionary,
        )
    },
}


def seen(field, copied):
    """What a copy is like."""
    if not isinstance(copied, fields.Field):
        return copied
    own = object.__getattribute__(copied, "__dict__")
    original = object.__getattribute__(field, "__dict__")
    return (
        copied is field,
        type(copied),
        type(own),
        [(name, value is original.get(name), repr(value)) for name, value in own.items()],
        getattr(copied, "extra", None),
        dict(copied) if isinstance(copied, dict) else None,
    )


@pytest.mark.parametrize("name", FIELDS)
def test_the_fields_of_a_new_schema_are_copied_as_by_copy(name):
    field = FIELDS[name]()
    cls = Schema.from_dict({"first": fields.String(), "field": field, "last": fields.String()})

    def made():
        declared = cls().declared_fields
        return [*declared], seen(field, declared["field"])

    expected = outcome(made, LOG)
    with installed():
        for _ in range(USES):
            assert outcome(made, LOG) == expected


def test_a_field_with_two_names_is_copied_once():
    field = fields.String()
    cls = Schema.from_dict({"a": field, "b": field})
    with installed():
        declared = cls().declared_fields
    assert declared["a"] is declared["b"] is not field


def test_users_see_no_copy_that_comes_to_nothing():
    """The last field has all of them copied by ``copy``, also those before it."""
    deaths = []

    class NoticesDeath(fields.String):
        def __del__(self):
            deaths.append(self)

    cls = Schema.from_dict({"first": NoticesDeath(), "last": Copied()})
    with installed():
        schema = cls()
    assert [*schema.fields] == ["first", "last"]
    assert deaths == []


@pytest.mark.parametrize("uses", [1, USES])
@pytest.mark.parametrize("is_inherited", [False, True])
def test_a_class_that_changes_is_asked_again(uses, is_inherited):
    class Base(fields.String):
        pass

    class Changing(Base):
        pass

    class Dog(Schema):
        name = Changing()

    with installed():
        for _ in range(uses):
            Dog()
        cls = Base if is_inherited else Changing
        cls.__deepcopy__ = lambda self, memo: LOG.append("copied") or Changing()
        LOG.clear()
        Dog()
    assert LOG == ["copied"]
