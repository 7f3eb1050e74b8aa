"""Profile a real dump: read the clock between fields, and sum up what each field took."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial, partialmethod
from time import perf_counter as clock
from types import FunctionType, MethodType
from typing import Any

from fastschema.compiler.dump_code import DumpGenerator
from fastschema.compiler.nodes import ITEM, FieldNode, Form, ObjectNode
from fastschema.compiler.source import GeneratedFunction, Lines
from fastschema.doctor.profiling import FieldTime, Profile
from fastschema.runtime.bound_program import CallDumper, Dispatch, Dispatcher, NestedDumper
from fastschema.runtime.derived_node import DerivedNode
from fastschema.runtime.front_end import CompiledSchema, Hooks, dumped_data
from fastschema.runtime.programs import Program
from fastschema.runtime.switch import is_disabled

SPENT = "spent"
"""The name of the slot."""


class TimedGenerator(DumpGenerator):
    """Generates a function that reads the clock, of a node with the slot ``spent``."""

    def __init__(self, node: ObjectNode, form: Form, access: str) -> None:
        super().__init__(replace(node, names={**node.names, "clock": clock}), form, access)
        self._instant = ""
        # What is added to which number of the list, once for each object.
        self._sums: list[tuple[int, str]] = []

    def mark(self, step: int | None = None) -> Lines:
        """Read the clock; the time since it was read before belongs to a step."""
        instant = self._names.unique("at")
        if step is not None:
            self._sums.append((step, f"{instant} - {self._instant}"))
        self._instant = instant
        return [f"{instant} = clock()"]

    def finish(self) -> Lines:
        sums: Lines = [f"{SPENT}[{step}] += {seconds}" for step, seconds in self._sums]
        return [*sums, f"{SPENT}[-1] += 1"]


def user_code(field: FieldNode, cls: type, access: str) -> str:
    """Return what code of users (or stock method) a field runs for objects of a class; or ""."""
    source = field.source
    why = field.reason or field.kind.user_code or source.user_code
    return why or (_on_class(cls, source.path[0], access) if source.path else "")


def _on_class(cls: type, name: str, access: str) -> str:
    for method in ("__getattribute__", *(["__getitem__"] if access == ITEM else [])):
        if _is_overridden(cls, method):
            return f"{cls.__name__}.{method} is overridden"
    if access == ITEM and issubclass(cls, Mapping):
        return ""
    attribute = inspect.getattr_static(cls, name, None)
    if isinstance(attribute, (FunctionType, classmethod, staticmethod, partialmethod)):
        return f"{cls.__name__}.{name} is a method"
    return f"{cls.__name__}.{name} is a property" if _is_property(attribute) else ""


def _is_overridden(cls: type, method: str) -> bool:
    """Return whether a method is written in Python, and not Python's own (PyPy's are, too)."""
    for base in cls.__mro__:
        if method in base.__dict__:
            return type(base.__dict__[method]) is FunctionType and base.__module__ != "builtins"
    return False


def _is_property(found: object) -> bool:
    """Return whether it is a property, a cached one, or one like it of another library."""
    if isinstance(found, property):
        return True
    functions = [inspect.getattr_static(found, name, None) for name in ("fget", "func")]
    return any(isinstance(function, (FunctionType, MethodType)) for function in functions)


class Recording:
    """The times of the fields of one schema, at its place in a dump.

    What is done once for a dump and not for its rows (finding nested schemas, generating the code
    that reads the clock) is recorded apart, and belongs to no field.
    """

    def __init__(self, node: ObjectNode) -> None:
        self._node = node
        self._spent: dict[type, list[float]] = {}
        self._inner: dict[int, Recording] = {}
        self._by_stock: set[int] = set()
        self._finding = [0.0] * len(node.fields)
        self._generating = 0.0

    def timed(self, dispatch: Dispatch) -> Dispatch:
        """Return what dumps as a dispatch of the node's program does, and records its times."""
        derived = DerivedNode(self._node)
        for number, field in enumerate(self._node.fields):
            for name in filter(None, (field.kind.nested_slot, field.kind.item_slot)):
                derived.nest(name, partial(self._find, number))
        derived.add_slot(SPENT, self._spent_on, per_class=True)
        program = Program(derived.with_fields(self._node.fields), self._generate)
        return Dispatch(program, dispatch.form, dispatch.bound_schema)

    def _generate(self, node: ObjectNode, form: Form, access: str) -> GeneratedFunction:
        start = clock()
        function = TimedGenerator(node, form, access).generate()
        self._generating += clock() - start
        return function

    def _spent_on(self, bound_schema: Any, cls: type, form: Form) -> list[float]:
        # For each field the seconds of reading and of converting; then the number of objects.
        return self._spent.setdefault(cls, [0.0] * (2 * len(self._node.fields)) + [0])

    def _find(
        self, number: int, bound_schema: Any, dumper: NestedDumper, form: Form | None = None
    ) -> Dispatcher:
        """Return what dumps the nested objects of a field, and records the times of those."""
        start = clock()
        dispatcher = self._changed(number, dumper.dispatch)
        self._finding[number] += clock() - start
        return dispatcher

    def _changed(self, number: int, found: Dispatcher) -> Dispatcher:
        if isinstance(found, Dispatch):
            return self._timed_inside(number, found)
        if isinstance(found, CallDumper):
            if found.inner is not None:
                return found.with_inner(partial(self._find, number, None))
            if found.each is not None:
                return CallDumper(self._timed_inside(number, found.each).many)
            if found.is_stock:
                self._by_stock.add(number)
        return found

    def _timed_inside(self, number: int, dispatch: Dispatch) -> Dispatch:
        inner = self._inner[number] = Recording(dispatch.program.node)
        return inner.timed(dispatch)

    @property
    def objects(self) -> float:
        return sum(spent[-1] for spent in self._spent.values())

    @property
    def preparing(self) -> float:
        """The seconds that went into preparing the profile, not into the dump."""
        inner = sum(inner.preparing for inner in self._inner.values())
        return self._generating + sum(self._finding) + inner

    def field_times(
        self, why_stock: Callable[[str], str], above: str = "", depth: int = 0
    ) -> list[FieldTime]:
        """Return the times of the fields in output order, each followed by those nested in it.

        :param why_stock: from the dotted key of a nested schema that ran as stock to the reason
        """
        times = []
        for number, field in enumerate(self._node.fields):
            key = f"{above}{field.key}"
            inner = self._inner.get(number)
            nested: list[FieldTime] = []
            if inner is not None and inner.objects:
                nested = inner.field_times(why_stock, f"{key}.", depth + 1)
            times.append(self._field_time(number, key, nested, why_stock, depth))
            times += nested
        return times

    def _field_time(
        self,
        number: int,
        key: str,
        nested: list[FieldTime],
        why_stock: Callable[[str], str],
        depth: int,
    ) -> FieldTime:
        field = self._node.fields[number]
        inside = [time for time in nested if time.depth == depth + 1]
        inside_seconds = sum(time.seconds for time in inside)
        preparing = self._finding[number]
        if number in self._inner:
            preparing += self._inner[number].preparing
        own_seconds = max(self._seconds(number) - preparing - inside_seconds, 0.0)
        is_stock = number in self._by_stock
        codes = (user_code(field, cls, self._node.access(cls)) for cls in self._spent)
        why = why_stock(key) if is_stock else next(filter(None, codes), field.reason or "")
        return FieldTime(
            key,
            field.source.label,
            compiled=field.reason is None and not is_stock,
            seconds=own_seconds + inside_seconds,
            user_seconds=sum(time.user_seconds for time in inside) + (own_seconds if why else 0.0),
            why=why,
            depth=depth,
        )

    def _seconds(self, number: int) -> float:
        return sum(spent[2 * number] + spent[2 * number + 1] for spent in self._spent.values())


