"""What is done to the value of a marshmallow field that is loaded.

As :mod:`fastschema.marshmallow.fields` for dumping. Only the classes of value that JSON has are
converted. Everything else goes to the field's own ``deserialize``, so that odd values become (or
raise) what they do in stock. All that stands in a template here is pure: where it fails, stock
does the same again, and says what was wrong.
"""

from __future__ import annotations

import decimal
import enum
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from marshmallow import fields, missing

from fastschema.compiler.kinds import FieldPath, dict_of
from fastschema.compiler.nodes import LoadKind, Slot, literal, of_classes
from fastschema.compiler.source import Names
from fastschema.marshmallow import fields_dates, validators
from fastschema.marshmallow.bypassed import LOADS
from fastschema.marshmallow.fields import why_unknown
from fastschema.marshmallow.sqlalchemy import passes_session
from fastschema.runtime.patching import overridden, stock_method
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
    tell_booleans,
)
from fastschema.runtime.registration import Registered, registered

# As they are when fastschema is imported: what is patched later is not stock's.
_DESERIALIZE = stock_method(fields.Field, "deserialize")
_VALIDATE_MISSING = stock_method(fields.Field, "_validate_missing")
_HAS_PROCESSORS = hasattr(fields.Raw(), "pre_load")
_NUMBER_FORMAT_NUM = stock_method(fields.Number, "_format_num")
_DECIMAL_FORMAT_NUM = stock_method(fields.Decimal, "_format_num")
_BY_FIELD = (stock_method(fields.Field, "_deserialize"),)
_BY_STRING = (stock_method(fields.String, "_deserialize"), *_BY_FIELD)
_UUID_VALIDATED = stock_method(fields.UUID, "_validated")
_NESTED_SCHEMA = stock_method(fields.Nested, "schema")
_NESTED_METHODS = {
    name: stock_method(fields.Nested, name) for name in ("_load", "_test_collection", "make_error")
}
_PLUCK_METHODS = tuple(stock_method(cls, "_deserialize") for cls in (fields.Pluck, fields.Nested))
_FIELD_DATA_KEY = stock_method(fields.Pluck, "_field_data_key")


@dataclass(frozen=True, slots=True)
class LoadPath(FieldPath):
    """Where a field is found in a load; the names of its objects begin with the prefix."""

    prefix: str

    @classmethod
    def of(cls, index: int) -> LoadPath:
        return cls(f"fields[{index}]", lambda bound: bound.fields[index], f"field_{index}")

    def within(self, suffix: str, get: Callable[[Any], Any]) -> LoadPath:
        path = FieldPath.within(self, suffix, get)
        return replace(path, prefix=f"{self.prefix}_{Names().unique(suffix)}")


def describe(field: Any) -> Description:
    """Return how the values of a field are loaded: what makes its kind, then the options."""
    reason = why_not_deserialized(field)
    if reason is not None:
        return own_method(reason)
    methods = methods_of(field, "_deserialize", fields.Field)
    if not methods:
        return own_method("_deserialize is set on the field object")
    if methods[0] in registered:
        return _describe_registered(registered[methods[0]])
    if passes_session(methods[0]):
        methods = methods[1:]
    unknown = next((method for method in methods if method not in RULES), methods[0])
    return describe_by_rule(field, unknown, RULES.get(unknown), "_deserialize")


def why_not_deserialized(field: Any) -> str | None:
    """Return why what stock does around a field's ``_deserialize`` is not generated, or None."""
    reason = why_unknown(field, LOADS)
    if reason is not None:
        return reason
    if method_of(field, "deserialize") is not _DESERIALIZE:
        return "deserialize is overridden"
    if method_of(field, "_validate_missing") is not _VALIDATE_MISSING:
        return "_validate_missing is overridden"
    if _HAS_PROCESSORS:
        for name in ("pre_load", "post_load"):
            if getattr(field, name):
                return f"it has {name} functions of its own"
    return None


