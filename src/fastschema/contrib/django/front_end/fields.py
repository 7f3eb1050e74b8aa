"""What is done to the value of a DRF field that is dumped.

A *rule* describes a field as a tuple: what makes its kind, then plain values, all that the
generated code depends on. The kind is made from the tuple alone, which is the key to the cache.
``RULES`` is keyed by the method that stock would call (``Field.to_representation``); an
override misses it.

Only the common class of value is handled inline. Everything else goes to the field's own
``to_representation``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import decimal
import uuid
from collections.abc import Iterable
from typing import Any

from rest_framework import fields, relations
from rest_framework.serializers import BaseSerializer

from fastschema.compiler.kinds import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    INTEGER_AS_STRING,
    STRING,
    UUID,
    ByClass,
    by_class,
    decimal_context,
    decimal_text,
    expression,
    for_all,
    longest_decimal,
)
from fastschema.compiler.nodes import ANY, PLAIN, Conversion, Form, Kind, Slot
from fastschema.contrib.django.front_end import fields_dates, fields_relations
from fastschema.contrib.django.front_end.customization import STOCK_CLASSES
from fastschema.contrib.django.front_end.field_path import SerializerPath, option, option_slot
from fastschema.registration import registered
from fastschema.runtime.guard import computes_options
from fastschema.runtime.patching import stock_method, stock_of
from fastschema.runtime.programs import (
    OWN_METHOD,
    Description,
    Rule,
    always,
    describe_by_rule,
    method_of,
    stock,
    tell_booleans,
)

# As it is when fastschema is imported: what is patched later is not stock's.
_QUANTIZE = stock_method(fields.DecimalField, "quantize")


OPTIONS = frozenset(
    [
        *("TRUE_VALUES", "FALSE_VALUES", "binary", "coerce_to_string"),
        *("decimal_places", "field_name", "format", "localize", "lookup_field"),
        *("lookup_url_kwarg", "max_digits", "method_name", "normalize_output", "pk_field"),
        *("reverse", "slug_field", "source_attrs", "timezone", "use_url", "uuid_format"),
        *("view_name", "write_only"),
    ]
)
"""The attributes of fields by which programs differ, or what they are bound to."""
_HOLDERS = frozenset(["child", "child_relation"])


def why_unknown(field: Any) -> str | None:
    """Return why the options of a field cannot be known, or None."""
    return computes_options(type(field), OPTIONS, STOCK_CLASSES)


def inner_fields(field: Any) -> Iterable[str]:
    """Return the names of the attributes of a field that hold fields inside of it."""
    return _HOLDERS.intersection(vars(field)) if not isinstance(field, BaseSerializer) else ()


def describe(field: Any) -> Description:
    """Return what is done to the value of a field: what makes its kind, then its options."""
    reason = why_unknown(field)
    if reason is not None:
        return stock(reason)
    method = stock_of(method_of(field, "to_representation"))
    if method is None:
        return stock("to_representation is set on the field object")
    if method in registered:
        return (_registered, registered[method])
    return describe_by_rule(field, method, RULES, "to_representation")


def kind(description: Description, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Return the kind for a description; what it needs from each dump is added to ``slots``."""
    make, *options = description
    if make == OWN_METHOD:
        return _own_method(path)
    made: Kind = make(*options, path=path, slots=slots)
    return made


def _own_method(path: SerializerPath) -> Kind:
    return for_all("the field's own method", path.called("{field}.to_representation({value})"))


def model_field(*, path: SerializerPath, **_: Any) -> Kind:
    """Return what ``ModelField`` makes of the object."""
    return for_all("model field", "{field}.to_representation({value})")


def _registered(registered: Any, *, path: SerializerPath, **_: Any) -> Kind:
    made: Kind = registered.kind(path.own_method, path.called)
    return made


def _as_it_is(*, path: SerializerPath, **_: Any) -> Kind:
    return ByClass("value as it is", str, survives_json=False).kind(path.called("{value}"))


def _json(field: Any) -> Description:
    return stock("binary JSON is not compiled") if field.binary else (_as_it_is,)


def _boolean(field: Any) -> Description:
    if tell_booleans(field.TRUE_VALUES, field.FALSE_VALUES):
        return (BOOLEAN,)
    return stock("TRUE_VALUES and FALSE_VALUES do not hold the two booleans")


def _uuid(field: Any) -> Description:
    uuid_format = field.uuid_format
    made = _UUIDS.get(uuid_format)
    return (made,) if made else stock(f"the UUID format {uuid_format!r} is not compiled")


_UUIDS = {
    "hex_verbose": UUID,
    "hex": ByClass("uuid as hex", uuid.UUID, "{value}.hex"),
}


def _big_integer(field: Any) -> Description:
    is_text = option(field, "coerce_to_string", "COERCE_BIGINT_TO_STRING")
    return (INTEGER_AS_STRING if is_text else INTEGER,)


def _decimal(field: Any) -> Description:
    if method_of(field, "quantize") is not _QUANTIZE:
        return stock("quantize is overridden")
    is_text = bool(option(field, "coerce_to_string", "COERCE_DECIMAL_TO_STRING"))
    if field.localize:
        return stock("a localized decimal is not compiled")
    if field.normalize_output:
        return stock("a normalized decimal is not compiled")
    places = field.decimal_places
    return (_quantized, None if places is None else int(places), is_text)


