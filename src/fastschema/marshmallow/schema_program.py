"""The program of a marshmallow schema, and what that depends on.

:func:`read` reads the fields of a schema: a :class:`Reading` has the program, or the reason why
there is none, and notices when something has changed that it depends on. It is of a class of
schemas. A :class:`SchemaProgram` is of one schema object, with whose fields the program runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from fastschema.compiler.nodes import UnreadableError
from fastschema.marshmallow.customization import all_fields, own_classes, why_class_is_lazy
from fastschema.marshmallow.pending import ALL_NAMES, Pending, for_stock, frozen_copy
from fastschema.marshmallow.snapshots import MadeFields, SchemaSnapshot
from fastschema.runtime.guard import ClassSnapshot
from fastschema.runtime.patching import MethodsOfFields, StockMethods
from fastschema.runtime.plain_values import are_same, is_a
from fastschema.runtime.programs import Description, Program, programs
from fastschema.runtime.registration import registered

DECIDING_NAMES = frozenset(
    [
        *("_declared_fields", "opts", "_hooks", "dict_class", "set_class", "get_attribute"),
        *("_init_fields", "_bind_field", "on_bind_field", "_normalize_nested_options"),
        *("dump", "_serialize", "load", "_do_load", "_deserialize", "_call_and_store"),
        *("_invoke_field_validators", "_default_error_messages", "TYPE_MAPPING"),
    ]
)
"""What a schema may have of its own, and not as its class has it, that decides what it does."""
_DECIDING_PENDING = DECIDING_NAMES | ALL_NAMES


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
    bypassed: MethodsOfFields


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
        a method in the place of one sees fields."""
        self.is_small = False
        """Whether so few values of an object are dumped that stock takes no longer."""
        self.fingerprint: list[dict[str, Any]] = []
        """What the fields were like, where those of other schemas are compared with them."""

    def matches(self, made_fields: Callable[[], MadeFields]) -> bool:
        return are_same(made_fields().fingerprint(), self.fingerprint)

    def is_current(self) -> bool:
        return (
            self._methods_are_unchanged()
            and self._classes.is_current()
            and not (self.nested and not all(snapshot.is_current() for snapshot in self.nested))
        )


class SchemaProgram:
    """The program of one schema object, for dumping or for loading, and the fields it runs with.

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
        self.is_shared = False
        """Whether all pending schemas like this one run it, and not only this one."""
        self.bound_program: Any = None
        """What the program was bound to; whoever dumps or loads sets it."""
        self._idle: dict[Any, list[Any]] | None = None
        """By their options, loads that wait for the next one."""
        self.nested: dict[int, SchemaProgram] | None = None
        """By the ids of nested schemas that users cannot change, what they compile to; None: they
        are looked at for each dump."""
        self.relationships: dict[type, Any] = {}
        """By the classes of objects, what is read of those; kept by what loads relationships."""

    def is_current(self, attributes: dict[str, Any], name: str) -> bool:
        """Return whether a schema is what it was, and all else that this depends on."""
        made_fields = self.made
        if made_fields is None:
            return _DECIDING_PENDING.isdisjoint(attributes) and self.reading.is_current()
        fields = attributes.get(name)
        return (
            fields is not None
            and DECIDING_NAMES.isdisjoint(attributes)
            and made_fields.is_current(fields)
            and self.reading.is_current()
        )

    def idle_loads(self, partial: Any, unknown: Any) -> list[Any] | None:
        """Return the loads with some options that wait for the next one.

        None for the first load, after which a schema that a view makes may not load again (but
        makers are called once), for names that may be missing, and for an ``unknown`` that may have
        no hash: stock takes any.
        """
        if self._idle is None:
            self._idle = {}
            if not registered:
                return None
        if type(unknown) is not str or not (partial is None or type(partial) is bool):
            return None
        return self._idle.setdefault((partial, unknown), [])

    def is_bound_to(self, made: MadeFields) -> bool:
        """Return whether it is for the very same field objects, and those inside of them."""
        before = self.made
        return before is not None and list(map(id, before.every)) == list(map(id, made.every))


class FieldsByNumber(dict[int, Any]):
    """The fields of a pending schema by their numbers, each made when generated code needs it."""

    def __init__(self, schema: Any, state: Pending, name: str) -> None:
        self._schema = schema
        self._state = state
        self._name = name

    def __missing__(self, number: int) -> Any:
        field = self[number] = self._state.field(self._schema, self._name, number)
        return field


def classes_of(cls: Any, fields: Iterable[Any] = ()) -> ClassSnapshot:
    """Return what the classes of users are like that say what schemas of a class do.

    :param fields: those of the class, unless all of them are of marshmallow's classes
    """
    classes = ClassSnapshot(own_classes(cls, fields))
    classes.add(cls.opts)
    return classes


def read_once(schema: Any, direction: Direction) -> SchemaProgram:
    """Read a schema for a plan, which does not see later changes."""
    fields = getattr(for_stock(schema, direction.fields), direction.fields)
    reading = read(schema, fields, direction)
    own_fields = list(fields.values())
    if reading.program is not None:
        # Fields with methods of their own stay: these are asked as they are.
        own_fields = [
            field if node.reason is not None else frozen_copy(field)
            for node, field in zip(reading.program.node.fields, own_fields, strict=True)
        ]
    compiled = SchemaProgram(schema, reading, own_fields)
    compiled.nested = {}
    return compiled


def read(
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
        classes.add_all(classes_of(cls))
        field_classes |= set(map(type, all_fields(cls._declared_fields.values())))
    reading = Reading(classes, direction.bypassed.of(field_classes))
    reading.calls_stock = not any(map(direction.bypassed.reason, field_classes))
    reading.nested = [
        SchemaSnapshot(nested_schema) for nested_schema in schemas if not is_a(nested_schema, type)
    ]
    try:
        if reason := why_class_is_lazy(type(schema)):
            raise UnreadableError(reason)
        description = direction.describe(fields, schema)
        reading.program = programs.get(description, lambda: direction.make_program(description))
    except UnreadableError as error:
        reading.reason = str(error)
    except Exception as error:
        reading.reason = f"it cannot be read: {error}"
    return reading
