"""What is done to the value of a marshmallow field that is dumped.

A *rule* describes a field as a tuple: what makes its kind, then plain values, all that the
generated code depends on. The kind is made from the tuple alone, which is the key to the cache.
``RULES`` is keyed by the method that stock would call (``Field._serialize``): a subclass that
overrides only validation is compiled as its parent is, and one that overrides serialization is not.

Only the common class of value is handled inline. Everything else goes to the field's own
``_serialize``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import decimal
import enum
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from marshmallow import Schema, fields, missing

from fastschema.compiler.kinds import (
    BOOLEAN,
    FLOAT,
    INTEGER,
    INTEGER_AS_STRING,
    STRING,
    UUID,
    ByClass,
    FieldPath,
    by_class,
    decimal_precision,
    decimal_text,
    dict_of,
    expression,
    for_all,
    longest_decimal,
    new_slot,
    unchanged,
)
from fastschema.compiler.nodes import (
    ANY,
    PLAIN,
    Conversion,
    Form,
    Kind,
    Slot,
    literal,
)
from fastschema.compiler.value_code import FIELD
from fastschema.marshmallow import fields_dates
from fastschema.marshmallow.bypassed import DUMPS
from fastschema.marshmallow.customization import OPTIONS, STOCK_CLASSES, why_options_are_lazy
from fastschema.marshmallow.sqlalchemy import rule_of_related
from fastschema.runtime import json_engine
from fastschema.runtime.guard import computes_options
from fastschema.runtime.patching import MethodsOfFields, stock_method
from fastschema.runtime.plain_values import has_plain_truth
from fastschema.runtime.programs import (
    OWN_METHOD,
    Description,
    Rule,
    always,
    describe_by_rule,
    method_of,
    methods_of,
    own_method,
    rule_for,
    tell_booleans,
)
from fastschema.runtime.registration import Registered

_TYPE_MAPPING = Schema.TYPE_MAPPING
_UNCHANGED = {str: fields.String, int: fields.Integer, float: fields.Float, list: fields.Raw}
"""Classes of values, and those of the fields of marshmallow that leave them as they are."""


def describe_inferred(field: Any) -> Description:
    if field.root.TYPE_MAPPING is not _TYPE_MAPPING:
        return own_method("TYPE_MAPPING is overridden")
    return (inferred,)


def inferred(*, path: Any, slots: list[Slot]) -> Kind:
    methods = new_slot(
        slots, "serialize", lambda bound, cls, form: _SerializeByClass(path.get(bound.fields))
    )
    serialize = f"serialize($value, {path.arguments})"
    return for_all(
        "inferred from each value",
        f"$value if (serialize := {methods}[type($value)]) is None else {serialize}",
    )


class _SerializeByClass(dict[type, Callable[..., Any] | None]):
    """By which method an inferred field serializes values of a class; None if they stay."""

    def __init__(self, field: Any) -> None:
        self._field = field

    def __missing__(self, cls: type) -> Callable[..., Any] | None:
        """Find it as ``Inferred._serialize`` does, which keeps a field for each class of fields."""
        field = self._field
        field_class = field.root.TYPE_MAPPING.get(cls)
        if field_class is None:
            self[cls] = None
            return None
        inner = field._field_cache.get(field_class)
        if inner is None:
            inner = field_class()
            inner._bind_to_schema(field.name, field.parent)
            field._field_cache[field_class] = inner
        stays = _UNCHANGED.get(cls) is field_class
        serialize = self[cls] = None if stays else inner._serialize
        return serialize


# As they are when fastschema is imported: what is patched later is not stock's.
_NUMBER_FORMAT_NUM = stock_method(fields.Number, "_format_num")
_NUMBER_TO_STRING = stock_method(fields.Number, "_to_string")
_DECIMAL_FORMAT_NUM = stock_method(fields.Decimal, "_format_num")
_DECIMAL_TO_STRING = stock_method(fields.Decimal, "_to_string")
_NESTED_SCHEMA = stock_method(fields.Nested, "schema")
_PLUCK_METHODS = (
    stock_method(fields.Pluck, "_serialize"),
    stock_method(fields.Nested, "_serialize"),
)
_BY_FIELD = stock_method(fields.Field, "_serialize")
_BY_STRING = stock_method(fields.String, "_serialize")
_FIELD_DATA_KEY = stock_method(fields.Pluck, "_field_data_key")


def json_value(value: Any) -> Any:
    """Return any value as the JSON engine must be given it; ``missing`` stays, to be left out."""
    return value if value is missing else json_engine.json_value(value)


@dataclass(frozen=True, slots=True)
class DumpPath(FieldPath):
    """Where a field is found, and what its ``_serialize`` is told: the source of arguments."""

    arguments: str

    @classmethod
    def of(cls, index: int, attribute: str) -> DumpPath:
        return cls(f"fields[{index}]", lambda fields: fields[index], f"{literal(attribute)}, obj")

    @classmethod
    def of_value(cls) -> DumpPath:
        return cls(FIELD, lambda fields: fields[0], "None, None")

    def inside(self, expression: str, get: Callable[[Any], Any]) -> DumpPath:
        """Return the path to a field of this one, which is told neither attribute nor object."""
        return replace(self.within(expression, get), arguments="None, None")

    @property
    def own_method(self) -> str:
        return f"$field._serialize($value, {self.arguments})"

    def called(self, template: str) -> str:
        return template

    def maker_slot(self, registered: Registered, slots: list[Slot]) -> str:
        def resolve(bound: Any, cls: Any, form: Any) -> Any:
            return bound.maker_dumper(self.get(bound.fields), registered)

        return new_slot(slots, "by_maker", resolve)

    def by_maker(self, registered: Registered, slots: list[Slot]) -> str:
        return f"{self.maker_slot(registered, slots)}($value, {self.arguments})"


def why_unknown(field: Any, methods: MethodsOfFields = DUMPS) -> str | None:
    """Return why the options of a field, or what it does with them, cannot be known, or None."""
    cls = type(field)
    return (
        computes_options(cls, OPTIONS, STOCK_CLASSES)
        or why_options_are_lazy(field)
        or methods.reason(cls)
    )


def describe(field: Any) -> Description:
    """Return what is done to the value of a field: what makes its kind, then its options."""
    reason = why_unknown(field)
    if reason is not None:
        return own_method(reason)
    method = method_of(field, "_serialize")
    if method is None:
        return own_method("_serialize is set on the field object")
    rule = rule_for(method, RULES) or rule_of_related(method)
    return describe_by_rule(field, method, rule, "_serialize")


def kind(description: Description, path: DumpPath, slots: list[Slot]) -> Kind:
    """Return the kind for a description; what it needs from each dump is added to ``slots``."""
    make, *options = description
    if make == OWN_METHOD:
        return for_all("the field's own method", path.own_method, none_stays=False)
    field_kind: Kind = make(*options, path=path, slots=slots)
    return field_kind


def shows_object(description: Description) -> bool:
    """Return whether code of users may be given the object that a field is dumped of."""
    make, *options = description
    inner = [part for part in options if isinstance(part, tuple)]
    is_shown = type(make) is Registered or make in _SHOWS_OBJECT
    return is_shown or any(shows_object(part) for part in inner if part)


AS_IT_IS = unchanged("value as it is", STRING)
_AS_IT_IS_BOOLEAN = unchanged("value as it is", BOOLEAN)


def _as_it_is(field: Any) -> Description:
    return (_raw, issubclass(type(field), fields.Boolean))


def _raw(is_boolean: bool, **_: Any) -> Kind:
    """Marshmallow 4 dumps whatever value a Boolean has."""
    return _AS_IT_IS_BOOLEAN if is_boolean else AS_IT_IS


def _string(field: Any) -> Description:
    # In marshmallow 3, UUID serializes by String's method.
    return (UUID,) if issubclass(type(field), fields.UUID) else (STRING,)


def _number(field: Any) -> Description:
    as_string = bool(field.as_string)
    format_num, to_string = method_of(field, "_format_num"), method_of(field, "_to_string")
    if format_num is _DECIMAL_FORMAT_NUM:
        if to_string is not _DECIMAL_TO_STRING:
            return own_method("_to_string is overridden")
        places = field.places
        return (_decimal, as_string, None if places is None else -places.as_tuple().exponent)
    if format_num is not _NUMBER_FORMAT_NUM:
        return own_method("_format_num is overridden")
    if to_string is not _NUMBER_TO_STRING:
        return own_method("_to_string is overridden")
    number_kind = _NUMBERS.get((field.num_type, as_string))
    return (number_kind,) if number_kind else own_method("num_type is neither int nor float")


_NUMBERS = {
    (int, False): INTEGER,
    (int, True): INTEGER_AS_STRING,
    (float, False): FLOAT,
    (float, True): ByClass("float as string", float, "str($value)"),
}


def _decimal(as_string: bool, places: int | None, *, path: DumpPath, slots: list[Slot]) -> Kind:
    """Write a value that has its places already as it stands, and quantize the others."""
    result = "$value"
    if places is not None:
        result = "$value.quantize($field.places, $field.rounding)"
    if as_string:
        result = f"str({result})" if places in _INVISIBLE_PLACES else f"format({result}, 'f')"
    result = f"{result} if $value.is_finite() else {path.own_method}"
    if not as_string:
        return ByClass("decimal", decimal.Decimal, result, PLAIN).kind(path.own_method)
    longest = new_slot(
        slots, "longest", lambda bound, cls, form: longest_decimal(), decimal_precision
    )
    result = decimal_text(places, longest, result)
    return ByClass("decimal as string", decimal.Decimal, result).kind(path.own_method)


_INVISIBLE_PLACES = range(7)
"""With so many places, ``str`` never writes a finite Decimal with an exponent."""


def _boolean(field: Any) -> Description:
    """Marshmallow 3 coerces by the field's sets, which users may set."""
    if tell_booleans(field.truthy, field.falsy):
        return (BOOLEAN,)
    return own_method("truthy and falsy do not hold the two booleans")


