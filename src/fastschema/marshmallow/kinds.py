"""From the description of a marshmallow field to the kind of its node.

Made from the description alone, so that the cache of programs is right.
"""

from __future__ import annotations

import datetime
import decimal
import email.utils
import enum
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from marshmallow import missing, utils

from fastschema.compiler import decimals
from fastschema.compiler.class_rules import ALIKE, ByClass
from fastschema.compiler.expressions import expression
from fastschema.compiler.field_path import FieldPath
from fastschema.compiler.json_templates import (
    JSON_FLOAT_TEMPLATE,
    TEXT_NAMES,
    TEXT_TEMPLATES,
    WRITTEN_BOOLEAN,
    WRITTEN_FLOAT,
    WRITTEN_FLOAT_TOGETHER,
    WRITTEN_INTEGER,
    WRITTEN_ISO,
    WRITTEN_STRING,
)
from fastschema.compiler.nodes import Conversion, Form, Kind, Slot, as_template, literal
from fastschema.marshmallow.sqlalchemy_rules import RelatedKeys
from fastschema.runtime import json_engine
from fastschema.runtime.descriptions import OWN_METHOD, Description
from fastschema.runtime.json_engine import json_number

_INVISIBLE_PLACES = range(7)
"""With so many places, ``str`` never writes a finite Decimal with an exponent."""


def json_value(value: Any) -> Any:
    """Any value as the JSON engine must be given it; ``missing`` stays, to be left out."""
    return value if value is missing else json_engine.json_value(value)


@dataclass(frozen=True, slots=True)
class DumpPath(FieldPath):
    """Where a field is found, and what its ``_serialize`` is told.

    :param arguments: what follows the value in calls of its ``_serialize``, as source
    :param is_within: whether its values are put into others that no text is made of in parts
    """

    arguments: str
    is_within: bool = False

    @classmethod
    def of(cls, index: int, attribute: str) -> DumpPath:
        """The path to a field of the schema, dumped under the name ``attribute``."""
        return cls(f"fields[{index}]", lambda fields: fields[index], f"{literal(attribute)}, obj")

    def without_object(self) -> DumpPath:
        """The same, for a field that is told neither the attribute nor the object."""
        return replace(self, arguments="None, None")

    def inside(self, expression: str, get: Callable[[Any], Any]) -> DumpPath:
        """The path to a field of this one, for values that are put into others."""
        return replace(self.within(expression, get), is_within=True)

    @property
    def own_method(self) -> str:
        """A template: the field's own ``_serialize``."""
        return f"{{field}}._serialize({{value}}, {as_template(self.arguments)})"


def kind(description: Description, path: DumpPath, slots: list[Slot]) -> Kind:
    """The kind for a description; what it needs from each dump is added to ``slots``."""
    name, *options = description
    if name in _BY_CLASS:
        row = _BY_CLASS[name]
        names = {"json_value": json_value}
        return row.kind(name, path.own_method, names, may_skip=name != "string")
    make: Callable[..., Kind] = _MAKERS.get(name, _own_method_kind)
    return make(*options, path=path, slots=slots)


def shows_object(description: Description) -> bool:
    """Whether code of users may be given the object that a field is dumped of."""
    inner = [each for each in description if isinstance(each, tuple)]
    return description[0] in _SHOWS_OBJECT or any(shows_object(each) for each in inner if each)


_SHOWS_OBJECT = frozenset([OWN_METHOD, "registered", "inferred"])
_WRITTEN = {"str": WRITTEN_STRING, "bool": WRITTEN_BOOLEAN}


def raw_kind(common: str, label: str = "value as it is", **_: Any) -> Kind:
    """The kind of a value that stays as it is.

    :param common: the class that it usually has: "str" or "bool"
    """
    return Kind(
        label,
        python=Conversion(),
        json=Conversion(common=common, otherwise="json_value({value})"),
        text=Conversion(common, _WRITTEN[common], "written({value})"),
        names={"json_value": json_value},
    )


def _own_method_kind(*_: Any, path: DumpPath, slots: list[Slot]) -> Kind:
    return Kind(
        "the field's own method",
        python=Conversion(otherwise=path.own_method),
        json=Conversion(otherwise=f"json_value({path.own_method})"),
        names={"json_value": json_value},
        none_stays=False,
        may_skip=True,
    )


def _registered_kind(registered: Any, *, path: DumpPath, slots: list[Slot]) -> Kind:
    made: Kind = registered.kind(path.own_method, json_value)
    return made


