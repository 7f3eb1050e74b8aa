"""Looking at fields so that a guard knows of it."""

import pytest

from fastschema.runtime.guard import ABSENT, Guard
from fastschema.runtime.inspection import Inspection


class Field:
    limit = 5

    def __init__(self, inner=None, check=None):
        self.inner = inner
        self.check = check

    def method(self):
        return "base"

    @property
    def computed(self):
        return 1


class Derived(Field):
    def method(self):
        return super().method()


class Truth:
    def __bool__(self):
        return False


def look_at(field):
    guard = Guard()
    return Inspection.of_field(field, guard), guard


def test_what_a_class_gives_is_compared_on_the_class(monkeypatch):
    look, guard = look_at(Field())
    assert look.get("limit") == 5
    assert guard.classes_hold()
    monkeypatch.setattr(Field, "limit", 6)
    assert not guard.classes_hold()


def test_what_a_property_gives_is_not_relied_on():
    look, guard = look_at(Field())
    assert look.get("computed") == 1
    assert not guard.is_lasting
    assert not guard.objects_hold()


def test_a_method_set_on_the_object_is_none():
    field = Field()
    look, _ = look_at(field)
    assert look.method("method") is Field.method
    field.method = lambda: "own"
    look, guard = look_at(field)
    assert look.method("method") is None
    assert guard.fields_hold([field])


def test_a_chain_has_each_method_that_super_calls():
    look, _ = look_at(Derived())
    assert look.chain("method", Field) == (Derived.method, Field.method)


def test_a_field_inside_of_a_field_is_compared():
    field = Field(inner=Field())
    look, guard = look_at(field)
    assert look.within("inner").get("limit") == 5
    assert guard.fields_hold([field])
    assert guard.fields_hold([Field(inner=Field())])
    field.inner.limit = 6
    assert not guard.fields_hold([field])
    assert not guard.fields_hold([Field(inner=Derived())])


def test_whether_a_value_is_given_is_all_that_is_compared():
    look, guard = look_at(Field(check=Field().method))
    assert look.is_given("check")
    assert guard.fields_hold([Field(check=Field().method)])
    assert not guard.fields_hold([Field(check=None)])


def test_an_optional_attribute_that_appears_is_noticed():
    field = Field()
    look = Inspection(field, guard := Guard())
    assert look.optional("extra") is ABSENT
    assert guard.objects_hold()
    field.extra = 1
    assert not guard.objects_hold()


@pytest.mark.parametrize(("value", "is_lasting"), [(1, True), ("", True), (Truth(), False)])
def test_truth_that_user_code_decides_is_not_relied_on(value, is_lasting):
    look, guard = look_at(Field(check=value))
    assert look.is_true("check") is bool(value)
    assert guard.is_lasting is is_lasting


def test_an_item_of_a_dictionary_is_compared():
    field = Field(check={"a": 1})
    look, guard = look_at(field)
    assert (look.item("check", "a"), look.item("check", "b")) == (1, None)
    field.check["b"] = 2
    assert not guard.objects_hold()
