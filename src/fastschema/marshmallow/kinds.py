"""From a marshmallow field to what is done to its value.

The table is keyed by the method that stock would call (``Field._serialize``), so a subclass that
overrides only validation is compiled as its parent is, and one that overrides serialization is
not. An entry describes a field as a tuple of plain values: all that the generated code depends on,
and so a part of the cache key. :func:`kind` makes the node from that tuple alone.

Only the common class of value is handled inline. Everything else goes to the field's own
``_serialize``, so that odd values become (or raise) what they do in stock.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple

from marshmallow import fields, missing, utils

from fastschema import decimals, engines
from fastschema.engines import TEXT_NAMES, TEXT_TEMPLATES, json_number
from fastschema.nodes import Conversion, Form, Kind, Slot, as_template, literal
from fastschema.recognition import Look

Description = tuple[Any, ...]
"""The name of a kind, then its options."""

OWN_METHOD = "own method"
# As they are when fastschema is imported: what is patched later is not stock's.
_NUMBER_FORMAT_NUM = fields.Number._format_num
_NUMBER_TO_STRING = fields.Number._to_string
_DECIMAL_FORMAT_NUM = fields.Decimal._format_num
_DECIMAL_TO_STRING = fields.Decimal._to_string
_NESTED_SCHEMA = fields.Nested.schema
_INVISIBLE_PLACES = range(7)
"""With so many places, ``str`` never writes a finite Decimal with an exponent."""


def stock(reason: str) -> Description:
    """The description of a field whose own ``_serialize`` is called, and why."""
    return (OWN_METHOD, reason)


def json_value(value: Any) -> Any:
    """Any value as the JSON engine must be given it; ``missing`` stays, to be left out."""
    return value if value is missing else engines.json_value(value)


def describe(look: Look) -> Description:
    """What is done to the value of a field: the name of a kind, then its options."""
    method = look.method("_serialize")
    if method is None:
        return stock("_serialize is set on the field object")
    entry = KINDS.get(method)
    if entry is None:
        name = getattr(method, "__qualname__", "its _serialize")
        return stock(f"{name} is not one that fastschema knows")
    try:
        return entry(look)
    except Exception as error:
        return stock(f"its options cannot be read: {error}")


def _raw(look: Look) -> Description:
    # marshmallow 4 dumps whatever value a Boolean has.
    return ("raw", "bool" if issubclass(look.cls, fields.Boolean) else "str")


def _string(look: Look) -> Description:
    # In marshmallow 3, UUID serializes by String's method.
    return ("uuid",) if issubclass(look.cls, fields.UUID) else ("string",)


def _uuid(look: Look) -> Description:
    return ("uuid",)


def _number(look: Look) -> Description:
    as_string = bool(look.get("as_string"))
    format_num, to_string = look.method("_format_num"), look.method("_to_string")
    if format_num is _DECIMAL_FORMAT_NUM:
        if to_string is not _DECIMAL_TO_STRING:
            return stock("_to_string is overridden")
        places = look.get("places")
        return ("decimal", as_string, None if places is None else -places.as_tuple().exponent)
    if format_num is not _NUMBER_FORMAT_NUM:
        return stock("_format_num is overridden")
    if to_string is not _NUMBER_TO_STRING:
        return stock("_to_string is overridden")
    num_type = look.get("num_type")
    if num_type is int:
        return ("integer", as_string)
    if num_type is float:
        return ("float", as_string)
    return stock("num_type is neither int nor float")


def _boolean(look: Look) -> Description:
    """Marshmallow 3 coerces by the field's sets, which users may set."""
    truthy, falsy = look.target.truthy, look.target.falsy
    is_usual = look.note(
        "(True in {it}.truthy and False in {it}.falsy and False not in {it}.truthy)",
        True in truthy and False in falsy and False not in truthy,
    )
    return ("boolean",) if is_usual else stock("truthy and falsy do not hold the two booleans")


def _temporal(look: Look) -> Description:
    data_format = look.get("format") or look.get("DEFAULT_FORMAT")
    try:
        function = look.target.SERIALIZATION_FUNCS.get(data_format)
    except TypeError:
        return stock("the format cannot be looked up")
    look.matches(
        "{it}.SERIALIZATION_FUNCS.get({it}.format or {it}.DEFAULT_FORMAT)",
        function,
    )
    name = _ISO_FORMATS.get(function)
    return (name,) if name else stock("only the ISO format is compiled")


def _enum(look: Look) -> Description:
    inner = describe(look.within("field"))
    if look.get("by_value"):
        if inner[0] == "raw":
            return ("enum by value",)
    elif inner == ("string",):
        return ("enum by name",)
    return stock("an enum by a field of its own is not compiled")