def _inferred_kind(*, path: DumpPath, slots: list[Slot]) -> Kind:
    by_class = f"serialize_{len(slots)}"
    slots.append(
        Slot(by_class, lambda subject, cls, form: _SerializeByClass(path.get(subject.fields)))
    )
    serialize = f"serialize({{value}}, {as_template(path.arguments)})"
    dumped = f"{{value}} if (serialize := {by_class}[type({{value}})]) is None else {serialize}"
    return Kind(
        "inferred from each value",
        python=Conversion(otherwise=dumped),
        json=Conversion(otherwise=f"text if type(text := ({dumped})) is str else json_value(text)"),
        names={"json_value": json_value},
        may_skip=True,
    )


class _SerializeByClass(dict[type, Callable[..., Any] | None]):
    """By which method an inferred field serializes values of a class; None if they stay.

    :param field: the field
    """

    def __init__(self, field: Any) -> None:
        self._field = field

    def __missing__(self, cls: type) -> Callable[..., Any] | None:
        """Find it as ``Inferred._serialize`` does, which keeps a field for each class of fields.

        :raises Exception: what making such a field raises
        """
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
        serialize = self[cls] = None if cls in _UNCHANGED else inner._serialize
        return serialize


_UNCHANGED = frozenset([str, int, float, list])
"""Classes of values that marshmallow's inferred fields leave as they are, though they have one."""
_IN_UTC_OR_NAIVE = "(zone := {value}.tzinfo) is utc or zone is None"
_BY_CLASS = {
    **ALIKE,
    # Offsets with seconds are written by orjson without them.
    "datetime": ByClass(
        datetime.datetime,
        python=f"{TEXT_TEMPLATES['iso']} if {_IN_UTC_OR_NAIVE} else {{value}}.isoformat()",
        json=f"{{value}} if {_IN_UTC_OR_NAIVE} else {{value}}.isoformat()",
        text=f"{WRITTEN_ISO} if {_IN_UTC_OR_NAIVE} else quote({{value}}.isoformat())",
        names={"utc": datetime.UTC},
        together=_IN_UTC_OR_NAIVE,
    ),
    "rfc": ByClass(
        datetime.datetime,
        python="format_datetime({value})",
        json="format_datetime({value})",
        names={"format_datetime": email.utils.format_datetime},
    ),
    "timestamp": ByClass(
        datetime.datetime,
        python="timestamp({value})",
        json="json_number(timestamp({value}))",
        names={"timestamp": utils.timestamp, "json_number": json_number},
    ),
    "timestamp_ms": ByClass(
        datetime.datetime,
        python="timestamp_ms({value})",
        json="json_number(timestamp_ms({value}))",
        names={"timestamp_ms": utils.timestamp_ms, "json_number": json_number},
    ),
}


def _strftime_kind(class_name: str, data_format: str, *, path: DumpPath, slots: list[Slot]) -> Kind:
    common = {
        "datetime": datetime.datetime,
        "date": datetime.date,
        "time": datetime.time,
    }[class_name]
    inline = f"{{value}}.strftime({as_template(literal(data_format))})"
    return Kind(
        f"{class_name} in a format",
        python=Conversion(class_name, inline, path.own_method),
        json=Conversion(class_name, inline, f"json_value({path.own_method})"),
        names={class_name: common, "json_value": json_value},
        may_skip=True,
    )


def _timedelta_kind(number_type: str, unit: int, *, path: DumpPath, slots: list[Slot]) -> Kind:
    microseconds = "({value}.days * 86400 + {value}.seconds) * 1000000 + {value}.microseconds"
    if number_type == "int":
        inline = json = f"({microseconds}) // {unit}"
    else:
        inline = f"({microseconds}) / {unit}"
        json = f"json_number({inline})"
    return Kind(
        "timedelta",
        python=Conversion("timedelta", inline, path.own_method),
        json=Conversion("timedelta", json, f"json_number({path.own_method})"),
        names={"timedelta": datetime.timedelta, "json_number": json_number},
    )


def _integer_kind(as_string: bool, *, path: DumpPath, slots: list[Slot]) -> Kind:
    if as_string:
        conversion = Conversion("int", "str({value})", path.own_method)
        return Kind("integer as string", python=conversion, json=conversion)
    conversion = Conversion("int", None, path.own_method)
    text = Conversion("int", WRITTEN_INTEGER, f"written({path.own_method})")
    return Kind("integer", python=conversion, json=conversion, text=text)