def describe_missing(field: Any) -> str:
    """Return what is done for a missing key: "skip", "value" or "own" for the field's method."""
    if bool(field.required):
        return "own"
    default = field.load_default
    if default is missing:
        return "skip"
    return "own" if callable(default) else "value"


def loads_by_itself(kind: Description) -> bool:
    """Return whether a kind is a nested schema or a list of those, which store errors."""
    return kind[0] is _linked


def is_by_maker(kind: Description) -> bool:
    """Return whether a maker makes what loads values of a kind."""
    return loads_by_itself(kind) and kind[2] == "maker"


def describe_validators(field: Any, kind: Description) -> Description:
    """Return what the validators of a field of some kind ask; see :func:`validators.describe`.

    Validators of values whose class is not known, or is an enum of the user's, are called by the
    field: who knows what looking at such a value calls.
    """
    described = validators.describe(field)
    is_unknown = kind[0] in (_any, _member, _registered)
    return validators.CUSTOM if is_unknown and described else described


def describe_inner(field: Any, kind: Description) -> Description | None:
    """Return a field inside of a field: its kind, whether it allows None, its validators.

    None if it may call user code, or loads by itself.
    """
    if kind[0] == OWN_METHOD or loads_by_itself(kind):
        return None
    described = describe_validators(field, kind)
    return None if described == validators.CUSTOM else (kind, bool(field.allow_none), described)


def kind(
    description: Description, checks: Description, path: LoadPath, slots: list[Slot]
) -> LoadKind:
    """Return the kind for a field and its validators; slots for what they need are added."""
    make, *options = description
    field_kind: LoadKind = make(*options, path=path, slots=slots)
    names = dict(field_kind.names)
    valid = validators.condition(checks, path.prefix, path.get, slots, names)
    return replace(field_kind, valid=valid, names=names)


def own_method_kind(number: int, key: str, *, is_validated: bool) -> LoadKind:
    """Return the kind of a field whose own ``_deserialize`` is called, and nothing else."""
    arguments = f"{number}, $value, {literal(key)}, data, index, {is_validated}"
    return LoadKind("the field's own method", call=f"load_own({arguments})")


def _simple(label: str, accepts: str | None) -> Callable[..., LoadKind]:
    return lambda **_: LoadKind(label, accepts)


_any = _simple("value as it is", None)
_STRING = _simple("string", of_classes("str"))
_INTEGER = _simple("integer", of_classes("int"))
_BOOLEAN = _simple("boolean", "$value is True or $value is False")


def _boolean(field: Any) -> Description:
    if tell_booleans(field.truthy, field.falsy):
        return (_BOOLEAN,)
    return own_method("truthy and falsy do not hold the two booleans")


def _uuid(field: Any) -> Description:
    if methods_of(field, "_validated", fields.UUID) != (_UUID_VALIDATED,):
        return own_method("_validated is overridden")
    return (_hexadecimal,)


def _hexadecimal(**_: Any) -> LoadKind:
    names = {"uuid_from_text": uuid_from_text}
    return LoadKind("uuid", of_classes("str"), "uuid_from_text($value)", names=names)


def uuid_from_text(text: str) -> uuid.UUID:
    """``uuid.UUID(text)`` for 32 hexadecimal digits, hyphens or not, in a third of the time."""
    digits = text.replace("-", "")
    if len(digits) != 32:
        raise ValueError
    result: uuid.UUID = _new(_UUID)
    _set_int(result, int(digits, 16))
    _set_is_safe(result, _UNKNOWN)
    return result


_UUID = uuid.UUID
_UNKNOWN = uuid.SafeUUID.unknown
_new = object.__new__
_set_int = vars(uuid.UUID)["int"].__set__
_set_is_safe = vars(uuid.UUID)["is_safe"].__set__