def _enum(field: Any) -> Description:
    if not has_plain_truth(field.by_value):
        return own_method("its by_value may be lazy")
    by_value = bool(field.by_value)
    if method_of(field.field, "_serialize") is not (_BY_FIELD if by_value else _BY_STRING):
        return own_method("an enum by such a field is not compiled")
    return (_member, "value" if by_value else "name")


def _member(attribute: str, *, path: DumpPath, slots: list[Slot]) -> Kind:
    """Read the member's own attribute, past the descriptor that ``Enum`` keeps before it."""
    enum_class = new_slot(
        slots,
        "enum",
        lambda bound, cls, form: _plain_enum(path.get(bound.fields).enum, attribute),
    )
    template = f"$value._{attribute}_"  # of a combination of flags the name may be None
    return by_class(f"enum by {attribute}", enum_class, template, path.own_method, ANY)


def _address(field: Any) -> Description:
    return (_written, "exploded" if field.exploded else "compressed")


def _written(attribute: str, **_: Any) -> Kind:
    """Ask any value for what stock asks it for: addresses of two classes, or something else."""
    return for_all(f"IP address, {attribute}", f"$value.{attribute}")


class _NoClass:
    """The class of no value."""


def _plain_enum(enum_class: type, attribute: str) -> type:
    """Return the enum, if what its members give is as ``Enum`` defines it."""
    for base in enum_class.__mro__:
        if attribute in base.__dict__:
            return enum_class if base is enum.Enum else _NoClass
    return _NoClass


