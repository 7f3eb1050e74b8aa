"""What a marshmallow schema compiles to, for dumping and for loading.

A schema object is in one of three states, which :func:`find_compiled` tells apart:

Pending
    It has no ``declared_fields``, ``fields``, ``load_fields`` and ``dump_fields``, so nobody can
    have changed them. It runs the program of its exemplar. If no code of users sees a schema or a
    field, all pending schemas of the exemplar run it by one schema that nobody gets; otherwise each
    has fields of its own, every one cloned when generated code needs it.
Made
    Somebody has looked at one of the four attributes. All of them were made
    (:func:`~fastschema.marshmallow.pending.make_fields`), and a snapshot was taken. As long as the
    fields are like the snapshot, the schema runs the program of its exemplar with its own fields.
Changed
    Its fields are not like the snapshot, or it never had an exemplar: stock made them. It is read
    by itself, when that pays, and again when its fields differ from what they were then.

No schema goes back. A copy shares the fields of its original, as stock's does, and with them the
state: it is pending as long as nobody has looked at the fields of either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, NamedTuple

from fastschema.compiler.nodes import UnreadableError
from fastschema.marshmallow.customization import all_fields
from fastschema.marshmallow.exemplars import Exemplar, classes_of, frozen_copy
from fastschema.marshmallow.pending import (
    DECIDING_ON_ITSELF,
    SchemaState,
    fields_of,
    make_fields,
    pending_like,
    state_of,
)
from fastschema.marshmallow.shared_fields import FieldsSnapshot
from fastschema.runtime import thresholds
from fastschema.runtime.guard import STATE_KEY, ClassSnapshot
from fastschema.runtime.patching import MethodsOfFields, StockMethods
from fastschema.runtime.programs import Description, Program, programs


class Direction(NamedTuple):
    """One of the two things that schemas do.

    :param name: "dump" or "load"
    :param fields: the attribute of a schema that holds the fields for it
    :param describe: from those fields and the schema to its description
    :param make_program: from that to the program
    :param overrides: from a schema to why its own code does it, or None
    :param values_of: from the node of a field to roughly how many values it takes
    :param read_around: the methods that generated code reads around
    """

    name: str
    fields: str
    describe: Callable[[dict[str, Any], Any], Description]
    make_program: Callable[[Description], Program[Any, Any]]
    overrides: Callable[[Any], str | None]
    values_of: Callable[[Any], int]
    read_around: MethodsOfFields


class Compiled:
    """What one schema object compiles to, for dumping or for loading.

    :param schema: the schema
    :param program: its program; None if it cannot be compiled
    :param reason: why it cannot be compiled, or ""
    :param fields: its fields by their numbers
    :param methods: the methods that its generated code reads around
    """

    def __init__(
        self, schema: Any, program: Any, reason: str, fields: Any, methods: StockMethods
    ) -> None:
        self.schema = schema
        self.program = program
        self.reason = reason
        self.fields = fields
        self.methods = methods
        self._methods_then = methods.now()
        self.seen: tuple[FieldsSnapshot, ClassSnapshot] | None = None
        """For a schema that was read by itself, its fields and the classes of users then."""
        self.values = 0
        """Roughly how many values it takes for each row; nested objects count for several."""
        self.bindings = 0
        """How often its fields were bound by then, if they are shared with copies."""
        self.is_shared = False
        """Whether all schemas like this one run it, and not only this one."""
        self.bound_program: Any = None
        """What the program was bound to; whoever dumps or loads sets it."""
        self.idle: defaultdict[Any, list[Any]] = defaultdict(list)
        """By their options, loads that wait for the next one."""
        self.inner: dict[int, Compiled] | None = None
        """What nested schemas compile to, by the ids of those, if nobody can change them; else
        None: they are looked at for each dump."""

    def is_current(self) -> bool:
        """Return whether nobody has replaced a method of marshmallow since it was compiled."""
        return self.methods.are(self._methods_then)


class _OwnFields(dict[int, Any]):
    """The fields of a schema by their numbers, each made when generated code needs it.

    :param schema: the schema
    :param state: its state
    :param originals: the fields of its exemplar
    """

    def __init__(self, schema: Any, state: SchemaState, originals: list[Any]) -> None:
        self._schema = schema
        self._state = state
        self._originals = originals

    def __missing__(self, number: int) -> Any:
        field = self[number] = self._state.field(self._schema, self._originals[number])
        return field


def find_compiled(
    schema: Any, direction: Direction, rows: int, *, is_inner: bool = False
) -> Compiled | None:
    """Count rows, and return what their schema compiles to; it has no program if that cannot be.

    None if it is not known, and would not pay to find out yet: stock dumps or loads these rows.

    :param rows: how many rows are to be dumped or loaded
    :param is_inner: whether it is nested in one that is compiled: it pays to compile it, too
    """
    fewest_rows = thresholds.fewest_rows
    if fewest_rows is not None and not is_inner and rows < fewest_rows[direction.name]:
        return None
    own = schema.__dict__
    state = own.get(STATE_KEY)
    if type(state) is not SchemaState or state.owner != id(schema):
        state = state_of(schema)
    exemplar = state.exemplar
    if (
        exemplar is None
        or type(schema) is not type(exemplar.schema)
        or not own.keys().isdisjoint(DECIDING_ON_ITSELF)
    ):
        return _of_changed(schema, state, direction, rows, is_inner=is_inner)
    is_pending = state.is_pending(own, direction.fields)
    if not is_pending and direction.fields not in own:
        make_fields(schema)  # somebody has looked at those of a copy, which are the same
    if not is_pending and not state.is_unchanged(own, direction.fields):
        return _of_changed(schema, state, direction, rows, is_inner=is_inner)
    common = _of_exemplar(exemplar, direction, rows, is_inner=is_inner)
    if common is None or common.program is None:
        return common
    if not (is_pending or is_inner) and _leave_to_stock(state, direction, rows, common):
        return None
    if is_pending and common.is_shared and exemplar.has_same_options(own):
        return common
    return _with_own_fields(schema, state, direction, common)


def find_nested(
    schema: Any, direction: Direction, inner: dict[int, Compiled] | None
) -> Compiled | None:
    """Return what a nested schema compiles to; None if stock dumps or loads by it.

    :param inner: that of what its outer schema compiles to
    """
    if inner is None:
        return find_compiled(schema, direction, 1, is_inner=True)
    compiled = inner.get(id(schema))
    if compiled is None or not compiled.is_current():
        compiled = inner[id(schema)] = read_once(schema, direction)
    return compiled


def _leave_to_stock(
    state: SchemaState, direction: Direction, rows: int, compiled: Compiled
) -> bool:
    """Return whether so few values are not worth a look at fields that were made.

    If so, the state keeps that, and ``Schema.dump`` does not come here again for so few rows.
    """
    are_few = rows * compiled.values < thresholds.values_worth_comparing[direction.name]
    if are_few and direction.name == "dump":
        state.stock_up_to = max(rows, state.stock_up_to)
    return are_few


def forget(schema: Any) -> None:
    """Forget what one schema object compiles to."""
    state = state_of(schema)
    state.forget()
    if state.exemplar is not None:
        state.exemplar.forget()


def _of_exemplar(
    exemplar: Exemplar, direction: Direction, rows: int, *, is_inner: bool
) -> Compiled | None:
    """Return what all schemas like an exemplar compile to, if it is known or pays."""
    known: Compiled | None = getattr(exemplar, direction.name)
    if not (exemplar.is_current() and (known is None or known.is_current())):
        exemplar.forget()
        known = None
    if known is not None:
        return known
    objects = exemplar.objects = exemplar.objects + rows
    if not (is_inner or thresholds.is_worth_compiling(objects)):
        return None
    exemplar.objects = 0  # other threads run stock until it is read
    schema, classes = exemplar.schema, exemplar.classes
    fields = getattr(schema, direction.fields)
    compiled = _read(schema, fields, direction)
    program = compiled.program
    if program is not None and not program.stock_fields and exemplar.watch_nested(direction.name):
        runner = compiled.schema = pending_like(exemplar)
        compiled.fields = _OwnFields(runner, state_of(runner), list(fields.values()))
        compiled.is_shared = True
        compiled.inner = {}  # nobody gets the schemas nested in that one either
    exemplar.objects = objects
    if exemplar.classes is classes:  # it was not forgotten meanwhile
        setattr(exemplar, direction.name, compiled)
    return compiled


def _with_own_fields(
    schema: Any, state: SchemaState, direction: Direction, common: Compiled
) -> Compiled:
    """Return what one schema, with fields like those of its exemplar, compiles to.

    :param common: what all of them compile to
    """
    known: Compiled | None = getattr(state, direction.name)
    assert state.exemplar is not None
    assert state.shared is not None
    bindings = state.shared.bindings
    if known is None or known.program is not common.program or known.bindings != bindings:
        originals = list(getattr(state.exemplar.schema, direction.fields).values())
        fields = _OwnFields(schema, state, originals)
        known = Compiled(schema, common.program, "", fields, common.methods)
        known.values = common.values
        known.bindings = bindings
        setattr(state, direction.name, known)
    return known


def _of_changed(
    schema: Any, state: SchemaState, direction: Direction, rows: int, *, is_inner: bool
) -> Compiled | None:
    """Return what a schema with fields like no other compiles to, if it is known or pays."""
    known: Compiled | None = getattr(state, direction.name)
    fields = getattr(schema, direction.fields)
    own = schema.__dict__
    if known is not None:
        if not is_inner and _leave_to_stock(state, direction, rows, known):
            return None
        if known.seen is not None and own.keys().isdisjoint(DECIDING_ON_ITSELF):
            seen, classes = known.seen
            is_unchanged = seen.is_current({direction.fields: fields}) and classes.is_current()
            if is_unchanged and known.is_current():
                return known
        setattr(state, direction.name, None)
        state.rows = 0
    state.rows += rows
    if not thresholds.is_worth_compiling(state.rows):
        return None
    known = _read(schema, fields, direction)
    known.seen = FieldsSnapshot({direction.fields: fields}), classes_of(type(schema), fields)
    setattr(state, direction.name, known)
    return known


def read_once(schema: Any, direction: Direction) -> Compiled:
    """Read a schema for a plan, which does not see later changes."""
    compiled = _read(schema, fields_of(schema, direction.fields), direction)
    compiled.inner = {}
    if compiled.program is not None:
        # Fields with methods of their own stay: these are asked as they are.
        compiled.fields = [
            field if node.reason is not None else frozen_copy(field)
            for node, field in zip(compiled.program.node.fields, compiled.fields, strict=True)
        ]
    return compiled


def _read(schema: Any, fields: dict[str, Any], direction: Direction) -> Compiled:
    program, reason = None, ""
    methods = direction.read_around.of(set(map(type, all_fields(fields.values()))))
    try:
        description = direction.describe(fields, schema)
        program = programs.get(description, lambda: direction.make_program(description))
    except UnreadableError as error:
        reason = str(error)
    except Exception as error:
        reason = f"it cannot be read: {error}"
    compiled = Compiled(schema, program, reason, list(fields.values()), methods)
    if program is not None:
        compiled.values = sum(map(direction.values_of, program.node.fields))
    return compiled
