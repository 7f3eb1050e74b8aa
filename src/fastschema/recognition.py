"""Knowing a schema again: does it still read as it did, and as which program?

Describing a schema anew for each dump is exact, and too slow for a single object. So whoever
describes a schema looks at it through a :class:`Look`, which writes down all that was seen as
conditions: the class of a field, the value of an attribute, the function behind a method. The
second time that schemas of a class read as the same program, the conditions are compiled into one
function. While they hold, the description would be the same, so it need not be made.

Values are compared by identity, against what is really there: nothing is hooked, nothing is hung
on a schema, and no change goes unseen. Conditions that fail cost a description, nothing else.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Hashable, Iterator
from operator import attrgetter
from types import FunctionType
from typing import Any, ClassVar, Generic

from fastschema.cache import AnyProgram, programs
from fastschema.nodes import UnreadableError
from fastschema.source import GeneratedFunction, Names, SourceWriter

_DEEPEST = 10
_KEPT_FOR_A_CLASS = 4
_LEARNT_FROM = 16


class Facts:
    """What was seen of a schema, as Python conditions.

    They may use ``schema``, ``field_0`` and so on for its fields, and ``missing``.

    :param missing: the object that stands for "no value"
    """

    def __init__(self, missing: object = None) -> None:
        self._conditions: dict[str, None] = {}
        self._not_own: dict[str, list[str]] = {}
        self._objects: dict[str, object] = {} if missing is None else {"missing": missing}
        self._names: dict[int, str] = {}
        self._identifiers = Names(frozenset(["schema", "fields", "recognize", "missing", "own"]))

    def add(self, condition: str) -> None:
        """A condition that holds now."""
        self._conditions[condition] = None

    def not_own(self, path: str, name: str) -> None:
        """The object at a path has no attribute of that name in its own dictionary."""
        self._not_own.setdefault(path, []).append(name)

    def name(self, value: object) -> str:
        """An expression for a value in conditions."""
        name = self._names.get(id(value))
        if name is None:
            hint = getattr(value, "__name__", None)
            name = self._identifiers.unique(hint if isinstance(hint, str) else "known")
            if isinstance(value, (type, FunctionType)) and not _is_permanent(value):
                # A throw-away class must not live on in what is known of another.
                self._objects[name] = weakref.ref(value)
                name = f"{name}()"
            else:
                self._objects[name] = value
            self._names[id(value)] = name
        return name

    def class_attribute(self, cls: str, attribute: str, value: object) -> None:
        """An attribute of a class, found by an expression, is this very value or None."""
        self.add(
            f"getattr({cls}, {attribute!r}, None) is None"
            if value is None
            else f"{cls}.{attribute} is {self.name(value)}"
        )

    def _own_conditions(self) -> Iterator[str]:
        for path, names in self._not_own.items():
            dictionary = f"(own := {path}.__dict__)"
            for name in dict.fromkeys(names):
                yield f"{name!r} not in {dictionary}"
                dictionary = "own"

    def compile(self, title: str, field_count: int) -> GeneratedFunction:
        """The function that says whether all conditions hold."""
        writer = SourceWriter()
        with writer.block("def recognize(schema, fields):"):
            writer.line(f"if len(fields) != {field_count}:")
            writer.line("    return False")
            if field_count:
                targets = ", ".join(f"field_{index}" for index in range(field_count))
                writer.line(f"[{targets}] = fields")
            with writer.block("try:"):
                writer.line("return (")
                for number, condition in enumerate([*self._conditions, *self._own_conditions()]):
                    writer.line(f"    {'and ' if number else ''}{condition}")
                writer.line(")")
            with writer.block("except Exception:"):
                writer.line("return False  # an attribute is gone; a description will tell")
        return GeneratedFunction("recognize", f"recognize {title}", writer.text, self._objects)


class _NoFacts(Facts):
    """Forgets what is written down."""

    def add(self, condition: str) -> None:
        """Nothing."""

    def not_own(self, path: str, name: str) -> None:
        """Nothing."""

    def name(self, value: object) -> str:
        """Nothing."""
        return ""


_NO_FACTS = _NoFacts()


class Look:
    """Looks at a field (or a schema) and writes down what it sees.

    :param target: the field
    :param path: how the function finds it
    :param facts: where to write
    """

    __slots__ = ("_class_path", "cls", "facts", "path", "target")

    def __init__(self, target: Any, path: str, facts: Facts) -> None:
        self.target = target
        self.path = path
        self.facts = facts
        self.cls = type(target)
        self._class_path = facts.name(self.cls)
        facts.add(f"type({path}) is {self._class_path}")

    @classmethod
    def at_schema(cls, schema: Any, facts: Facts) -> Look:
        """A look at the schema itself, whose class is known where its conditions are kept."""
        look = cls.__new__(cls)
        look.target, look.path, look.facts = schema, "schema", facts
        look.cls, look._class_path = type(schema), "type(schema)"
        return look

    def get(self, attribute: str) -> Any:
        """The value of an attribute. Only for values that cannot be changed in place."""
        value = getattr(self.target, attribute)
        self.facts.add(f"{self.path}.{attribute} is {self._constant(value)}")
        return value

    def method(self, name: str) -> Any:
        """The function behind a method; None if the instance has one of its own."""
        function = getattr(self.cls, name, None)
        self.facts.class_attribute(self._class_path, name, function)
        if name in vars(self.target):
            self.facts.add("False")  # not worth knowing again
            return None
        self.facts.not_own(self.path, name)
        return function

    def chain(self, name: str, root: type) -> tuple[Any, ...]:
        """The functions behind a method and behind each ``super()`` call in it, in that order.

        Empty if the instance has one of its own.

        :param root: a base of the class, whose function makes no such call
        """
        if self.method(name) is None:
            return ()
        order = self.cls.__mro__[: self.cls.__mro__.index(root) + 1]
        bases = [base for base in order if name in vars(base)]
        for base in order[: order.index(bases[-1])]:
            path = self.facts.name(base)
            if base in bases:
                self.facts.class_attribute(path, name, getattr(base, name))
            else:
                self.facts.not_own(path, name)
        return tuple([getattr(base, name) for base in bases])

    def constant(self, name: str) -> Any:
        """An attribute that the class has for its instances."""
        if name in vars(self.target):
            self.facts.add("False")  # not worth knowing again
            return getattr(self.target, name)
        self.facts.not_own(self.path, name)
        return self.on_class(name)

    def on_class(self, name: str) -> Any:
        """An attribute of the class, of which instances have none of their own."""
        value = getattr(self.cls, name, None)
        self.facts.class_attribute(self._class_path, name, value)
        return value

    def note(self, condition: str, result: bool) -> bool:
        """Write down that a condition on ``{it}``, the target, has this result, and return it."""
        text = condition.format(it=self.path)
        self.facts.add(text if result else f"not {text}")
        return result

    def matches(self, expression: str, value: object, **names: object) -> None:
        """Write down that an expression on ``{it}``, the target, gives this very value.

        :param names: the objects that the expression names, each as ``{name}``
        """
        bound = {key: self.facts.name(each) for key, each in names.items()}
        text = expression.format(it=self.path, **bound)
        self.facts.add(f"{text} is {self._constant(value)}")

    def within(self, attribute: str) -> Look:
        """A look at a field inside of the field."""
        return Look(getattr(self.target, attribute), f"{self.path}.{attribute}", self.facts)

    @property
    def is_deep(self) -> bool:
        """Whether the field is so deep inside of others that Python may refuse code for it."""
        return self.path.count(".") > _DEEPEST

    def _constant(self, value: Any) -> str:
        return repr(value) if value is None or type(value) is bool else self.facts.name(value)


def _is_permanent(value: type | FunctionType) -> bool:
    """Whether a class or function lives as long as its module."""
    try:
        found = attrgetter(value.__qualname__)(sys.modules[value.__module__])
    except (AttributeError, KeyError):
        return False
    return found is value


class _Known:
    """What schemas of one class were seen to read as, and how to recognize it."""

    __slots__ = ("cls", "descriptions", "programs")

    def __init__(self, cls: type, known: dict[int, _Known]) -> None:
        key = id(cls)
        self.cls = weakref.ref(cls, lambda _: known.pop(key, None))
        self.descriptions = 0
        self.programs: list[tuple[Any, GeneratedFunction | None]] = []


class Recognizer(Generic[AnyProgram]):
    """Which program a schema reads as, if it is like one of its class seen before.

    :param missing: the object that stands for "no value" in the framework
    """

    _all: ClassVar[list[Recognizer[Any]]] = []

    def __init__(self, missing: object = None) -> None:
        self._missing = missing
        self._all.append(self)
        # By the id of a class: a WeakKeyDictionary would take as long as all the rest.
        self._known: dict[int, _Known] = {}

    @classmethod
    def forget_everything(cls) -> None:
        """What descriptions depend on has changed: all schemas must be described anew."""
        for recognizer in cls._all:
            recognizer._known.clear()

    def read(
        self,
        schema: Any,
        fields: list[Any],
        describe: Callable[[Any, Facts], Hashable],
        make: Callable[[Any], AnyProgram],
    ) -> AnyProgram:
        """The program that a schema reads as.

        :param fields: the schema's fields, in the order of dumping or loading
        :param describe: from the schema to all that generated code depends on, as plain values
        :param make: from that description, and nothing else, to the program
        :raises UnreadableError: if the schema cannot be compiled
        """
        program = self.recognize(schema, fields)
        if program is not None:
            programs.used(program)
            return program
        facts = self.facts(schema)
        try:
            description = describe(schema, facts)
            program = programs.get(description, lambda: make(description))
        except UnreadableError:
            raise
        except Exception as error:
            raise UnreadableError(f"it cannot be read: {error}") from error
        self.learn(schema, fields, facts, program)
        return program

    def recognize(self, schema: Any, fields: list[Any]) -> AnyProgram | None:
        """The program, or None if a description must tell."""
        cls = type(schema)
        known = self._known.get(id(cls))
        if known is not None and known.cls() is cls:
            for program, function in known.programs:
                if function is not None and function.function(schema, fields):
                    return program  # type: ignore[no-any-return]  # of this recognizer's making
        return None

    def facts(self, schema: Any) -> Facts:
        """Where to write down what is seen; a waste basket once the class was described often.

        A class whose schemas differ each time (or in ways that identity does not see as equal) is
        described each time, and no longer learnt.
        """
        cls = type(schema)
        known = self._known.get(id(cls))
        if known is None or known.cls() is not cls:
            known = self._known[id(cls)] = _Known(cls, self._known)
        known.descriptions += 1
        return Facts(self._missing) if known.descriptions <= _LEARNT_FROM else _NO_FACTS

    def learn(self, schema: Any, fields: list[Any], facts: Facts, program: AnyProgram) -> None:
        """A description told that the schema reads as a program."""
        if facts is _NO_FACTS:
            return
        known = self._known.get(id(type(schema)))
        if known is None:
            return  # everything was forgotten meanwhile
        for position, (each, function) in enumerate(known.programs):
            if each is program:
                if function is None:
                    compiled = facts.compile(program.node.name, len(fields))
                    known.programs[position] = (program, compiled)
                return
        if len(known.programs) < _KEPT_FOR_A_CLASS:
            known.programs.append((program, None))
