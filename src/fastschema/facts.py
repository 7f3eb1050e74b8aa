"""What was seen of a schema, written down as conditions that hold as long as it reads the same.

Values are compared by identity, against what is really there; nothing is hung on a schema. Of each
condition it is known what can change it, and whether that shows: a write to a field's attributes,
which may be noticed (:mod:`fastschema.writes`), or a change to a class or a dictionary, which has
another number then (:mod:`fastschema.unchanged`).
"""

from __future__ import annotations

import re
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from types import FunctionType
from typing import Any

from fastschema.class_versions import is_plain, join
from fastschema.source import GeneratedFunction, Names, SourceWriter
from fastschema.unchanged import Unchanged
from fastschema.writes import writes

_LOCAL = re.compile(r"(?:field|now)_\d+")
SCHEMA_CLASS = "type(schema)"
_IS_ITSELF = ("type(schema) is its_class", "schema.__dict__ is its_own")


class Facts:
    """What was seen of a schema, as Python conditions.

    They may use ``schema``, ``field_0`` and so on for its fields, and ``missing``.

    :param missing: the object that stands for "no value"
    :param watchable: the class of the objects that may tell of writes to them
    :param its_fields: the attribute of ``schema`` that is the dictionary of its fields
    """

    def __init__(
        self,
        missing: object = None,
        watchable: type | tuple[()] = (),
        its_fields: str | None = None,
    ) -> None:
        self.watchable = watchable
        self._its_fields = its_fields
        # For each condition, whether it only changes by writes that are noticed.
        self._conditions: dict[str, bool] = {}
        # Those that nothing decides but an attribute of the schema, or one of its class, or what a
        # dictionary has.
        self._of_schema: dict[str, str] = {}
        self._of_schema_class: dict[str, str] = {}
        self._of_dictionaries: dict[str, str] = {}
        # The conditions that nothing but a class decides: that class, and the attribute they read.
        self._of_classes: dict[str, tuple[str, str | None]] = {}
        self._plain_classes: set[str] = set()
        self._may_run_code = False
        self._classes: Unchanged | None = None
        self._not_own: dict[str, list[str]] = {}
        self._empty: dict[str, bool] = {}
        self._watched: dict[str, None] = {}
        # The classes whose objects tell of writes, and the attributes for which they must.
        self._telling: dict[str, dict[str, None]] = {}
        self._same: dict[str, None] = {}
        self._objects: dict[str, object] = {
            "Unchanged": Unchanged,
            "are_told_by": writes.are_told_by,
            "join": join,
        }
        if missing is not None:
            self._objects["missing"] = missing
        self._names: dict[int, str] = {}
        self._identifiers = Names(
            frozenset(
                [
                    "schema",
                    "fields",
                    "empty",
                    "same",
                    "recognize",
                    "bind",
                    "as_seen",
                    "stays",
                    "missing",
                    "own",
                    "its_own",
                    "its_class",
                    "its_fields",
                    "Unchanged",
                    "join",
                    "classes",
                    "classes_hold",
                    "versions",
                    "unchanged",
                    "telling",
                    "are_told",
                    "are_told_by",
                ]
            )
        )

    def add(self, condition: str, *, is_noticed: bool = False) -> None:
        """A condition that holds now.

        :param is_noticed: whether only writes that are noticed change that
        """
        self._conditions[condition] = is_noticed and self._conditions.get(condition, True)

    def of_schema(self, condition: str, attribute: str) -> None:
        """A condition that depends on nothing but what the schema has as an attribute."""
        self.add(condition)
        self._of_schema[condition] = attribute

    def field_names(self, names: list[Any]) -> None:
        """The names of the schema's fields, in the order of its fields."""
        assert self._its_fields is not None
        self.of_schema(f"[*schema.{self._its_fields}] == {self.name(names)}", self._its_fields)

    def item(self, mapping: Any, key: str, value: str) -> None:
        """A mapping has a value for a key, both of them expressions; None if it has nothing."""
        name = self.name(mapping)
        condition = f"{name}.get({key}) is {value}"
        self.add(condition)
        if type(mapping) is dict:
            self._of_dictionaries[condition] = name
        else:
            self.may_run_code()

    def not_own(self, path: str, name: str) -> None:
        """The object at a path has no attribute of that name in its own dictionary."""
        self._not_own.setdefault(path, []).append(name)

    def empty(self, path: str, *, is_noticed: bool) -> None:
        """The collection at a path is empty.

        :param is_noticed: whether it is the same collection until a write is noticed
        """
        self._empty[path] = is_noticed

    def watch(self, path: str, cls: str) -> None:
        """The object at a path, of a class found by an expression, tells of writes to it."""
        self._watched[path] = None
        self._telling.setdefault(cls, {})

    def own(self, cls: str, attribute: str) -> None:
        """Objects of such a class have an attribute of their own, for which that has nothing."""
        self._telling[cls][attribute] = None

    def same(self, path: str) -> None:
        """The object at a path must be the same for a schema that is kept."""
        self._same[path] = None

    def name(self, value: object) -> str:
        """An expression for a value in conditions."""
        name = self._names.get(id(value))
        if name is None:
            hint = getattr(value, "__name__", None)
            if not isinstance(hint, str) or _LOCAL.fullmatch(hint):
                hint = "known"
            name = self._identifiers.unique(hint)
            if isinstance(value, (type, FunctionType)) and not _is_permanent(value):
                # A throw-away class must not live on in what is known of another.
                self._objects[name] = weakref.ref(value)
                name = f"{name}()"
            else:
                self._objects[name] = value
            if is_plain(value):
                self._plain_classes.add(name)
            self._names[id(value)] = name
        return name

    def may_run_code(self) -> None:
        """Asking a condition may run code of the user's, which may change a class."""
        self._may_run_code = True

    def class_attribute(self, cls: str, attribute: str, value: object) -> None:
        """An attribute of a class, found by an expression, is this very value or None."""
        self._of_class(
            cls,
            f"getattr({cls}, {attribute!r}, None) is None"
            if value is None
            else f"{cls}.{attribute} is {self.name(value)}",
            attribute,
        )

    def not_defined(self, cls: str, attribute: str) -> None:
        """A class, found by an expression, does not define an attribute itself."""
        self._of_class(cls, f"{attribute!r} not in {cls}.__dict__")

    def _of_class(self, cls: str, condition: str, attribute: str | None = None) -> None:
        self.add(condition)
        if cls in self._plain_classes:
            self._of_classes[condition] = (cls, attribute)
        elif cls == SCHEMA_CLASS and attribute is not None:
            self._of_schema_class[condition] = attribute

    def compile(self, title: str, field_count: int) -> GeneratedFunction:
        """The function that says whether all conditions hold for a schema and its fields."""
        writer = SourceWriter()
        # A throw-away class may not be kept by what is known of another.
        of_classes = self._write_class_conditions(writer, lambda cls: cls.isidentifier())
        conditions = [
            *_with_classes(self._conditions, of_classes),
            *(f"not {path}" for path in self._empty),
            *self._not_own_conditions([*self._not_own]),
        ]
        with writer.block("def recognize(schema, fields):"):
            writer.line(f"if len(fields) != {field_count}:")
            writer.line("    return False")
            if field_count:
                writer.line(f"[{_numbered('field', field_count)}] = fields")
            _write_conditions(writer, conditions)
        function = GeneratedFunction("recognize", f"recognize {title}", writer.text, self._objects)
        if len(of_classes) == len(self._of_classes):
            # For all schemas that are kept, so that what it has seen is seen.
            self._classes = function.function.__globals__.get("classes")
        return function

    def compile_kept(self, title: str, field_count: int) -> GeneratedFunction | None:
        """The function that says, of one schema and its fields, what is still to be asked.

        It returns a function that says whether all is as it was that neither writes nor numbers
        tell, and what says whether all is that is told by numbers (an
        :class:`~fastschema.unchanged.Unchanged`). None if no writes are noticed.
        """
        if not self._watched:
            return None
        binding = SourceWriter()
        objects = self._objects
        if self._classes is None:
            of_classes = self._write_class_conditions(binding, lambda cls: True)
        else:
            of_classes = {*self._of_classes}
            objects = {**objects, "classes": self._classes, "versions": self._classes.versions}
        decided, asked = self._not_noticed(of_classes, field_count)
        writer = SourceWriter()
        self._write_telling(writer if self._classes else binding, "classes" if of_classes else None)
        with writer.block("def bind(schema, fields):"):
            writer.line(f"[{_numbered('field', field_count)}] = fields")
            writer.line(f"empty = [{', '.join(self._noticed_lists)}]")
            writer.line(f"same = [{', '.join(self._same)}]")
            writer.line("its_class = type(schema)")
            writer.line("its_own = schema.__dict__")
            writer.line(f"its_fields = schema.{self._its_fields}")
            writer.include(binding)
            first = f"[{_numbered('now', field_count)}] = its_fields.values()"
            if self._may_run_code:  # which sees to the order of conditions
                writer.line("unchanged = telling")
                _write_function(writer, "stays", objects, [*_IS_ITSELF, *decided, *asked], first)
            else:
                _write_function(writer, "as_seen", objects, decided, first)
                self._write_unchanged(writer)
                _write_function(writer, "stays", objects, [*_IS_ITSELF, *asked])
            writer.line("return stays, unchanged")
        return GeneratedFunction("bind", f"still {title}", writer.text, objects)

    @property
    def _noticed_lists(self) -> list[str]:
        """The collections that are the same, be they empty or not, until a write is noticed."""
        return [path for path, is_noticed in self._empty.items() if is_noticed]

    def _not_noticed(self, of_classes: set[str], field_count: int) -> tuple[list[str], list[str]]:
        """The conditions that no noticed write changes: those of numbers, and all others.

        :param of_classes: those that are asked together, by the numbers of classes
        """
        is_decided: set[str] = set()
        if not self._may_run_code:
            is_decided.update(self._of_schema, self._of_schema_class, self._of_dictionaries)
        not_noticed = [
            condition
            for condition, is_noticed in self._conditions.items()
            if not is_noticed and condition not in of_classes
        ]
        decided = [
            f"schema.{self._its_fields} is its_fields",
            *(f"now_{index} is field_{index}" for index in range(field_count)),
            *(each for each in not_noticed if each in is_decided),
            *self._not_own_conditions(["schema"]),
        ]
        others = [path for path in self._not_own if path not in self._watched and path != "schema"]
        asked = [
            *(each for each in not_noticed if each not in is_decided),
            *(f"not {path}" for path, is_noticed in self._empty.items() if not is_noticed),
            *(["not any(empty)"] if self._noticed_lists else []),
            *(f"{path} is same[{index}]" for index, path in enumerate(self._same)),
            *self._not_own_conditions(others),
        ]
        return decided, asked

    def _write_telling(self, writer: SourceWriter, classes: str | None) -> None:
        """Write what asks whether the objects that tell of writes still do, by their classes."""
        with writer.block("def are_told():"):
            _write_and(
                writer,
                [f"are_told_by({cls}, {(*names,)!r})" for cls, names in self._telling.items()],
            )
        classes_telling = ", ".join(f"({cls}, ())" for cls in self._telling)
        writer.line(f"telling = Unchanged({classes})")
        writer.line(f"telling.add(are_told, of_classes=[{classes_telling}])")

    def _write_unchanged(self, writer: SourceWriter) -> None:
        """Write what asks the conditions that dictionaries and classes decide."""
        attributes = [self._its_fields, *self._of_schema.values(), *self._not_own.get("schema", ())]
        dictionaries = ["its_own", "its_fields", *self._of_dictionaries.values()]
        writer.line("unchanged = Unchanged(telling)")
        with writer.block("unchanged.add("):
            writer.line("as_seen,")
            writer.line(f"of_classes=[(its_class, {[*self._of_schema_class.values()]!r})],")
            writer.line(f"of_objects=[(its_class, {[*dict.fromkeys(attributes)]!r})],")
            writer.line(f"dictionaries=[{', '.join(dict.fromkeys(dictionaries))}],")
        writer.line(")")

    def watched(self, fields: list[Any]) -> list[Any]:
        """The objects to which writes are noticed, of a schema of these fields."""
        found = []
        for path in self._watched:
            name, _, rest = path.partition(".")
            field = fields[int(name.removeprefix("field_"))]
            found.append(attrgetter(rest)(field) if rest else field)
        return found

    def _write_class_conditions(
        self, writer: SourceWriter, is_asked: Callable[[str], bool]
    ) -> set[str]:
        """Write what asks the conditions that some classes decide; these are returned."""
        attributes: dict[str, list[str]] = {}
        conditions: dict[str, None] = {}
        for condition, (cls, attribute) in self._of_classes.items():
            if is_asked(cls):
                conditions[condition] = None
                attributes.setdefault(cls, []).extend([attribute] if attribute else [])
        if not conditions or self._may_run_code:
            return set()  # code that runs between two of them sees to their order
        with writer.block("def classes_hold():"):
            _write_and(writer, conditions)
        writer.line("classes = Unchanged()")
        with writer.block("classes.add("):
            writer.line("classes_hold,")
            with writer.block("of_classes=["):
                for cls, names in attributes.items():
                    writer.line(f"({cls}, {names!r}),")
            writer.line("],")
        writer.line(")")
        writer.line("versions = classes.versions")
        return {*conditions}

    def _not_own_conditions(self, paths: Iterable[str]) -> Iterator[str]:
        for path in paths:
            dictionary = f"(own := {path}.__dict__)"
            for name in dict.fromkeys(self._not_own.get(path, ())):
                yield f"{name!r} not in {dictionary}"
                dictionary = "own"


