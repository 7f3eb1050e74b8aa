"""What kinds do to values, from how it looks in Python form and what comes of it.

A front end says of a kind what stock's method makes of a value, as a template, and what that is:
``PLAIN``, ``NUMBER`` or ``ANY``. The conversions to JSON follow from the two, unless the kind gives
one of its own.
"""

from __future__ import annotations

import decimal
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from fastschema.compiler.nodes import (
    ANY,
    PLAIN,
    Conversion,
    Kind,
    Repeatable,
    Slot,
    fill,
)
from fastschema.compiler.real_classes import REAL

try:
    import orjson as orjson  # the engine takes it from here
except ImportError:  # there are no wheels for PyPy, nor for free-threaded Pythons
    orjson = None  # type: ignore[assignment]  # a module otherwise

ENGINE_NAMES: dict[str, object] = {} if orjson is None else {"dumps": orjson.dumps}
"""What templates name of the JSON engine; the node of a schema has it among its names."""


def for_all(label: str, template: str, result: str = ANY, **options: Any) -> Kind:
    return Kind(
        label,
        python=Conversion(otherwise=template),
        json=Conversion(otherwise=fill(result, value=template)),
        **options,
    )


def by_class(
    label: str,
    common: str,
    template: str | None,
    otherwise: str,
    result: str,
    *,
    json: str | None = None,
    **options: Any,
) -> Kind:
    """Return the kind that looks at the class of a value.

    :param common: the name of the class that values usually have
    :param template: what becomes of such a value; None: it stays
    :param otherwise: a template for all other values, of which anything may come
    :param json: a template for what the JSON engine is given of it, if that does not follow from
        ``result``
    """
    usual = "$value" if template is None else template
    json = json or fill(result, value=usual)
    return Kind(
        label,
        python=Conversion(common, template, otherwise),
        json=Conversion(common, None if json == "$value" else json, f"json_value({otherwise})"),
        **options,
    )


@dataclass(frozen=True, eq=False, slots=True)
class ByClass:
    """A kind that looks at nothing but the class of a value; a description may begin with it.

    :param common: the class that values usually have; others go to the field's own method
    :param python: a template for what stock makes of a usual value; None: it stays
    :param json: as for :func:`by_class`
    """

    label: str
    common: type
    python: str | None = None
    result: str = PLAIN
    names: Mapping[str, object] = field(default_factory=dict)
    json: str | None = None

    def __call__(self, *, path: Any, **_: Any) -> Kind:
        return self.kind(path.own_method)

    def kind(self, otherwise: str) -> Kind:
        name = self.common.__name__
        return by_class(
            self.label,
            name,
            self.python,
            otherwise,
            self.result,
            names={name: self.common, **self.names},
            repeatable=Repeatable.VALUE,
            json=self.json,
        )


def unchanged(label: str, usual: ByClass) -> Kind:
    return replace(usual.kind("$value"), label=label, python=Conversion())


def written_by_engine(
    label: str, common: type, as_text: str, when: str = "", **names: object
) -> ByClass:
    """Return the kind of values that the JSON engine writes as text, several times as fast.

    :param as_text: what stock makes of a value, a template
    :param when: a condition on those of which the engine writes the same; a template
    """
    if orjson is None:
        return ByClass(label, common, as_text, names=names)
    otherwise = f" if {when} else {as_text}" if when else ""
    python = f"dumps($value)[1:-1].decode(){otherwise}"
    return ByClass(label, common, python, names=names, json=f"$value{otherwise}")


STRING = ByClass("string", str)
BOOLEAN = ByClass("boolean", bool)
INTEGER = ByClass("integer", int)
INTEGER_AS_STRING = ByClass("integer as string", int, "str($value)")
# Other floats, negative ones among them, may be spelt differently: json_number looks closer.
FLOAT = ByClass("float", float, json="$value if 1e-4 <= $value < 1e16 else json_number($value)")
UUID = written_by_engine("uuid", uuid.UUID, "str($value)")
DATE = written_by_engine("date", REAL.date, "$value.isoformat()")
# orjson refuses times with a zone, and writes some fractions of seconds wrongly.
_IS_WRITTEN_ALIKE = "not $value.microsecond and $value.tzinfo is None"
TIME = ByClass(
    "time",
    REAL.time,
    "$value.isoformat()",
    json=f"$value if {_IS_WRITTEN_ALIKE} else $value.isoformat()",
)


