"""Conditions that are asked again only when what decides them may have changed."""

import gc
import subprocess
import sys
import threading
import weakref

import pytest

from fastschema import class_versions, dictionary_versions
from fastschema.unchanged import Unchanged
from tests.versions import (
    CHANGES,
    IS_KNOWN,
    NAMES,
    Asked,
    dictionaries_told,
    family,
    looked_up,
    told,
)


def on_class(cls, condition, names=NAMES):
    """A condition on a class."""
    unchanged = Unchanged()
    unchanged.add(condition, of_classes=[(cls, names)])
    return unchanged


def quiet(cls, *, condition=None):
    """Conditions on a class that need not be asked again; they were asked twice."""
    looked_up(cls)
    unchanged = on_class(cls, condition or Asked())
    assert unchanged.hold()
    assert unchanged.hold()
    return unchanged


@told
def test_conditions_are_not_asked_again_while_classes_are_the_same():
    cls, *_ = family()
    asked = Asked()
    unchanged = quiet(cls, condition=asked)

    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 2


@told
@pytest.mark.parametrize("name", CHANGES)
def test_conditions_are_asked_again_after_a_change(name):
    classes = family()
    if name == "a base has another base":
        base = type("Base", (type("Root", (), {}),), {"attribute": 1})
        classes = (type("Cls", (base,), {"own": 1}), base, None)
    asked = Asked()
    unchanged = quiet(classes[0], condition=asked)

    CHANGES[name](*classes)

    asked.answer = False
    assert not unchanged.hold()
    assert not unchanged.hold()
    asked.answer = True
    assert unchanged.hold()


@told
def test_a_change_that_changes_no_condition_is_forgotten():
    cls, *_ = family()
    asked = Asked()
    unchanged = quiet(cls, condition=asked)
    cls.other = 1
    looked_up(cls)
    assert unchanged.hold()
    assert unchanged.hold()
    count = asked.count

    assert unchanged.hold()
    assert asked.count == count


@told
def test_a_class_that_changes_while_conditions_are_asked_is_asked_again():
    cls, *_ = family()

    def change():
        if not hasattr(cls, "changed"):
            cls.changed = True
        return True

    asked = Asked()
    looked_up(cls)
    unchanged = on_class(cls, change)
    unchanged.add(asked, of_classes=[(cls, NAMES)])
    assert unchanged.hold()
    looked_up(cls)

    assert unchanged.hold()
    assert unchanged.hold()
    assert asked.count == 3
    assert unchanged.hold()
    assert asked.count == 3


@told
def test_a_class_without_a_number_is_asked_each_time():
    cls, *_ = family()
    looked_up(cls)
    cls.own = 2  # takes the number away, and nothing is looked up after that
    asked = Asked()
    unchanged = on_class(cls, asked)

    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 3


@told
def test_each_of_several_classes_counts():
    first, second = looked_up(family()[0], family()[0])
    asked = Asked()
    unchanged = on_class(first, lambda: True)
    unchanged.add(asked, of_classes=[(second, NAMES)])
    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 2

    second.own = 2

    asked.answer = False
    assert not unchanged.hold()


def test_conditions_that_do_not_hold_are_never_taken_to():
    (cls,) = looked_up(family()[0])
    unchanged = on_class(cls, Asked(False))

    assert not unchanged.hold()
    assert not unchanged.hold()


def test_where_numbers_are_not_told_conditions_are_asked_each_time(monkeypatch):
    monkeypatch.setattr(class_versions, "_OFFSET", None)
    (cls,) = looked_up(family()[0])
    asked = Asked()
    unchanged = on_class(cls, asked)

    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 3


@told
def test_where_a_number_is_not_told_any_longer_conditions_are_asked_each_time(monkeypatch):
    first, second = looked_up(family()[0], family()[0])
    asked = Asked()
    unchanged = quiet(first)

    monkeypatch.setattr(class_versions, "_OFFSET", None)
    unchanged.add(asked, of_classes=[(second, NAMES)])

    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 3


@told
def test_the_classes_live_as_long_as_conditions_on_them():
    cls, base, mixin = family()
    died = weakref.ref(cls)
    unchanged = quiet(cls)
    del cls, base, mixin
    gc.collect()
    assert died() is not None
    assert unchanged.hold()

    del unchanged
    gc.collect()
    assert died() is None


def answers_differ(cls, change):
    """Whether conditions on a class are asked after a change that gives it no other number."""
    looked_up(cls)
    asked = Asked()
    unchanged = on_class(cls, asked, ["attribute"])
    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    change()
    asked.answer = False
    return not unchanged.hold()


class Answer:
    """A descriptor that gives what a test wants."""

    value = 1

    def __get__(self, instance, owner):
        return self.value


