"""Whether classes are as they were, by CPython's own numbers."""

import gc
import subprocess
import sys
import sysconfig
import threading
import weakref
from abc import ABCMeta

import pytest

from fastschema import class_versions
from fastschema.class_versions import Findings, Unchanged, is_plain, versions

IS_KNOWN = (
    sys.implementation.name == "cpython"
    and sys.version_info[:2] in ((3, 11), (3, 12), (3, 13))
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)
told = pytest.mark.skipif(not IS_KNOWN, reason="this Python does not tell what it calls a class")


NAMES = ("attribute", "own", "mixed", "other")


class Asked:
    """A condition that counts how often it is asked."""

    def __init__(self, answer=True):
        self.answer = answer
        self.count = 0

    def __call__(self, cls=None):
        self.count += 1
        return self.answer


def family():
    """A class, with a base and another class to inherit from."""
    base = type("Base", (), {"attribute": 1})
    mixin = type("Mixin", (), {"mixed": 1})
    cls = type("Cls", (mixin, base), {"own": 1})
    return cls, base, mixin


def looked_up(*classes):
    """The classes, in each of which something was looked for, so that they have numbers."""
    for cls in classes:
        getattr(cls, "attribute", None)
    return classes


def quiet(cls, *, condition=None):
    """Conditions on a class that need not be asked again; they were asked twice."""
    looked_up(cls)
    unchanged = Unchanged([(cls, NAMES)], condition or Asked())
    assert unchanged.hold()
    assert unchanged.hold()
    return unchanged


def found(findings, *instances):
    return [findings.of(instance) for instance in instances]


CHANGES = {
    "an attribute is set": lambda cls, base, mixin: setattr(cls, "own", 2),
    "an attribute is set to what it is": lambda cls, base, mixin: setattr(cls, "own", cls.own),
    "an attribute is added": lambda cls, base, mixin: setattr(cls, "other", 2),
    "an attribute is removed": lambda cls, base, mixin: delattr(cls, "own"),
    "a base changes": lambda cls, base, mixin: setattr(base, "attribute", 2),
    "a mixin gets an attribute": lambda cls, base, mixin: setattr(mixin, "attribute", 2),
    "a method is overridden": lambda cls, base, mixin: setattr(cls, "__getattr__", None),
    "there is another base": lambda cls, base, mixin: setattr(cls, "__bases__", (base, mixin)),
    "a base has another base": lambda cls, base, mixin: setattr(
        base, "__bases__", (type("Root", (), {"deep": 1}),)
    ),
    "it is changed by type itself": lambda cls, base, mixin: type.__setattr__(cls, "own", 2),
}


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
    unchanged = Unchanged([(cls, NAMES)], change)
    unchanged.add([(cls, NAMES)], asked)
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
    unchanged = Unchanged([(cls, NAMES)], asked)

    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 3


@told
def test_each_of_several_classes_counts():
    first, second = looked_up(family()[0], family()[0])
    asked = Asked()
    unchanged = Unchanged([(first, NAMES)], lambda: True)
    unchanged.add([(second, NAMES)], asked)
    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 2

    second.own = 2

    asked.answer = False
    assert not unchanged.hold()


def test_conditions_that_do_not_hold_are_never_taken_to():
    (cls,) = looked_up(family()[0])
    unchanged = Unchanged([(cls, NAMES)], Asked(False))

    assert not unchanged.hold()
    assert not unchanged.hold()


def test_where_numbers_are_not_told_conditions_are_asked_each_time(monkeypatch):
    monkeypatch.setattr(class_versions, "_OFFSET", None)
    (cls,) = looked_up(family()[0])
    asked = Asked()
    unchanged = Unchanged([(cls, NAMES)], asked)
    findings = Findings(asked, NAMES)

    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert found(findings, cls(), cls(), cls()) == [True] * 3
    assert asked.count == 6


@told
def test_where_a_number_is_not_told_any_longer_conditions_are_asked_each_time(monkeypatch):
    first, second = looked_up(family()[0], family()[0])
    asked = Asked()
    unchanged = quiet(first)

    monkeypatch.setattr(class_versions, "_OFFSET", None)
    unchanged.add([(second, NAMES)], asked)

    assert [unchanged.hold() for _ in range(3)] == [True] * 3
    assert asked.count == 3


