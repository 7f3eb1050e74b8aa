"""Dump by marshmallow schemas, to Python and to text: what stock does around generated code."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from io import StringIO
from itertools import islice
from math import isfinite
from typing import Any

from marshmallow import Schema, missing, utils
from marshmallow.decorators import POST_DUMP, PRE_DUMP

from fastschema.compiler.nodes import Form
from fastschema.compiler.text_code import is_written, quote
from fastschema.marshmallow.customization import has_hooks
from fastschema.marshmallow.fields import json_value
from fastschema.marshmallow.pending import for_stock
from fastschema.marshmallow.schema_reader import describe_dump, make_dump_program
from fastschema.marshmallow.schema_state import (
    Compiled,
    Direction,
    find_compiled,
    find_nested,
)
from fastschema.runtime import thresholds
from fastschema.runtime.bound_program import (
    BoundProgram,
    CallDumper,
    Dispatch,
    Dispatcher,
    NestedDumper,
)
from fastschema.runtime.encode import CHUNK_SIZE
from fastschema.runtime.json_engine import orjson
from fastschema.runtime.patching import overridden, stock_method
from fastschema.statistics import recorder, stock_row
from fastschema.switch import is_disabled

_MARK = "\0"
"""Stands around the number of a value that is to be written later; no JSON text has it."""
_MOST_BITS = 2048
"""Less than ``sys.set_int_max_str_digits`` may be set to: Python refuses to write longer ones."""


class StockText:
    """A text in the making, and the values that are written when all rows are dumped.

    Stock writes when everything is dumped. A list or a dictionary may change until then, and what
    ``json.dumps`` refuses raises nothing before. So such values wait.

    :param missing: the object that stands for "no value", which has no text
    """

    def __init__(self, missing: object) -> None:
        self._missing = missing
        self._waiting: list[Any] = []
        self._text = StringIO()  # a list of all texts would be in memory beside their sum

    def written(self, value: Any) -> Any:
        """Return the text of a value, or what stands for it; the missing object stays."""
        cls = type(value)
        if cls is str:
            return quote(value)
        if value is None:
            return "null"
        if cls is int and int.bit_length(value) < _MOST_BITS:
            return str(value)
        if cls is bool:
            return "true" if value else "false"
        if cls is float:
            return repr(value) if isfinite(value) else json.dumps(value)
        if value is self._missing:
            return value
        return self._later(value)

    def _later(self, value: Any) -> str:
        """Return what stands for a value until all rows are dumped."""
        self._waiting.append(value)
        return f"{_MARK}{len(self._waiting) - 1}{_MARK}"

    def array(self, texts: list[Any]) -> str:
        """Return the text of an array inside of the one that is written.

        :param texts: those of its members; None for null
        """
        try:
            return f"[{', '.join(texts)}]"
        except TypeError:
            # What else there may be is the missing object, which json.dumps refuses in the end.
            members = [
                "null" if text is None else text if type(text) is str else self._later(text)
                for text in texts
            ]
            return f"[{', '.join(members)}]"

    def add(self, texts: list[str]) -> None:
        """Add members of the array that is written."""
        self._text.write(", " if self._text.tell() else "[")
        self._text.write(", ".join(texts))

    def finished(self) -> str:
        """Return the whole array.

        :raises Exception: what ``json.dumps`` raises
        """
        self._text.write("]" if self._text.tell() else "[]")
        text = self._text.getvalue()
        if not self._waiting:
            return text
        pieces = text.split(_MARK)
        pieces[1::2] = [json.dumps(self._waiting[int(number)]) for number in pieces[1::2]]
        return "".join(pieces)


STOCK_DUMP = stock_method(Schema, "dump")
STOCK_SERIALIZE = stock_method(Schema, "_serialize")
_METHODS = {"_serialize": STOCK_SERIALIZE, "dump": STOCK_DUMP}
_PYTHON = Form.PYTHON


class BoundSchema:
    """What the slots of a program resolve from: one schema's own objects.

    :param schema: the schema
    :param fields: its fields in the order of dumping
    :param inner: as for what it compiles to, which refers to this object
    :param text: what is written, where the rows of one dump become text; else None
    """

    def __init__(
        self,
        schema: Any,
        fields: list[Any],
        inner: dict[int, Compiled] | None,
        text: StockText | None = None,
    ) -> None:
        self.schema = schema
        self.fields = fields
        self._inner = inner
        self.text = text

    def writing(self, text: StockText) -> BoundSchema:
        """Return the same for a dump that becomes text."""
        return BoundSchema(self.schema, self.fields, self._inner, text)

    def link(self, field: Any, form: Form) -> NestedDumper:
        """Return the link to the schema of a nested field."""
        find = _NestedFinder(field, form, self._inner, self._text_of(form))
        return NestedDumper(find, find.release)

    def pluck(self, field: Any, form: Form) -> NestedDumper:
        """Return the link to the schema of a ``Pluck`` field, from which one value is taken."""
        find = _NestedFinder(field, _PYTHON, self._inner, None)
        return NestedDumper(
            partial(_pluck_dispatch, field, form, find, self._text_of(form)), find.release
        )

    def _text_of(self, form: Form) -> StockText | None:
        return self.text if form is Form.TEXT else None


def overrides_dump(schema: Any) -> str | None:
    """Return why a schema's own code dumps instead of stock's, or None."""
    return overridden(schema, _METHODS)


DUMP = Direction("dump", "dump_fields", describe_dump, make_dump_program, overrides_dump)


def binding_of(compiled: Compiled) -> BoundProgram | None:
    """Return what a program is bound to; None if there is no program."""
    if compiled.binding is None and compiled.program is not None:
        bound = BoundSchema(compiled.schema, compiled.fields, compiled.inner)
        compiled.binding = BoundProgram(compiled.program, bound)
    binding: BoundProgram | None = compiled.binding
    return binding


def find_binding(schema: Any, rows: int) -> BoundProgram | None:
    """Return what dumps by a schema, if that is known or if it pays to find out; None if stock
    must.

    :param rows: how many rows are to be dumped
    """
    compiled = find_compiled(schema, DUMP, rows)
    return None if compiled is None else binding_of(compiled)


def own_dump(schema: Any, obj: Any, many: bool | None) -> Any:
    """Return what the schema's own ``dump`` returns."""
    return schema.dump(obj) if many is None else schema.dump(obj, many=many)