class Answers(dict):
    """What may become a descriptor."""


def test_a_descriptor_of_somebodys_own_is_asked_each_time(monkeypatch):
    cls = type("Cls", (), {"attribute": Answer()})

    assert answers_differ(cls, lambda: monkeypatch.setattr(Answer, "value", 2))


def test_a_class_method_is_asked_each_time():
    cls = type("Cls", (), {"attribute": classmethod(lambda cls: 1)})

    assert answers_differ(cls, lambda: None)


def test_what_may_become_a_descriptor_is_asked_each_time(monkeypatch):
    cls = type("Cls", (), {"attribute": Answers()})

    def change():
        monkeypatch.setattr(Answers, "__get__", lambda self, instance, owner: 2, raising=False)

    assert answers_differ(cls, change)


def test_a_descriptor_in_the_place_of_an_attribute_is_asked_each_time():
    (cls,) = looked_up(family()[0])
    answer = Answer()
    unchanged = on_class(cls, lambda: cls.own == 1)
    assert [unchanged.hold() for _ in range(3)] == [True] * 3

    cls.own = answer
    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    answer.value = 2

    assert not unchanged.hold()


@told
@pytest.mark.parametrize(
    "value", [lambda self: 1, property(lambda self: 1), staticmethod(len), len, 1, None, int, {}]
)
def test_methods_and_constants_are_not_asked_for_again(value):
    assert not answers_differ(type("Cls", (), {"attribute": value}), lambda: None)


class WithFlags(type):
    """A metaclass with attributes of the names of Python's own."""

    __flags__ = property(lambda cls: {"beta"})
    __dict__ = property(lambda cls: {})
    __mro__ = property(lambda cls: ())


@told
def test_a_metaclass_is_not_asked_about_a_class():
    cls = WithFlags("Cls", (), {"attribute": 1})
    looked_up(cls)
    asked = Asked()
    unchanged = on_class(cls, asked, ["attribute"])
    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 2

    cls.attribute = 2
    asked.answer = False

    assert not unchanged.hold()


class Elsewhere:
    """A class from which others get attributes without a base."""


class WithOrder(type):
    """A metaclass that says itself where attributes come from."""

    def mro(cls):
        order = super().mro()
        return [*order[:-1], Elsewhere, order[-1]]


def test_a_class_whose_metaclass_orders_its_bases_is_asked_each_time():
    assert answers_differ(WithOrder("Cls", (), {"attribute": 1}), lambda: None)


@told
def test_a_class_whose_metaclass_orders_its_bases_later_is_asked_each_time():
    meta = type("Meta", (type,), {})
    base = type("Base", (), {"attribute": 1})
    cls = meta("Cls", (type("First", (), {}),), {"attribute": 1})
    asked = Asked()
    unchanged = quiet(cls, condition=asked)

    meta.mro = lambda cls: [*type.mro(cls)[:-1], Elsewhere, object]
    cls.__bases__ = (base,)
    looked_up(cls)
    assert [unchanged.hold() for _ in range(3)] == [True] * 3

    asked.answer = False
    assert not unchanged.hold()


WITHOUT = """
import sys
{before}
from fastschema.class_versions import _OFFSET
from fastschema.unchanged import Unchanged
assert _OFFSET is None
cls = type("Cls", (), {{"attribute": 1}})
cls.attribute
asked = []
unchanged = Unchanged()
unchanged.add(lambda: asked.append(1) is None, of_classes=[(cls, ["attribute"])])
assert unchanged.hold() and unchanged.hold() and unchanged.hold()
assert len(asked) == 3
"""


@pytest.mark.parametrize(
    "before",
    [
        'sys.modules["_ctypes"] = None',
        """
def refuse(event, arguments):
    if event == "ctypes.cdata":
        raise RuntimeError(event)
sys.addaudithook(refuse)""",
    ],
    ids=["without ctypes", "where an audit hook forbids it"],
)
def test_conditions_are_asked_each_time(before):
    subprocess.run([sys.executable, "-c", WITHOUT.format(before=before)], check=True)


@told
def test_a_change_by_another_thread_is_seen():
    (cls,) = looked_up(type("Cls", (), {"attribute": 0}))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for number in range(1, 300):
            change = threading.Thread(target=setattr, args=(cls, "attribute", number))
            unchanged = on_class(cls, lambda number=number: cls.attribute != number)
            change.start()
            for _ in range(20):
                unchanged.hold()
            change.join()
            assert not unchanged.hold()
    finally:
        sys.setswitchinterval(interval)


class Schema:
    """An object on which conditions depend."""

    shared = 1

    def __init__(self):
        self.own = 1
        self.table = {"a": 1}