_NO_HOOKS = Hooks("", lambda obj: obj, "", lambda result, obj: result)


def profile(schema: CompiledSchema, obj: Any, many: bool | None) -> Profile:
    """Dump once, and tell where the time went; what was dumped is thrown away."""
    with _collector_waiting():
        return _profile(schema, obj, None if many is None else bool(many))  # asked once


def _profile(schema: CompiledSchema, obj: Any, many: bool | None) -> Profile:
    if is_disabled():
        return _profile_of_stock(schema, obj, many, "fastschema is disabled")
    hooks = schema.hooks(many)
    if hooks is not None and schema.program() is not None:
        return _profile_between(hooks, schema, obj, many, lambda: schema.dispatch(Form.PYTHON))
    dispatch = None if hooks is not None else schema.row_dumper(Form.PYTHON, None)
    if not isinstance(dispatch, Dispatch):
        return _profile_of_stock(schema, obj, many)
    return _profile_between(_NO_HOOKS, schema, obj, many, lambda: dispatch)


def _profile_between(
    hooks: Hooks,
    schema: CompiledSchema,
    obj: Any,
    many: bool | None,
    find: Callable[[], Dispatch],
) -> Profile:
    """Return the profile of a dump by generated code, which is found once hooks have run."""
    processed, before = _timed(partial(hooks.before, obj))
    dispatch = find()
    recording = Recording(dispatch.program.node)
    by_field = recording.timed(dispatch)
    if schema.is_collection(processed, many):
        result, seconds = _timed(lambda: by_field.many(schema.rows(processed)))
        rows = len(result)
    else:
        result, seconds = _timed(lambda: by_field[type(processed)](processed))
        rows = 1
    dispatch.count(rows)
    _, after = _timed(partial(hooks.after, result, obj))
    times = recording.field_times(partial(_why_stock, schema))
    between = max(
        seconds - recording.preparing,
        sum(field.seconds for field in times if field.depth == 0),
    )
    if hooks.names_before:
        times.insert(0, _hook("(pre_dump)", hooks.names_before, before))
    if hooks.names_after:
        times.append(_hook("(post_dump)", hooks.names_after, after))
    name = dispatch.program.node.name
    return Profile(name, rows, before + between + after, times)


