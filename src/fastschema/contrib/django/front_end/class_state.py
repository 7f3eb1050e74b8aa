"""What is known of a serializer class, and what its serializers take from it while they may.

It hangs on the class, as ``_fastschema_class``: what clones its fields, and its programs. Until the
class has represented a few dozen objects (``thresholds.rows_worth_reading``), by two serializers or
in two lists, nothing is known.

Stock keeps the fields of a serializer as ``fields`` in its ``__dict__`` once somebody has asked for
them; so do we. Until then nobody can have changed a field: the serializer is *pending*, and follows
its class.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from django.core.signals import setting_changed
from django.utils.translation import get_language
from rest_framework.serializers import ModelSerializer, Serializer
from rest_framework.settings import api_settings

from fastschema.compiler.nodes import Repeatable, UnreadableError
from fastschema.contrib.django.front_end.customization import (
    STOCK_FIELDS,
    has_stock_fields,
    own_classes,
    why_fields_are_own,
)
from fastschema.contrib.django.front_end.field_cloner import (
    BUILDING,
    NESTED,
    FieldCloner,
    UncloneableError,
    bare_serializer,
    gets_fields_as_stock,
    with_url_name,
)
from fastschema.contrib.django.front_end.fields import OPTIONS, inner_fields
from fastschema.contrib.django.front_end.made_fields import (
    UNSEEN,
    can_put_away,
    has_made_fields,
    made_fields,
    seen_again,
)
from fastschema.contrib.django.front_end.makers import forget_made
from fastschema.contrib.django.front_end.read_around import DUMPS
from fastschema.contrib.django.front_end.schema_reader import read, readable_fields
from fastschema.runtime import thresholds
from fastschema.runtime.class_record import ClassRecord
from fastschema.runtime.guard import (
    CLASS_STATE_KEY,
    ClassSnapshot,
    ClassState,
    Snapshot,
    State,
    generations,
)
from fastschema.runtime.patching import MethodsOfFields, StockMethods
from fastschema.runtime.programs import DumpProgram

_UNKNOWN: Any = object()
_PLAIN = (Repeatable.VALUE, Repeatable.KEY)
_DECIDING = frozenset([*BUILDING, "Meta", "_declared_fields", "_readable_fields", "get_fields"]) | {
    name for name in vars(ModelSerializer) if name.startswith("serializer_")
}
"""What a serializer may have of its own that decides on its fields."""


class CompiledState(State):
    """What serializers run that are alike: nobody has looked at their fields, or all have the same.

    :param fields: the exemplar's fields that are dumped: read their options only
    """

    __slots__ = ("fields", "idle", "list_plans", "program", "snapshot")

    def __init__(self, program: DumpProgram, snapshot: Snapshot, fields: list[Any]) -> None:
        self.program = program
        self.snapshot = snapshot
        self.fields = fields
        self.list_plans: dict[Any, Any] = {}
        """How they read the rows of querysets: see ``lists.list_plan``."""
        kinds = [node.kind for node in program.node.fields]
        is_plain = all(kind.repeatable in _PLAIN or kind.nested_slot is not None for kind in kinds)
        self.idle: list[Any] | None = [] if is_plain else None
        """Each ``ReusedBoundProgram`` that waits; None if values depend on more than plain data, on
        a request say, so that none can be reused. What is nested is found by each of them."""

    def matches(self, fields: list[Any]) -> bool:
        return self.snapshot.matches(fields)


def _nothing() -> None:
    """Stand for a reference to an object that is gone."""


class Direction(NamedTuple):
    """One of the two things that serializers do: they dump, or they validate.

    :param fields_of: gives the fields of a serializer that matter
    :param read: makes a :class:`CompiledState` or its like of a serializer, such fields, and the
        fields of which options are read, for serializers that have made none
    :param read_around: the methods of fields that generated code reads around
    """

    name: str
    fields_of: Callable[[Any], list[Any]]
    read: Callable[[Any, list[Any], list[Any]], Any]
    read_around: MethodsOfFields


class _Compiled(NamedTuple):
    """What was compiled, and the methods and classes that it depends on besides fields."""

    compiled: Any
    methods: StockMethods
    methods_then: list[Any]
    classes: ClassSnapshot

    def matches(self, fields: list[Any]) -> bool:
        is_alike: bool = self.compiled.matches(fields)
        return is_alike

    def is_current(self) -> bool:
        """Return whether nobody has replaced one of the methods, or changed a class, since."""
        return self.methods.are(self.methods_then) and self.classes.is_current()


class ClassCache(ClassState):
    """A dictionary that hangs on a class, for what is made of it."""

    __slots__ = ("known",)

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self.known: dict[Any, Any] = {}


class SerializerClassState(ClassRecord):
    """What is known of a serializer class."""

    def __init__(self, cls: type) -> None:
        super().__init__(cls)
        self._uses = 0
        self._latest: Callable[[], Any] = _nothing
        """The serializer that was counted last."""
        self._has_dumped_list = False
        """Whether that one has represented a list."""
        self.has_unreadable_fields = False
        """Whether one of its serializers had a field whose own code would notice a look."""

    def forget(self) -> None:
        """Forget all but how much the class is used, and how often it has changed."""
        super().forget()
        self.leaves_fields_to_stock = False
        """Whether nobody but stock can make its fields, in any language."""
        self._pending: dict[str, _Compiled | None] = {}
        """By direction, what those run that have made no fields."""
        self._classes_of_fields: set[type] = set()
        """The classes of the exemplar's fields, and of those that are nested in it at any depth."""

    def count_by(self, serializer: Any, objects: int, *, is_list: bool = False) -> None:
        """Count objects; ``is_list``: they are a list to be represented, in no other object."""
        self.count(objects)
        is_another = self._latest() is not serializer
        if is_another:
            self._latest = weakref.ref(serializer)
        self._uses += is_another or (is_list and self._has_dumped_list)
        self._has_dumped_list = is_list or (self._has_dumped_list and not is_another)

    @property
    def is_in_use(self) -> bool:
        """Whether the class is worth an exemplar; one that is used once may be gone then."""
        is_used_again = self._uses >= thresholds.uses_worth_an_exemplar
        return is_used_again and super().is_in_use

    def is_worth_reading(self, objects: int) -> bool:
        """Return whether a serializer is to be compiled: its class is in use, or it pays alone."""
        return self.is_in_use or objects >= thresholds.rows_worth_reading_at_once

    def watch(self, classes: Iterable[type]) -> None:
        """Notice from now on if attributes of the class, or of classes of its fields, change."""
        cls = self.owner()
        super().watch([*_options_of(cls), *_watched([cls, *classes])])

    def cloner(self) -> FieldCloner | None:
        """Return what makes fields in the current language; None if stock must."""
        if not self.refresh():
            return None
        cls: Any = self.owner()
        # Stock reads names and messages of models when it makes fields.
        language = get_language() if issubclass(cls, ModelSerializer) else None
        cloner: FieldCloner | None = self.exemplar(language, lambda: self._new_cloner(cls))
        return cloner

    def _new_cloner(self, cls: Any) -> FieldCloner | None:
        methods = ("__setattr__", "__getattribute__")
        is_plain = all(getattr(cls, name) is getattr(object, name) for name in methods)
        if not is_plain or hasattr(cls, "__getattr__"):
            return None
        try:
            self.watch([])  # what is wrong with it may be corrected
            cloner = FieldCloner(cls)
            self.watch(cloner.classes)
        except UncloneableError:
            self.leaves_fields_to_stock = True
            return None
        except Exception:
            return None  # what is wrong with the class, stock will say
        return cloner

    def pending(self, direction: Direction) -> Any:
        """Return what serializers without fields run; None if they must make them."""
        if not self.refresh():
            return None
        compiled = self._pending.get(direction.name, _UNKNOWN)
        if compiled is _UNKNOWN or not (compiled is None or compiled.is_current()):
            exemplar = self._new_exemplar()
            compiled = exemplar and self._compile(direction, exemplar, is_exemplar=True)
            self._pending[direction.name] = compiled
        return compiled and compiled.compiled

    def _new_exemplar(self) -> Any:
        """Return a serializer for nobody, with fields like all others'; None if they may vary."""
        cls: Any = self.owner()
        cloner = self.cloner()
        nested: set[type] = set()
        if cloner is None or not self.leaves_fields_alone(nested):
            return None
        for nested_class in nested:
            self._watch_all(class_state(nested_class))
        serializer = with_url_name(bare_serializer(cls))
        try:
            vars(serializer)["fields"] = cloner.exemplar_fields(serializer)
        except Exception:
            return None  # stock raises it
        return serializer

    def _watch_all(self, nested: SerializerClassState) -> None:
        """Notice what a nested class notices, so that nobody has to ask it in each dump."""
        cloner = nested.cloner()
        if cloner and self.classes is not None and nested.classes is not None:
            self.classes.add_all(nested.classes)
            self._classes_of_fields |= cloner.classes

    def leaves_fields_alone(self, seen: set[type]) -> bool:
        """Return whether no code of users makes, chooses or changes fields, nested ones too."""
        cls: Any = self.owner()
        if cls in seen:
            return True
        seen.add(cls)
        cloner = self.cloner()
        return (
            cloner is not None
            and cloner.is_complete
            and has_stock_fields(cls)
            and why_fields_are_own(cls) is None
            and gets_fields_as_stock(cls)
            and all(
                class_state(field_class).leaves_fields_alone(seen)
                for field_class in cloner.classes
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
    ) -> Any:
        """Return what a serializer runs whose fields are made; None if stock must.

        :param is_worth_reading: whether it is to be read if its fields are like those of no other
        """
        if not self.refresh() or any(field.parent is not serializer for field in fields):
            return None
        forget_made(fields)
        compiled = self.made_programs(direction.name).find(
            tuple([field.field_name for field in fields]),
            fields,
            lambda: self._compile(direction, serializer),
            is_worth_reading=is_worth_reading,
        )
        return compiled and compiled.compiled

    def _compile(
        self, direction: Direction, serializer: Any, *, is_exemplar: bool = False
    ) -> _Compiled | None:
        try:
            fields = direction.fields_of(serializer)
            compiled = direction.read(serializer, fields, fields if is_exemplar else [])
        except Exception:
            return None  # stock dumps or validates in a way that cannot be compiled
        classes = compiled.snapshot.classes
        inner = self._classes_of_fields if is_exemplar else set()  # which are watched already
        methods = direction.read_around.of({type(serializer), *classes, *inner})
        snapshot = ClassSnapshot(() if is_exemplar else _watched(classes))
        return _Compiled(compiled, methods, methods.now(), snapshot)


def _watched(classes: Iterable[type]) -> Iterator[type]:
    """Yield what classes of fields or serializers have their attributes from, but for stock's."""
    for cls in classes:
        for base in own_classes(cls):
            if issubclass(base, Serializer):
                class_state(base)  # which is one of its attributes
            yield base
        if cls.__qualname__ in NESTED:
            yield from _options_of(cls)


def _options_of(cls: type) -> Iterable[type]:
    meta = getattr(cls, "Meta", None)
    return meta.__mro__[:-1] if isinstance(meta, type) else ()


def _read(serializer: Any, fields: list[Any], options: list[Any]) -> CompiledState:
    snapshot = Snapshot(fields, OPTIONS, inner_fields)
    return CompiledState(read(serializer, fields), snapshot, options)


DUMPING = Direction("dump", readable_fields, _read, DUMPS)
class_state = SerializerClassState.of


def forget_class(cls: type) -> None:
    if CLASS_STATE_KEY in vars(cls):
        type.__delattr__(cls, CLASS_STATE_KEY)


def _forget_all(**kwargs: Any) -> None:
    generations.forget()


# Tests change settings; what was made of them is made anew.
setting_changed.connect(_forget_all)


# Serializers that follow their class


def state_of_pending(serializer: Any) -> CompiledState | None:
    """Return what a serializer runs without fields; None if it has made them, or must."""
    return class_state(type(serializer)).pending(DUMPING) if is_still_pending(serializer) else None


def is_still_pending(serializer: Any) -> bool:
    """Return whether nobody has looked at the fields of a serializer, or chosen others for it."""
    return not has_made_fields(serializer) and follows_its_class(serializer)


def known_fields(serializer: Any) -> list[Any] | None:
    """Return a serializer's fields, or fields like them; None if code of users is to make them."""
    if has_made_fields(serializer):
        try:
            return readable_fields(serializer)
        except UnreadableError:
            return None
    compiled = state_of_pending(serializer)
    return None if compiled is None else compiled.fields


def new_fields(serializer: Any, *, uses_clones: bool) -> Any:
    """Return what ``Serializer.fields`` gives to the first who looks at it."""
    seen = seen_again(serializer)
    if seen is not None:
        return seen
    unseen = vars(serializer).pop(UNSEEN, {})
    is_plain = uses_clones and gets_fields_as_stock(type(serializer))
    cloner = _cloner(serializer, 0) if is_plain else None
    if cloner is not None:
        mapping = cloner.bound_fields(with_url_name(serializer))
    else:
        mapping = STOCK_FIELDS.func(serializer)
    for name, field in unseen.items():
        if name in mapping and field.parent is serializer:
            mapping.fields[name] = field
    return mapping


def unseen_field(serializer: Any, name: str) -> Any:
    """Return a field of a serializer, of which nobody can tell that it was made."""
    fields = made_fields(serializer)
    if name in fields and (has_made_fields(serializer) or fields[name].parent is serializer):
        return fields[name]
    is_later = not has_made_fields(serializer) and can_put_away(type(serializer))
    cloner = class_state(type(serializer)).cloner() if is_later else None
    field = None if cloner is None else cloner.bound_field(name, serializer)
    if field is not None:
        vars(serializer)[UNSEEN] = fields | {name: field}  # a shallow copy keeps what it has
        return field
    if name not in serializer.fields:
        raise RuntimeError(f"the field {name!r} was removed while its serializer dumps")
    return serializer.fields[name]


def follows_its_class(serializer: Any) -> bool:
    """Return whether a serializer has nothing of its own that decides on its fields."""
    attributes = vars(serializer)
    url_name = attributes.get("url_field_name")
    return _DECIDING.isdisjoint(attributes) and url_name in (None, api_settings.URL_FIELD_NAME)


def get_fields(serializer: Any) -> dict[str, Any] | None:
    """Return what stock's ``get_fields`` does; None if stock must make it."""
    cloner = _cloner(serializer, 1)
    if cloner is None:
        return None
    with_url_name(serializer)
    return cloner.fields()


def _cloner(serializer: Any, objects: int) -> FieldCloner | None:
    """Return what makes a serializer's fields, counted as some objects; None if stock must."""
    state = class_state(type(serializer))
    if state.leaves_fields_to_stock or not follows_its_class(serializer):
        return None
    state.count_by(serializer, objects)
    return state.cloner() if state.is_in_use else None