def _number(field: Any) -> Description:
    name = _VALIDATED.get(methods_of(field, "_validated", fields.Number))
    if name is None:
        return own_method("_validated is overridden")
    format_num = method_of(field, "_format_num")
    if format_num in registered:
        return _describe_registered(registered[format_num])
    if name == "decimal":
        if format_num is not _DECIMAL_FORMAT_NUM:
            return own_method("_format_num is overridden")
        return (_decimal, field.places is not None)
    if format_num is not _NUMBER_FORMAT_NUM:
        return own_method("_format_num is overridden")
    num_type = field.num_type
    if num_type is float and name == "float":
        return (_float, field.allow_nan is not False)
    if num_type is int and name in ("integer", "number"):
        return (_INTEGER,)
    return own_method("its num_type is not that of marshmallow's own field")


_NUMBER_VALIDATED = stock_method(fields.Number, "_validated")
_VALIDATED: dict[tuple[Any, ...], str] = {
    (_NUMBER_VALIDATED,): "number",
    (stock_method(fields.Integer, "_validated"), _NUMBER_VALIDATED): "integer",
    (stock_method(fields.Float, "_validated"), _NUMBER_VALIDATED): "float",
    (stock_method(fields.Decimal, "_validated"), _NUMBER_VALIDATED): "decimal",
}


def _float(allow_nan: bool, **_: Any) -> LoadKind:
    is_finite = None if allow_nan else "$value * 0.0 == 0.0"  # infinity and NaN make NaN of it
    return LoadKind("float", of_classes("float", "int"), "float($value)", check=is_finite)


def _decimal(has_places: bool, *, path: LoadPath, **_: Any) -> LoadKind:
    convert = "Decimal(str($value))"
    if has_places:
        field = path.expression
        quantized = f"number.quantize({field}.places, {field}.rounding)"
        convert = f"{quantized} if (number := {convert}).is_finite() else refuse()"
    names = {"Decimal": decimal.Decimal}
    return LoadKind(
        "decimal", of_classes("str", "int", "float"), convert, "$value.is_finite()", names=names
    )


def _enum(field: Any) -> Description:
    if not has_plain_truth(field.by_value):
        return own_method("its by_value may be lazy")
    by_value = bool(field.by_value)
    inner = methods_of(field.field, "_deserialize", fields.Field)
    if inner != (_BY_FIELD if by_value else _BY_STRING):
        return own_method("an enum by such a field is not compiled")
    return (_member, "value" if by_value else "name")


def _member(by: str, *, path: LoadPath, slots: list[Slot]) -> LoadKind:
    """By the tables that ``Enum`` itself looks into; other enums have an empty one."""
    members = f"{path.prefix}_members"
    slots.append(Slot(members, lambda load: _members(path.get(load).enum, by)))
    accepts = of_classes("str") if by == "name" else of_classes("str", "int")
    return LoadKind(f"enum by {by}", accepts, f"{members}[$value]")


_ENUM_NEW: Any = enum.Enum.__new__
_NO_MEMBERS: dict[Any, Any] = {}


def _members(enum_class: Any, by: str) -> dict[Any, Any]:
    if type(enum_class) is not enum.EnumType or enum_class.__new__ is not _ENUM_NEW:
        return _NO_MEMBERS
    table: dict[Any, Any] = (
        enum_class._member_map_ if by == "name" else enum_class._value2member_map_
    )
    return table


def _list(field: Any) -> Description:
    inner = field.inner
    kind = describe(inner)
    if loads_by_itself(kind):
        return (_linked, f"list of {kind[1]}", "list", kind)
    described = describe_inner(inner, kind)
    if described is None:
        return own_method("a list of fields that run as stock is not compiled")
    return (_list_of, described)


def _list_of(described: Description, *, path: LoadPath, slots: list[Slot]) -> LoadKind:
    inner_path = path.within(".inner", lambda field: field.inner)
    expression, inner = _inner(described, inner_path, slots, "each")
    stays = inner.convert is inner.check is inner.valid is None and not described[1]
    items = _SAME_CLASS.get(inner.accepts or "") if stays else None
    return LoadKind(
        f"list of {inner.label}",
        of_classes("list"),
        f"[{expression} for each in $value]",
        items=items,
        names=inner.names,
    )


