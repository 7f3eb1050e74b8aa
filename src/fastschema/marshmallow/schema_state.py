"""What a marshmallow schema reads as, kept on the schema, and on its class.

A schema is *fresh* if its fields are copies of those that its class declares, bound by marshmallow
alone. Fresh schemas of one class with the same names of fields read alike, so that only the first
of them is read (:class:`ClassReadings`). Any other schema is read by itself, when that pays.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from marshmallow import Schema

from fastschema.compiler.nodes import UnreadableError
from fastschema.marshmallow.construction import bind_fields, is_made_plainly
from fastschema.runtime import policy
from fastschema.runtime.descriptions import Description
from fastschema.runtime.guard import ATTRIBUTE, CLASS_ATTRIBUTE, Guard, State, readings
from fastschema.runtime.inspection import Inspection
from fastschema.runtime.programs import Program, programs
from fastschema.runtime.stock import stock_method
from fastschema.switch import is_disabled

STOCK_INIT_FIELDS: Any = stock_method(Schema, "_init_fields")

# So that a schema of which nothing is known says so at the price of any attribute.
setattr(Schema, ATTRIBUTE, None)

_MOST_READINGS = 32
_MOST_TRIES = 4
"""Schemas of which so many were read, since others like them were not alike, run as stock."""
_get_attribute: Any = object.__getattribute__
_OWN_METHODS = frozenset(["get_attribute", "dict_class", "_call_and_store", "TYPE_MAPPING"])
"""What a schema object may have of its own, and what it then reads as."""


class Side(NamedTuple):
    """One of the two things that schemas do.

    :param name: "dump" or "load"
    :param fields: the attribute of a schema that holds the fields for it
    :param describe: from a schema and a look at it to its description
    :param make_program: from that to the program
    """

    name: str
    fields: str
    describe: Callable[[Any, Inspection], Description]
    make_program: Callable[[Description], Program[Any, Any]]


class Reading:
    """What one schema object reads as, for dumping or for loading.

    :param schema: the schema
    :param program: its program; None if it cannot be compiled
    :param reason: why it cannot be compiled, or ""
    :param fields: its fields by name, in order
    :param guard: what the reading relies on; None if it is for a plan, and stays as it is
    :param side: whether it is for dumping or for loading
    """

    __slots__ = (
        "_guard",
        "_ordered",
        "_own",
        "_side",
        "binding",
        "fields",
        "inner",
        "least_rows",
        "names",
        "program",
        "reason",
        "schema",
    )

    def __init__(
        self,
        schema: Any,
        program: Any,
        reason: str,
        fields: dict[str, Any],
        guard: Guard | None,
        side: Side,
    ) -> None:
        self.schema = schema
        self.program = program
        self.reason = reason
        self.names = list(fields)
        self.fields = list(fields.values())
        self.binding: Any = None
        """What the program was bound to; whoever dumps sets it."""
        self.inner: dict[int, Reading] = {}
        """For a plan, what nested schemas read as, by the ids of those."""
        self.least_rows = 1 if program is None else policy.least_rows(program.node)
        """For fewer rows it does not pay to compare the reading."""
        self._guard = guard
        self._side = side
        self._own = schema.__dict__
        self._ordered = self._own.get("ordered")

    def holds(self) -> bool:
        """Whether another reading would be the same."""
        if self._guard is None:
            return True
        if not self._own.keys().isdisjoint(_OWN_METHODS):
            return False
        if self._own.get("ordered") is not self._ordered:
            return False
        fields = getattr(self.schema, self._side.fields)
        guard = self._guard
        return (
            list(fields.values()) == self.fields
            and list(fields) == self.names
            and guard.objects_hold()
            and guard.classes_hold()
            and guard.fields_hold(self.fields)
        )

    @property
    def is_frozen(self) -> bool:
        """Whether it belongs to a plan."""
        return self._guard is None

    def without_changes(self, copy_field: Callable[[Any], Any]) -> None:
        """Let later changes to compiled fields pass unseen; those with methods of their own stay.

        :param copy_field: copies a field
        """
        if self.program is None:
            return
        self.fields = [
            field if node.reason is not None else copy_field(field)
            for node, field in zip(self.program.node.fields, self.fields, strict=True)
        ]


class SchemaState(State):
    """What is known of one schema object.

    :param schema: the schema
    :param made: its fields by name, as they were when it was new; None if it is not known, or if
        they are not what the class declares
    :param is_plain: whether they are known to be what it declares
    """

    __slots__ = ("dump", "generation", "is_plain", "load", "made", "rows", "schema", "stock_below")

    def __init__(
        self, schema: Any, made: dict[str, Any] | None = None, *, is_plain: bool = False
    ) -> None:
        self.schema = schema
        self.made = made
        self.is_plain = is_plain
        self.rows = 0
        """How many rows were dumped or loaded before the schema was read."""
        self.dump: Reading | None = None
        self.stock_below = 0 if made is None else policy.least_rows_to_bind(len(made))
        """Dumps of fewer rows are known to be too small to pay."""
        self.load: Reading | None = None
        self.generation = readings.current


def init_fields(self: Any) -> None:
    """``Schema._init_fields``; the schema then knows that its fields are new."""
    own = _get_attribute(self, "__dict__")
    is_first = not own.get("fields")
    if is_disabled() or not is_first:
        STOCK_INIT_FIELDS(self)
        return
    is_plain = bind_fields(self)
    if not is_plain:
        STOCK_INIT_FIELDS(self)
    made = own.get("fields")
    if type(made) is dict:
        own[ATTRIBUTE] = SchemaState(self, made.copy(), is_plain=is_plain)


def state_of(schema: Any) -> SchemaState:
    """The state of a schema, made if there is none."""
    own = schema.__dict__
    state = own.get(ATTRIBUTE)
    # A copy of a schema has the state of the original.
    if (
        type(state) is SchemaState
        and state.schema is schema
        and state.generation is readings.current
    ):
        return state
    state = own[ATTRIBUTE] = SchemaState(schema)
    return state


def find_reading(
    schema: Any, side: Side, rows: int, *, is_inner: bool = False, counts: bool = True
) -> Reading | None:
    """What a schema reads as, if that is known, or if it pays to find out; else None.

    :param rows: how many rows are to be dumped or loaded
    :param is_inner: whether it is nested in one that was read: it pays to read its class, too
    :param counts: whether these rows count when it is asked for the next ones
    """
    state = state_of(schema)
    if not is_inner and policy.are_too_few(side.name, rows):
        return None
    reading: Reading | None = getattr(state, side.name)
    if reading is not None:
        if rows < reading.least_rows and not is_inner:
            if side.name == "dump":
                state.stock_below = reading.least_rows
            return None
        return reading if reading.holds() else read(schema, side, state)
    total = state.rows + rows
    if counts:
        state.rows = total
    if state.made is not None:
        values = total * len(state.made)
        if not is_inner and not policy.is_worth_binding(side.name, values):
            return None
        known = class_readings(type(schema), policy.MANY if is_inner else rows)
        if known is None:
            return None
        if state.is_plain or is_made_plainly(schema):
            reading = known.find(schema, side, state)
            if reading is not None:
                return reading
            if is_inner or known.may_learn(schema, side):
                return known.learn(schema, side, state)
        else:
            state.made, state.stock_below = None, 0
    return read(schema, side, state) if policy.is_worth_reading(total) else None


def read(schema: Any, side: Side, state: SchemaState) -> Reading:
    """Read a schema, and keep what it reads as.

    :param state: its state
    """
    reading = _read(schema, side, Guard())
    setattr(state, side.name, reading)
    return reading


def read_once(schema: Any, side: Side, copy_field: Callable[[Any], Any]) -> Reading:
    """Read a schema for a plan, which does not see later changes.

    :param copy_field: copies a field
    """
    reading = _read(schema, side, None)
    reading.without_changes(copy_field)
    return reading


def _read(schema: Any, side: Side, guard: Guard | None) -> Reading:
    by_name = dict(getattr(schema, side.fields))
    program, reason = None, ""
    look = Inspection(schema, guard or Guard())
    try:
        description = side.describe(schema, look)
        program = programs.get(description, lambda: side.make_program(description))
    except UnreadableError as error:
        reason = str(error)
    except Exception as error:
        reason = f"it cannot be read: {error}"
    return Reading(schema, program, reason, by_name, guard, side)


class ClassReadings:
    """What the fresh schemas of one class read as, by the names of their fields.

    It hangs on the class, and lives as long as that does.

    :param cls: the schema class
    """

    __slots__ = ("_declared", "_guard", "_known", "_owner", "_tries")

    def __init__(self, cls: Any) -> None:
        self._owner = weakref.ref(cls)
        self._declared = list(cls._declared_fields.items())
        self._guard = Guard()
        self._known: dict[Any, tuple[Any, str, Guard]] = {}
        self._tries: dict[Any, int] = {}
        self._guard.class_attribute(cls, "opts", cls.opts)
        self._guard.contents(getattr(cls.opts, "__dict__", None))

    def holds(self, cls: Any) -> bool:
        """Whether fresh schemas of the class are still made of the same."""
        owner = self._owner()
        if owner is None or owner is not cls:
            return False  # a class may be made of the attributes of another
        return (
            self._guard.objects_hold()
            and self._guard.classes_hold()
            and list(cls._declared_fields.items()) == self._declared
        )

    def find(self, schema: Any, side: Side, state: SchemaState) -> Reading | None:
        """What a fresh schema reads as, if one like it was read."""
        found = self._known.get(self._key(schema, side))
        if found is None:
            return None
        program, reason, guard = found
        reading = Reading(schema, program, reason, getattr(schema, side.fields), guard, side)
        if not self._is_fresh(schema, side, state) or not reading.holds():
            return None
        if program is not None:
            programs.used(program)
        setattr(state, side.name, reading)
        return reading

    def may_learn(self, schema: Any, side: Side) -> bool:
        """Whether schemas like this one may still turn out to be alike."""
        return self._tries.get(self._key(schema, side), 0) < _MOST_TRIES

    def learn(self, schema: Any, side: Side, state: SchemaState) -> Reading:
        """Read a fresh schema, for all that are like it."""
        guard = Guard()
        reading = _read(schema, side, guard)
        setattr(state, side.name, reading)
        if len(self._tries) >= _MOST_READINGS:
            self._known.clear()
            self._tries.clear()
        key = self._key(schema, side)
        is_shared = guard.is_lasting and not guard.has_inner_lists
        if not is_shared or not self._is_fresh(schema, side, state):
            self._tries[key] = _MOST_TRIES
            return reading
        self._tries[key] = self._tries.get(key, 0) + 1
        guard = guard.for_others_than(schema.__dict__)
        self._known[key] = reading.program, reading.reason, guard
        return reading

    def _is_fresh(self, schema: Any, side: Side, state: SchemaState) -> bool:
        made = state.made
        fields = getattr(schema, side.fields)
        return (
            made is not None
            and type(fields) is dict
            and [made.get(name) for name in fields] == list(fields.values())
        )

    def _key(self, schema: Any, side: Side) -> Any:
        # marshmallow 3 has ordered schemas.
        ordered = schema.__dict__.get("ordered")
        return (side.name, ordered, type(schema).__name__, *getattr(schema, side.fields))


def class_readings(cls: Any, rows: int) -> ClassReadings | None:
    """What is known of a schema class, as it is now; None while it does not pay to find out.

    :param rows: how many are to be dumped or loaded; until there are enough, the class counts them
    """
    known: Any = cls.__dict__.get(CLASS_ATTRIBUTE, 0)
    if type(known) is ClassReadings:
        if known.holds(cls):
            return known
        known = 0
    total = known + rows
    is_worth_reading = policy.is_worth_reading(total)
    known = ClassReadings(cls) if is_worth_reading else total
    type.__setattr__(cls, CLASS_ATTRIBUTE, known)
    return known if is_worth_reading else None
