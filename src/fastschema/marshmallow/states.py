"""What decides whether generated code dumps and loads by a marshmallow schema.

.. code-block:: text

    object   (nothing) --init, plain class--> PENDING --user code looks at its fields--> MADE
             (nothing) --anything else------> MADE
    record   COUNTING --24 objects--> COMPILED --a class has changed--> compiled anew (8 times: OFF)

A schema object is PENDING if no code of users has seen its fields: they are missing from its
``__dict__``, and :mod:`fastschema.marshmallow.pending` gives them to whoever asks. All others are
MADE. The record of its class counts the objects that schemas with the same arguments have dumped
and loaded. A first call compiles the class only for 120 objects or more.

=====================================  ====================  =======================================
what runs                              COUNTING or OFF       COMPILED
=====================================  ====================  =======================================
PENDING, no code of users sees it      stock, by proxy       the one program bound for all
PENDING, code of users sees a field    stock, by proxy       the program, bound to the object's own
                                                             clones
MADE, fewer than 4 rows                stock                 stock
MADE, 4 rows or more, or nested in     stock                 the program of one that is alike, else
one that runs a program                                      compiled (4 for each set of names)
=====================================  ====================  =======================================

Measurements ask for two differences; both are judged by the class, for all of its objects alike:

- A MADE schema runs its program for fewer than 4 rows, too, from the second call on, if that takes
  less time than stock: where it dumps lists of schemas, and where it loads 4 fields or more.
- A PENDING schema of fewer than 4 plain values becomes MADE when it dumps its second object.

Everything that affects the state of an object or of a record is in this file, and in
:func:`~fastschema.marshmallow.pending.make_fields`, which a look calls.

The first schema of a class with given arguments is made by stock, and its fields are put away: of a
class that is made for a request there may be no second one. All others are made without fields:
theirs would be clones of those of the *exemplar*, which stock makes when it is first needed, and
which belongs to no request.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Any

from marshmallow import Schema

from fastschema.marshmallow.customization import (
    IS_MARSHMALLOW_3,
    is_plain_class,
    is_plain_value,
    nesting_objects,
    reads_by_itself,
    unseen_schemas,
)
from fastschema.marshmallow.marshmallow_3 import (
    checked_unknown,
    init_with_context,
    warn_of_context,
)
from fastschema.marshmallow.pending import (
    ALL_NAMES,
    NAMES,
    Pending,
    SchemaState,
    pending_state,
)
from fastschema.marshmallow.record import (
    STOCK_INIT,
    Exemplar,
    SchemaRecord,
    arguments_of,
)
from fastschema.marshmallow.schema_program import (
    DECIDING_NAMES,
    Direction,
    FieldsByNumber,
    Reading,
    SchemaProgram,
    read,
    read_once,
)
from fastschema.marshmallow.snapshots import MadeFields
from fastschema.runtime import thresholds
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.plain_values import are_same, is_a
from fastschema.runtime.registration import registered
from fastschema.runtime.switch import is_disabled

STOCK_REDUCE_EX: Any = object.__reduce_ex__
_GIVEN = frozenset(["error_messages", *NAMES])
_OPTIONS = {"only", "exclude", "many", "context", "load_only", "dump_only", "partial", "unknown"}


def init(
    self: Any,
    *,
    only: Any = None,
    exclude: Any = (),
    many: Any = None,
    load_only: Any = (),
    dump_only: Any = (),
    partial: Any = None,
    unknown: Any = None,
    **others: Any,
) -> None:
    """``Schema.__init__``, which makes no fields where those of an exemplar would be the same."""
    arguments = exemplar = None
    is_first = False
    if not is_disabled() and (not others or _is_plain_context(others)):
        arguments = arguments_of(only, exclude, load_only, dump_only)
    if arguments is not None:
        record = SchemaRecord.of(type(self))
        is_first = record.is_first(arguments)
        if not is_first and _is_new(self) and record.makes_fields_of(self):
            exemplar = record.exemplar_for(arguments)
    if exemplar is None:
        others |= {"only": only, "exclude": exclude, "load_only": load_only, "dump_only": dump_only}
        others |= {"many": many, "partial": partial, "unknown": unknown}
        is_context = IS_MARSHMALLOW_3 and others.get("context") is not None
        if is_context and others.keys() == _OPTIONS:
            init_with_context(self, **others)
        else:
            STOCK_INIT(self, **others)
        if is_first and is_plain_class(type(self)):
            put_away = {name: self.__dict__.pop(name) for name in NAMES}
            self.__dict__[STATE_KEY] = Pending(self, record, arguments, put_away=put_away)
        return
    like = exemplar.schema.__dict__
    attributes = self.__dict__
    attributes["many"] = like["many"] if many is None else many
    chosen = like["only"]
    attributes["only"] = None if chosen is None else type(chosen)(chosen)
    left_out = like["exclude"]
    attributes["exclude"] = type(left_out)(left_out)
    attributes["load_only"] = set(like["load_only"])
    attributes["dump_only"] = set(like["dump_only"])
    attributes["partial"] = partial
    attributes["unknown"] = like["unknown"] if unknown is None else checked_unknown(unknown)
    attributes["error_messages"] = like["error_messages"].copy()
    if IS_MARSHMALLOW_3:
        attributes["ordered"] = like["ordered"]
        attributes["context"] = others.get("context") or {}
        if attributes["context"]:
            warn_of_context(stacklevel=2)
    attributes[STATE_KEY] = Pending(self, record, arguments, exemplar=exemplar)


def _is_plain_context(others: dict[str, Any]) -> bool:
    """Return whether arguments are a context of marshmallow 3 that is plain."""
    is_context = IS_MARSHMALLOW_3 and others.keys() == {"context"}
    return is_context and type(others["context"]) in (dict, type(None))


def _is_new(schema: Any) -> bool:
    """Return whether a schema has nothing of what stock's constructor gives it."""
    attributes = schema.__dict__
    return not attributes or _GIVEN.isdisjoint(attributes)