def dump(schema: Any, obj: Any, many: bool | None, compiled: Compiled | None = None) -> Any:
    """Return what ``Schema.dump`` returns, compiled between its hooks, be it installed or not.

    :param compiled: that of a plan
    """
    if overrides_dump(schema) is not None:
        return own_dump(schema, obj, many)
    many = schema.many if many is None else bool(many)
    processed = obj
    if schema._hooks.get(PRE_DUMP):
        processed = schema._invoke_dump_processors(PRE_DUMP, obj, many=many, original_data=obj)
    result = serialize(schema, processed, many, compiled)
    if schema._hooks.get(POST_DUMP):
        result = schema._invoke_dump_processors(POST_DUMP, result, many=many, original_data=obj)
    return result


def serialize(schema: Any, obj: Any, many: bool, compiled: Compiled | None = None) -> Any:
    """Return what ``Schema._serialize`` returns, by generated code where the schema can be
    compiled.

    :param compiled: that of a plan
    """
    if type(schema)._serialize is not STOCK_SERIALIZE or "_serialize" in schema.__dict__:
        return schema._serialize(obj, many=many)
    if not is_disabled():
        many = many and obj is not None
        if compiled is not None:
            binding = binding_of(compiled)
        else:
            # Of rows that user code makes nobody knows how many there are.
            rows = 1 if not many else len(obj) if type(obj) is list else thresholds.MANY
            binding = find_binding(schema, rows)
        if binding is not None:
            return dump_by(binding, obj, many)
    result = STOCK_SERIALIZE(for_stock(schema, DUMP.fields), obj, many=many)
    if many and obj is not None:
        recorder.stock(len(result))
    else:
        stock_row()
    return result


def dump_by(binding: BoundProgram, obj: Any, many: bool) -> Any:
    """Return what a schema's program makes of an object, or of each of several."""
    if many and type(obj) is not list:
        # Code of the user's that makes the rows runs before anything is looked up.
        return binding.new_dispatch(_PYTHON).all_rows(obj)
    dispatch = binding.begin(_PYTHON)
    result = dispatch.all_rows(obj) if many else dispatch.one_row(obj)
    dispatch.end()
    return result