def _expression(inner: Kind, conversion: Conversion, value: str, path: DumpPath) -> str:
    return expression(inner, conversion, value, path.expression, none_stays=inner.none_stays)


def _list(field: Any) -> Description:
    return (_list_of, describe(field.inner))


def _list_of(inner: Description, *, path: DumpPath, slots: list[Slot]) -> Kind:
    """Write a list comprehension with the inner kind's conversion for each item, or a copy."""
    inner_path = path.within(".inner", lambda field: field.inner)
    inner_kind = kind(inner, inner_path, slots)
    slot = inner_kind.nested_slot

    def items(conversion: Conversion) -> str:
        if slot is not None:
            return f"{slot}.each($value)"
        return f"[{_expression(inner_kind, conversion, 'each', inner_path)} for each in $value]"

    def each(conversion: Conversion) -> Conversion:
        stays = conversion.common is not None and conversion.inline is conversion.items is None
        if stays and slot is None:
            return Conversion("list", otherwise=items(conversion), items=conversion.common)
        return Conversion(otherwise=items(conversion))

    return Kind(
        f"list of {inner_kind.label}",
        python=each(inner_kind.python),
        json=each(inner_kind.json),
        names=inner_kind.names,
        item_slot=slot,
    )


def _mapping(field: Any) -> Description:
    if field.mapping_type is not dict:
        return own_method("its mapping_type is not dict")
    inner = []
    for name in ("key_field", "value_field"):
        inner_field = getattr(field, name)
        inner.append(None if inner_field is None else describe(inner_field))
    return (_mapping_of, *inner)


