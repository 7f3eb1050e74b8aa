"""Programs and the dumps by them."""

import gc
import types
import weakref
from itertools import islice

import pytest

from fastschema.compiler.nodes import ATTRIBUTE, ITEM, Form, Read, Source
from fastschema.runtime.bound_program import CallDumper, Dispatch, NestedDumper, dump_each
from fastschema.runtime.programs import dump_program
from tests.at_once import at_once
from tests.marks import counts_references
from tests.nodes import dispatch, field, node

ROWS = [{"a": 1}, types.SimpleNamespace(a=2), {"a": 3}, {}]


def test_rows_of_mixed_classes_are_dumped_in_order():
    assert dispatch(node(field("a"))).many(ROWS) == [{"a": 1}, {"a": 2}, {"a": 3}, {}]


@pytest.mark.parametrize("rows", [[], (), iter([]), {}])
def test_no_rows_give_an_empty_list(rows):
    assert dispatch(node(field("a"))).many(rows) == []


def test_each_row_is_dumped_as_it_is_read():
    def reuse():
        row = {}
        for number in range(3):
            row["a"] = number
            yield row

    assert dispatch(node(field("a"))).many(reuse()) == [{"a": 0}, {"a": 1}, {"a": 2}]


def test_an_iterator_need_not_be_iterable_itself():
    class OnlyNext:
        def __init__(self):
            self.rows = iter(ROWS)

        def __next__(self):
            return next(self.rows)

    class Rows:
        def __iter__(self):
            return OnlyNext()

    assert len(dispatch(node(field("a"))).many(Rows())) == len(ROWS)


def test_a_function_is_generated_once():
    program = dump_program(node(field("a")))

    assert program.generated(Form.JSON, ITEM, False) is program.generated(Form.JSON, ITEM, False)


def test_many_rows_have_a_function_of_their_own():
    program = dump_program(node(field("a")))

    assert program.generated(Form.JSON, ITEM, True) is program.generated(Form.JSON, ITEM, True)
    assert program.generated(Form.JSON, ITEM, True) is not program.generated(Form.JSON, ITEM, False)


def test_a_single_object_and_rows_of_one_class_make_one_function_each():
    one, many = (Dispatch(dump_program(node(field("a"))), Form.PYTHON, None) for _ in range(2))

    one({"a": 1})
    many.many(iter([{"a": 1}, {"a": 2}]))

    assert (list(one), list(many)) == ([dict], [])


def test_an_exception_in_a_row_ends_the_dump():
    read = []

    def rows():
        for value in ({"a": 1}, {}, {"a": 2}):
            read.append(value)
            yield value

    refusing = field("a", source=Source("a", Read("obj['a']")))
    with pytest.raises(KeyError):
        dispatch(node(refusing)).many(rows())

    assert read == [{"a": 1}, {}]


class Unasked:
    """An iterator that says it is a generator, and must not be asked for anything but rows."""

    def __init__(self, rows):
        self.rows = iter(rows)

    @property
    def __class__(self):
        raise AssertionError("asked for its class")

    def __next__(self):
        return next(self.rows)


class Slice(islice):
    """An iterator that is asked for its iterator once."""

    asked = 0

    def __iter__(self):
        Slice.asked += 1
        return super().__iter__()


def test_an_iterator_is_what_its_class_is():
    class Rows:
        def __iter__(self):
            return Unasked(ROWS)

    assert len(dispatch(node(field("a"))).many(Rows())) == len(ROWS)
    assert len(dispatch(node(field("a"))).many(Slice(ROWS, 2))) == 2
    assert Slice.asked == 1


def test_the_first_row_is_taken_before_the_dispatch_is_found():
    rows = [{"a": 1}, {"a": 2}]

    def find():
        rows[0] = {"a": 3}
        rows.append({"a": 4})
        return dispatch(node(field("a")))

    assert NestedDumper(find).many(rows) == [{"a": 1}, {"a": 2}, {"a": 4}]


def test_a_dump_holds_the_dispatch_that_was_found_for_it():
    found = dump_each(iter(ROWS), lambda: dispatch(node(field("a"))))

    assert found == [{"a": 1}, {"a": 2}, {"a": 3}, {}]


