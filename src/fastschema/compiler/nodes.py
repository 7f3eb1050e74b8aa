"""What a front end says about a schema.

A front end reads a schema (a marshmallow ``Schema``, a DRF ``Serializer``) once and describes it
as an :class:`ObjectNode` with one :class:`FieldNode` for each output key. The code generator turns
that description into Python; it knows nothing of the framework.

Nodes carry *templates*: short pieces of Python that the front end's authors wrote, never text of a
schema. In a template ``$value`` stands for the variable that holds the value and ``$field`` for
the field object of this dump; besides those it may use ``obj`` (the object being dumped) and the
names of :attr:`Kind.names` and :attr:`ObjectNode.slots`. Whatever is foreign (keys, attribute
names, classes) comes in through :func:`literal` or through a name.

For loading, a :class:`LoadNode` has a :class:`LoadFieldNode` for each key of the input.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


class UnreadableError(Exception):
    """A schema that cannot be compiled at all, and why."""


class NotRowReadableError(Exception):
    """Rows that cannot be dumped without making objects of them, and why."""


class Missing:
    """Stands for "no value"; for front ends whose framework has no such object of its own."""

    def __repr__(self) -> str:
        return "<missing>"


class Form(enum.Enum):
    """What the generated function makes of an object."""

    PYTHON = "python"
    """Exactly what stock returns: dictionaries of plain values."""
    JSON = "json"
    """Dictionaries whose values the JSON engine writes as it would write stock's."""

    __hash__ = object.__hash__  # that of Enum is written in Python, and asked for each dispatch


ATTRIBUTE = "attribute"
ITEM = "item"
GENERAL = "general"
"""Ways to read values from the objects of one class; a front end may have more of its own.

In general a value is read as stock reads it, by stock's own function.
"""


@dataclass(frozen=True, slots=True)
class Read:
    """How a value is read by one access: an expression, and what it is when an exception is raised.

    ``handlers`` pairs the exceptions (a name or a tuple of names, as they stand after ``except``)
    with the expression that replaces the value.
    """

    expression: str
    handlers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a field's value comes from: ``otherwise``, but for some accesses.

    ``path`` names the attributes that lead to the value, one after the other, where reading them
    is all that is done. ``user_code`` says, for profiles, what code of users' or of stock's the
    expressions themselves call.
    """

    label: str
    otherwise: Read
    reads: Mapping[str, Read] = field(default_factory=dict)
    path: tuple[str, ...] | None = None
    user_code: str = ""

    def read(self, access: str) -> Read:
        return self.reads.get(access, self.otherwise)


class Repeatable(enum.Enum):
    """When a value can be read, and converted, once more without code of users noticing."""

    NEVER = "never"
    """The conversion may run code of users."""
    VALUE = "value"
    """Where the value is plain data of the object."""
    KEY = "key"
    """Where the key of a related object is plain data of the object."""
    ADDRESS = "address"
    """Likewise, if the address that is made of the key is known."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """What is done to a value, in one form.

    Values whose class is exactly ``common`` become ``inline`` (or stay as they are, if that is
    None); all others become ``otherwise`` (or stay). Both are templates. Where ``items`` names a
    class, ``common`` is ``list``: a list that holds nothing but objects of that very class is
    copied, others become ``otherwise``.
    """

    common: str | None = None
    inline: str | None = None
    otherwise: str | None = None
    items: str | None = None


# How a value in Python form becomes one in JSON form, by what it is: templates, which may use
# ``json_value`` and ``json_number``. The node of a schema names these.
PLAIN = "$value"
"""What the JSON engine writes, or refuses, as stock's encoder does."""
NUMBER = "json_number($value)"
ANY = "text if type(text := ($value)) is str else json_value(text)"


@dataclass(frozen=True, slots=True)
class Kind:
    """What is done to the value of a field.

    :param nested_slot: for a nested schema, the slot that holds what dumps it in this dump (a
        ``runtime.bound_program.NestedDumper``)
    :param item_slot: for a list of nested schemas, the slot that holds what dumps an item;
        ``otherwise`` is for all but plain lists
    :param nested_for_none: whether stock looks for the nested schema even if the value is None
    :param user_code: what code of users' or of stock's it calls for every value, for profiles
    """

    label: str
    python: Conversion
    json: Conversion
    names: Mapping[str, object] = field(default_factory=dict)
    none_stays: bool = True
    nested_slot: str | None = None
    item_slot: str | None = None
    nested_for_none: bool = False
    repeatable: Repeatable = Repeatable.NEVER
    user_code: str = ""

    def conversion(self, form: Form) -> Conversion:
        return self.json if form is Form.JSON else self.python


