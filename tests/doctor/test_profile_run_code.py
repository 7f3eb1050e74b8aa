"""Generated functions that read the clock."""

import itertools
import types
import weakref

import pytest

from fastschema.compiler import dump_code
from fastschema.compiler.nodes import ITEM, Form, Slot
from fastschema.doctor import profile_run
from fastschema.doctor.profile_run import TimedGenerator, new_spent
from tests.nodes import field, node

SPENT = Slot("spent", lambda bound_schema, cls, form: None)
DICT_CLASS = Slot("dict_class", lambda bound_schema, cls, form: dict)
ROWS = [{"a": 1, "b": 2}, {"b": 3}]


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second each time that it is read."""
    seconds = itertools.count()
    monkeypatch.setattr(profile_run, "clock", lambda: next(seconds))


def run(schema, rows=ROWS, many=True):
    """What a function for dictionaries gives, and what it adds up."""
    function = TimedGenerator(schema, Form.PYTHON, ITEM, many).generate()
    spent = new_spent(schema)
    values = {"spent": spent, "dict_class": dict}
    given = [values[slot.name] for slot in function.slots]
    dispatch = weakref.ref(OTHER)
    return function.function(dict, dispatch, *given)(rows), spent


class Other:
    """What dumps objects of other classes."""

    def __call__(self, obj):
        return "other"


OTHER = Other()


@pytest.mark.usefixtures("clock")
def test_the_clock_is_read_after_reading_and_after_converting():
    _, spent = run(node(field("a"), field("b"), slots=(SPENT,)))

    assert spent == [2, 2, 2, 2, 2]


@pytest.mark.usefixtures("clock")
def test_one_object_is_timed_as_well():
    dumped, spent = run(node(field("a"), slots=(SPENT,)), {"a": 1}, many=False)

    assert (dumped, spent) == ({"a": 1}, [1, 1, 1])


@pytest.mark.parametrize("options", [{}, {"dict_class": "dict_class"}])
def test_what_is_dumped_is_what_the_usual_code_dumps(options):
    schema = node(field("a"), field("b"), slots=(SPENT, DICT_CLASS), **options)
    usual = dump_code.generate(schema, Form.PYTHON, ITEM, True)
    values = [dict for _ in usual.slots]

    assert run(schema)[0] == usual.function(dict, None, *values)(ROWS) == ROWS


@pytest.mark.usefixtures("clock")
def test_putting_values_into_a_dictionary_of_ones_own_is_no_fields_time():
    _, spent = run(node(field("a"), field("b"), slots=(SPENT, DICT_CLASS), dict_class="dict_class"))

    assert spent == [2, 2, 2, 2, 2]


@pytest.mark.usefixtures("clock")
def test_objects_of_another_class_are_not_counted():
    other = types.SimpleNamespace()
    dumped, spent = run(node(field("a"), slots=(SPENT,)), [{"a": 1}, other])

    assert (dumped, spent) == ([{"a": 1}, "other"], [1, 1, 1])


@pytest.mark.parametrize("key", ["at", "at_2", "spent", "clock"])
def test_keys_and_names_of_the_clock_do_not_meet(key):
    dumped, _ = run(node(field(key), field("b"), slots=(SPENT,)), [{key: 1, "b": 2}])

    assert dumped == [{key: 1, "b": 2}]


def test_what_is_missing_stays_so():
    assert run(node(field("a"), slots=(SPENT,)), [{}])[0] == [{}]