class FieldsOnDemand:
    """Gives a pending schema its fields, for one of the attributes that hold them.

    It has no ``__set__``: what is in the ``__dict__`` of a schema is found first.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, schema: Any, owner: Any = None) -> Any:
        name = self._name
        if schema is None:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute {name!r}")
        make_fields(schema)
        attributes = schema.__dict__
        if name in attributes:  # another thread may have made them meanwhile
            return attributes[name]
        raise AttributeError(f"{owner.__name__!r} object has no attribute {name!r}")


def make_fields(schema: Any) -> None:
    """Give a pending schema its fields. From then on it is like any schema that stock has made."""
    attributes = schema.__dict__
    state = pending_state(schema) or attributes.get(STATE_KEY)
    if type(state) is Pending:
        for name, fields in state.fields(schema).items():
            attributes.setdefault(name, fields)
        attributes.pop(STATE_KEY, None)


def reduce_ex(self: Any, protocol: Any) -> Any:
    """``Schema.__reduce_ex__``, by which schemas are copied and pickled: with their fields."""
    make_fields(self)
    return STOCK_REDUCE_EX(self, protocol)


@cache
def prepare() -> None:
    """Let the class of all schemas make the fields of pending ones when they are read.

    That stays, as there may be pending schemas where fastschema is not installed any more.
    """
    for name in NAMES:
        setattr(Schema, name, FieldsOnDemand(name))
    type.__setattr__(Schema, "__reduce_ex__", reduce_ex)
    # The default, so that ``schema._fastschema`` never raises.
    setattr(Schema, STATE_KEY, None)


def find_compiled(
    schema: Any, direction: Direction, rows: int, *, is_inner: bool = False
) -> SchemaProgram | None:
    """Return what a schema runs, as the table says; it has no program if that cannot be.

    None if stock dumps or loads these rows.

    :param is_inner: whether it is nested in one that is compiled
    """
    attributes = schema.__dict__
    state = attributes.get(STATE_KEY)
    is_first = state is None or state.owner != id(schema)
    if is_first:
        state = _state_of(schema)
    if (
        state.is_made
        and rows < thresholds.few_for_marshmallow
        and not is_inner
        and (is_first or not state.record.compares_one(direction.name))
    ):
        return None
    compiled: SchemaProgram | None = getattr(state, direction.name)
    if (
        compiled is not None
        and compiled.cls is type(schema)
        and compiled.is_current(attributes, direction.fields)
    ):
        if rows == 1 and compiled.reading.is_small and not (is_inner or state.is_made):
            make_fields(schema)
            return None
        return compiled
    if state.record.is_lazy():
        return None
    if type(state) is Pending:
        return _find_pending(schema, state, direction, rows, is_inner=is_inner)
    return _find_made(schema, state, direction, rows, is_inner=is_inner)


def _state_of(schema: Any) -> SchemaState:
    state: SchemaState | None = pending_state(schema)
    if state is None:
        state = SchemaState(schema, SchemaRecord.of(type(schema)))
        schema.__dict__[STATE_KEY] = state
    return state


def is_left_to_stock(schema: Any, direction: str) -> bool:
    """Return whether stock dumps or loads an object by a schema that has its fields.

    One that was never used is left only while fastschema is switched off.
    """
    state = schema._fastschema  # guard.STATE_KEY
    if state is None:
        return is_disabled()
    return bool(
        state.is_made
        and thresholds.few_for_marshmallow > 1
        and not state.record.compares_one(direction)
    )


def find_nested(
    schema: Any, direction: Direction, inner: dict[int, SchemaProgram] | None
) -> SchemaProgram | None:
    """Return what a nested schema compiles to; None if stock dumps or loads by it."""
    if inner is None:
        return find_compiled(schema, direction, 1, is_inner=True)
    compiled = inner.get(id(schema))
    if compiled is None:
        compiled = inner[id(schema)] = read_once(schema, direction)
    return compiled


def forget(schema: Any) -> None:
    """Forget what one schema object compiles to."""
    state = _state_of(schema)
    state.dump = state.load = None
    if type(state) is Pending and state.exemplar is not None:
        state.exemplar.dump = state.exemplar.load = None
    SchemaRecord.of(type(schema)).made.clear()


def _find_pending(
    schema: Any, state: Pending, direction: Direction, rows: int, *, is_inner: bool
) -> SchemaProgram | None:
    exemplar: Exemplar | None = state.exemplar
    common: SchemaProgram | None = None if exemplar is None else getattr(exemplar, direction.name)
    if common is None:
        own = state.put_away or state.exemplar.schema.__dict__
        names = _names(schema, own[direction.fields])
        if not (state.record.count(rows, names) or is_inner):
            return None
    if (
        pending_state(schema) is state
        and state.record.owner() is type(schema)
        and DECIDING_NAMES.isdisjoint(schema.__dict__)
    ):
        exemplar = exemplar or _exemplar_like_first(schema, state)
        if exemplar is not None:
            return _find_common(schema, state, exemplar, direction)
    make_fields(schema)
    return _find_made(schema, _state_of(schema), direction, rows, is_inner=is_inner)


def _exemplar_like_first(schema: Any, state: Pending) -> Exemplar | None:
    """Return the exemplar that the first schema with its arguments is like, if it is."""
    record = SchemaRecord.of(type(schema))
    exemplar = record.exemplar_for(state.arguments) if record.makes_fields_of(schema) else None
    put_away = state.put_away
    if exemplar is None or put_away is None:
        return None
    like = exemplar.schema.__dict__
    fields, others = (MadeFields(each[NAMES[0]], "both").fingerprint() for each in (put_away, like))
    if not all(list(put_away[name]) == list(like[name]) for name in NAMES):
        return None
    if not are_same(fields, others):
        return None  # the class was another one
    state.exemplar = exemplar
    return exemplar


def _find_common(
    schema: Any, state: Pending, exemplar: Exemplar, direction: Direction
) -> SchemaProgram | None:
    """Return what a pending schema runs, of which a program is worth it."""
    common: SchemaProgram | None = getattr(exemplar, direction.name)
    if common is None or not common.reading.is_current():
        common = _read_exemplar(exemplar, direction)
    if common is None or common.program is None:
        return common
    compiled: SchemaProgram | None = getattr(state, direction.name)
    if common.is_shared and exemplar.has_same_options(schema.__dict__):
        compiled = common
    elif compiled is None or compiled.reading is not common.reading:
        own_fields = FieldsByNumber(schema, state, direction.fields)
        compiled = SchemaProgram(schema, common.reading, own_fields)
    setattr(state, direction.name, compiled)
    return compiled


def _read_exemplar(exemplar: Exemplar, direction: Direction) -> SchemaProgram | None:
    """Compile an exemplar; return None if another thread does so, while stock runs in this one."""
    if exemplar.is_being_read:
        return None
    exemplar.is_being_read = True
    try:
        schema, name = exemplar.schema, direction.name
        cls, fields = type(schema), getattr(schema, direction.fields)
        unseen = [
            (field, nested)
            for field in fields.values()
            if (nested := unseen_schemas(field, cls, name)) is not None
        ]
        reading = read(schema, fields, direction, chain(*[nested for _, nested in unseen]))
        runner, state = _pending_like(exemplar)
        compiled = SchemaProgram(runner, reading, FieldsByNumber(runner, state, direction.fields))
        if reading.program is not None:
            reading.is_small = (
                name == "dump"
                and len(unseen) < thresholds.few_for_marshmallow
                and all(is_plain_value(field) for field, _ in unseen)
            )
            compiled.is_shared = (
                len(unseen) == len(fields)
                and reading.calls_stock
                and all(node.reason is None for node in reading.program.node.fields)
                and not reads_by_itself(cls, name)
                and _can_be_nested([nested for _, nested in unseen], compiled.fields)
            )
            compiled.nested = {} if compiled.is_shared else None
        setattr(exemplar, name, compiled)
        return compiled
    finally:
        exemplar.is_being_read = False


def _pending_like(exemplar: Exemplar) -> tuple[Any, Pending]:
    """Return a pending schema that no code of users gets: the one by which all dump and load."""
    prepare()
    like = exemplar.schema
    schema = object.__new__(type(like))
    record = SchemaRecord.of(type(schema))
    state = Pending(schema, record, exemplar.arguments, exemplar=exemplar)
    attributes = {name: value for name, value in vars(like).items() if name not in ALL_NAMES}
    vars(schema).update(attributes, **{STATE_KEY: state})
    return schema, state


def _can_be_nested(nested_by_number: list[list[Any]], fields: dict[int, Any]) -> bool:
    """Return whether the schema objects that fields nest can be copied, which is done here."""
    try:
        for number, nested in enumerate(nested_by_number):
            if not all(is_a(nested_schema, type) for nested_schema in nested):
                for nesting in nesting_objects(fields[number]):
                    _ = nesting.schema
    except Exception:
        return False  # stock raises it for each schema once
    return True


def _names(schema: Any, fields: dict[str, Any]) -> tuple[Any, ...]:
    """Return by what the objects of a class are counted, and by what alike ones are found."""
    # marshmallow 3 makes other dictionaries where a schema is ordered.
    return (*fields, schema.__dict__.get("ordered"))


def _find_made(
    schema: Any, state: SchemaState, direction: Direction, rows: int, *, is_inner: bool
) -> SchemaProgram | None:
    if not DECIDING_NAMES.isdisjoint(schema.__dict__):
        return None  # it has methods or options of its own
    before: SchemaProgram | None = getattr(state, direction.name)
    record = SchemaRecord.of(type(schema))
    fields = getattr(schema, direction.fields)
    names = _names(schema, fields)
    if not (record.count(rows, names) or is_inner) or not record.refresh():
        return None

    @cache
    def made_fields() -> MadeFields:
        return MadeFields(fields, direction.name)

    def read_made() -> Reading:
        reading = read(schema, fields, direction)
        reading.fingerprint = made_fields().fingerprint()
        return reading

    reading = record.made_programs(direction.name).find(
        names,
        made_fields,
        read_made,
        is_worth_reading=is_inner or thresholds.is_worth_compiling(rows),
    )
    if reading is None:
        setattr(state, direction.name, None)
        return None
    made = made_fields()
    if (
        before is not None
        and before.reading is reading
        and before.is_bound_to(made)
        and not registered  # a maker may have read what has changed
    ):
        # Something else has changed: what a field of users keeps for itself, say.
        before.made = made
        return before
    compiled = SchemaProgram(schema, reading, list(fields.values()), made)
    setattr(state, direction.name, compiled)
    return compiled