def _numbered(name: str, count: int) -> str:
    return ", ".join([f"{name}_{index}" for index in range(count)])


def _with_classes(conditions: Iterable[str], of_classes: set[str]) -> Iterator[str]:
    """Conditions, with a single one in place of all those that classes decide."""
    is_asked = False
    for condition in conditions:
        if condition not in of_classes:
            yield condition
        elif not is_asked:
            is_asked = True
            yield "(join(versions) == classes.seen or classes.ask())"


def _write_function(
    writer: SourceWriter,
    name: str,
    objects: Mapping[str, object],
    conditions: Iterable[str],
    first: str = "",
) -> None:
    """Write a function without parameters that says whether conditions hold."""
    body = SourceWriter()
    _write_conditions(body, conditions, first)
    with writer.block(f"def {name}({', '.join(body.local_names(objects))}):"):
        writer.include(body)


def _write_conditions(writer: SourceWriter, conditions: Iterable[str], first: str = "") -> None:
    with writer.block("try:"):
        if first:
            writer.line(first)
        _write_and(writer, conditions)
    with writer.block("except Exception:"):
        writer.line("return False  # an attribute is gone; a description will tell")


def _write_and(writer: SourceWriter, conditions: Iterable[str]) -> None:
    writer.line("return (")
    for number, condition in enumerate(conditions):
        writer.line(f"    {'and ' if number else ''}{condition}")
    writer.line(")")


class _NoFacts(Facts):
    """Forgets what is written down."""

    def add(self, condition: str, *, is_noticed: bool = False) -> None:
        """Nothing."""

    def empty(self, path: str, *, is_noticed: bool) -> None:
        """Nothing."""

    def watch(self, path: str, cls: str) -> None:
        """Nothing."""

    def own(self, cls: str, attribute: str) -> None:
        """Nothing."""

    def same(self, path: str) -> None:
        """Nothing."""

    def may_run_code(self) -> None:
        """Nothing."""

    def of_schema(self, condition: str, attribute: str) -> None:
        """Nothing."""

    def item(self, mapping: Any, key: str, value: str) -> None:
        """Nothing."""

    def not_own(self, path: str, name: str) -> None:
        """Nothing."""

    def name(self, value: object) -> str:
        """No name."""
        return ""


NO_FACTS = _NoFacts()
"""Where nothing is written down."""


def _is_permanent(value: type | FunctionType) -> bool:
    """Whether a class or function lives as long as its module."""
    try:
        found = attrgetter(value.__qualname__)(sys.modules[value.__module__])
    except (AttributeError, KeyError):
        return False
    return found is value
