"""Dump by marshmallow schemas, what stock does around generated code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from marshmallow import Schema, utils
from marshmallow.decorators import POST_DUMP, PRE_DUMP

from fastschema.compiler.nodes import Form
from fastschema.marshmallow.bypassed import DUMPS
from fastschema.marshmallow.customization import has_hooks, overrides_processors
from fastschema.marshmallow.fields import json_value
from fastschema.marshmallow.hooks import hooks_of
from fastschema.marshmallow.makers import (
    DumpCompiler,
    MakerDumper,
    MakerSchemaDump,
    SchemaOf,
)
from fastschema.marshmallow.pending import for_stock
from fastschema.marshmallow.schema_program import Direction, SchemaProgram
from fastschema.marshmallow.schema_reader import describe_dump, make_dump_program
from fastschema.marshmallow.states import find_compiled, find_nested
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import (
    BoundProgram,
    CallDumper,
    Dispatch,
    Dispatcher,
    NestedDumper,
)
from fastschema.runtime.patching import overridden, stock_method
from fastschema.runtime.registration import Registered, registered_for
from fastschema.runtime.statistics import recorder
from fastschema.runtime.switch import call_disabled, is_disabled

STOCK_DUMP = stock_method(Schema, "dump")
STOCK_SERIALIZE = stock_method(Schema, "_serialize")
_METHODS = {"_serialize": STOCK_SERIALIZE, "dump": STOCK_DUMP}
_PYTHON = Form.PYTHON


class BoundSchema:
    """What the slots of a program resolve from: one schema's own objects.

    It refers to no :class:`SchemaProgram`, which refers to it.
    """

    def __init__(self, schema: Any, fields: Any, nested: dict[int, SchemaProgram] | None) -> None:
        self.schema = schema
        self.fields = fields
        self.nested = nested

    def nested_dumper(self, field: Any, form: Form) -> NestedDumper:
        return NestedDumper(_NestedFinder(field, form, self.nested))

    def of_field(self, field: Any) -> BoundSchema:
        """Return the schema bound with a single field, inside of one that a maker is called for."""
        return BoundSchema(self.schema, [field], self.nested)

    def maker_dumper(self, field: Any, registered: Registered) -> MakerDumper:
        return MakerDumper(field, registered, DumpCompiler(self))

    def schema_dumper(self, schema: Any, *, is_super: bool) -> NestedDumper:
        """Return what dumps objects by a schema that a maker has asked for."""
        finder = _NestedFinder(SchemaOf(schema), _PYTHON, self.nested, is_super=is_super)
        return NestedDumper(finder)

    def pluck(self, field: Any, form: Form) -> NestedDumper:
        """Return what dumps the values of a ``Pluck`` field, of which one value is taken."""
        return NestedDumper(_PluckFinder(field, form, self.nested))


def overrides_dump(schema: Any) -> str | None:
    return overridden(schema, _METHODS)


DUMP = Direction("dump", "dump_fields", describe_dump, make_dump_program, overrides_dump, DUMPS)


def bind(compiled: SchemaProgram) -> BoundProgram:
    bound = BoundSchema(compiled.schema, compiled.fields, compiled.nested)
    bound_program = compiled.bound_program = BoundProgram(compiled.program, bound)
    return bound_program


def bound_program_of(compiled: SchemaProgram) -> BoundProgram | None:
    """Return what a program is bound to; None if there is no program."""
    if compiled.program is None:
        return None
    bound_program: BoundProgram | None = compiled.bound_program
    return bound_program or bind(compiled)


def find_bound_program(schema: Any, rows: int) -> BoundProgram | None:
    """Count rows, and return what dumps them; None if stock must, or takes less time."""
    compiled = find_compiled(schema, DUMP, rows)
    return None if compiled is None else bound_program_of(compiled)


def own_dump(schema: Any, obj: Any, many: bool | None) -> Any:
    return schema.dump(obj) if many is None else schema.dump(obj, many=many)


def dump(schema: Any, obj: Any, many: bool | None, compiled: SchemaProgram | None = None) -> Any:
    """Return what ``Schema.dump`` returns, compiled between its hooks, be it installed or not."""
    if overrides_dump(schema) is not None:
        return own_dump(schema, obj, many)
    return dump_between_hooks(schema, obj, schema.many if many is None else bool(many), compiled)


def dump_between_hooks(
    schema: Any, obj: Any, many: bool, compiled: SchemaProgram | None = None
) -> Any:
    """``Schema.dump``, line by line, but for what is compiled between its hooks."""
    hooks = schema._hooks
    original = obj
    if hooks[PRE_DUMP]:
        obj = schema._invoke_dump_processors(PRE_DUMP, obj, many=many, original_data=original)
    result = serialize(schema, obj, many, compiled)
    if hooks[POST_DUMP]:
        result = schema._invoke_dump_processors(
            POST_DUMP, result, many=many, original_data=original
        )
    return result


def serialize(schema: Any, obj: Any, many: bool, compiled: SchemaProgram | None = None) -> Any:
    """Return what ``Schema._serialize`` returns, by generated code where that is possible."""
    if _before is not None and type(many) is bool:
        about_to_dump(schema, obj, many=many, compiled=compiled)
    if type(schema)._serialize is not STOCK_SERIALIZE or "_serialize" in schema.__dict__:
        return schema._serialize(obj, many=many)
    if type(many) is not bool:  # it may be lazy
        return STOCK_SERIALIZE(for_stock(schema, DUMP.fields, many=True), obj, many=many)
    many = many and obj is not None
    if many and type(obj) is list and not obj:
        return []
    if not is_disabled():
        if compiled is None:
            # It is not known how many rows user code makes.
            rows = 1 if not many else len(obj) if type(obj) is list else thresholds.MANY
            compiled = find_compiled(schema, DUMP, rows)
        if compiled is not None and compiled.program is not None:
            bound_program = compiled.bound_program or bind(compiled)
            return dump_by(bound_program, obj, many) if many else bound_program.dump_one(obj)
    stand_in = for_stock(schema, DUMP.fields, many=many)
    if compiled is None and stand_in is not schema:
        # Its class is not compiled yet: then what is nested in it is left to stock, too.
        result = call_disabled(STOCK_SERIALIZE, stand_in, obj, many=many)
    else:
        result = STOCK_SERIALIZE(stand_in, obj, many=many)
    recorder.stock(len(result) if many else 1)
    return result


_before: Callable[[Any, list[Any], SchemaProgram | None], object] | None = None
"""Called before objects are dumped."""


def call_before(function: Callable[[Any, list[Any], SchemaProgram | None], object]) -> None:
    """Call a function with objects that are about to be dumped, from now on."""
    global _before
    _before = function


def about_to_dump(
    schema: Any, obj: Any, *, many: bool, compiled: SchemaProgram | None = None
) -> None:
    """Tell that an object is about to be dumped, or a list of them; others come one by one."""
    if _before is not None and obj is not None and (not many or type(obj) is list):
        _before(schema, obj if many else [obj], compiled)


def dump_by(bound_program: BoundProgram, obj: Any, many: bool, form: Form = _PYTHON) -> Any:
    if many and type(obj) is not list:
        # Code of the user's that makes the rows runs before anything is looked up.
        return bound_program.new_dispatch(form).all_rows(obj)
    dispatch = bound_program.begin(form)
    result = dispatch.all_rows(obj) if many else dispatch.one_row(obj)
    dispatch.end()
    return result


def _dump_as_nested(schema: Any, field: Any, obj: Any) -> Any:
    """Dump as ``Nested._serialize``, which looks whether there are many for each value."""
    return schema.dump(obj, many=schema.many or field.many)


class _NestedFinder:
    """Finds the dispatch of a nested field's schema, as ``Nested._serialize`` dumps by it.

    :param inner: what nested schemas compile to, see :attr:`SchemaProgram.nested`
    :param is_super: whether the schema's own ``dump`` has called that of stock
    """

    def __init__(
        self,
        field: Any,
        form: Form,
        inner: dict[int, SchemaProgram] | None,
        *,
        is_super: bool = False,
    ) -> None:
        self._field = field
        self._form = form
        self._inner = inner
        self._is_super = is_super
        self._many: Any = None
        self._schema_dump: MakerSchemaDump | None = None
        self._compiler: DumpCompiler | None = None
        self._compiled: SchemaProgram | None = None
        self._dispatch: Dispatch | None = None
        self._found: Dispatcher | None = None

    def __call__(self) -> Dispatcher:
        if self._found is None or self._inner is None:
            schema = self._field.schema
            many = schema.many
            if type(many) is not bool:
                return _uniform(partial(_dump_as_nested, schema, self._field), self._form)
            many = many or self._field.many
            if (
                self._compiled is None
                or many is not self._many
                or find_nested(schema, DUMP, self._inner) is not self._compiled
            ):
                self._found = self._find(schema, many)
                return self._found
        if self._dispatch is not None:
            self._dispatch.begin()
        if self._compiler is not None:
            self._compiler.begin()
        assert self._found is not None
        return self._found

    def _own_dump(self, schema: Any, many: Any) -> Dispatcher:
        registered = None if many else registered_for(schema, "dump")
        if registered is None:
            return _uniform(partial(schema.dump, many=many), self._form)
        schema_dump = self._schema_dump
        if schema_dump is None or not schema_dump.is_of(schema, registered):
            nested: dict[int, SchemaProgram] | None = None if self._inner is None else {}
            compiler = DumpCompiler(BoundSchema(schema, [], nested), schema)
            schema_dump = self._schema_dump = MakerSchemaDump(schema, registered, compiler)
        schema_dump.begin()
        return CallDumper(schema_dump.dump, convert=_CONVERSIONS.get(self._form))

    def _find(self, schema: Any, many: Any) -> Dispatcher:
        self._compiled = self._dispatch = self._compiler = None
        if not self._is_super and overrides_dump(schema) is not None:
            return self._own_dump(schema, many)
        compiled = find_nested(schema, DUMP, self._inner)
        is_hooked = has_hooks(schema, "dump")
        form = _PYTHON if is_hooked else self._form
        if (
            compiled is None
            or compiled.program is None
            or type(schema)._serialize is not STOCK_SERIALIZE
            or (is_hooked and (many or overrides_processors(schema)))
        ):
            return _uniform(partial(dump_between_hooks, schema, many=bool(many)), self._form)
        bound_program = compiled.bound_program or bind(compiled)
        dispatch: Dispatch = bound_program.new_dispatch(form)
        # From dump to dump the same one, which is used here only.
        self._compiled, self._many, self._dispatch = compiled, many, dispatch
        convert = _CONVERSIONS.get(self._form)
        if is_hooked:
            self._compiler = DumpCompiler(bound_program.bound_schema)
            between = _between_hooks(schema, dispatch, self._compiler)
            return CallDumper(between, convert=convert)
        if not many:
            return dispatch
        return CallDumper(dispatch.many, each=dispatch, is_stock=False)


def _between_hooks(schema: Any, dispatch: Dispatch, compiler: DumpCompiler) -> Callable[[Any], Any]:
    keywords = {"many": False}
    before, after = (
        hooks_of(schema, tag, compiler, keywords, collections_first=False)
        for tag in (PRE_DUMP, POST_DUMP)
    )

    def dump(obj: Any) -> Any:
        processed = obj
        for hook in before:
            processed = hook(processed, obj)
        about_to_dump(schema, processed, many=False)
        result = dispatch[type(processed)](processed)
        for hook in after:
            result = hook(result, obj)
        return result

    return dump


class _PluckFinder:
    """Finds what dumps as ``Pluck._serialize`` does."""

    def __init__(self, field: Any, form: Form, inner: dict[int, SchemaProgram] | None) -> None:
        self._field = field
        self._form = form
        self._find = _NestedFinder(field, _PYTHON, inner)
        self._dispatch: Dispatcher | None = None
        self._found: Dispatcher | None = None

    def __call__(self) -> Dispatcher:
        dispatch = self._find()
        if self._found is None or dispatch is not self._dispatch:
            self._dispatch = dispatch
            is_stock = getattr(dispatch, "is_stock", False)
            self._found = _uniform(self._pluck, self._form, is_stock=is_stock)
        return self._found

    def _pluck(self, value: Any) -> Any:
        assert self._dispatch is not None
        dumped = self._dispatch[type(value)](value)
        if dumped is None:
            return None
        field = self._field
        key = field._field_data_key
        return utils.pluck(dumped, key=key) if field.many else dumped[key]


def _uniform(dump: Callable[[Any], Any], form: Form, *, is_stock: bool = True) -> CallDumper:
    """Return what dumps all values of a nested schema by a function that gives what stock gives."""
    return CallDumper(dump, convert=_CONVERSIONS.get(form), is_stock=is_stock)


_CONVERSIONS = {Form.JSON: json_value}
"""From what stock gives to the form of the output, where that is another."""
