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

from fastschema.compiler import decimals
from fastschema.compiler.class_rules import ALIKE, ByClass
from fastschema.compiler.expressions import expression
from fastschema.compiler.json_templates import JSON_FLOAT_TEMPLATE
from fastschema.compiler.nodes import Conversion, Kind, Rereading, Slot
from fastschema.contrib.django.field_path import JSON_VALUE, SerializerPath, json_ready, option_slot
from fastschema.contrib.django.json_encoding import json_number, json_value
from fastschema.contrib.django.kinds_dates import (
    datetime_kind,
    duration_kind,
    strftime_kind,
    unformatted_kind,
)
from fastschema.contrib.django.kinds_relations import (
    file_kind,
    hyperlink_kind,
    method_kind,
    nested_kind,
    own_hyperlink_kind,
    primary_key_kind,
    slug_kind,
    string_related_kind,
)
from fastschema.runtime.descriptions import Description
from fastschema.runtime.json_engine import JsonText


def kind(description: Description, path: SerializerPath, slots: list[Slot]) -> Kind:
    """The kind for a description; what it needs from each dump is added to ``slots``."""
    name, *options = description
    if name in _BY_CLASS:
        row = _BY_CLASS[name]
        made = row.kind(name, path.own_method, JSON_VALUE, may_skip=not path.is_called)
        return replace(made, rereading=Rereading.VALUE)
    make: Callable[..., Kind] = _MAKERS.get(name, _ownmethod_kind)
    made = make(*options, path=path, slots=slots)
    if name in _PLAIN:
        made = replace(made, rereading=Rereading.VALUE)
    return replace(made, may_skip=False, inline_may_skip=False) if path.is_called else made


_PLAIN = frozenset(
    [
        "as it is",
        "choice",
        "datetime",
        "decimal",
        "duration",
        "float",
        "multiple choice",
        "strftime",
        "unformatted",
    ]
)
"""Kinds that call no code of users for the values that they expect."""


def _ownmethod_kind(*_: Any, path: SerializerPath, slots: list[Slot]) -> Kind:
    represent = path.called("{field}.to_representation({value})")
    return Kind(
        "the field's own method",
        python=Conversion(otherwise=represent),
        json=Conversion(otherwise=json_ready(represent)),
        names=JSON_VALUE,
        may_skip=True,
    )


def _model_field_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    own_method = _ownmethod_kind(path=SerializerPath(path.expression, path.get), slots=slots)
    return replace(own_method, label="model field")


