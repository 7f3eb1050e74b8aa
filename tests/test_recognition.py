"""Knowing a schema again, for schemas of no framework."""

import gc
import weakref

import pytest

from fastschema.program import Program
from fastschema.recognition import Facts, Look, Recognizer
from tests.nodes import field, node

MISSING = object()


class Field:
    key = "key"
    default = MISSING
    words = ("a",)

    def write(self):
        return "written"


class OtherField(Field):
    pass


class Schema:
    def __init__(self, *fields):
        self.fields = list(fields)


def describe(schema, facts):
    """Look at all fields, as a front end does."""
    for index, each in enumerate(schema.fields):
        look = Look(each, f"field_{index}", facts)
        look.get("key")
        look.method("write")
        look.on_class("default")
        look.note("('a' in {it}.words)", "a" in each.words)
        look.matches("{it}.words[0]", each.words[0])


def learnt(schema, times=2):
    """A recognizer to which a schema was described so often, and its program."""
    recognizer, program = Recognizer(MISSING), Program(node(field("a")))
    for _ in range(times):
        facts = recognizer.facts(schema)
        describe(schema, facts)
        recognizer.learn(schema, schema.fields, facts, program)
    return recognizer, program


def test_a_schema_is_unknown_at_first():
    schema = Schema(Field())

    assert learnt(schema, times=0)[0].recognize(schema, schema.fields) is None


def test_a_schema_that_was_described_twice_is_known_again():
    schema = Schema(Field(), OtherField())
    recognizer, program = learnt(schema)

    assert recognizer.recognize(schema, schema.fields) is program


def test_another_schema_of_the_class_that_reads_alike_is_known():
    recognizer, program = learnt(Schema(Field()))
    other = Schema(Field())

    assert recognizer.recognize(other, other.fields) is program


def test_a_schema_of_another_class_is_not_known():
    class OtherSchema(Schema):
        pass

    recognizer, _ = learnt(Schema(Field()))
    other = OtherSchema(Field())

    assert recognizer.recognize(other, other.fields) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: setattr(schema.fields[0], "key", "other"),
        lambda schema: setattr(schema.fields[0], "key", None),
        lambda schema: setattr(schema.fields[0], "write", lambda: "own"),
        lambda schema: setattr(schema.fields[0], "words", ("b", "a")),
        lambda schema: setattr(schema.fields[0], "words", ()),
        lambda schema: setattr(schema.fields[0], "__class__", OtherField),
        lambda schema: schema.fields.append(Field()),
        lambda schema: schema.fields.clear(),
        lambda schema: schema.fields.__setitem__(0, OtherField()),
    ],
)
def test_a_schema_that_was_changed_is_not_known(change):
    schema = Schema(Field())
    recognizer, _ = learnt(schema)

    change(schema)

    assert recognizer.recognize(schema, schema.fields) is None


@pytest.mark.parametrize("name", ["write", "default", "key"])
def test_a_schema_whose_field_class_was_changed_is_not_known(monkeypatch, name):
    schema = Schema(Field())
    recognizer, _ = learnt(schema)

    monkeypatch.setattr(Field, name, "other")

    assert recognizer.recognize(schema, schema.fields) is None


def test_a_change_that_is_taken_back_is_forgotten():
    schema = Schema(Field())
    recognizer, program = learnt(schema)
    schema.fields[0].key = "other"
    assert recognizer.recognize(schema, schema.fields) is None

    del schema.fields[0].key

    assert recognizer.recognize(schema, schema.fields) is program


def test_several_ways_to_read_one_class_are_known():
    recognizer = Recognizer(MISSING)
    programs = {}
    for key in ("a", "b", "a", "b"):
        schema = Schema(Field())
        schema.fields[0].key = key
        facts = recognizer.facts(schema)
        describe(schema, facts)
        program = programs.setdefault(key, Program(node(field(key))))
        recognizer.learn(schema, schema.fields, facts, program)

    for key, program in programs.items():
        schema = Schema(Field())
        schema.fields[0].key = key
        assert recognizer.recognize(schema, schema.fields) is program


def test_a_condition_that_fails_with_an_error_does_not_hold():
    facts = Facts(MISSING)
    facts.add("field_0.nothing.at.all is None")

    assert facts.compile("test", 1).function(None, [Field()]) is False


def test_classes_die_after_they_were_learnt():
    class ShortField(Field):
        pass

    class ShortSchema(Schema):
        pass

    died = weakref.ref(ShortSchema), weakref.ref(ShortField)
    schema = ShortSchema(ShortField())
    recognizer, _ = learnt(schema)
    assert recognizer.recognize(schema, schema.fields) is not None
    del schema, ShortField, ShortSchema
    gc.collect()

    assert [each() for each in died] == [None, None]
