"""Conditions that hold as long as a schema reads the same, for schemas of no framework."""

import pytest

from fastschema.class_versions import versions
from fastschema.dictionary_versions import dictionary_versions
from fastschema.facts import Facts
from fastschema.look import Look
from fastschema.unchanged import Unchanged
from fastschema.writes import writes

MISSING = object()
ask = Unchanged.ask


pytestmark = pytest.mark.usefixtures("_with_and_without_versions")


@pytest.fixture(autouse=True)
def _objects_tell_of_writes():
    writes.begin(object.__setattr__, object.__delattr__)
    yield
    writes.end()


class Field:
    words = ("a",)
    table = {"a": "A"}

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def write(self):
        return "written"


class WithProperty(Field):
    key = property(lambda self: "key", lambda self, value: None)


class Base:
    def read(self):
        return "base"


class Middle(Base):
    pass


class Reader(Middle):
    def read(self):
        return super().read()


class Quiet(Reader):
    pass


class Schema:
    def __init__(self, *fields):
        self.fields = dict(enumerate(fields))


def still(facts, *fields, schema=None):
    """What says whether all that is not noticed still holds, for a schema of some fields."""
    bind = facts.compile_kept("test", len(fields))
    stays, unchanged = bind.function(schema or Schema(*fields), [*fields])
    return lambda: stays() and unchanged.hold()


def looked(target, **attributes):
    facts = Facts(MISSING, Field, "fields")
    look = Look(target, "field_0", facts)
    return facts, look


def test_a_condition_that_fails_with_an_error_does_not_hold():
    facts = Facts(MISSING)
    facts.add("field_0.nothing.at.all is None")

    assert facts.compile("test", 1).function(None, [Field()]) is False


def test_nothing_is_left_to_be_noticed_of_what_cannot_be_watched():
    facts = Facts(MISSING)
    Look(Field(key=1), "field_0", facts).get("key")

    assert facts.watched([Field()]) == []
    assert facts.compile_kept("test", 1) is None


def test_own_attributes_of_a_watched_field_need_not_be_asked_for():
    field = Field(key="a", flag=True)
    facts, look = looked(field)
    assert look.get("key") == "a"
    assert look.is_true("flag")
    assert look.note("{it}.key is None", False, "key") is False
    look.method("write")
    holds = still(facts, field)
    assert holds()

    field.key, field.flag, field.write = "b", False, None

    assert holds()  # it is up to whoever notices writes
    assert not facts.compile("test", 1).function(None, [field])
    assert facts.watched([field]) == [field]


@pytest.mark.parametrize("name", ["words", "__doc__"])
def test_what_the_class_has_is_asked_for(name, monkeypatch):
    field = Field()
    facts, look = looked(field)
    look.get(name)
    holds = still(facts, field)
    assert holds()

    monkeypatch.setattr(Field, name, "other")

    assert not holds()


def test_what_a_descriptor_stands_before_is_asked_for(monkeypatch):
    field = WithProperty(key="own")
    facts, look = looked(field)
    assert look.get("key") == "key"
    holds = still(facts, field)
    assert holds()

    monkeypatch.setattr(WithProperty, "key", property(lambda self: "other"))

    assert not holds()


def test_an_empty_list_is_asked_for_when_it_is_the_same():
    field = Field(items=[])
    facts, look = looked(field)
    assert look.is_empty("items")
    holds = still(facts, field)
    assert holds()

    field.items.append(1)

    assert not holds()


def test_an_item_of_a_table_is_asked_for(monkeypatch):
    field = Field()
    facts, look = looked(field)
    assert look.item("table", "a") == "A"
    assert look.item("table", "b") is None
    holds = still(facts, field)
    assert holds()

    monkeypatch.setitem(Field.table, "b", "B")

    assert not holds()