def _registered_kind(registered: Any, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    made: Kind = registered.kind(path.own_method, json_value, path.called)
    return made


_BY_CLASS = {
    **ALIKE,
    "integer": ByClass(int),
    "integer as string": ByClass(int, python="str({value})", json="str({value})"),
    "uuid as hex": ByClass(uuid.UUID, python="{value}.hex", json="{value}.hex"),
    "uuid as urn": ByClass(uuid.UUID, python="{value}.urn", json="{value}.urn"),
    # Integers of 128 bits are beyond orjson.
    "uuid as int": ByClass(
        uuid.UUID,
        python="{value}.int",
        json="JsonText(str({value}.int).encode())",
        names={"JsonText": JsonText},
    ),
}


def _as_it_is_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    return Kind(
        "value as it is",
        python=Conversion("str", None, path.called("{value}")),
        json=Conversion("str", None, f"json_value({path.called('{value}')})"),
        names=JSON_VALUE,
        may_skip=True,
    )


def _float_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    return Kind(
        "float",
        python=Conversion("float", None, path.own_method),
        json=Conversion("float", JSON_FLOAT_TEMPLATE, f"json_number({path.own_method})"),
        names={"json_number": json_number},
        may_skip=True,
    )


def _decimal_kind(
    places: int | None, is_text: bool, normalize: bool, *, path: SerializerPath, slots: list[Slot]
) -> Kind:
    """A value that has its places already is written as it stands; the others are quantized."""
    result = "{value}"
    names: dict[str, object] = {"Decimal": decimal.Decimal}
    if places is not None:
        context = option_slot(slots, "context", path, _context, decimals.active_context)
        quantum = f"quantum_{len(slots)}"
        names[quantum] = decimal.Decimal((0, (1,), -places))
        rounding = option_slot(slots, "rounding", path, lambda field: field.rounding)
        result = f"{{value}}.quantize({quantum}, {rounding}, {context})"
    if normalize:
        result = f"{result}.normalize()"
    if not is_text:
        return Kind(
            "decimal",
            python=Conversion("Decimal", result, path.own_method),
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
            slots,
            "longest",
            path,
            lambda field: decimals.longest(field.max_digits),
            decimals.active_context,
        )
        text = decimals.written(places, longest, text)
    conversion = Conversion("Decimal", text, path.own_method)
    return Kind("decimal as string", python=conversion, json=conversion, names=names, may_skip=True)


def _context(field: Any) -> decimal.Context:
    """The decimal context of this dump, as ``DecimalField.quantize`` makes it for each value."""
    context = decimal.getcontext().copy()
    if field.max_digits is not None:
        context.prec = field.max_digits
    return context


def _choice_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    chosen = f"{{value}} and {choices}.get({{value}}, {{value}})"
    number = f"{choices}.get(str({{value}}), {{value}})"
    otherwise = f"{number} if type({{value}}) is int else {path.own_method}"
    return Kind(
        "choice",
        python=Conversion("str", chosen, otherwise),
        json=Conversion("str", json_ready(chosen), f"json_value({otherwise})"),
        names=JSON_VALUE,
        may_skip=True,
    )


def _multiple_choice_kind(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    # A generator, as in stock: of a StopIteration it makes a RuntimeError.
    chosen = f"list(dict.fromkeys({choices}.get(str(each), each) for each in {{value}}))"
    return Kind(
        "multiple choice",
        python=Conversion("list", chosen, path.own_method),
        json=Conversion("list", f"json_value({chosen})", f"json_value({path.own_method})"),
        names=JSON_VALUE,
        may_skip=True,
    )


def _list_kind(child: Description, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    return _collection_kind("list", child, path, slots)


def _dict_kind(child: Description, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    return _collection_kind("dict", child, path, slots)


_COMPREHENSIONS = {
    "list": "[{item} for each in {{value}}]",
    "dict": "{{{{str(key): {item} for key, each in {{value}}.items()}}}}",
}


def _collection_kind(
    name: str, child: Description, path: SerializerPath, slots: list[Slot]
) -> Kind:
    """A comprehension with the child's conversion for each item, for plain lists and dicts."""
    child_path = path.inside("child")
    child_kind = kind(child, child_path, slots)

    def each(conversion: Conversion) -> str:
        item = expression(child_kind, conversion, "each", child_path.expression, none_stays=True)
        return _COMPREHENSIONS[name].format(item=item)

    return Kind(
        f"{name} of {child_kind.label}",
        python=Conversion(name, each(child_kind.python), path.own_method),
        json=Conversion(name, each(child_kind.json), f"json_value({path.own_method})"),
        names={**child_kind.names, **JSON_VALUE},
        may_skip=True,
        rereading=child_kind.rereading,
        makes_lists=name == "list",
    )


def _many_related_kind(child: Description, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    """A list of what the relation's field makes of each related object."""
    child_path = path.inside("child_relation")
    child_kind = kind(child, child_path, slots)

    def each(conversion: Conversion) -> Conversion:
        item = expression(child_kind, conversion, "each", child_path.expression, none_stays=False)
        return Conversion(otherwise=f"[{item} for each in {{value}}]")

    return Kind(
        f"many of {child_kind.label}",
        python=each(child_kind.python),
        json=each(child_kind.json),
        names=child_kind.names,
        makes_lists=True,
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
    "own hyperlink": own_hyperlink_kind,
    "nested": nested_kind,
    "nested list": nested_kind,
    "list": _list_kind,
    "dict": _dict_kind,
    "many related": _many_related_kind,
}