@dataclass(frozen=True, slots=True)
class FieldNode:
    """One output key.

    :param field: an expression for the field object of this dump
    :param default: an expression for the value when it is missing, or None to leave out the key
    :param call_if_callable: a condition on a nested value, and what it becomes then (it may be a
        method that gives the object): both templates
    :param reason: why the field runs as stock, or None if it is compiled
    """

    key: str
    source: Source
    kind: Kind
    field: str
    default: str | None = None
    call_if_callable: tuple[str, str] | None = None
    never_missing: bool = False
    reason: str | None = None

    def conversion(self, form: Form) -> Conversion:
        return self.kind.conversion(form)

    def none_stays(self, form: Form) -> bool:
        return self.kind.none_stays or self.conversion(form).otherwise is None

    @property
    def calls_user_code(self) -> bool:
        return bool(self.source.user_code or self.kind.user_code)


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that generated code needs and that belongs to no program: field objects, a time zone.

    It is looked up when generated code is bound to a schema, and kept for the next dump.

    :param resolve: looks it up: for a dump from the bound schema, the class of the objects and the
        form; for a load from the load
    :param ambient: from the bound schema to what the value depends on besides the schema (the
        active time zone, say); if that is another object when the next dump begins, the value is
        looked up again
    """

    name: str
    resolve: Callable[..., Any]
    ambient: Callable[[Any], object] | None = None
    per_class: bool = False


@dataclass(frozen=True, slots=True)
class ObjectNode:
    """A schema: its fields in output order, and what every dump brings along.

    :param access: how values are read from the objects of a class
    :param dict_class: the slot that holds the dictionary class, or None for ``dict``
    :param prepared: by an access, a name and the expression for it, to be evaluated before
        the first value of an object is read
    """

    name: str
    fields: tuple[FieldNode, ...]
    slots: tuple[Slot, ...]
    missing: object
    access: Callable[[type], str]
    dict_class: str | None = None
    names: Mapping[str, object] = field(default_factory=dict)
    prepared: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def of_classes(*classes: str) -> str:
    return " or ".join(f"type($value) is {cls}" for cls in classes)


@dataclass(frozen=True, slots=True)
class LoadKind:
    """What is done to a value that is loaded.

    Nothing here but ``call`` calls user code. A value that is not accepted, or whose conversion or
    check raises any exception, goes to the field's own method, from the beginning; one that is not
    valid to the field's own validators.

    :param accepts: the condition on values that are converted here, a template; None: all but None
        and the missing object
    :param convert: what such a value becomes, a template; None: it stays
    :param check: the condition on what it became, a template
    :param valid: what the field's validators ask of what it became, a template
    :param items: for a list, the class of items that stay as they are; a list that holds nothing
        else is copied instead
    :param call: a call that loads any value but None and the missing object by itself, errors
        included; a template
    :param load_slot: the slot that holds a function that loads values of this kind by itself,
        errors included; it takes the value, the data and the index of the row
    """

    label: str
    accepts: str | None = None
    convert: str | None = None
    check: str | None = None
    valid: str | None = None
    items: str | None = None
    names: Mapping[str, object] = field(default_factory=dict)
    call: str | None = None
    load_slot: str | None = None

    def expression(self, value: str, result: str, *, none_stays: bool) -> str:
        """Return the loaded value as one expression, which raises if the value is not accepted.

        :param value: an expression without side effects
        :param result: a variable that the expression may assign to
        """
        accepts = f"{value} is not None and {value} is not missing"
        if self.accepts is not None:
            accepts = fill(self.accepts, value=value)
        loaded = value if self.convert is None else fill(self.convert, value=value)
        checks = [f"({fill(check, value=result)})" for check in (self.check, self.valid) if check]
        if checks:
            assigned = f"({result} := ({loaded})) is {result}"
            condition = " and ".join([f"({accepts})", assigned, *checks])
            text = f"{result} if {condition} else refuse()"
        else:
            text = f"({loaded}) if {accepts} else refuse()"
        return f"(None if {value} is None else {text})" if none_stays else f"({text})"


@dataclass(frozen=True, slots=True)
class LoadFieldNode:
    """One key of the input.

    :param name: that of the field in its schema
    :param target: the key in the result; dotted for one in dictionaries inside of it
    :param field: an expression for the field object of this load
    :param default: an expression for the value where the key is missing; None: the key is left out
    :param own_default: whether the field's own method says what is done where the key is missing
    :param validated: whether the field's own validators look at what was converted
    :param reason: why the field runs as stock, or None if it is compiled
    """

    name: str
    key: str
    target: str
    field: str
    kind: LoadKind
    none_stays: bool = False
    default: str | None = None
    own_default: bool = False
    validated: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class LoadNode:
    """A schema that loads dictionaries.

    Besides its own slots, each load brings: ``fields``, the field objects; ``load_field(number,
    value, data, index)``, the field's own method, which stores errors and may give the missing
    object; ``load_own(number, value, key, data, index, is_validated)``, a part of that;
    ``validate_field(number, value, index)``, its validators, likewise; ``load_other(data,
    index)``, stock's loading of what is no dictionary; ``take_unknown(data, result, index)`` for
    keys that no field has, or None if they do not matter; ``partial``, true if keys may be missing.
    """

    name: str
    fields: tuple[LoadFieldNode, ...]
    slots: tuple[Slot, ...]
    missing: object
    set_value: Callable[[Any, str, Any], None]
    dict_class: str | None = None


def literal(text: str) -> str:
    """Return a foreign string as Python source; a subclass is refused: its ``repr`` is not ours."""
    if type(text) is not str:
        raise TypeError(f"not a plain str: {type(text).__name__}")
    return ascii(text).replace("$", r"\x24")


_PLACEHOLDER = re.compile(r"\$(\w+)")


def fill(template: str, **expressions: str) -> str:
    """Return a template with expressions in the place of ``$value`` and other names like that.

    An expression may be a template itself. No text of users' is taken for a name: see
    :func:`literal`.
    """
    return _PLACEHOLDER.sub(lambda match: expressions.get(match[1], match[0]), template)