def test_what_is_found_by_an_index_is_asked_for():
    facts = Facts(MISSING, Field, "fields")
    outer = Field(parts=[Field(key="a")])
    Look(outer, "field_0", facts).at("parts", 0).get("key")
    holds = still(facts, outer)
    assert holds()

    outer.parts[0] = Field(key="b")

    assert not holds()
    assert facts.watched([outer]) == [outer]


def test_fields_inside_of_fields_are_watched():
    facts = Facts(MISSING, Field, "fields")
    outer = Field(inner=Field(key="a"))
    Look(outer, "field_0", facts).within("inner").get("key")

    assert facts.watched([outer]) == [outer, outer.inner]


class Deriving(Field):
    @property
    def inner(self):
        return self.found


def test_fields_that_a_property_gives_are_asked_for():
    facts = Facts(MISSING, Field, "fields")
    outer = Deriving(found=Field(key="a"))
    Look(outer, "field_0", facts).within("inner").get("key")
    holds = still(facts, outer)
    assert holds()

    outer.found = Field(key="b")

    assert not holds()


@pytest.mark.parametrize("name", ["field_0", "now_0"])
def test_what_is_seen_may_have_the_names_of_the_generated_code(name):
    field = type(name, (Field,), {})(key=1)
    facts, _ = looked(field)
    assert facts.compile("test", 1).function(None, [field])
    assert still(facts, field)()


@pytest.mark.parametrize("fields", [[], [Field()], [Field(), Field()]])
def test_other_fields_are_noticed(fields):
    field = Field()
    facts, _ = looked(field)
    schema = Schema(field)
    holds = still(facts, field, schema=schema)
    assert [holds() for _ in range(3)] == [True] * 3

    schema.fields.clear()
    schema.fields.update(enumerate(fields))

    assert not holds()


def test_a_chain_has_the_methods_that_super_calls():
    facts = Facts(MISSING)
    look = Look(Quiet(), "field_0", facts)

    assert look.chain("read", Base) == (Reader.read, Base.read)


@pytest.mark.parametrize("owner", [Quiet, Reader, Middle, Base])
def test_a_chain_with_another_method_does_not_hold(owner, monkeypatch):
    facts = Facts(MISSING)
    reader = Quiet()
    Look(reader, "field_0", facts).chain("read", Base)
    recognize = facts.compile("test", 1).function
    assert recognize(None, [reader])

    monkeypatch.setattr(owner, "read", lambda self: "patched", raising=False)

    assert not recognize(None, [reader])


class OtherField(Field):
    number = 1


def test_classes_that_are_the_same_are_not_asked_again(monkeypatch):
    field = OtherField()
    facts, look = looked(field)
    look.on_class("number")
    asked = []
    monkeypatch.setattr(Unchanged, "ask", lambda self: asked.append(self) or ask(self))
    recognize, holds = facts.compile("test", 1).function, still(facts, field)
    for _ in range(3):
        assert recognize(None, [field])
        assert holds()
    by_versions = 2 if versions([OtherField]) else 6
    # What tells of writes, then what dictionaries have.
    by_versions += 2 if versions([OtherField]) else 3
    assert len(asked) == by_versions + (2 if dictionary_versions([{}]) else 3)

    monkeypatch.setattr(OtherField, "number", 2)

    assert not recognize(None, [field])
    assert not holds()


class WithCode(Field):
    """Whose attribute is read by code that changes another class."""

    @property
    def key(self):
        OtherField.number += self.step
        return "key"

    step = 0


def test_a_class_that_is_changed_while_conditions_are_asked_is_seen(monkeypatch):
    monkeypatch.setattr(OtherField, "number", 1)
    fields = [WithCode(), OtherField()]
    facts = Facts(MISSING, Field, "fields")
    Look(fields[0], "field_0", facts).get("key")
    Look(fields[1], "field_1", facts).on_class("number")
    recognize = facts.compile("test", 2).function
    holds = still(facts, *fields)
    assert recognize(None, fields)
    assert holds()

    WithCode.step = 1
    try:
        assert not recognize(None, fields)
        OtherField.number = 1
        assert not holds()
    finally:
        WithCode.step = 0
