"""What a guard notices."""

import copy
import pickle

import pytest

from fastschema.runtime.guard import Guard, State, readings
from fastschema.runtime.inspection import Inspection


class Field:
    default = 1

    def __init__(self, **own):
        self.format = "iso"
        self.names = ["a"]
        vars(self).update(own)

    def method(self):
        """What a user may patch."""


@pytest.fixture
def field():
    return Field()


@pytest.fixture
def guard(field):
    guard = Guard()
    look = Inspection.of_field(field, guard)
    look.get("format")
    look.contents("names")
    look.method("method")
    return guard


def test_a_guard_holds_while_nothing_changes(guard, field):
    assert guard.objects_hold()
    assert guard.classes_hold()
    assert guard.fields_hold([field])


def test_an_attribute_that_was_read_is_compared(guard, field):
    field.format = "other"
    assert not guard.fields_hold([field])


def test_an_attribute_written_past_the_class_is_compared(guard, field):
    vars(field)["format"] = "other"
    assert not guard.fields_hold([field])


def test_an_attribute_that_is_gone_is_noticed(guard, field):
    del field.format
    assert not guard.fields_hold([field])


def test_a_method_on_the_field_itself_is_noticed(guard, field):
    field.method = lambda: None
    assert not guard.fields_hold([field])


def test_another_class_of_the_field_is_noticed(guard, field):
    field.__class__ = type("Other", (Field,), {})
    assert not guard.fields_hold([field])


def test_a_list_that_changes_in_place_is_noticed(guard, field):
    field.names.append("b")
    assert not guard.fields_hold([field])


def test_a_method_of_the_class_is_compared(guard, monkeypatch):
    monkeypatch.setattr(Field, "method", lambda self: None)
    assert not guard.classes_hold()


def test_a_value_that_cannot_be_compared_counts_as_changed(guard, field):
    class Incomparable:
        def __eq__(self, other):
            raise ValueError

        __hash__ = None

    field.format = Incomparable()
    assert not guard.fields_hold([field])


def test_a_setting_that_is_computed_is_compared():
    settings = Field()
    guard = Guard()
    guard.computed(settings, "format", settings.format)
    assert guard.classes_hold()
    settings.format = "other"
    assert not guard.classes_hold()


def test_nothing_holds_after_forgetting(guard):
    readings.forget()
    assert not guard.objects_hold()


def test_a_copy_or_pickle_of_a_schema_has_no_state():
    assert copy.deepcopy({"state": State()}) == {"state": None}
    assert pickle.loads(pickle.dumps(State())) is None