def _list(look: Look) -> Description:
    return ("list", describe(look.within("inner")))


def _nested(look: Look) -> Description:
    if look.on_class("schema") is not _NESTED_SCHEMA:
        return stock("the schema property is overridden")
    return ("nested",)


_ISO_FORMATS: dict[Any, str] = {
    # marshmallow 4, then 3
    datetime.datetime.isoformat: "datetime",
    datetime.date.isoformat: "date",
    datetime.time.isoformat: "time",
    getattr(utils, "isoformat", None): "datetime",
    getattr(utils, "to_iso_date", None): "date",
    getattr(utils, "to_iso_time", None): "time",
}
_ISO_FORMATS.pop(None, None)

KINDS: dict[Any, Callable[[Look], Description]] = {
    fields.Field._serialize: _raw,
    fields.String._serialize: _string,
    fields.Number._serialize: _number,
    fields.DateTime._serialize: _temporal,
    fields.Enum._serialize: _enum,
    fields.List._serialize: _list,
    fields.Nested._serialize: _nested,
}
# Methods of their own only in one of marshmallow 3 and 4.
KINDS.setdefault(fields.UUID._serialize, _uuid)
KINDS.setdefault(fields.Boolean._serialize, _boolean)


class FieldPath(NamedTuple):
    """Where the field object of a dump is found.

    :param expression: in generated code
    :param get: from the list of the schema's fields
    :param attribute: the name under which the schema dumps the field
    """

    expression: str
    get: Callable[[Any], Any]
    attribute: str

    @property
    def own_method(self) -> str:
        """A template: the field's own ``_serialize``."""
        return f"{{field}}._serialize({{value}}, {as_template(literal(self.attribute))}, obj)"


def kind(description: Description, path: FieldPath, slots: list[Slot]) -> Kind:
    """The kind for a description; what it needs from each dump is added to ``slots``."""
    name, *options = description
    own_method = path.own_method
    if name in _BY_CLASS:
        return _kind_by_class(name, own_method)
    if name == "raw":
        return Kind(
            "value as it is",
            faithful=Conversion(),
            json=Conversion(common=options[0], otherwise="json_value({value})"),
            names={"json_value": json_value},
        )
    if name in ("integer", "float"):
        return _number_kind(name, *options, own_method=own_method)
    if name == "decimal":
        return _decimal_kind(*options, path=path, slots=slots)
    if name in ("enum by name", "enum by value"):
        return _enum_kind(name, path, slots)
    if name == "list":
        return _list_kind(*options, path=path, slots=slots)
    if name == "nested":
        return _nested_kind(path, slots)
    return Kind(
        "the field's own method",
        faithful=Conversion(otherwise=own_method),
        json=Conversion(otherwise=f"json_value({own_method})"),
        names={"json_value": json_value},
        none_stays=False,
        may_skip=True,
    )


class _ByClass(NamedTuple):
    """A kind that only looks at the class of the value."""

    common: type
    faithful: str | None = None
    json: str | None = None


_IN_UTC_OR_NAIVE = "{value}.tzinfo is None or {value}.tzinfo is utc"
_BY_CLASS = {
    "string": _ByClass(str),
    "boolean": _ByClass(bool),
    "uuid": _ByClass(uuid.UUID, faithful=TEXT_TEMPLATES["uuid"]),
    "date": _ByClass(datetime.date, faithful=TEXT_TEMPLATES["iso"]),
    # orjson refuses times with a zone, and writes some fractions of seconds wrongly.
    "time": _ByClass(
        datetime.time,
        faithful="{value}.isoformat()",
        json="{value} if not {value}.microsecond and {value}.tzinfo is None"
        " else {value}.isoformat()",
    ),
    # Offsets with seconds are written by orjson without them.
    "datetime": _ByClass(
        datetime.datetime,
        faithful=f"{TEXT_TEMPLATES['iso']} if {_IN_UTC_OR_NAIVE} else {{value}}.isoformat()",
        json=f"{{value}} if {_IN_UTC_OR_NAIVE} else {{value}}.isoformat()",
    ),
}


def _kind_by_class(name: str, own_method: str) -> Kind:
    common, faithful, json = _BY_CLASS[name]
    class_name = common.__name__
    return Kind(
        name,
        faithful=Conversion(class_name, faithful, own_method),
        json=Conversion(class_name, json, f"json_value({own_method})"),
        names={class_name: common, "utc": datetime.UTC, "json_value": json_value, **TEXT_NAMES},
    )