def _profile_of_stock(
    schema: CompiledSchema, obj: Any, many: bool | None, why: str | None = None
) -> Profile:
    """Return the profile of a dump by stock as a whole, or inside a method of users'."""
    is_collection = schema.is_collection(obj, many)
    result, seconds = _timed(lambda: dumped_data(schema, obj, many))
    report = schema.explain()
    rows = len(result) if is_collection and hasattr(result, "__len__") else 1
    is_yours = not (why or report.why)
    why = why or report.why or f"your {report.override}, and what it calls by super()"
    whole = _not_generated(report.schema, "", seconds, why, is_yours=is_yours)
    return Profile(report.schema, rows, seconds, [whole])


def _hook(key: str, names: str, seconds: float) -> FieldTime:
    return _not_generated(key, names, seconds, "a hook", is_yours=True)


def _not_generated(key: str, source: str, seconds: float, why: str, *, is_yours: bool) -> FieldTime:
    """Return a line for what is all code of users or stock's."""
    return FieldTime(
        key,
        source,
        compiled=False,
        seconds=seconds,
        user_seconds=seconds,
        why=why,
        is_yours=is_yours,
    )


def _why_stock(schema: CompiledSchema, key: str) -> str:
    why = next((field.why for field in schema.explain() if field.key == key), "")
    return why or "code of yours runs around each dump of its schema"


@contextmanager
def _collector_waiting() -> Iterator[None]:
    """Switch the garbage collector off meanwhile: no field need be to blame for when it runs."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = clock()
    result = call()
    return result, clock() - start
