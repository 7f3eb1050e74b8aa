"""What the core asks about marshmallow schemas."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from types import GeneratorType, SimpleNamespace
from typing import Any

from marshmallow import RAISE, Schema, ValidationError
from marshmallow.decorators import POST_DUMP, PRE_DUMP
from marshmallow.fields import List, Nested

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.marshmallow.customization import HOOKS, has_hooks, hook_names, overrides_load
from fastschema.marshmallow.dump import (
    DUMP,
    BoundSchema,
    about_to_dump,
    bound_program_of,
    dump,
    dump_by,
    find_bound_program,
    overrides_dump,
    own_dump,
)
from fastschema.marshmallow.load import (
    LOAD,
    STOCK_LOADS,
    SchemaLoad,
    do_load,
    load,
    load_plainly,
    loads_plainly,
)
from fastschema.marshmallow.load_values import LoadCompiler
from fastschema.marshmallow.makers import DumpCompiler
from fastschema.marshmallow.schema_program import Direction, SchemaProgram, read_once
from fastschema.marshmallow.sqlalchemy import MAPPED
from fastschema.marshmallow.states import forget
from fastschema.runtime import standard_json as json
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.front_end import DumpingSchema, Hooks, RowDumper
from fastschema.runtime.json_engine import ENGINE, Engine, standard_dumps
from fastschema.runtime.patching import calls_super, overridden, stock_method
from fastschema.runtime.programs import DumpProgram, LoadProgram
from fastschema.runtime.registration import registered_for
from fastschema.runtime.report import Ancestors, Report, field_reports
from fastschema.runtime.switch import disabled

_LOADS = {"loads": STOCK_LOADS}
_READING = {name: stock_method(Schema, name) for name in ("dump", "_serialize", "get_attribute")}
_VALIDATE = {"validate": stock_method(Schema, "validate")}


_COLLECTIONS = frozenset({list, tuple, set, frozenset, deque, GeneratorType})


def refuse_collection(compiled: DumpingSchema, obj: Any, many: bool | None) -> None:
    """Raise ``TypeError`` for several objects where one is dumped: stock would find no field.

    A ``pre_dump`` hook, or a ``dump`` or ``get_attribute`` of users', may find something.
    """
    schema = compiled.schema
    if type(obj) not in _COLLECTIONS or compiled.is_collection(obj, many):
        return
    if getattr(schema, "_hooks", {}).get(PRE_DUMP) or overridden(schema, _READING) is not None:
        return
    raise TypeError(
        f"{type(schema).__name__} dumps one object here, not a {type(obj).__name__}: "
        "pass many=True, or make the schema with many=True"
    )


class CompiledMarshmallowSchema:
    """A marshmallow schema; see :class:`fastschema.runtime.front_end.CompiledSchema`.

    What it compiles to is None where it is read again if it has changed.
    """

    accesses = (MAPPED,)

    def __init__(
        self,
        schema: Any,
        dumping: SchemaProgram | None = None,
        loading: SchemaProgram | None = None,
    ) -> None:
        self.schema = schema
        self._dumping = dumping
        self._loading = loading
        self._plain_bound_program = None
        if dumping is not None and not has_hooks(schema, "dump") and overrides_dump(schema) is None:
            self._plain_bound_program = bound_program_of(dumping)
        self._loads_plainly = loading is not None and loads_plainly(schema)

    def dump(self, obj: Any, many: bool | None) -> Any:
        if self._plain_bound_program is None:
            return dump(self.schema, obj, many, self._dumping)
        many = bool(self.schema.many if many is None else many) and obj is not None
        about_to_dump(self.schema, obj, many=many, compiled=self._dumping)
        return dump_by(self._plain_bound_program, obj, many)

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        with disabled():
            return own_dump(self.schema, obj, many)

    def load(self, data: Any, options: dict[str, Any]) -> Any:
        if self._loads_plainly:
            return load_plainly(self.schema, data, self._loading, **options)
        if overrides_load(self.schema) is not None:
            return self.schema.load(data, **options)
        return load(self.schema, data, self._loading, **options)

    def loads(self, text: str | bytes | bytearray, options: dict[str, Any]) -> Any:
        """Load the value of a JSON text; a schema with a ``loads`` or ``load`` reads it itself."""
        if overrides_load(self.schema) or overridden(self.schema, _LOADS):
            return self.schema.loads(text, **options)
        return load(self.schema, json.loads(text), self._loading, **options)

    def validate(self, data: Any, options: dict[str, Any]) -> Any:
        if overrides_load(self.schema) or overridden(self.schema, _VALIDATE):
            return self.schema.validate(data, **options)
        try:
            do_load(self.schema, data, self._loading, **options, postprocess=False)
        except ValidationError as error:
            return error.messages
        return {}

    def dump_inside(self, obj: Any) -> Any:
        return dump_compiler(self.schema)(self.schema)(obj)

    def stock_load(self, data: Any) -> Any:
        return self.schema.load(data)

    def load_inside(self, data: Any) -> Any:
        return load_compiler(self.schema)(self.schema)(data)

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        return obj is not None and bool(self.schema.many if many is None else many)

    def refuse_collection(self, obj: Any) -> None:
        refuse_collection(self, obj, None)

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        schema, bound_program = self.schema, self._plain_bound_program
        if (
            self._dumping is None
            and not has_hooks(schema, "dump")
            and overrides_dump(schema) is None
        ):
            bound_program = find_bound_program(schema, thresholds.MANY if rows is None else rows)
        if bound_program is None:
            return None
        return bound_program.new_dispatch(form) if rows is None else bound_program.begin(form)

    def rows(self, obj: Any) -> Iterable[Any]:
        about_to_dump(self.schema, obj, many=True, compiled=self._dumping)
        rows: Iterable[Any] = obj
        return rows

    def engine(self) -> Engine:
        return ENGINE

    def stock_encode(self, data: Any) -> bytes:
        return standard_dumps(data)

    def hooks(self, many: bool | None) -> Hooks | None:
        schema = self.schema
        if not has_hooks(schema, "dump"):
            return None
        many = schema.many if many is None else bool(many)
        invoke = schema._invoke_dump_processors
        before = hook_names(schema, PRE_DUMP)
        after = hook_names(schema, POST_DUMP)
        return Hooks(
            ", ".join(before),
            lambda obj: invoke(PRE_DUMP, obj, many=many, original_data=obj),
            ", ".join(after),
            lambda result, obj: invoke(POST_DUMP, result, many=many, original_data=obj),
        )

    def program(self) -> DumpProgram | None:
        program: DumpProgram | None = self._compiled_dump().program
        return None if overrides_dump(self.schema) is not None else program

    def load_program(self) -> LoadProgram | None:
        program: LoadProgram | None = self._compiled_load().program
        return None if overrides_load(self.schema) is not None else program

    def dispatch(self, form: Form) -> Dispatch:
        compiled = self._compiled_dump()
        bound_program = bound_program_of(compiled)
        if bound_program is None:
            raise UnreadableError(compiled.reason)
        return bound_program.new_dispatch(form)

    def explain(self) -> Report:
        return explain(self._compiled_dump(), self._compiled_load())

    def _compiled_dump(self) -> SchemaProgram:
        return self._dumping or read_once(self.schema, DUMP)

    def _compiled_load(self) -> SchemaProgram:
        return self._loading or read_once(self.schema, LOAD)


def dump_compiler(schema: Any) -> DumpCompiler:
    """Return what a maker for a schema is given for dumping; for one dump, in one thread."""
    return DumpCompiler(BoundSchema(schema, [], None))


def load_compiler(schema: Any) -> LoadCompiler:
    outer: Any = SimpleNamespace(program=None, fields=[], nested=None)
    return LoadCompiler(SchemaLoad(outer, None, RAISE))


def explain(dumping: SchemaProgram, loading: SchemaProgram) -> Report:
    """How a schema is dumped and loaded, nested schemas included."""
    loading_report = _explain(loading, Ancestors(), LOAD)
    return replace(_explain(dumping, Ancestors(), DUMP), loading=loading_report)


def _explain(compiled: SchemaProgram, ancestors: Ancestors, direction: Direction) -> Report:
    schema = compiled.schema
    name = type(schema).__name__
    reason = direction.overrides(schema)
    override, registered = "", ", ".join(_registered(schema, direction))
    if ancestors.is_nested and registered_for(schema, direction.name):
        reason = None
    # The method that users call is asked for last: the others are stock's.
    if reason == f"{direction.name} is overridden" and calls_super(schema, direction.name, Schema):
        reason, override = None, direction.name
    reason = reason or compiled.reason
    if reason:
        return Report(name, [], reason)
    reports = field_reports(compiled.program.node)
    explained = [
        field if report.compiled else None
        for report, field in zip(reports, compiled.fields, strict=True)
    ]
    nested = partial(_explain_nested, direction)
    fields = ancestors.reports_of(compiled.program, reports, explained, nested)
    notes = list(_notes(schema, HOOKS[direction.name], override))
    return Report(name, fields, notes=notes, override=override, registered=registered)


def _registered(schema: Any, direction: Direction) -> Iterator[str]:
    hooks = [name for tag in HOOKS[direction.name] for name in hook_names(schema, tag)]
    for name in (direction.name, *hooks):
        registered = registered_for(schema, name)
        if registered is not None:
            yield registered.label


def _notes(schema: Any, tags: tuple[str, ...], override: str) -> Iterator[str]:
    if override:
        yield f"It calls super().{override}(), which is compiled where fastschema is installed."
    names = [f"{tag} {name}" for tag in tags for name in hook_names(schema, tag)]
    if names:
        yield f"Hooks, called as by stock: {', '.join(names)}."


def _explain_nested(direction: Direction, field: Any, ancestors: Ancestors) -> Report | None:
    while isinstance(field, List):
        field = field.inner
    if not isinstance(field, Nested):
        return None
    try:
        schema = field.schema
    except Exception as error:  # stock raises it when the first object is dumped
        return Report(str(field.nested), [], f"its schema cannot be found: {error}")
    return _explain(read_once(schema, direction), ancestors, direction)


class MarshmallowFrontEnd:
    """Reads marshmallow schemas; see :class:`fastschema.runtime.front_end.FrontEnd`."""

    def compiled(self, schema: Any, *, is_frozen: bool) -> CompiledMarshmallowSchema:
        if isinstance(schema, type):
            schema = schema()
        if not is_frozen:
            return CompiledMarshmallowSchema(schema)
        # A hook may change the schema in the midst of a dump.
        dumping = None if has_hooks(schema, "dump") else read_once(schema, DUMP)
        loading = None if has_hooks(schema, "load") else read_once(schema, LOAD)
        return CompiledMarshmallowSchema(schema, dumping, loading)

    def forget(self, schema: Any) -> None:
        """Forget a schema object."""
        forget(schema)


front_end = MarshmallowFrontEnd()