def _number_kind(name: str, as_string: bool, *, own_method: str) -> Kind:
    common = "int" if name == "integer" else "float"
    if as_string:
        conversion = Conversion(common, "str({value})", own_method)
        return Kind(f"{name} as string", faithful=conversion, json=conversion)
    if name == "integer":
        conversion = Conversion(common, None, own_method)
        return Kind(name, faithful=conversion, json=conversion)
    return Kind(
        name,
        faithful=Conversion("float", None, own_method),
        json=Conversion(
            "float",
            "{value} if 1e-4 <= {value} < 1e16 else json_number({value})",
            f"json_number({own_method})",
        ),
        names={"json_number": json_number},
    )


def _decimal_kind(
    as_string: bool, places: int | None, *, path: FieldPath, slots: list[Slot]
) -> Kind:
    """A value that has its places already is written as it stands; the others are quantized."""
    result = "{value}"
    if places is not None:
        result = "{value}.quantize({field}.places, {field}.rounding)"
    if as_string:
        result = f"str({result})" if places in _INVISIBLE_PLACES else f"format({result}, 'f')"
    result = f"{result} if {{value}}.is_finite() else {path.own_method}"
    if as_string:
        longest = f"longest_{len(slots)}"
        slots.append(Slot(longest, lambda subject, cls, form: decimals.longest()))
        result = decimals.written(places, longest, result)
    conversion = Conversion("Decimal", result, path.own_method)
    label = "decimal as string" if as_string else "decimal"
    return Kind(label, faithful=conversion, json=conversion, names={"Decimal": decimal.Decimal})


def _enum_kind(name: str, path: FieldPath, slots: list[Slot]) -> Kind:
    """The member's own attribute, past the descriptor that ``Enum`` keeps before it."""
    enum_class = f"enum_{len(slots)}"
    attribute = name.removeprefix("enum by ")

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        return _plain_enum(path.get(subject.fields).enum, attribute)

    slots.append(Slot(enum_class, resolve))
    member = f"text if type(text := {{value}}._{attribute}_) is str else "
    if name == "enum by name":
        conversion = Conversion(enum_class, member + path.own_method, path.own_method)
        return Kind(name, faithful=conversion, json=conversion, may_skip=True)
    return Kind(
        name,
        faithful=Conversion(enum_class, "{value}._value_", path.own_method),
        json=Conversion(enum_class, f"{member}json_value(text)", f"json_value({path.own_method})"),
        names={"json_value": json_value},
        may_skip=True,
    )


class _NoClass:
    """The class of no value."""


def _plain_enum(enum_class: type, attribute: str) -> type:
    """The enum, if what its members give is as ``Enum`` defines it, and never ``missing``."""
    if missing in enum_class._value2member_map_:  # type: ignore[attr-defined]  # it is an Enum
        return _NoClass
    for base in enum_class.__mro__:
        if attribute in vars(base):
            return enum_class if base is enum.Enum else _NoClass
    return _NoClass


def _list_kind(inner: Description, *, path: FieldPath, slots: list[Slot]) -> Kind:
    """A list comprehension with the inner kind's conversion for each item."""
    inner_path = FieldPath(
        f"{path.expression}.inner", lambda fields: path.get(fields).inner, path.attribute
    )
    inner_kind = kind(inner, inner_path, slots)
    return Kind(
        f"list of {inner_kind.label}",
        faithful=_each(inner_kind, inner_kind.faithful, inner_path),
        json=_each(inner_kind, inner_kind.json, inner_path),
        names=inner_kind.names,
    )


def _each(inner_kind: Kind, conversion: Conversion, path: FieldPath) -> Conversion:
    def fill(template: str | None) -> str:
        if template is None:
            return "each"
        return f"({template.format(value='each', field=path.expression)})"

    if inner_kind.link is not None:
        item = f"{inner_kind.link}(each)"
    else:
        item = fill(conversion.otherwise)
        if inner_kind.none_stays and item != "each":
            item = f"each if each is None else {item}"
        if conversion.common is not None and (conversion.inline, item) != (None, "each"):
            item = f"{fill(conversion.inline)} if type(each) is {conversion.common} else {item}"
    return Conversion(otherwise=f"[{as_template(item)} for each in {{value}}]")


def _nested_kind(path: FieldPath, slots: list[Slot]) -> Kind:
    link = f"nested_{len(slots)}"

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        return subject.link(path.get(subject.fields), form)

    slots.append(Slot(link, resolve))
    return Kind(
        "nested schema", faithful=Conversion(), json=Conversion(), link=link, link_for_none=True
    )
