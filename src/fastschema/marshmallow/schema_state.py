"""What a marshmallow schema compiles to, for dumping and for loading.

A schema is in one of the states that :mod:`fastschema.runtime.class_record` explains; each answer
of :func:`find_compiled` is kept with the schema, and the next call only finds out whether it is
still right:

Pending
    It has no ``declared_fields``, ``fields``, ``load_fields`` and ``dump_fields``, so nobody can
    have changed them. It runs the program of its exemplar. All of these use the fields that no code
    of users sees, of one schema that nobody gets; the others are cloned for each when generated
    code needs them. If no code of users sees a schema either, all of them are that one schema.
Made
    It has these attributes. Its fields are compared with those of others of its class once, and
    from then on with what they were then.
Stock
    For the next few rows nobody looks: see ``SchemaState.left_to_stock``.

A copy shares the fields of its original, as stock's does, and with them the state: it is pending as
long as nobody has looked at the fields of either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any, NamedTuple

from fastschema.compiler.nodes import UnreadableError
from fastschema.marshmallow.customization import (
    all_fields,
    count_values,
    nesting_objects,
    own_classes,
    reads_by_itself,
    unseen_schemas,
)
from fastschema.marshmallow.exemplars import Exemplar, SchemaRecord, classes_of, frozen_copy
from fastschema.marshmallow.pending import (
    DECIDING_ON_ITSELF,
    SchemaState,
    for_stock,
    make_fields,
    pending_like,
    state_of,
)
from fastschema.marshmallow.snapshots import MadeFields, SchemaSnapshot
from fastschema.runtime import thresholds
from fastschema.runtime.guard import STATE_KEY, ClassSnapshot
from fastschema.runtime.patching import MethodsOfFields, StockMethods
from fastschema.runtime.plain_values import are_same, is_a
from fastschema.runtime.programs import Description, Program, programs
from fastschema.runtime.registration import registered


class Direction(NamedTuple):
    """One of the two things that schemas do.

    :param fields: the attribute of a schema that holds the fields for it
    :param describe: from those fields and the schema to its description
    :param overrides: from a schema to why its own code does it, or None
    """

    name: str
    fields: str
    describe: Callable[[dict[str, Any], Any], Description]
    make_program: Callable[[Description], Program[Any, Any]]
    overrides: Callable[[Any], str | None]
    read_around: MethodsOfFields


class Reading:
    """What was read of the fields of a schema, and what that depends on besides them."""

    def __init__(self, classes: ClassSnapshot, methods: StockMethods) -> None:
        self._classes = classes
        self._methods_are_unchanged = methods.unchanged()
        self.nested: list[SchemaSnapshot] = []
        """The schema objects nested in it, where those are not looked at for each dump."""
        self.program: Any = None
        """The program; None if it cannot be compiled."""
        self.reason = ""
        """Why it cannot be compiled."""
        self.calls_stock = False
        """Whether the methods of all fields that are marshmallow's, nested ones too, are stock's:
        what somebody has put in the place of one sees fields."""
        self.is_tiny = False
        """Whether so few values of an object are dumped that stock takes no longer."""
        self.deciding: list[dict[str, Any]] = []
        """What the fields were like, where those of other schemas are compared with them."""

    def matches(self, deciding: list[dict[str, Any]]) -> bool:
        return are_same(deciding, self.deciding)

    def is_current(self) -> bool:
        return (
            self._methods_are_unchanged()
            and self._classes.is_current()
            and not (self.nested and not all(snapshot.is_current() for snapshot in self.nested))
        )


class KnownNested:
    """What nested schemas compile to that nobody can change: they are not looked at for each dump.

    :param runner: whose nested schemas they are; None: nobody's
    :param are_all: whether they are those of all fields, whoever has them
    """

    def __init__(self, runner: Any, *, are_all: bool = False) -> None:
        self._runner = runner
        self._are_all = are_all
        self._known: dict[int, Compiled] = {}

    def of(self, field: Any) -> dict[int, Compiled] | None:
        """Return what the schemas nested in a field compile to, by the ids of those, or None."""
        is_known = self._are_all or (self._runner is not None and field.root is self._runner)
        return self._known if is_known else None


_NONE_KNOWN = KnownNested(None)
_NO_NUMBERS: frozenset[int] = frozenset()


class Compiled:
    """What one schema object compiles to, for dumping or for loading.

    :param made: what the fields of a made schema were like; None for a pending one
    """

    def __init__(
        self, schema: Any, reading: Reading, fields: Any, made: MadeFields | None = None
    ) -> None:
        self.schema = schema
        self.cls = type(schema)
        self.reading = reading
        self.program = reading.program
        self.reason = reading.reason
        self.fields = fields
        self.made = made
        self.shared = _NO_NUMBERS
        """The numbers of those fields that all pending schemas like this one use."""
        self.is_shared = False
        """Whether all pending schemas like this one run it, and not only this one."""
        self.bound_program: Any = None
        """What the program was bound to; whoever dumps or loads sets it."""
        self._idle: dict[Any, list[Any]] | None = None
        """By their options, loads that wait for the next one."""
        self.nested = _NONE_KNOWN
        """What its nested schemas compile to."""
        self.relationships: dict[type, Any] = {}
        """By the classes of objects, what is read of those; kept by what loads relationships."""

    def is_current(self, own: dict[str, Any], state: SchemaState, name: str) -> bool:
        """Return whether a schema is what it was, and all else that this depends on."""
        if not own.keys().isdisjoint(DECIDING_ON_ITSELF):
            return False
        fields, made_fields = own.get(name), self.made
        if made_fields is None:
            assert state.shared is not None
            is_unchanged = fields is None and state.shared.made is None
        else:
            is_unchanged = fields is not None and made_fields.are_current(fields)
        return is_unchanged and self.reading.is_current()

    def idle_loads(self, partial: Any, unknown: Any) -> list[Any] | None:
        """Return the loads with some options that wait for the next one.

        None for the first load, after which a schema that a view makes may not load again (but
        makers are called once), and for an ``unknown`` that may have no hash: stock takes any.
        """
        if self._idle is None:
            self._idle = {}
            if not registered:
                return None
        if type(unknown) is not str:
            return None
        return self._idle.setdefault((partial, unknown), [])

    def is_bound_to(self, made: MadeFields) -> bool:
        """Return whether it is for the very same field objects, and those inside of them."""
        before = self.made
        return before is not None and list(map(id, before.every)) == list(map(id, made.every))


class _OwnFields(dict[int, Any]):
    """The fields of a schema by their numbers, each made when generated code needs it.

    ``common`` has those that all schemas like this one use.
    """

    def __init__(self, schema: Any, originals: list[Any], common: Compiled | None = None) -> None:
        self._schema = schema
        self._originals = originals
        self._common = common

    def __missing__(self, number: int) -> Any:
        common = self._common
        if common is not None and number in common.shared:
            field = common.fields[number]
        else:
            field = state_of(self._schema).field(self._schema, self._originals[number])
        self[number] = field
        return field


def find_compiled(
    schema: Any, direction: Direction, rows: int, *, is_inner: bool = False
) -> Compiled | None:
    """Return what a schema compiles to; it has no program if that cannot be.

    None if it is not known, and would not pay to find out yet: stock dumps or loads these rows.

    :param is_inner: whether it is nested in one that is compiled: it pays to compile it, too
    """
    fewest_rows = thresholds.fewest_rows
    if fewest_rows is not None and not is_inner and rows < fewest_rows[direction.name]:
        return None
    state = schema.__dict__.get(STATE_KEY)
    if state is None or state.owner != id(schema):
        state = state_of(schema)
    elif rows <= state.left_to_stock and not is_inner:
        state.left_to_stock -= rows
        return None
    compiled: Compiled | None = getattr(state, direction.name)
    if (
        compiled is not None
        and compiled.cls is type(schema)
        and compiled.is_current(schema.__dict__, state, direction.fields)
    ):
        if rows == 1 and compiled.reading.is_tiny and not is_inner:
            _leave_to_stock(schema, state)
            return None
        return compiled
    return _find(schema, state, direction, rows, is_inner=is_inner)


def _leave_to_stock(schema: Any, state: SchemaState) -> None:
    """Let stock dump single objects by a schema from now on."""
    make_fields(schema)
    state.leaves_dump = True


def find_nested(
    schema: Any, direction: Direction, inner: dict[int, Compiled] | None
) -> Compiled | None:
    """Return what a nested schema compiles to; None if stock dumps or loads by it."""
    if inner is None:
        return find_compiled(schema, direction, 1, is_inner=True)
    compiled = inner.get(id(schema))
    if compiled is None:
        compiled = inner[id(schema)] = read_once(schema, direction)
    return compiled


def forget(schema: Any) -> None:
    """Forget what one schema object compiles to."""
    state = state_of(schema)
    state.dump = state.load = None
    if state.exemplar is not None:
        state.exemplar.dump = state.exemplar.load = None
    SchemaRecord.of(type(schema)).made.clear()


def _find(
    schema: Any, state: SchemaState, direction: Direction, rows: int, *, is_inner: bool
) -> Compiled | None:
    attributes = schema.__dict__
    if not attributes.keys().isdisjoint(DECIDING_ON_ITSELF):
        return None  # it has methods or options of its own
    exemplar = state.exemplar
    if exemplar is not None and type(exemplar.schema) is type(schema):
        if state.is_pending(attributes, direction.fields):
            return _find_pending(schema, state, exemplar, direction, rows, is_inner=is_inner)
        make_fields(schema)  # somebody has looked at those of a copy, which are the same
    return _find_made(schema, state, direction, rows, is_inner=is_inner)


def _find_pending(
    schema: Any,
    state: SchemaState,
    exemplar: Exemplar,
    direction: Direction,
    rows: int,
    *,
    is_inner: bool,
) -> Compiled | None:
    common: Compiled | None = getattr(exemplar, direction.name)
    if common is None or not common.reading.is_current():
        common = _read_exemplar(exemplar, direction, rows, is_inner=is_inner)
    if common is None or common.program is None:
        return common
    compiled: Compiled | None = getattr(state, direction.name)
    has_same_options = exemplar.has_same_options(schema.__dict__)
    if common.is_shared and has_same_options:
        compiled = common
    elif compiled is None or compiled.reading is not common.reading:
        if rows == 1 and common.reading.is_tiny and not is_inner:
            if state.was_left:
                _leave_to_stock(schema, state)
            state.was_left = True
            return None
        originals = list(getattr(exemplar.schema, direction.fields).values())
        own_fields = _OwnFields(schema, originals, common if has_same_options else None)
        compiled = Compiled(schema, common.reading, own_fields)
        if has_same_options:
            compiled.nested = common.nested
    setattr(state, direction.name, compiled)
    return compiled


def _read_exemplar(
    exemplar: Exemplar, direction: Direction, rows: int, *, is_inner: bool
) -> Compiled | None:
    schema = exemplar.schema
    is_in_use = SchemaRecord.of(type(schema)).count(rows, exemplar.arguments)
    if not (is_in_use or is_inner) or exemplar.is_being_read:
        return None
    exemplar.is_being_read = True  # other threads run stock meanwhile
    try:
        cls, fields = type(schema), getattr(schema, direction.fields)
        unseen = {
            number: nested
            for number, field in enumerate(fields.values())
            if (nested := unseen_schemas(field, cls, direction.name)) is not None
        }
        reading = _read(schema, fields, direction, chain(*unseen.values()))
        runner = pending_like(exemplar)
        compiled = Compiled(runner, reading, _OwnFields(runner, list(fields.values())))
        compiled.nested = KnownNested(runner)
        if reading.program is not None and reading.calls_stock:
            nodes = reading.program.node.fields
            compiled.shared = frozenset(
                number
                for number, nested in unseen.items()
                if nodes[number].reason is None and _can_be_nested(nested, compiled.fields, number)
            )
        are_unseen = len(compiled.shared) == len(fields)
        compiled.is_shared = are_unseen and not reads_by_itself(cls, direction.name)
        setattr(exemplar, direction.name, compiled)
        return compiled
    finally:
        exemplar.is_being_read = False


def _can_be_nested(nested: list[Any], fields: dict[int, Any], number: int) -> bool:
    """Return whether the schema objects that a field nests can be copied, which is done here."""
    if all(is_a(nested_schema, type) for nested_schema in nested):
        return True
    try:
        for nesting in nesting_objects(fields[number]):
            _ = nesting.schema
    except Exception:
        return False  # stock raises it for each schema once
    return True


def _find_made(
    schema: Any, state: SchemaState, direction: Direction, rows: int, *, is_inner: bool
) -> Compiled | None:
    before: Compiled | None = getattr(state, direction.name)
    if before is None and not is_inner and rows <= state.left_to_stock:
        state.left_to_stock -= rows
        return None
    record = SchemaRecord.of(type(schema))
    fields = getattr(schema, direction.fields)
    if direction.name == "load" and rows == 1 and not is_inner:
        fewest = thresholds.values_worth_comparing["load"]
        if _count_values(schema, fields, "load") < fewest:
            state.leaves_load = True
            return None
    # marshmallow 3 makes other dictionaries where a schema is ordered.
    names = (*fields, schema.__dict__.get("ordered"))
    if not (record.count(rows, names) or is_inner) or not record.refresh():
        return None
    made_fields = MadeFields(fields, direction.name)
    deciding = made_fields.deciding()

    def compile() -> Reading:
        reading = _read(schema, fields, direction)
        reading.deciding = deciding
        return reading

    reading = record.made_programs(direction.name).find(
        names,
        deciding,
        compile,
        is_worth_reading=is_inner or thresholds.is_worth_compiling(rows),
    )
    if reading is None:
        setattr(state, direction.name, None)
        state.left_to_stock = thresholds.rows_worth_reading - 1
        return None
    if (
        before is not None
        and before.reading is reading
        and before.is_bound_to(made_fields)
        and not registered  # a maker may have read what has changed
    ):
        # Something else has changed: what a field of users keeps for itself, say.
        before.made = made_fields
        return before
    compiled = Compiled(schema, reading, list(fields.values()), made_fields)
    setattr(state, direction.name, compiled)
    state.left_to_stock = 0
    return compiled


def leave_if_small(schema: Any, dumped: Any) -> None:
    """Leave single objects to stock for good if to compare fields first would take longer.

    :param schema: a schema
    :param dumped: what stock has made of an object
    """
    state = schema._fastschema  # guard.STATE_KEY
    if state is None or state.left_to_stock or "dump_fields" not in schema.__dict__:
        return
    if type(dumped) is dict:
        lists = [value for value in dumped.values() if type(value) is list]
        values = sum(len(each) if type(each) is dict else 1 for each in chain(*lists))
        state_of(schema).leaves_dump = values < thresholds.values_worth_comparing["dump"]


def _count_values(schema: Any, fields: dict[str, Any], direction: str) -> int:
    return sum(count_values(field, type(schema), direction) for field in fields.values())


def read_once(schema: Any, direction: Direction) -> Compiled:
    """Read a schema for a plan, which does not see later changes."""
    fields = getattr(for_stock(schema, direction.fields), direction.fields)
    reading = _read(schema, fields, direction)
    own_fields = list(fields.values())
    if reading.program is not None:
        # Fields with methods of their own stay: these are asked as they are.
        own_fields = [
            field if node.reason is not None else frozen_copy(field)
            for node, field in zip(reading.program.node.fields, own_fields, strict=True)
        ]
    compiled = Compiled(schema, reading, own_fields)
    compiled.nested = KnownNested(None, are_all=True)
    return compiled


def _read(
    schema: Any, fields: dict[str, Any], direction: Direction, nested: Iterable[Any] = ()
) -> Reading:
    """Read the fields of a schema, and what they nest where that is not looked at each time."""
    classes = ClassSnapshot(own_classes(type(schema), fields.values()))
    field_classes = set(map(type, all_fields(fields.values())))
    schemas = {id(nested_schema): nested_schema for nested_schema in nested}.values()
    nested_classes: set[Any] = {
        nested_schema if is_a(nested_schema, type) else type(nested_schema)
        for nested_schema in schemas
    }
    for cls in nested_classes:
        classes.add_all(classes_of(cls, cls._declared_fields.values()))
        field_classes |= set(map(type, all_fields(cls._declared_fields.values())))
    reading = Reading(classes, direction.read_around.of(field_classes))
    reading.calls_stock = not any(map(direction.read_around.reason, field_classes))
    reading.nested = [
        SchemaSnapshot(nested_schema) for nested_schema in schemas if not is_a(nested_schema, type)
    ]
    try:
        description = direction.describe(fields, schema)
        reading.program = programs.get(description, lambda: direction.make_program(description))
        if direction.name == "dump":
            values = _count_values(schema, fields, "dump")
            reading.is_tiny = values < thresholds.values_worth_a_look
    except UnreadableError as error:
        reading.reason = str(error)
    except Exception as error:
        reading.reason = f"it cannot be read: {error}"
    return reading