@counts_references
def test_a_row_goes_when_the_next_is_there():
    class Row:
        def __init__(self, number):
            self.a = number
            events.append(f"made {number}")

        def __del__(self):
            events.append(f"gone {self.a}")

    events = []
    dispatch(node(field("a"))).many(Row(number) for number in range(3))

    assert events == ["made 0", "made 1", "gone 0", "made 2", "gone 1", "gone 2"]


@pytest.mark.parametrize("make", [list, iter])
def test_a_stop_iteration_of_user_code_ends_no_dump_silently(make):
    def stop(obj, name):
        raise StopIteration("by user code")

    general = field("a", source=Source("a", Read("read(obj, 'a')")))
    with pytest.raises(StopIteration, match="by user code"):
        dispatch(node(general, read=stop)).many(make([{}]))


def test_each_form_and_access_has_its_function():
    program = dump_program(node(field("a")))

    functions = [
        program.generated(form, access, False) for form in Form for access in (ITEM, ATTRIBUTE)
    ]

    assert len({id(function) for function in functions}) == 6


def test_threads_that_need_the_same_function_at_once_get_the_same():
    program = dump_program(node(*[field(f"field_{number}") for number in range(200)]))
    functions = at_once(lambda number: program.generated(Form.PYTHON, ITEM, False))
    assert len({id(function) for function in functions}) == 1


def test_a_dump_asks_once_how_a_class_is_read():
    asked = []
    plain = node(field("a"))

    def access(cls):
        asked.append(cls)
        return plain.access(cls)

    counting = types.SimpleNamespace()
    counting.__dict__.update({name: getattr(plain, name) for name in plain.__slots__})
    counting.access = access

    dispatch(counting).many([{}, {}, types.SimpleNamespace(a=1), {}])

    assert asked == [dict, types.SimpleNamespace]


@counts_references
def test_a_program_keeps_no_class_of_rows_alive():
    class Row:
        a = 1

    died = weakref.ref(Row)
    program = dump_program(node(field("a")))
    Dispatch(program, Form.PYTHON, None).many([Row()])
    del Row
    gc.collect()

    assert died() is None


@counts_references
def test_a_finished_dump_leaves_no_reference_cycle():
    program = dump_program(node(field("a")))
    Dispatch(program, Form.PYTHON, None).many(ROWS)
    while gc.collect():  # what other tests have left behind may leave more behind
        pass
    gc.disable()
    try:
        Dispatch(program, Form.PYTHON, None).many(ROWS)

        assert gc.collect() == 0
    finally:
        gc.enable()


def test_one_function_may_dump_every_class():
    always = CallDumper(repr)

    assert [always[type(value)](value) for value in (1, "a", None)] == ["1", "'a'", "None"]


def test_a_link_leaves_none_as_it_is():
    assert NestedDumper(lambda: CallDumper(repr))(None) is None


def test_a_link_looks_for_its_dispatch_even_for_none():
    def find():
        raise LookupError("no such schema")

    with pytest.raises(LookupError):
        NestedDumper(find)(None)


@pytest.mark.parametrize("make", [list, tuple, iter])
def test_a_link_dumps_each_of_some_values(make):
    link = NestedDumper(lambda: CallDumper(repr))

    assert link.each(make([1, None, "a"])) == ["1", None, "'a'"]


@pytest.mark.parametrize("make", [list, tuple, iter])
def test_a_link_without_values_does_not_look_for_its_dispatch(make):
    def find():
        raise LookupError("no such schema")

    assert NestedDumper(find).each(make([])) == []
    with pytest.raises(LookupError):
        NestedDumper(find).each(make([None]))


def test_rows_of_several_classes_in_a_list_are_each_dumped_as_their_own():
    used = dispatch(node(field("a")))
    rows = [{"a": 1}, types.SimpleNamespace(a=2), {"a": 3}]

    assert used.many(rows) == used.many(iter(rows)) == [{"a": 1}, {"a": 2}, {"a": 3}]


def test_what_dumps_collections_can_be_given_something_else_for_each_object():
    found = []

    def louder(dumper):
        found.append(dumper.dispatch)
        return CallDumper(str.upper)

    dumper = CallDumper.of_each(NestedDumper(lambda: CallDumper(repr)), lambda text: text.split())
    changed = dumper.with_inner(louder)

    assert found == []
    assert changed[str]("a b") == ["A", "B"]
    assert dumper[str]("a b") == ["'a'", "'b'"]
    assert [each["any"]("a") for each in found] == ["'a'"]
