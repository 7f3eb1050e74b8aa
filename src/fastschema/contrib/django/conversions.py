"""From the description of a DRF field to the kind of its node.

Made from the description alone, so that the cache of programs is right. Only the common class of
value is handled inline; every other value goes to the field's own ``to_representation``, so that
odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import decimal
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastschema import decimals
from fastschema.by_class import ALIKE, ByClass
from fastschema.contrib.django.encoding import json_number, json_value
from fastschema.contrib.django.kinds import Description
from fastschema.contrib.django.moments import (
    FORMATTED,
    datetime_kind,
    duration_kind,
    strftime_kind,
    unformatted_kind,
)
from fastschema.contrib.django.objects import (
    file_kind,
    hyperlink_kind,
    method_kind,
    nested_kind,
    primary_key_kind,
    slug_kind,
    string_related_kind,
)
from fastschema.contrib.django.paths import JSON_VALUE, FieldPath, finished, option_slot
from fastschema.engines import JSON_FLOAT_TEMPLATE, JsonText
from fastschema.nodes import Conversion, Kind, Slot, as_template, substitute


def kind(description: Description, path: FieldPath, slots: list[Slot]) -> Kind:
    """The kind for a description; what it needs from each dump is added to ``slots``."""
    name, *options = description
    if name in _BY_CLASS:
        row = _BY_CLASS[name]
        return row.kind(name, path.own_method, JSON_VALUE, may_skip=not path.is_settled)
    make: Callable[..., Kind] = _MAKERS.get(name, _ownmethod_kind)
    made = make(*options, path=path, slots=slots)
    return replace(made, may_skip=False, inline_may_skip=False) if path.is_settled else made


def _ownmethod_kind(*_: Any, path: FieldPath, slots: list[Slot]) -> Kind:
    return Kind(
        "the field's own method",
        faithful=Conversion(otherwise=path.own_method),
        json=Conversion(otherwise=finished(path.own_method)),
        names=JSON_VALUE,
        may_skip=True,
    )


def _model_field_kind(*, path: FieldPath, slots: list[Slot]) -> Kind:
    own_method = _ownmethod_kind(path=FieldPath(path.expression, path.get), slots=slots)
    return replace(own_method, label="model field")


def _registered_kind(registered: Any, *, path: FieldPath, slots: list[Slot]) -> Kind:
    made: Kind = registered.kind(path.own_method, json_value, path.settled)
    return made


_BY_CLASS = {
    **ALIKE,
    "integer": ByClass(int),
    "integer as string": ByClass(int, faithful="str({value})", json="str({value})"),
    "uuid as hex": ByClass(uuid.UUID, faithful="{value}.hex", json="{value}.hex"),
    "uuid as urn": ByClass(uuid.UUID, faithful="{value}.urn", json="{value}.urn"),
    # Integers of 128 bits are beyond orjson.
    "uuid as int": ByClass(
        uuid.UUID,
        faithful="{value}.int",
        json="JsonText(str({value}.int).encode())",
        names={"JsonText": JsonText},
    ),
}


def _as_it_is_kind(*, path: FieldPath, slots: list[Slot]) -> Kind:
    return Kind(
        "value as it is",
        faithful=Conversion("str", None, path.settled("{value}")),
        json=Conversion("str", None, f"json_value({path.settled('{value}')})"),
        names=JSON_VALUE,
        may_skip=True,
    )


def _float_kind(*, path: FieldPath, slots: list[Slot]) -> Kind:
    return Kind(
        "float",
        faithful=Conversion("float", None, path.own_method),
        json=Conversion(
            "float", JSON_FLOAT_TEMPLATE, f"json_number({path.own_method})", is_pure=True
        ),
        names={"json_number": json_number},
        may_skip=True,
    )


def _decimal_kind(
    places: int | None, is_text: bool, normalize: bool, *, path: FieldPath, slots: list[Slot]
) -> Kind:
    """A value that has its places already is written as it stands; the others are quantized."""
    result = "{value}"
    names: dict[str, object] = {"Decimal": decimal.Decimal}
    if places is not None:
        context = option_slot(slots, "context", path, _context)
        quantum = f"quantum_{len(slots)}"
        names[quantum] = decimal.Decimal((0, (1,), -places))
        rounding = option_slot(slots, "rounding", path, lambda field: field.rounding)
        result = f"{{value}}.quantize({quantum}, {rounding}, {context})"
    if normalize:
        result = f"{result}.normalize()"
    if not is_text:
        return Kind(
            "decimal",
            faithful=Conversion("Decimal", result, path.own_method),
            # A float, as for DRF's encoder.
            json=Conversion(
                "Decimal",
                f"json_number(float(text)) if (text := {result}).is_finite() else json_value(text)",
                f"json_value({path.own_method})",
            ),
            names={**names, "json_number": json_number, **JSON_VALUE},
            may_skip=True,
        )
    text = f"format({result}, 'f')"
    if places is not None and not normalize:
        longest = option_slot(
            slots, "longest", path, lambda field: decimals.longest(field.max_digits)
        )
        text = decimals.written(places, longest, text)
    conversion = Conversion("Decimal", text, path.own_method)
    return Kind(
        "decimal as string", faithful=conversion, json=conversion, names=names, may_skip=True
    )


def _context(field: Any) -> decimal.Context:
    """The decimal context of this dump, as ``DecimalField.quantize`` makes it for each value."""
    context = decimal.getcontext().copy()
    if field.max_digits is not None:
        context.prec = field.max_digits
    return context


def _choice_kind(*, path: FieldPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    chosen = f"{{value}} and {choices}.get({{value}}, {{value}})"
    number = f"{choices}.get(str({{value}}), {{value}})"
    otherwise = f"{number} if type({{value}}) is int else {path.own_method}"
    return Kind(
        "choice",
        faithful=Conversion("str", chosen, otherwise),
        json=Conversion("str", finished(chosen), f"json_value({otherwise})"),
        names=JSON_VALUE,
        may_skip=True,
    )


def _multiple_choice_kind(*, path: FieldPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    # A generator, as in stock: of a StopIteration it makes a RuntimeError.
    chosen = f"list(dict.fromkeys({choices}.get(str(each), each) for each in {{value}}))"
    return Kind(
        "multiple choice",
        faithful=Conversion("list", chosen, path.own_method),
        json=Conversion("list", f"json_value({chosen})", f"json_value({path.own_method})"),
        names=JSON_VALUE,
        may_skip=True,
    )


def _expression(inner: Kind, conversion: Conversion, path: FieldPath, none_stays: bool) -> str:
    """What is done to ``each``, a value inside of another, as one expression (a template again).

    :param none_stays: whether None stays None, or is a value like any other
    """

    def fill(template: str | None) -> str:
        if template is None:
            return "each"
        return f"({substitute(template, value='each', field=as_template(path.expression))})"

    if inner.link is not None:
        return f"{inner.link}(each)"
    result = fill(conversion.otherwise)
    if none_stays and result != "each":
        result = f"each if each is None else {result}"
    if conversion.common is not None and (conversion.inline, result) != (None, "each"):
        result = f"{fill(conversion.inline)} if type(each) is {conversion.common} else {result}"
    return result


def _list_kind(child: Description, *, path: FieldPath, slots: list[Slot]) -> Kind:
    return _collection_kind("list", child, path, slots)


def _dict_kind(child: Description, *, path: FieldPath, slots: list[Slot]) -> Kind:
    return _collection_kind("dict", child, path, slots)


_COMPREHENSIONS = {
    "list": "[{item} for each in {{value}}]",
    "dict": "{{{{str(key): {item} for key, each in {{value}}.items()}}}}",
}


def _collection_kind(name: str, child: Description, path: FieldPath, slots: list[Slot]) -> Kind:
    """A comprehension with the child's conversion for each item, for plain lists and dicts."""
    child_path = path.within("child")
    child_kind = kind(child, child_path, slots)

    def each(conversion: Conversion) -> str:
        item = _expression(child_kind, conversion, child_path, none_stays=True)
        return _COMPREHENSIONS[name].format(item=item)

    return Kind(
        f"{name} of {child_kind.label}",
        faithful=Conversion(name, each(child_kind.faithful), path.own_method),
        json=Conversion(name, each(child_kind.json), f"json_value({path.own_method})"),
        names={**child_kind.names, **JSON_VALUE},
        may_skip=True,
    )