class _NestedFinder:
    """Finds the dispatch of a nested field's schema, as ``Nested._serialize`` dumps by it.

    :param field: the field
    :param form: the form of the output
    :param inner: as for :class:`BoundSchema`
    :param text: likewise
    """

    def __init__(
        self, field: Any, form: Form, inner: dict[int, Compiled] | None, text: StockText | None
    ) -> None:
        self._field = field
        self._form = form
        self._inner = inner
        self._text = text
        self._many: Any = None
        self._compiled: Compiled | None = None
        self._dispatch: Dispatch | None = None
        self._found: Dispatcher | None = None

    def __call__(self) -> Dispatcher:
        """Return what dumps the values of this dump.

        :raises Exception: what stock raises where the schema cannot be found
        """
        if self._found is not None and self._inner is not None:
            compiled = self._compiled
        else:
            schema = self._field.schema
            many = schema.many or self._field.many
            if overrides_dump(schema) is not None:
                self._compiled = self._dispatch = None
                return _uniform(partial(schema.dump, many=many), self._form, self._text)
            compiled = find_nested(schema, DUMP, self._inner)
            if compiled is None or compiled is not self._compiled or many is not self._many:
                self._found = self._find(schema, many, compiled)
                return self._found
        if compiled is not None and self._dispatch is not None:
            self._dispatch.begin_again()
        assert self._found is not None
        return self._found

    def release(self) -> None:
        """Let go of the classes of rows."""
        if self._dispatch is not None:
            self._dispatch.release()

    def _find(self, schema: Any, many: Any, compiled: Compiled | None) -> Dispatcher:
        self._compiled = self._dispatch = None
        if compiled is None or compiled.program is None or has_hooks(schema, "dump"):
            return _uniform(partial(dump, schema, many=many), self._form, self._text)
        binding = binding_of(compiled)
        assert binding is not None
        if self._text is None:
            dispatch = binding.new_dispatch(self._form)
        elif is_written(binding.program.node):
            dispatch = text_dispatch(binding, self._text)
        else:
            return _uniform(partial(dump, schema, many=many), self._form, self._text)
        # From dump to dump the same one, which nobody else uses.
        self._compiled, self._many, self._dispatch = compiled, many, dispatch
        if not many:
            return dispatch
        convert = None if self._text is None else self._text.array
        return CallDumper(dispatch.many, each=dispatch, convert=convert, is_stock=False)


def text_dispatch(binding: BoundProgram, text: StockText) -> Dispatch:
    """Return what writes objects into a text; its program's node has to be one that is written."""
    return Dispatch(binding.program, Form.TEXT, binding.bound_schema.writing(text))


def _uniform(
    dump: Callable[[Any], Any], form: Form, text: StockText | None, *, is_stock: bool = True
) -> CallDumper:
    """Return what dumps all values by a function that gives what stock gives.

    :param text: as for :class:`BoundSchema`
    :param is_stock: as for :class:`CallDumper`
    """
    convert = None if text is None else text.written
    return CallDumper(dump, convert=json_value if form is Form.JSON else convert, is_stock=is_stock)


def _pluck_dispatch(
    field: Any, form: Form, find: Callable[[], Dispatcher], text: StockText | None
) -> Dispatcher:
    """Return what dumps as ``Pluck._serialize`` does.

    :param find: finds the dispatch of the field's schema, for data as stock gives them
    :param text: as for :class:`BoundSchema`
    """
    dispatch = find()

    def pluck(value: Any) -> Any:
        dumped = dispatch[type(value)](value)
        if dumped is None:
            return None
        key = field._field_data_key
        return utils.pluck(dumped, key=key) if field.many else dumped[key]

    return _uniform(pluck, form, text, is_stock=getattr(dispatch, "is_stock", False))


STOCK_DUMPS = stock_method(Schema, "dumps")
_JSON_DUMPS = json.dumps
_JSON_ENCODER = vars(json)["_default_encoder"]


def dumps(schema: Any, obj: Any, many: bool | None) -> str | None:
    """Return what ``Schema.dumps`` returns for rows, without further arguments.

    :param obj: the rows
    :param many: as for ``Schema.dumps``
    :returns: None if stock writes what ``Schema.dump`` returns
    :raises Exception: what stock raises
    """
    is_collection = schema.many if many is None else many is True
    if not is_collection or obj is None or not _writes_as_stock(schema):
        return None
    rows = len(obj) if type(obj) is list else thresholds.MANY
    if rows < thresholds.rows_worth_writing:
        return None
    binding = find_binding(schema, rows)
    if binding is None or not is_written(binding.program.node):
        return None
    text = StockText(missing)
    dispatch = text_dispatch(binding, text)
    if type(obj) is not list:
        text.add(dispatch.all_rows(obj))
        return text.finished()
    each_row = iter(obj)
    while texts := dispatch.all_rows(islice(each_row, CHUNK_SIZE)):
        text.add(texts)
    return text.finished()


def _writes_as_stock(schema: Any) -> bool:
    """Return whether ``json.dumps`` writes what stock's own code dumps."""
    return (
        orjson is not None
        and not is_disabled()
        and schema.opts.render_module is json
        and json.dumps is _JSON_DUMPS
        and vars(json)["_default_encoder"] is _JSON_ENCODER
        and overrides_dump(schema) is None
        and not has_hooks(schema, "dump")
    )
