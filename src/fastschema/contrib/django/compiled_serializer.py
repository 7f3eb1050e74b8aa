"""What the core asks of DRF serializers: dumping by them, and reports of how they run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django import conf
from fastschema.contrib.django.before_rows import before_dispatch, loads_relations
from fastschema.contrib.django.dump import represent, represent_list, represent_many
from fastschema.contrib.django.front_end.access import MODEL, rows
from fastschema.contrib.django.front_end.bound_serializer import bound_now, nested_dumper_of
from fastschema.contrib.django.front_end.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.front_end.json_encoding import ENGINE, stock_encode
from fastschema.contrib.django.front_end.record import forget_class
from fastschema.contrib.django.front_end.schema_reader import all_fields, field_mapping
from fastschema.contrib.django.input.code import InputField
from fastschema.contrib.django.input.schema_reader import (
    STOCK,
    is_readable,
    read_validation,
    runs_as_a_whole,
)
from fastschema.contrib.django.input.validation import RowValidator, has_stock_rows
from fastschema.contrib.django.lists.list_plan import dump_rows
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import BoundProgram, Dispatch, NestedDumper
from fastschema.runtime.front_end import RowDumper
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.json_engine import Engine
from fastschema.runtime.patching import calls_super, is_stock
from fastschema.runtime.plugins import plugin
from fastschema.runtime.programs import DumpProgram
from fastschema.runtime.report import Ancestors, FieldReport, Report, field_reports
from fastschema.runtime.switch import disabled

_bulk = plugin("fastschema.contrib.django.bulk.create")
_NOT_LOADED = (
    "fastschema does not load by Django REST framework's serializers; "
    "use Serializer(data=...).is_valid()"
)


class _LoadingDumper:
    """Dumps rows by another dumper, with the relations loaded that it reads."""

    def __init__(self, dumper: Dispatch | NestedDumper) -> None:
        self._dumper = dumper

    def one_row(self, obj: Any) -> Any:
        (result,) = self.all_rows([obj])
        return result

    def all_rows(self, rows: Iterable[Any]) -> list[Any]:
        rows = rows if type(rows) is list else list(rows)
        if not rows:
            return []
        dumper = self._dumper
        dispatch = dumper if isinstance(dumper, Dispatch) else dumper.dispatch
        loaded = before_dispatch(dispatch, rows) if isinstance(dispatch, Dispatch) else None
        with loaded or contextlib.nullcontext():
            return dumper.all_rows(rows)

    def end(self) -> None:
        self._dumper.end()


class CompiledSerializer:
    """A DRF serializer; see :class:`fastschema.runtime.front_end.CompiledSchema`."""

    accesses = (MODEL,)

    def __init__(self, schema: Any, *, is_frozen: bool) -> None:
        self.schema = schema
        self._bound_program: BoundProgram | None = None
        if is_frozen and is_stock_serializer(self._row_serializer):
            with contextlib.suppress(Exception):  # stock represents, or raises when it does
                bound = bound_now(self._row_serializer)
                self._bound_program = BoundProgram(bound.compiled.program, bound)

    @property
    def _row_serializer(self) -> Any:
        """What dumps a row: the serializer, or the child of a list serializer."""
        return self.schema.child if isinstance(self.schema, ListSerializer) else self.schema

    def dump(self, obj: Any, many: bool | None) -> Any:
        schema = self.schema
        if isinstance(schema, ListSerializer):
            if not is_stock_list(schema):
                return schema.to_representation(obj)
            if self._bound_program is None:
                return represent_list(schema, obj)
            return self._dump_rows(obj)
        if not is_stock_serializer(schema):
            if many:
                return [schema.to_representation(row) for row in rows(obj)]
            return schema.to_representation(obj)
        if self._bound_program is None:
            return represent_many(schema, obj) if many else represent(schema, obj)
        if many:
            return self._dump_rows(obj)
        dispatch = self._bound_program.begin(Form.PYTHON)
        result = dispatch.one_row(obj)
        dispatch.end()
        return result

    def _dump_rows(self, obj: Any) -> list[Any]:
        assert self._bound_program is not None
        dispatch = self._bound_program.new_dispatch(Form.PYTHON)
        results, each_row = dump_rows(self._row_serializer, rows(obj), dispatch)
        if results is not None:
            return results
        loaded = before_dispatch(dispatch, each_row) if type(each_row) is list else None
        with loaded or contextlib.nullcontext():
            return dispatch.all_rows(each_row)

    def stock_dump(self, obj: Any, many: bool | None) -> Any:
        with disabled():
            return CompiledSerializer(self.schema, is_frozen=False).dump(obj, many)

    def load(self, data: Any, options: dict[str, Any] | None = None) -> Any:
        raise TypeError(_NOT_LOADED)

    loads = validate = load

    def stock_load(self, data: Any) -> Any:
        return self.schema.run_validation(data)

    def load_inside(self, data: Any) -> Any:
        return RowValidator(self.schema, thresholds.rows_worth_reading_at_once).run(data)

    def dump_inside(self, obj: Any) -> Any:
        return self.dump(obj, False)

    def is_collection(self, obj: Any, many: bool | None) -> bool:
        return bool(many) or isinstance(self.schema, ListSerializer)

    def refuse_collection(self, obj: Any) -> None:
        """Refuse nothing: stock raises an error where a field is not found."""

    def row_dumper(self, form: Form, rows: int | None) -> RowDumper | None:
        schema = self.schema
        if isinstance(schema, ListSerializer) and not is_stock_list(schema):
            return None
        if not is_stock_serializer(self._row_serializer):
            return None
        dumper: Dispatch | NestedDumper
        if self._bound_program is None:
            dumper = nested_dumper_of(self._row_serializer, form)
        elif rows is None:
            dumper = self._bound_program.new_dispatch(form)
        else:
            dumper = self._bound_program.begin(form)
        return _LoadingDumper(dumper) if loads_relations(conf.view_of(schema)) else dumper

    def rows(self, obj: Any) -> Iterable[Any]:
        iterable: Iterable[Any] = rows(obj)
        return iterable

    def engine(self) -> Engine:
        return ENGINE

    def stock_encode(self, data: Any) -> bytes:
        return stock_encode(data)

    def hooks(self, many: bool | None) -> None:
        """Return None: what surrounds a dump in DRF is an override, which runs as stock."""
        return

    def program(self) -> DumpProgram | None:
        if not is_stock_serializer(self._row_serializer):
            return None
        try:
            return bound_now(self._row_serializer).compiled.program
        except UnreadableError:
            return None

    def load_program(self) -> None:
        """None: loading is stock's."""
        return

    def dispatch(self, form: Form) -> Dispatch:
        return bound_now(self._row_serializer).dispatch(form)

    def explain(self) -> Report:
        return replace(_explain(self.schema, Ancestors()), loading=_explain_loading(self.schema))