def _mapping_of(
    key: Description | None, value: Description | None, *, path: DumpPath, slots: list[Slot]
) -> Kind:
    key_path = path.inside(".key_field", lambda field: field.key_field)
    value_path = path.inside(".value_field", lambda field: field.value_field)
    key_kind = AS_IT_IS if key is None else kind(key, key_path, slots)
    value_kind = AS_IT_IS if value is None else kind(value, value_path, slots)

    # As in stock, a key is what the python form says: JSON turns it into text.
    key_item = None if key is None else _expression(key_kind, key_kind.python, "each", key_path)

    def convert(form: Form) -> str:
        item = _expression(value_kind, value_kind.conversion(form), "each", value_path)
        return dict_of(key_item, None if item == "each" else item)

    return by_class(
        "mapping",
        "dict",
        convert(Form.PYTHON),
        path.own_method,
        PLAIN,
        json=convert(Form.JSON),
        names={**key_kind.names, **value_kind.names},
    )


def _nested(field: Any) -> Description:
    if type(field).schema is not _NESTED_SCHEMA:
        return own_method("the schema property is overridden")
    return NESTED


def _pluck(field: Any) -> Description:
    if type(field)._field_data_key is not _FIELD_DATA_KEY:
        return own_method("_field_data_key is overridden")
    if methods_of(field, "_serialize", fields.Nested) != _PLUCK_METHODS:
        return own_method("_serialize of a base is overridden")
    nested = _nested(field)
    if nested[0] == OWN_METHOD:
        return nested
    return (_nested_kind, "plucked from a nested schema", "pluck")


def _nested_kind(label: str, method: str, *, path: DumpPath, slots: list[Slot]) -> Kind:
    def resolve(bound: Any, cls: type, form: Form) -> Any:
        return getattr(bound, method)(path.get(bound.fields), form)

    slot = new_slot(slots, "nested", resolve)
    nothing = Conversion()
    return Kind(label, python=nothing, json=nothing, nested_slot=slot, nested_for_none=True)


NESTED = (_nested_kind, "nested schema", "nested_dumper")
_SHOWS_OBJECT = (OWN_METHOD, inferred)

RULES: dict[Any, Rule] = {
    **fields_dates.RULES,
    stock_method(fields.Field, "_serialize"): _as_it_is,
    stock_method(fields.String, "_serialize"): _string,
    stock_method(fields.Number, "_serialize"): _number,
    stock_method(fields.Enum, "_serialize"): _enum,
    stock_method(fields.IP, "_serialize"): _address,
    stock_method(fields.IPInterface, "_serialize"): _address,
    stock_method(fields.List, "_serialize"): _list,
    stock_method(fields.Mapping, "_serialize"): _mapping,
    stock_method(fields.Nested, "_serialize"): _nested,
    stock_method(fields.Pluck, "_serialize"): _pluck,
}
# Methods of their own only in one of marshmallow 3 and 4.
if hasattr(fields, "Inferred"):
    RULES[stock_method(fields.Inferred, "_serialize")] = describe_inferred
RULES.setdefault(stock_method(fields.UUID, "_serialize"), always(UUID))
RULES.setdefault(stock_method(fields.Boolean, "_serialize"), _boolean)