def of_object(target, condition, others=None):
    """A condition on an object and a dictionary of its."""
    unchanged = Unchanged(others)
    unchanged.add(
        condition,
        of_objects=[(type(target), ("own", "shared", "table"))],
        dictionaries=[vars(target), target.table],
    )
    return unchanged


def a_schema():
    """An object of a class of its own."""
    return looked_up(type("Cls", (Schema,), {}))[0]()


@dictionaries_told
def test_conditions_are_not_asked_again_while_an_object_is_the_same():
    asked = Asked()
    unchanged = of_object(a_schema(), asked)

    assert [unchanged.hold() for _ in range(4)] == [True] * 4
    assert asked.count == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda target: setattr(target, "own", 2),
        lambda target: setattr(target, "other", 2),
        lambda target: delattr(target, "own"),
        lambda target: vars(target).update(shared=2),
        lambda target: target.table.update(a=2),
        lambda target: target.table.clear(),
        lambda target: setattr(type(target), "shared", 2),
        lambda target: setattr(type(target), "__getattribute__", lambda self, name: 2),
    ],
)
def test_conditions_are_asked_again_when_an_object_has_changed(change):
    target = a_schema()
    asked = Asked()
    unchanged = of_object(target, asked)
    assert [unchanged.hold() for _ in range(3)] == [True] * 3

    change(target)
    asked.answer = False

    assert not unchanged.hold()


@dictionaries_told
def test_dictionaries_live_as_long_as_conditions_on_them():
    target = a_schema()
    target.own = Asked()
    died = weakref.ref(target.own)
    unchanged = of_object(target, Asked())

    target.__dict__ = {}
    gc.collect()
    assert died() is not None
    assert unchanged.hold()

    del unchanged
    gc.collect()
    assert died() is None


class Computed(Schema):
    own = property(lambda self: self.answer, lambda self, value: None)
    answer = 1


class WithGet(Schema):
    def __getattribute__(self, name):
        return super().__getattribute__(name)


class WithDictionary(Schema):
    __dict__ = property(lambda self: {})


@pytest.mark.parametrize("cls", [Computed, WithGet, WithDictionary])
def test_an_object_with_a_say_in_its_attributes_is_asked_each_time(cls):
    (cls,) = looked_up(type("Cls", (cls,), {}))
    asked = Asked()
    unchanged = of_object(cls(), asked)

    assert [unchanged.hold() for _ in range(4)] == [True] * 4
    assert asked.count == 4


def test_an_object_whose_attributes_are_no_plain_dictionary_is_asked_each_time():
    class Attributes(dict):
        pass

    target = a_schema()
    target.__dict__ = Attributes(vars(target))
    asked = Asked()
    unchanged = of_object(target, asked)

    assert [unchanged.hold() for _ in range(4)] == [True] * 4
    assert asked.count == 4


@dictionaries_told
def test_an_object_that_changes_each_time_is_asked_each_time():
    target = a_schema()
    asked = Asked()
    unchanged = of_object(target, asked)
    for number in range(5):
        target.own = number
        assert unchanged.hold()

    assert asked.count == 5


def test_other_conditions_are_asked_before():
    (cls,) = looked_up(family()[0])
    first, second = Asked(), Asked()
    unchanged = of_object(a_schema(), second, others=on_class(cls, first))
    assert [unchanged.hold() for _ in range(4)] == [True] * 4
    asked_before = second.count

    cls.own = 2
    first.answer = False

    assert not unchanged.hold()
    assert second.count == asked_before


@dictionaries_told
def test_while_other_conditions_are_not_known_all_are_asked():
    cls = type("Cls", (), {"attribute": classmethod(lambda cls: 1)})
    looked_up(cls)
    first, second = Asked(), Asked()
    unchanged = of_object(a_schema(), second, others=on_class(cls, first, ["attribute"]))

    assert [unchanged.hold() for _ in range(4)] == [True] * 4
    assert first.count == second.count == 4


def test_without_the_numbers_of_dictionaries_those_of_classes_are_enough(monkeypatch):
    monkeypatch.setattr(dictionary_versions, "_OFFSET", None)
    (cls,) = looked_up(family()[0])
    first, second = Asked(), Asked()
    unchanged = of_object(a_schema(), second, others=on_class(cls, first))

    assert [unchanged.hold() for _ in range(4)] == [True] * 4
    assert first.count == (2 if IS_KNOWN else 4)
    assert second.count == 4


@dictionaries_told
def test_each_number_is_read_once():
    target = a_schema()
    others = of_object(target, Asked())
    unchanged = of_object(target, Asked(), others=others)

    assert len(unchanged.versions) == len(others.versions) == 3