def _quantized(
    places: int | None, is_text: bool, *, path: SerializerPath, slots: list[Slot]
) -> Kind:
    """Write a value that has its places already as it stands, and quantize the others."""
    result = "{value}"
    names: dict[str, object] = {}
    if places is not None:
        context = option_slot(slots, "context", path, _context, decimal_context)
        quantum = f"quantum_{len(slots)}"
        names[quantum] = decimal.Decimal((0, (1,), -places))
        rounding = option_slot(slots, "rounding", path, lambda field: field.rounding)
        result = f"{{value}}.quantize({quantum}, {rounding}, {context})"
    if not is_text:
        # A float, as for DRF's encoder.
        as_float = f"json_number(float(text)) if (text := {result}).is_finite()"
        more = {"json": f"{as_float} else json_value(text)"}
        row = ByClass(
            "decimal", decimal.Decimal, result, names=names, more=more, survives_json=False
        )
        return row.kind(path.own_method)
    text = f"format({result}, 'f')"
    if places is not None:
        longest = option_slot(
            slots,
            "longest",
            path,
            lambda field: longest_decimal(field.max_digits),
            decimal_context,
        )
        text = decimal_text(places, longest, text)
    row = ByClass("decimal as string", decimal.Decimal, text, names=names)
    return row.kind(path.own_method)


def _context(field: Any) -> decimal.Context:
    """Return the decimal context as ``DecimalField.quantize`` makes it for each value."""
    context = decimal.getcontext().copy()
    if field.max_digits is not None:
        context.prec = field.max_digits
    return context


def _choice(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    chosen = f"{{value}} and {choices}.get({{value}}, {{value}})"
    number = f"{choices}.get(str({{value}}), {{value}})"
    otherwise = f"{number} if type({{value}}) is int else {path.own_method}"
    return ByClass("choice", str, chosen, ANY, survives_json=False).kind(otherwise)


def _multiple_choice(*, path: SerializerPath, slots: list[Slot]) -> Kind:
    choices = option_slot(slots, "choices", path, lambda field: field.choice_strings_to_values)
    # A generator, as in stock: of a StopIteration it makes a RuntimeError.
    chosen = f"list(dict.fromkeys({choices}.get(str(each), each) for each in {{value}}))"
    more = {"json": f"json_value({chosen})"}
    return ByClass("multiple choice", list, chosen, more=more, survives_json=False).kind(
        path.own_method
    )


def _list(field: Any) -> Description:
    return (_collection, "list", describe(field.child))


def _dict(field: Any) -> Description:
    return (_collection, "dict", describe(field.child))


_COMPREHENSIONS = {
    "list": "[{item} for each in {{value}}]",
    "dict": "{{{{str(key): {item} for key, each in {{value}}.items()}}}}",
}


def _collection(name: str, child: Description, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Write a comprehension with the child's conversion for each item of a list or a dict."""
    child_path = path.inside("child")
    child_kind = kind(child, child_path, slots)

    def each(form: Form) -> str:
        conversion, field = child_kind.conversion(form), child_path.expression
        item = expression(child_kind, conversion, "each", field, none_stays=True)
        return _COMPREHENSIONS[name].format(item=item)

    return by_class(
        f"{name} of {child_kind.label}",
        name,
        each(Form.PYTHON),
        path.own_method,
        PLAIN,
        json=each(Form.JSON),
        names=child_kind.names,
        rereading=child_kind.rereading,
        survives_json=child_kind.survives_json,
        makes_lists=name == "list",
    )


def _many_related(field: Any) -> Description:
    return (many_related, describe(field.child_relation))


def many_related(child: Description, *, path: SerializerPath, slots: list[Slot]) -> Kind:
    """Write a list of what the relation's field makes of each related object."""
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
        survives_json=child_kind.survives_json,
        makes_lists=True,
    )


def _stock(cls: type) -> Any:
    return stock_method(cls, "to_representation")


RULES: dict[Any, Rule] = {
    **fields_dates.RULES,
    **fields_relations.RULES,
    _stock(fields.CharField): always(STRING),
    _stock(fields.IntegerField): always(INTEGER),
    _stock(fields.FloatField): always(FLOAT),
    _stock(fields.BooleanField): _boolean,
    _stock(fields.UUIDField): _uuid,
    _stock(fields.DecimalField): _decimal,
    _stock(fields.ChoiceField): always(_choice),
    _stock(fields.ListField): _list,
    _stock(fields.DictField): _dict,
    _stock(fields.JSONField): _json,
    _stock(fields.ReadOnlyField): always(_as_it_is),
    _stock(fields._UnvalidatedField): always(_as_it_is),
    _stock(fields.ModelField): always(model_field),
    _stock(relations.ManyRelatedField): _many_related,
}
if hasattr(fields, "BigIntegerField"):  # since DRF 3.17, when multiple choices became lists
    RULES[_stock(fields.BigIntegerField)] = _big_integer
    RULES[_stock(fields.MultipleChoiceField)] = always(_multiple_choice)