class RestFrameworkFrontEnd:
    """Reads DRF serializers; see :class:`fastschema.runtime.front_end.FrontEnd`."""

    def compiled(self, schema: Any, *, is_frozen: bool) -> CompiledSerializer:
        if isinstance(schema, type):
            schema = schema()
        return CompiledSerializer(schema, is_frozen=is_frozen)

    def forget(self, schema: Any) -> None:
        """Forget a serializer, and what is known of its class."""
        for serializer in (schema, getattr(schema, "child", schema)):
            vars(serializer).pop(STATE_KEY, None)
            forget_class(type(serializer))


front_end = RestFrameworkFrontEnd()


# Reports, for explain()


def _explain(schema: Any, ancestors: Ancestors) -> Report:
    if isinstance(schema, ListSerializer):
        if is_stock_list(schema):
            return _explain(schema.child, ancestors)
        if not calls_super(schema, "to_representation", ListSerializer):
            return Report(type(schema).__name__, [], "to_representation is overridden")
        report = _explain(schema.child, ancestors)
        return replace(report, schema=type(schema).__name__, override="to_representation")
    name = type(schema).__name__
    is_overridden = not is_stock_serializer(schema)
    if is_overridden and not calls_super(schema, "to_representation", Serializer):
        return Report(name, [], "to_representation is overridden")
    try:
        bound = bound_now(schema)
    except UnreadableError as error:
        return Report(name, [], str(error))
    except Exception as error:  # it may need a request, say, or name a column that is not there
        reason = f"its fields cannot be made here: {type(error).__name__}: {error}"
        return Report(name, [], reason)
    program = bound.compiled.program
    explained = [
        field if node.kind.nested_slot is not None or isinstance(field, Serializer) else None
        for node, field in zip(program.node.fields, bound.fields, strict=True)
    ]
    reports = field_reports(program.node)
    fields = ancestors.reports_of(program, reports, explained, _explain_nested)
    return Report(name, fields, override="to_representation" if is_overridden else "")


def _explain_nested(field: Any, ancestors: Ancestors) -> Report | None:
    return None if field is None else _explain(field, ancestors)


def _explain_loading(schema: Any) -> Report | None:
    try:
        return _loading_report(schema)
    except Exception:
        return None  # a serializer that is broken, or no such; stock raises its own


def _loading_report(serializer: Any) -> Report | None:
    is_list = isinstance(serializer, ListSerializer)
    child = serializer.child if is_list else serializer
    if not any(not field.read_only for field in field_mapping(child).values()):
        return None
    report = _report_input(serializer, Ancestors())
    is_asked = not report.why and runs_as_a_whole(type(child))
    notes = _notes_on_own_methods(type(child))
    if _bulk is not None:
        notes += _bulk.notes_on_bulk(child, is_asked=is_asked)
    return Report(report.schema, report.fields, report.why, notes=notes)


def _report_input(serializer: Any, ancestors: Ancestors) -> Report:
    if isinstance(serializer, ListSerializer):
        if not has_stock_rows(serializer):
            name = type(serializer).__name__
            return Report(name, [], "the list serializer has its own way to validate rows")
        serializer = serializer.child
    name = type(serializer).__name__
    if not is_readable(type(serializer)):
        return Report(name, [], "it overrides how a row is validated")
    fields = field_mapping(serializer)
    try:
        nodes = read_validation(serializer, all_fields(serializer), []).program.node.fields
    except UnreadableError as error:
        return Report(name, [], str(error))
    names = [node.name for node in nodes]
    reports = ancestors.reports_of(
        (type(serializer), *names),
        map(_input_field_report, nodes),
        map(fields.__getitem__, names),
        _report_nested_input,
    )
    return Report(name, reports)


def _report_nested_input(field: Any, ancestors: Ancestors) -> Report | None:
    is_nested = isinstance(field, (Serializer, ListSerializer))
    return _report_input(field, ancestors) if is_nested else None


def _input_field_report(node: InputField) -> FieldReport:
    source = ".".join(node.source_attrs) or "*"
    return FieldReport(
        node.name, source, node.reason is None, node.conversion.kind, node.reason or ""
    )


def _notes_on_own_methods(cls: Any) -> list[str]:
    methods = [name for name, stock in STOCK.items() if not is_stock(getattr(cls, name), stock)]
    return [f"{cls.__name__} has its own {name}, which is called as in stock." for name in methods]