def _float_kind(as_string: bool, *, path: DumpPath, slots: list[Slot]) -> Kind:
    if as_string:
        conversion = Conversion("float", "str({value})", path.own_method)
        return Kind("float as string", python=conversion, json=conversion)
    return Kind(
        "float",
        python=Conversion("float", None, path.own_method),
        json=Conversion("float", JSON_FLOAT_TEMPLATE, f"json_number({path.own_method})"),
        text=Conversion(
            "float", WRITTEN_FLOAT, f"written({path.own_method})", together=WRITTEN_FLOAT_TOGETHER
        ),
        names={"json_number": json_number, **TEXT_NAMES},
    )


def _decimal_kind(
    as_string: bool, places: int | None, *, path: DumpPath, slots: list[Slot]
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
        slots.append(
            Slot(longest, lambda subject, cls, form: decimals.longest(), decimals.active_precision)
        )
        result = decimals.written(places, longest, result)
    conversion = Conversion("Decimal", result, path.own_method)
    label = "decimal as string" if as_string else "decimal"
    return Kind(label, python=conversion, json=conversion, names={"Decimal": decimal.Decimal})


def _enum_kind(attribute: str, inner: Description, *, path: DumpPath, slots: list[Slot]) -> Kind:
    """The member's own attribute, past the descriptor that ``Enum`` keeps before it."""
    enum_class = f"enum_{len(slots)}"

    def plain_enum(subject: Any) -> type:
        return _plain_enum(path.get(subject.fields).enum, attribute)

    # The enum's own attributes may be replaced, too.
    slots.append(Slot(enum_class, lambda subject, cls, form: plain_enum(subject), plain_enum))
    inner_path = path.within(".field", lambda field: field.field)
    inner_kind = kind(inner, inner_path, slots)

    found = f"{{value}}._{attribute}_"

    def converted(conversion: Conversion) -> str:
        if conversion.common is None or conversion.inline is not None:
            return _expression(inner_kind, conversion, found, inner_path)
        # Most stay as they are: look once at what is found.
        others = _expression(inner_kind, replace(conversion, common=None), "member", inner_path)
        return f"member if type(member := {found}) is {conversion.common} else {others}"

    return Kind(
        f"enum by {attribute}",
        python=Conversion(enum_class, converted(inner_kind.python), path.own_method),
        json=Conversion(enum_class, converted(inner_kind.json), f"json_value({path.own_method})"),
        names={"json_value": json_value, **inner_kind.names},
        may_skip=True,
        inline_may_skip=True,
    )


class _NoClass:
    """The class of no value."""


def _plain_enum(enum_class: type, attribute: str) -> type:
    """The enum, if what its members give is as ``Enum`` defines it."""
    for base in enum_class.__mro__:
        if attribute in base.__dict__:
            return enum_class if base is enum.Enum else _NoClass
    return _NoClass


def _expression(inner: Kind, conversion: Conversion, value: str, path: DumpPath) -> str:
    """The conversion of a value of the field at a path, as one expression."""
    return expression(inner, conversion, value, path.expression, none_stays=inner.none_stays)


def _list_kind(inner: Description, *, path: DumpPath, slots: list[Slot]) -> Kind:
    """A list comprehension with the inner kind's conversion for each item, or a copy."""
    inner_path = path.within(".inner", lambda field: field.inner)
    inner_kind = kind(inner, inner_path, slots)

    def each(conversion: Conversion) -> Conversion:
        item = _expression(inner_kind, conversion, "each", inner_path)
        otherwise = f"[{item} for each in {{value}}]"
        if inner_kind.link is not None:
            return Conversion(otherwise=f"{inner_kind.link}.each({{value}})")
        stays = conversion.inline is None and conversion.items is None
        if stays and conversion.common is not None:
            return Conversion("list", otherwise=otherwise, items=conversion.common)
        return Conversion(otherwise=otherwise)

    text = None
    if inner_kind.link is not None:
        text = Conversion(otherwise=f"array({inner_kind.link}.each({{value}}))")
    elif inner_kind.text is not None:
        item = _expression(inner_kind, inner_kind.text, "each", inner_path)
        text = Conversion(otherwise=f"array([{item} for each in {{value}}])")
    return Kind(
        f"list of {inner_kind.label}",
        python=each(inner_kind.python),
        json=each(inner_kind.json),
        text=text,
        names=inner_kind.names,
        item_link=inner_kind.link,
    )


def _tuple_kind(inner: tuple[Description, ...], *, path: DumpPath, slots: list[Slot]) -> Kind:
    """A tuple display, for tuples of the right length."""
    paths = [
        path.inside(f".tuple_fields[{index}]", _tuple_field(index)) for index in range(len(inner))
    ]
    kinds = [kind(each, each_path, slots) for each, each_path in zip(inner, paths, strict=True)]
    names: dict[str, object] = {"json_value": json_value}
    for each in kinds:
        names.update(each.names)

    def display(conversions: list[Conversion], own_method: str) -> Conversion:
        items = [
            _expression(each, conversion, f"{{value}}[{index}]", each_path)
            for index, (each, conversion, each_path) in enumerate(
                zip(kinds, conversions, paths, strict=True)
            )
        ]
        text = "".join(f"{item}, " for item in items)
        inline = f"({text}) if len({{value}}) == {len(items)} else {own_method}"
        return Conversion("tuple", inline, own_method)

    return Kind(
        "tuple",
        python=display([each.python for each in kinds], path.own_method),
        json=display([each.json for each in kinds], f"json_value({path.own_method})"),
        names=names,
    )


def _tuple_field(index: int) -> Callable[[Any], Any]:
    return lambda field: field.tuple_fields[index]


def _mapping_kind(
    key: Description | None, value: Description | None, *, path: DumpPath, slots: list[Slot]
) -> Kind:
    """A dictionary of converted keys and values, for dictionaries; all keys before any value."""
    key_path = path.inside(".key_field", lambda field: field.key_field).without_object()
    value_path = path.inside(".value_field", lambda field: field.value_field).without_object()
    key_kind = raw_kind("str") if key is None else kind(key, key_path, slots)
    value_kind = raw_kind("str") if value is None else kind(value, value_path, slots)

    def convert(value_conversion: Conversion, own_method: str) -> Conversion:
        item = _expression(value_kind, value_conversion, "each", value_path)
        if key is not None:
            # As in stock, a key is what the python form says: JSON turns it into text.
            key_item = _expression(key_kind, key_kind.python, "each", key_path)
            keys = f"[{key_item} for each in {{value}}]"
            inline = f"dict(zip({keys}, [{item} for each in {{value}}.values()]))"
        elif item == "each":
            inline = "{value}.copy()"
        else:
            inline = f"{{{{key: {item} for key, each in {{value}}.items()}}}}"
        return Conversion("dict", inline, own_method)

    return Kind(
        "mapping",
        python=convert(value_kind.python, path.own_method),
        json=convert(value_kind.json, f"json_value({path.own_method})"),
        names={"json_value": json_value, **key_kind.names, **value_kind.names},
    )


def _ip_kind(attribute: str, *, path: DumpPath, slots: list[Slot]) -> Kind:
    text = f"{{value}}.{attribute}"
    return Kind(
        f"IP, {attribute}",
        python=Conversion(otherwise=text),
        json=Conversion(otherwise=f"text if type(text := {text}) is str else json_value(text)"),
        names={"json_value": json_value},
        may_skip=True,
    )


def _related_kind(*, path: DumpPath, slots: list[Slot]) -> Kind:
    keys = f"related_{len(slots)}"
    slots.append(Slot(keys, lambda subject, cls, form: RelatedKeys(path.get(subject.fields))))
    return Kind(
        "keys of a related object",
        python=Conversion(otherwise=f"{keys}({{value}})"),
        json=Conversion(otherwise=f"json_value({keys}({{value}}))"),
        names={"json_value": json_value},
        none_stays=False,
    )


def _nested_kind(*, path: DumpPath, slots: list[Slot]) -> Kind:
    return _linked_kind("nested schema", "link", path, slots)


def _pluck_kind(*, path: DumpPath, slots: list[Slot]) -> Kind:
    return _linked_kind("plucked from a nested schema", "pluck", path, slots)


def _linked_kind(label: str, link_method: str, path: DumpPath, slots: list[Slot]) -> Kind:
    link = f"nested_{len(slots)}"

    def resolve(subject: Any, cls: type, form: Form) -> Any:
        if path.is_within and form is Form.TEXT:
            form = Form.PYTHON
        return getattr(subject, link_method)(path.get(subject.fields), form)

    slots.append(Slot(link, resolve))
    nothing = Conversion()
    return Kind(label, python=nothing, json=nothing, text=nothing, link=link, link_for_none=True)


_MAKERS: dict[str, Callable[..., Kind]] = {
    "raw": raw_kind,
    "inferred": _inferred_kind,
    "registered": _registered_kind,
    "integer": _integer_kind,
    "float": _float_kind,
    "decimal": _decimal_kind,
    "strftime": _strftime_kind,
    "timedelta": _timedelta_kind,
    "enum": _enum_kind,
    "list": _list_kind,
    "tuple": _tuple_kind,
    "mapping": _mapping_kind,
    "ip": _ip_kind,
    "related": _related_kind,
    "nested": _nested_kind,
    "pluck": _pluck_kind,
}