def _many_related_kind(child: Description, *, path: FieldPath, slots: list[Slot]) -> Kind:
    """A list of what the relation's field makes of each related object."""
    child_path = path.within("child_relation")
    child_kind = kind(child, child_path, slots)

    def each(conversion: Conversion) -> Conversion:
        item = _expression(child_kind, conversion, child_path, none_stays=False)
        return Conversion(otherwise=f"[{item} for each in {{value}}]")

    return Kind(
        f"many of {child_kind.label}",
        faithful=each(child_kind.faithful),
        json=each(child_kind.json),
        names=child_kind.names,
    )


_MAKERS: dict[str, Callable[..., Kind]] = {
    "as it is": _as_it_is_kind,
    "registered": _registered_kind,
    "float": _float_kind,
    "decimal": _decimal_kind,
    "datetime": datetime_kind,
    "unformatted": unformatted_kind,
    "strftime": strftime_kind,
    "duration": duration_kind,
    "choice": _choice_kind,
    "multiple choice": _multiple_choice_kind,
    "file": file_kind,
    "method": method_kind,
    "model field": _model_field_kind,
    "string related": string_related_kind,
    "slug": slug_kind,
    "primary key": primary_key_kind,
    "hyperlink": hyperlink_kind,
    "nested": nested_kind,
    "list": _list_kind,
    "dict": _dict_kind,
    "many related": _many_related_kind,
}

PLAIN_KINDS = frozenset(
    [
        *_BY_CLASS,
        *(f"{name} {how}" for name in FORMATTED for how in ("as it is", "in a format")),
        "value as it is",
        "float",
        "decimal",
        "decimal as string",
        "datetime",
        "duration",
        "choice",
        "multiple choice",
        "list of value as it is",
        "list of string",
        "list of integer",
        "dict of value as it is",
        "dict of string",
    ]
)
"""The labels of kinds that call no code of users for the values that they expect."""