def expression(
    inner: Kind, conversion: Conversion, value: str, field: str, *, none_stays: bool
) -> str:
    """Return what is done to a value inside of another, as one expression (a template again).

    :param value: a template for the value, an expression without side effects
    :param field: an expression for the inner field
    """

    def filled(template: str | None) -> str:
        return value if template is None else f"({fill(template, value=value, field=field)})"

    if inner.nested_slot is not None:
        return f"{inner.nested_slot}({value})"
    result = filled(conversion.otherwise)
    if none_stays and result != value:
        result = f"{value} if {value} is None else {result}"
    if conversion.items is not None:
        return result  # a comprehension copies as well
    if conversion.common is not None and (conversion.inline, result) != (None, value):
        is_common = f"type({value}) is {conversion.common}"
        result = f"{filled(conversion.inline)} if {is_common} else {result}"
    return result


def dict_of(key: str | None, value: str | None) -> str:
    """Return a template for a dictionary of converted keys and values, all keys before any value.

    A key or a value is called ``each`` in its template; None: it stays.
    """
    if key is not None:
        values = f"[{value or 'each'} for each in $value.values()]"
        return f"dict(zip([{key} for each in $value], {values}))"
    if value is not None:
        return f"{{key: {value} for key, each in $value.items()}}"
    return "$value.copy()"


@dataclass(frozen=True, slots=True)
class FieldPath:
    """Where a field object is found; front ends add what else they know of the place.

    :param expression: in generated code
    :param get: in what slots resolve from (the list of fields, or a load)
    """

    expression: str
    get: Callable[[Any], Any]

    def within(self, suffix: str, get: Callable[[Any], Any]) -> Self:
        return replace(
            self,
            expression=f"{self.expression}{suffix}",
            get=lambda source: get(self.get(source)),
        )


def new_slot(
    slots: list[Slot],
    name: str,
    resolve: Callable[..., Any],
    ambient: Callable[[Any], object] | None = None,
) -> str:
    slot = f"{name}_{len(slots)}"
    slots.append(Slot(slot, resolve, ambient))
    return slot


_DIGIT_AND_EXPONENT = len("1E+1")


def longest_decimal(digits: int | None = None) -> int:
    """Return how long a number may be written that surely fits a precision.

    The decimal point makes it one longer than its digits; None stands for those of the active
    decimal context. 0 in a context in which even a short number may be out of range.
    """
    context = decimal.getcontext()
    if context.Emin > -9999 or context.Emax < 9999:
        return 0
    return (context.prec if digits is None else digits) + 1


def decimal_precision(bound_schema: object = None) -> object:
    """Return what :func:`longest_decimal` depends on: the active decimal context."""
    context = decimal.getcontext()
    return context, context.prec, context.Emin, context.Emax


def decimal_context(bound_schema: object = None) -> object:
    context = decimal.getcontext()
    return (
        context,
        context.prec,
        context.Emin,
        context.Emax,
        context.rounding,
        context.capitals,
        context.clamp,
    )


def decimal_text(places: int | None, longest: str, otherwise: str) -> str:
    """Return a template for a Decimal as text, in which ``text`` and ``size`` are variables to use.

    A value that has its places already is written as it stands, one that has fewer is filled up
    with zeros: ``quantize`` would not do more. The end of the text tells how many places there are,
    where no exponent follows them. ``longest`` names what :func:`longest_decimal` gives.
    """
    if places is None or places < 1:
        return otherwise
    # So many characters after a point cannot hold a digit and an exponent. A context may write
    # those with a small letter.
    has_no_exponent = (
        "" if places < _DIGIT_AND_EXPONENT else " and 'E' not in text and 'e' not in text"
    )
    forms = [
        f"text if (size := len(text := str($value))) > {places + 1}"
        f" and text[{-places - 1}] == '.' and size <= {longest}{has_no_exponent}"
    ]
    if places > 1:
        forms.append(
            f"text + '0' if size > {places} and text[{-places}] == '.'"
            f" and size < {longest}{has_no_exponent}"
        )
    forms.append(f"text + '.{'0' * places}' if text.isdecimal() and size + {places} < {longest}")
    return " else ".join([*forms, otherwise])
