"""From the description of a marshmallow field that loads to the kind of its node.

Made from the description alone, so that the cache of programs is right. All that stands in a
template here is pure: where it fails, stock does the same again, and says what was wrong.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from fastschema.compiler.kinds import FieldPath
from fastschema.compiler.load_nodes import LoadKind
from fastschema.compiler.nodes import Slot, as_template, literal
from fastschema.compiler.source import Names
from fastschema.marshmallow.validator_rules import condition
from fastschema.runtime.descriptions import Description


@dataclass(frozen=True, slots=True)
class LoadPath(FieldPath):
    """Where a field is found in a load, and what to call the things that it needs.

    :param prefix: what begins the names of its objects
    """

    prefix: str

    @classmethod
    def of(cls, index: int) -> LoadPath:
        """The path to a field of the schema."""
        return cls(f"fields[{index}]", lambda subject: subject.fields[index], f"field_{index}")

    def within(self, suffix: str, get: Callable[[Any], Any]) -> LoadPath:
        """The path to a field inside of this one."""
        path = FieldPath.within(self, suffix, get)
        return replace(path, prefix=f"{self.prefix}_{Names().unique(suffix)}")


def kind(
    description: Description, checks: Description, path: LoadPath, slots: list[Slot]
) -> LoadKind:
    """The kind for the description of a field and of its validators.

    What it needs from each load is added to ``slots``.
    """
    name, *options = description
    made: LoadKind = _MAKERS[name](*options, path=path, slots=slots)
    names = dict(made.names)
    valid = condition(checks, path.prefix, path.get, slots, names)
    return replace(made, valid=valid, names=names)


def stock_kind() -> LoadKind:
    """The kind of a field whose own ``deserialize`` is called."""
    return LoadKind("the field's own method")


def own_method_kind(number: int, key: str, *, is_validated: bool) -> LoadKind:
    """The kind of a field whose own ``_deserialize`` is called, and nothing else that it has.

    :param number: which field it is
    :param key: its key in the input
    :param is_validated: whether its validators are called, too
    """
    arguments = f"{number}, {{value}}, {as_template(literal(key))}, data, index, {is_validated}"
    return LoadKind("the field's own method", call=f"load_own({arguments})")


def _is(cls: str) -> str:
    return f"type({{value}}) is {cls}"


def _simple(label: str, accepts: str) -> Callable[..., LoadKind]:
    return lambda **_: LoadKind(label, accepts)


def _any_kind(**_: Any) -> LoadKind:
    return LoadKind("value as it is")


def uuid_from_text(text: str) -> uuid.UUID:
    """``uuid.UUID(text)`` for 32 hexadecimal digits, with hyphens or without.

    It does without the checks for other forms, and is three times as fast.

    :raises ValueError: for anything else, which may yet be a UUID for ``uuid.UUID``
    """
    digits = text.replace("-", "")
    if len(digits) != 32:
        raise ValueError
    made: uuid.UUID = _new(_UUID)
    _set_int(made, int(digits, 16))
    _set_is_safe(made, _UNKNOWN)
    return made


_UUID = uuid.UUID
_UNKNOWN = uuid.SafeUUID.unknown
_new = object.__new__
_set_int = vars(uuid.UUID)["int"].__set__
_set_is_safe = vars(uuid.UUID)["is_safe"].__set__


def _uuid_kind(**_: Any) -> LoadKind:
    return LoadKind(
        "uuid", _is("str"), "uuid_from_text({value})", names={"uuid_from_text": uuid_from_text}
    )


def _float_kind(allow_nan: bool, **_: Any) -> LoadKind:
    is_finite = "{value} * 0.0 == 0.0"  # infinity and NaN make NaN of it
    return LoadKind(
        "float",
        f"{_is('float')} or {_is('int')}",
        "float({value})",
        check=None if allow_nan else is_finite,
        stays=_is("float") if allow_nan else f"{_is('float')} and {is_finite}",
    )


def _decimal_kind(places: int | None, allow_nan: bool, *, path: LoadPath, **_: Any) -> LoadKind:
    field = as_template(path.expression)
    convert = "Decimal(str({value}))"
    if places is not None:
        quantized = f"number.quantize({field}.places, {field}.rounding)"
        convert = f"{quantized} if (number := {convert}).is_finite() else refuse()"
    accepts = " or ".join(_is(cls) for cls in ("str", "int", "float"))
    return LoadKind(
        "decimal",
        accepts,
        convert,
        "{value}.is_finite()",
        names={"Decimal": decimal.Decimal},
    )


_AWARENESS = {
    None: None,
    "naive": "{value}.tzinfo is None",
    "aware": "{value}.tzinfo is not None",
}


def _from_text_kind(function: Any, awareness: str | None, *, path: LoadPath, **_: Any) -> LoadKind:
    parse = f"{path.prefix}_parse"
    convert = f"{parse}({{value}})"
    names = {parse: function}
    return LoadKind("temporal", _is("str"), convert, _AWARENESS[awareness], names=names)


def _from_number_kind(
    function: Any, awareness: str | None, *, path: LoadPath, **_: Any
) -> LoadKind:
    parse = f"{path.prefix}_parse"
    return LoadKind(
        "timestamp",
        f"{_is('int')} or {_is('float')}",
        f"{parse}({{value}})",
        _AWARENESS[awareness],
        names={parse: function},
    )


def _strptime_kind(
    obj_type: str, data_format: str, awareness: str | None, *, path: LoadPath, **_: Any
) -> LoadKind:
    part = "" if obj_type == "datetime" else f".{obj_type}()"
    # By way of the module, as in stock: tests replace the class there.
    convert = f"clock.datetime.strptime({{value}}, {as_template(literal(data_format))}){part}"
    return LoadKind(
        f"{obj_type} in a format",
        _is("str"),
        convert,
        _AWARENESS[awareness],
        names={"clock": datetime},
    )


def _timedelta_kind(precision: str, number_type: type, **_: Any) -> LoadKind:
    number = number_type.__name__
    return LoadKind(
        "timedelta",
        f"{_is('int')} or {_is('float')}",
        f"timedelta({precision}={number}({{value}}))",
        names={"timedelta": datetime.timedelta},
    )


def _ip_kind(make: Any, *, path: LoadPath, **_: Any) -> LoadKind:
    address = f"{path.prefix}_address"
    return LoadKind("IP", _is("str"), f"{address}({{value}})", names={address: make})


def _enum_kind(by: str, *, path: LoadPath, slots: list[Slot]) -> LoadKind:
    """By the tables that ``Enum`` itself looks into; other enums have an empty one."""
    members = f"{path.prefix}_members"

    slots.append(Slot(members, lambda load: _members(path.get(load).enum, by)))
    accepts = _is("str") if by == "name" else f"{_is('str')} or {_is('int')}"
    return LoadKind(f"enum by {by}", accepts, f"{members}[{{value}}]")


_ENUM_NEW: Any = enum.Enum.__new__
_NO_MEMBERS: dict[Any, Any] = {}


def _members(enum_class: Any, by: str) -> dict[Any, Any]:
    if type(enum_class) is not enum.EnumType or enum_class.__new__ is not _ENUM_NEW:
        return _NO_MEMBERS
    table: dict[Any, Any] = (
        enum_class._member_map_ if by == "name" else enum_class._value2member_map_
    )
    return table


def _inner_expression(
    described: Description, path: LoadPath, slots: list[Slot], value: str
) -> tuple[str, dict[str, object], LoadKind]:
    description, none_stays, checks = described
    inner = kind(description, checks, path, slots)
    expression = inner.expression(value, f"{path.prefix}_value", none_stays=none_stays)
    return expression, dict(inner.names), inner


def _list_kind(described: Description, *, path: LoadPath, slots: list[Slot]) -> LoadKind:
    inner_path = path.within(".inner", lambda field: field.inner)
    expression, names, inner = _inner_expression(described, inner_path, slots, "each")
    stays = inner.convert is inner.check is inner.valid is None and not described[1]
    items = _SAME_CLASS.get(inner.accepts or "") if stays else None
    return LoadKind(
        f"list of {inner.label}",
        _is("list"),
        f"[{expression} for each in {{value}}]",
        items=items,
        names=names,
    )


_SAME_CLASS = {_is(cls): cls for cls in ("str", "int")}


def _tuple_kind(
    all_described: tuple[Description, ...], *, path: LoadPath, slots: list[Slot]
) -> LoadKind:
    items, names = [], {}
    for index, described in enumerate(all_described):
        inner_path = path.within(f".tuple_fields[{index}]", _tuple_field(index))
        item, item_names, _ = _inner_expression(described, inner_path, slots, f"{{value}}[{index}]")
        items.append(f"{item}, ")
        names.update(item_names)
    accepts = f"({_is('list')} or {_is('tuple')}) and len({{value}}) == {len(items)}"
    return LoadKind("tuple", accepts, f"({''.join(items)})", names=names)


def _tuple_field(index: int) -> Callable[[Any], Any]:
    return lambda field: field.tuple_fields[index]


def _mapping_kind(
    key: Description | None,
    value: Description | None,
    *,
    path: LoadPath,
    slots: list[Slot],
) -> LoadKind:
    """All keys before any value, as in stock."""
    names: dict[str, object] = {}
    key_path = path.within(".key_field", lambda field: field.key_field)
    value_path = path.within(".value_field", lambda field: field.value_field)
    key_expression = value_expression = "each"
    if key is not None:
        key_expression, more, _ = _inner_expression(key, key_path, slots, "each")
        names.update(more)
    if value is not None:
        value_expression, more, _ = _inner_expression(value, value_path, slots, "each")
        names.update(more)
    if key is not None:
        keys = f"[{key_expression} for each in {{value}}]"
        convert = f"dict(zip({keys}, [{value_expression} for each in {{value}}.values()]))"
    elif value is not None:
        convert = f"{{{{key: {value_expression} for key, each in {{value}}.items()}}}}"
    else:
        convert = "{value}.copy()"
    return LoadKind("mapping", _is("dict"), convert, names=names)


def _linked(label: str, method: str) -> Callable[..., LoadKind]:
    def make(*_: Any, path: LoadPath, slots: list[Slot]) -> LoadKind:
        link = f"{path.prefix}_load"
        number = int(path.prefix.removeprefix("field_"))
        slots.append(Slot(link, lambda subject: getattr(subject, method)(number)))
        return LoadKind(label, link=link)

    return make


_MAKERS: dict[str, Callable[..., LoadKind]] = {
    "any": _any_kind,
    "string": _simple("string", _is("str")),
    "integer": _simple("integer", _is("int")),
    "boolean": _simple("boolean", "{value} is True or {value} is False"),
    "uuid": _uuid_kind,
    "float": _float_kind,
    "decimal": _decimal_kind,
    "from text": _from_text_kind,
    "from number": _from_number_kind,
    "strptime": _strptime_kind,
    "timedelta": _timedelta_kind,
    "ip": _ip_kind,
    "enum": _enum_kind,
    "list": _list_kind,
    "tuple": _tuple_kind,
    "mapping": _mapping_kind,
    "nested": _linked("nested schema", "nested"),
    "pluck": _linked("plucked from a nested schema", "pluck"),
    "list of nested": _linked("list of nested schemas", "nested_list"),
}