_SAME_CLASS = {of_classes(cls): cls for cls in ("str", "int")}


def _inner(
    described: Description, path: LoadPath, slots: list[Slot], value: str
) -> tuple[str, LoadKind]:
    description, none_stays, checks = described
    inner = kind(description, checks, path, slots)
    return inner.expression(value, f"{path.prefix}_value", none_stays=none_stays), inner


def _mapping(field: Any) -> Description:
    if field.mapping_type is not dict:
        return own_method("its mapping_type is not dict")
    inner: list[Description | None] = []
    for name in ("key_field", "value_field"):
        inner_field = getattr(field, name)
        described = (
            None if inner_field is None else describe_inner(inner_field, describe(inner_field))
        )
        if inner_field is not None and described is None:
            return own_method("a mapping of fields that run as stock is not compiled")
        inner.append(described)
    return (_mapping_of, *inner)


def _mapping_of(
    key: Description | None, value: Description | None, *, path: LoadPath, slots: list[Slot]
) -> LoadKind:
    names: dict[str, object] = {}
    items: list[str | None] = []
    for name, described in (("key_field", key), ("value_field", value)):
        item = None
        if described is not None:
            inner_path = path.within(f".{name}", attrgetter(name))
            item, inner = _inner(described, inner_path, slots, "each")
            names.update(inner.names)
        items.append(item)
    return LoadKind("mapping", of_classes("dict"), dict_of(*items), names=names)


def _nested(field: Any) -> Description:
    if type(field).schema is not _NESTED_SCHEMA:
        return own_method("the schema property is overridden")
    reason = overridden(field, _NESTED_METHODS)
    return _NESTED if reason is None else own_method(reason)


def _pluck(field: Any) -> Description:
    if methods_of(field, "_deserialize", fields.Nested) != _PLUCK_METHODS:
        return own_method("_deserialize of a base is overridden")
    if type(field)._field_data_key is not _FIELD_DATA_KEY:
        return own_method("_field_data_key is overridden")
    nested = _nested(field)
    return _PLUCKED if nested is _NESTED else nested


def _linked(label: str, *options: Any, path: LoadPath, slots: list[Slot]) -> LoadKind:
    """Return the kind of what loads by itself, by the options of its loader in ``load_values``."""
    slot = f"{path.prefix}_load"
    number = int(path.prefix.removeprefix("field_"))
    description = (_linked, label, *options)
    slots.append(Slot(slot, lambda load: load.linked(number, description)))
    return LoadKind(label, load_slot=slot)


_NESTED = (_linked, "nested schema", "nested")
_PLUCKED = (_linked, "plucked from a nested schema", "pluck")


def _registered(registered: Registered, *, path: LoadPath, **_: Any) -> LoadKind:
    return registered.load_kind(path.expression)


def _describe_registered(registered: Registered) -> Description:
    if registered.maker is None:
        return (_registered, registered)
    return (_linked, registered.label, "maker", registered)


RULES: dict[Any, Rule] = {
    **fields_dates.LOAD_RULES,
    stock_method(fields.Field, "_deserialize"): always(_any),
    stock_method(fields.String, "_deserialize"): always(_STRING),
    stock_method(fields.UUID, "_deserialize"): _uuid,
    stock_method(fields.Number, "_deserialize"): _number,
    stock_method(fields.Boolean, "_deserialize"): _boolean,
    stock_method(fields.Enum, "_deserialize"): _enum,
    stock_method(fields.List, "_deserialize"): _list,
    stock_method(fields.Mapping, "_deserialize"): _mapping,
    stock_method(fields.Nested, "_deserialize"): _nested,
    stock_method(fields.Pluck, "_deserialize"): _pluck,
}