def test_classes_that_nobody_can_change_have_no_number():
    assert not versions([int, object])


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
    unchanged = Unchanged([(cls, ["attribute"])], asked)
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
    unchanged = Unchanged([(cls, NAMES)], lambda: cls.own == 1)
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
    unchanged = Unchanged([(cls, ["attribute"])], asked)
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


@told
@pytest.mark.parametrize("name", [name for name in CHANGES if name != "a base has another base"])
def test_a_finding_is_found_anew_after_a_change(name):
    classes = family()
    instance = classes[0]()
    looked_up(classes[0])
    asked = Asked()
    findings = Findings(asked, NAMES)
    assert found(findings, *[instance] * 4) == [True] * 4
    assert asked.count == 2

    CHANGES[name](*classes)

    asked.answer = False
    assert not findings.of(instance)
    assert asked.count == 3


@told
def test_findings_keep_no_class_alive_and_are_not_those_of_a_class_in_its_place():
    findings = Findings(lambda instance: instance.attribute, ("attribute",))
    places = set()
    was_reused = False
    for number in range(2000):
        cls = type("Cls", (), {"attribute": number})
        looked_up(cls)
        assert found(findings, cls(), cls(), cls()) == [number] * 3
        was_reused = was_reused or id(cls) in places
        places.add(id(cls))
        died = weakref.ref(cls)
        del cls
        gc.collect(0)
        assert died() is None
    assert was_reused
    assert len(findings._known) <= 1024


@pytest.mark.parametrize("value", [property(lambda self: 1), Answer()], ids=["property", "other"])
def test_what_an_instance_may_answer_differently_is_found_each_time(value):
    cls = type("Cls", (), {"attribute": value})
    looked_up(cls)
    asked = Asked()
    findings = Findings(asked, ("attribute",))

    found(findings, cls(), cls(), cls(), cls())
    assert asked.count == 4


def set_another_metaclass(cls):
    # Past what would give the class another number.
    vars(object)["__class__"].__set__(cls, Meta)


def change_the_metaclass(cls):
    ABCMeta.of_a_test = 1
    del ABCMeta.of_a_test


@told
@pytest.mark.parametrize("change", [set_another_metaclass, change_the_metaclass])
def test_a_finding_is_found_anew_when_the_metaclass_is_another(change):
    cls = ABCMeta("Cls", (), {"attribute": 1})
    looked_up(cls, ABCMeta)
    asked = Asked()
    findings = Findings(asked, ("attribute",))
    instance = cls()
    assert found(findings, *[instance] * 3) == [True] * 3
    assert asked.count == 2

    change(cls)

    asked.answer = False
    assert not findings.of(instance)


class Meta(type):
    """A metaclass of somebody's own."""


def test_classes_of_a_metaclass_of_ones_own_are_not_plain():
    cls = Meta("Cls", (), {})
    asked = Asked()
    findings = Findings(asked, NAMES)

    assert not is_plain(cls)
    assert not is_plain(cls())
    assert is_plain(type("Plain", (), {}))
    assert is_plain(ABCMeta("Abstract", (), {}))
    assert found(findings, cls(), cls(), cls()) == [True] * 3
    assert asked.count == 3


@told
def test_the_place_of_the_number_is_found():
    assert class_versions._offset() == class_versions._OFFSET is not None


@pytest.mark.parametrize("version", [(3, 10, 0), (9, 1, 0)])
def test_on_an_unknown_python_the_place_is_not_looked_for(version, monkeypatch):
    monkeypatch.setattr(sys, "version_info", version)

    assert class_versions._offset() is None


def test_without_a_single_place_there_is_none(monkeypatch):
    monkeypatch.setattr(class_versions, "_places_of_a_number", lambda places: {0, 4})

    assert class_versions._offset() is None


WITHOUT = """
import sys
{before}
from fastschema.class_versions import _OFFSET, Unchanged
assert _OFFSET is None
cls = type("Cls", (), {{"attribute": 1}})
cls.attribute
asked = []
unchanged = Unchanged([(cls, ["attribute"])], lambda: asked.append(1) is None)
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
            unchanged = Unchanged([(cls, NAMES)], lambda number=number: cls.attribute != number)
            change.start()
            for _ in range(20):
                unchanged.hold()
            change.join()
            assert not unchanged.hold()
    finally:
        sys.setswitchinterval(interval)
