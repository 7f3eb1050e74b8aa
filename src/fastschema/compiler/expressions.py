"""Conversions as one expression, for values inside of others."""

from __future__ import annotations

from fastschema.compiler.nodes import Conversion, Kind, as_template, substitute


def expression(
    inner: Kind, conversion: Conversion, value: str, field: str, *, none_stays: bool
) -> str:
    """What is done to a value inside of another, as one expression (a template again).

    :param inner: the kind of the inner field
    :param conversion: that of its conversions which is meant
    :param value: a template for the value, an expression without side effects
    :param field: an expression for the inner field
    :param none_stays: whether None stays None, or is a value like any other
    """

    def fill(template: str | None) -> str:
        if template is None:
            return value
        return f"({substitute(template, value=value, field=as_template(field))})"

    if inner.link is not None:
        return f"{inner.link}({value})"
    result = fill(conversion.otherwise)
    if none_stays and result != value:
        result = f"{value} if {value} is None else {result}"
    if conversion.items is not None:
        return result  # a comprehension copies as well
    if conversion.common is not None and (conversion.inline, result) != (None, value):
        is_common = f"type({value}) is {conversion.common}"
        result = f"{fill(conversion.inline)} if {is_common} else {result}"
    return result
