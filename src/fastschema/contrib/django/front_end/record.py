"""The record of a serializer class: whether it is in use, what clones its fields, its programs.

It hangs on the class, as ``_fastschema_class``.

What its serializers run is in ``states``, where their table is.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from django.core.signals import setting_changed
from django.utils.translation import get_language
from rest_framework.serializers import ModelSerializer, Serializer

from fastschema.contrib.django.front_end.bypassed import DUMPS
from fastschema.contrib.django.front_end.clones import NESTED, UncloneableError
from fastschema.contrib.django.front_end.customization import (
    has_stock_fields,
    own_classes,
)
from fastschema.contrib.django.front_end.field_maker import (
    FieldMaker,
    bare_serializer,
    gets_fields_as_stock,
    with_url_name,
)
from fastschema.contrib.django.front_end.fields import OPTIONS, inner_fields
from fastschema.contrib.django.front_end.makers import drop_maker_functions
from fastschema.contrib.django.front_end.schema_reader import read, readable_fields
from fastschema.runtime import thresholds
from fastschema.runtime.class_record import ClassRecord
from fastschema.runtime.guard import (
    CLASS_STATE_KEY,
    ClassSnapshot,
    Snapshot,
    generations,
)
from fastschema.runtime.patching import MethodsOfFields
from fastschema.runtime.programs import DumpProgram


class SharedProgram:
    """The program of serializers that are alike: their fields were never read, or are the same.

    :param fields: the exemplar's fields that are dumped: read their options only; else []
    """

    __slots__ = ("fields", "list_plans", "nested", "program", "snapshot")

    def __init__(self, program: DumpProgram, snapshot: Snapshot, fields: list[Any]) -> None:
        self.program = program
        self.snapshot = snapshot
        self.fields = fields
        self.list_plans: dict[Any, Any] = {}
        """How they read the rows of querysets: see ``lists.list_plan``."""
        self.nested: dict[int, SharedProgram] = {}
        """What is nested in the exemplar runs, by the ids of its serializers."""

    def matches(self, fields: list[Any]) -> bool:
        return self.snapshot.matches(fields)


def _nothing() -> None:
    """Stand for a reference to an object that is gone."""


class Direction(NamedTuple):
    """One of the two things that serializers do: they dump, or they validate.

    :param fields_of: gives the fields of a serializer that matter
    :param read: makes a :class:`SharedProgram` or its like of a serializer, such fields, and the
        fields of which options are read, for serializers that have made none
    :param bypassed: the methods of fields that generated code bypasses
    """

    name: str
    fields_of: Callable[[Any], list[Any]]
    read: Callable[[Any, list[Any], list[Any]], Any]
    bypassed: MethodsOfFields


class Reading(NamedTuple):
    """What was compiled, and what it depends on besides fields.

    :param are_methods_unchanged: whether no method of the framework was replaced since
    :param classes: the classes that take part, as they were
    """

    compiled: Any
    are_methods_unchanged: Callable[[], bool]
    classes: ClassSnapshot

    def matches(self, fields: list[Any]) -> bool:
        is_alike: bool = self.compiled.matches(fields)
        return is_alike

    def is_current(self) -> bool:
        return self.are_methods_unchanged() and self.classes.is_current()


class SerializerRecord(ClassRecord):
    """What is known of a serializer class."""

    is_in_use = False
    """Whether the class is worth an exemplar. One that a single serializer has used, for one list,
    may have been made for that, unless the list was long."""

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self._objects = self._uses = 0
        self._latest: Callable[[], Any] = _nothing
        """The serializer that was counted last."""
        self._has_dumped_list = False
        """Whether a serializer has represented a list."""
        self.has_unreadable_fields = False
        """Whether one of its serializers had a field whose own code would notice a look."""

    def reset(self) -> None:
        """Drop all but how much the class is used, and how often it has changed."""
        super().reset()
        self.leaves_fields_to_stock = False
        """Whether only stock can make its fields, in any language."""
        self._pending: dict[str, Reading | None] = {}
        """By direction, what those run that have made no fields."""
        self._classes_of_fields: set[type] = set()
        """The classes of the exemplar's fields, and of those that are nested in it at any depth."""

    def count_by(self, serializer: Any, objects: int, *, is_list: bool = False) -> bool:
        """Count objects until the class is in use, and return whether it is.

        :param is_list: whether they are a list to be represented, in no other object
        """
        if self.is_in_use:
            return True
        self._objects += objects
        is_another = self._latest() is not serializer
        if is_another:
            self._latest = weakref.ref(serializer)
        self._uses += is_another or (is_list and self._has_dumped_list)
        self._has_dumped_list |= is_list
        is_used_again = self._uses >= thresholds.uses_worth_an_exemplar
        self.is_in_use = self._objects >= thresholds.rows_worth_reading_at_once or (
            is_used_again and thresholds.is_worth_compiling(self._objects)
        )
        return self.is_in_use

    def watch(self, classes: Iterable[type]) -> None:
        """Notice from now on if attributes of the class, or of classes of its fields, change."""
        cls = self.owner()
        super().watch([*_options_of(cls), *_watched([cls, *classes])])

    def field_maker(self) -> FieldMaker | None:
        """Return what makes fields in the current language; None if stock must."""
        return self.current_field_maker() if self.refresh() else None

    def current_field_maker(self) -> FieldMaker | None:
        """Return what ``field_maker()`` does, where the class was compared in this call."""
        cls: Any = self.owner()
        # Stock reads names and messages of models when it makes fields.
        language = get_language() if issubclass(cls, ModelSerializer) else None
        maker: FieldMaker | None = self.exemplar(language, lambda: self._new_field_maker(cls))
        return maker

    def _new_field_maker(self, cls: Any) -> FieldMaker | None:
        methods = ("__setattr__", "__getattribute__")
        is_plain = all(getattr(cls, name) is getattr(object, name) for name in methods)
        if not is_plain or hasattr(cls, "__getattr__"):
            return None
        try:
            self.watch([])  # what is wrong with it may be corrected
            maker = FieldMaker(cls)
            self.watch(maker.classes)
        except UncloneableError:
            self.leaves_fields_to_stock = True
            return None
        except Exception:
            return None  # what is wrong with the class, stock will say
        return maker

    def pending(self, direction: Direction) -> Reading | None:
        """Return what serializers without fields run; None if they must make them."""
        name = direction.name
        if name in self._pending:
            reading = self._pending[name]
            # Of a class that has changed since, fields are made by its maker, which notices.
            if reading is None or reading.is_current():
                return reading
        exemplar, reading = self._new_exemplar(), None
        if exemplar is not None:
            reading = self._read(direction, exemplar, is_exemplar=True)
        self._pending[name] = reading
        return reading

    def _new_exemplar(self) -> Any:
        """Return a serializer for us alone, with fields like all others'; None if they may vary."""
        cls: Any = self.owner()
        maker = self.field_maker()
        nested: set[type] = set()
        if maker is None or not self.leaves_fields_alone(nested):
            return None
        for nested_class in nested:
            self._watch_all(class_record(nested_class))
        serializer = with_url_name(bare_serializer(cls))
        try:
            vars(serializer)["fields"] = maker.exemplar_fields(serializer)
        except Exception:
            return None  # stock raises it
        return serializer

    def _watch_all(self, nested: SerializerRecord) -> None:
        """Notice what a nested class notices, so that dumps need not ask it."""
        maker = nested.field_maker()
        if maker and self.classes is not None and nested.classes is not None:
            self.classes.add_all(nested.classes)
            self._classes_of_fields |= maker.classes

    def leaves_fields_alone(self, seen: set[type]) -> bool:
        """Return whether no code of users makes, chooses or changes fields, nested ones too."""
        cls: Any = self.owner()
        if cls in seen:
            return True
        seen.add(cls)
        maker = self.field_maker()
        return (
            maker is not None
            and maker.is_complete
            and has_stock_fields(cls)
            and gets_fields_as_stock(cls)
            and all(
                class_record(field_class).leaves_fields_alone(seen)
                for field_class in maker.classes
                if issubclass(field_class, Serializer)
            )
        )

    def of_made(
        self,
        direction: Direction,
        serializer: Any,
        fields: list[Any],
        *,
        is_worth_reading: bool = False,
    ) -> Reading | None:
        """Return what a serializer runs whose fields are made; None if stock must.

        :param is_worth_reading: whether it is to be read if its fields are like those of no other
        """
        if any(field.parent is not serializer for field in fields):
            return None
        drop_maker_functions(fields)
        reading: Reading | None = self.made_programs(direction.name).find(
            tuple([field.field_name for field in fields]),
            fields,
            lambda: self._read(direction, serializer) if self.refresh() else None,
            is_worth_reading=is_worth_reading,
        )
        return reading

    def _read(
        self, direction: Direction, serializer: Any, *, is_exemplar: bool = False
    ) -> Reading | None:
        try:
            fields = direction.fields_of(serializer)
            compiled = direction.read(serializer, fields, fields if is_exemplar else [])
        except Exception:
            return None  # stock dumps or validates in a way that cannot be compiled
        classes = {type(serializer), *compiled.snapshot.classes}
        inner = self._classes_of_fields if is_exemplar else set()
        methods = direction.bypassed.of(classes | inner)
        watched = self.classes if is_exemplar else None
        if watched is None:
            watched = ClassSnapshot([*_options_of(type(serializer)), *_watched(classes)])
        return Reading(compiled, methods.unchanged(), watched)


def _watched(classes: Iterable[type]) -> Iterator[type]:
    """Yield what classes of fields or serializers have their attributes from, but for stock's."""
    for cls in classes:
        yield from own_classes(cls)
        if cls.__qualname__ in NESTED:
            yield from _options_of(cls)


def _options_of(cls: type) -> Iterable[type]:
    meta = getattr(cls, "Meta", None)
    return meta.__mro__[:-1] if isinstance(meta, type) else ()


def _read_dump(serializer: Any, fields: list[Any], options: list[Any]) -> SharedProgram:
    snapshot = Snapshot(fields, OPTIONS, inner_fields)
    return SharedProgram(read(serializer, fields), snapshot, options)


DUMP = Direction("dump", readable_fields, _read_dump, DUMPS)
class_record = SerializerRecord.of


def forget_class(cls: type) -> None:
    if CLASS_STATE_KEY in vars(cls):
        type.__delattr__(cls, CLASS_STATE_KEY)


def _advance(**kwargs: Any) -> None:
    generations.advance()


# Tests change settings; what was made of them is made anew.
setting_changed.connect(_advance)
