"""Using again what was made for an earlier dump, for schemas of no framework."""

import gc
from types import SimpleNamespace

import pytest

from fastschema.nodes import ClassCheck, Conversion, Form, Slot, lasting
from fastschema.program import Link, Program
from fastschema.recognition import Kept, Usage
from fastschema.reuse import LentDispatch, ReusedDispatch, Uses
from fastschema.writes import writes
from tests.nodes import dispatch, field, kind, node

pytestmark = pytest.mark.usefixtures("_with_and_without_versions")


@pytest.fixture(autouse=True)
def _no_garbage_is_collected():
    """Whenever that is done, what is kept is let go."""
    gc.disable()
    yield
    gc.enable()


class Answers:
    """Checks whose answers a test decides."""

    def __init__(self):
        self.asked = []
        self.wrong = set()

    def check(self, name):
        def holds():
            self.asked.append(name)
            return name not in self.wrong

        return holds


@pytest.fixture
def answers():
    return Answers()


def kept_schema(answers, name="schema"):
    kept = Kept(None, None, [], [], Usage(answers, 0))
    kept.ids, kept.stays = writes.watched, answers.check(name)
    return kept


def uses(answers, name="schema"):
    return Uses(kept_schema(answers, name))


def test_what_was_made_holds_while_all_checks_agree(answers):
    made = uses(answers)
    made.check([answers.check("slot")])
    made.check([])

    for _ in range(2):
        answers.asked.clear()
        assert made.hold()
        assert answers.asked == ["schema", "slot"]


@pytest.mark.parametrize("wrong", ["schema", "slot"])
def test_a_check_that_does_not_agree_ends_it(answers, wrong):
    made = uses(answers)
    made.check([answers.check("slot")])
    assert made.hold()

    answers.wrong.add(wrong)

    assert not made.hold()


def test_a_check_that_never_agreed_does_not_hold(answers):
    made = uses(answers)
    answers.wrong.add("schema")

    assert not made.hold()


def test_a_check_of_a_class_ends_it_once_the_class_has_changed(answers):
    made, cls = uses(answers), type("Cls", (), {"attribute": 1})
    other = type("Other", (), {"attribute": 1})
    made.check([ClassCheck(cls, lambda: cls.attribute == 1)])
    made.check([ClassCheck(other, lambda: other.attribute == 1)])
    for _ in range(3):
        assert made.hold()

    cls.attribute = 2
    assert not made.hold()
    cls.attribute = 1
    assert made.hold()
    other.attribute = 2
    assert not made.hold()


def test_a_write_ends_it(answers):
    made = uses(answers)
    assert made.hold()

    writes.watched = set()

    assert not made.hold()


def test_what_is_looked_up_later_is_checked_too(answers):
    made = uses(answers)
    assert made.hold()

    made.check([answers.check("slot")])

    assert made.hold()
    answers.wrong.add("slot")
    assert not made.hold()


def test_more_checks_than_pay_are_not_made(answers):
    made = uses(answers)
    for _ in range(100):
        made.check([answers.check("slot")])

    assert not made.hold()
    assert answers.asked == []


def test_when_more_is_made_only_what_was_over_last_goes_on_waiting(answers):
    kept = kept_schema(answers)
    kept.waiting += range(9)  # by as many threads at once

    Uses(kept)

    assert kept.waiting == [5, 6, 7, 8]


def test_a_lent_dispatch_waits_when_the_dump_is_over(answers):
    kept = kept_schema(answers)
    made = dispatch(node(field("a")))
    lent = LentDispatch(made, kept)

    assert lent.one_row({"a": 1}) == {"a": 1}
    assert lent.all_rows([{"a": 1}, {"a": 2}]) == [{"a": 1}, {"a": 2}]
    assert kept.waiting == []
    lent.end()
    assert kept.waiting == [made]


class Row:
    a = 1


def reused(answers, checks=None, **options):
    """A dispatch whose slot ``value`` is its subject's, and is used."""
    slot = Slot("value", lambda subject, cls, form: subject.value, checks)
    its_field = field("a", kind(Conversion(otherwise="{value} + value")))
    subject = SimpleNamespace(value=1000)
    program = Program(node(its_field, slots=(slot,), **options))
    made = ReusedDispatch(program, Form.FAITHFUL, subject, kept_schema(answers))
    assert made.one_row(Row()) == {"a": 1001}
    assert made.uses.hold()
    return made


def test_a_dispatch_is_current_while_its_slots_are_the_same(answers):
    made = reused(answers)
    assert made.uses.hold()

    made.subject.value = 2000

    assert not made.uses.hold()


def test_a_lasting_slot_is_not_looked_up_again(answers):
    made = reused(answers, lasting)

    made.subject.value = 2000

    assert made.uses.hold()


def test_a_slot_may_bring_a_check(answers):
    made = reused(answers, lambda subject, value: [answers.check((subject.value, value))])
    assert made.uses.hold()

    answers.wrong.add((1000, 1000))

    assert not made.uses.hold()


def test_a_dispatch_is_current_while_its_objects_are_read_the_same_way(answers):
    made = reused(answers)
    renamed = type("Renamed", (Row,), {})
    made.one_row(renamed())
    assert made.uses.hold()

    renamed.__name__ = "General"  # as the nodes of these tests are read

    assert not made.uses.hold()


def test_the_way_of_access_may_bring_a_check(answers):
    made = reused(answers, check_access=lambda cls, access: [answers.check((cls, access))])
    assert made.uses.hold()

    answers.wrong.add((Row, "attribute"))

    assert not made.uses.hold()


def test_objects_of_another_class_are_looked_up_too(answers):
    made = reused(answers)

    assert made.one_row({"a": 2}) == {"a": 1002}
    assert made.uses.hold()
    made.subject.value = 2000

    assert not made.uses.hold()


class Outer:
    def __init__(self, a):
        self.a = a


ONE = Outer(Row())
LIST = Outer([Row(), Row()])
OTHER_LIST = Outer([None, Row()])  # whose items are not dumped by the function for the first
EACH = Conversion(otherwise="inner.each({value})")
LINKED = {
    "one": (kind(Conversion(), link="inner"), [ONE, ONE]),
    "list": (kind(EACH, item_link="inner"), [LIST, LIST]),
    "lists of both sorts": (kind(EACH, item_link="inner"), [OTHER_LIST, LIST, OTHER_LIST]),
}


@pytest.mark.parametrize("name", LINKED)
def test_what_is_linked_is_found_anew_when_a_dump_begins_again(answers, name):
    its_kind, rows = LINKED[name]
    found = []

    def find():
        found.append(dispatch(node(field("a", kind(Conversion(otherwise=str(len(found))))))))
        return found[-1]

    slot = Slot("inner", lambda subject, cls, form: Link(find), lasting)
    program = Program(node(field("a", its_kind), slots=(slot,)))
    made = ReusedDispatch(program, Form.FAITHFUL, None, kept_schema(answers))
    for number in range(3):
        dumped = [made.one_row(row) for row in rows]
        assert str(dumped).count(f"{{'a': {number}}}") >= len(rows)
        assert len(found) == number + 1
        assert made.uses.hold()
        made.begin_again()
