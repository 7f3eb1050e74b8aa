"""register(): users compile their own fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastschema.nodes import Conversion, Kind


@dataclass(frozen=True, eq=False, slots=True)
class RegisteredKind:
    """What :func:`register` was told; see there."""

    label: str
    common: type | None
    expression: str
    names: Mapping[str, object] = field(default_factory=dict)

    def kind(self, otherwise: str, json_value: Callable[[Any], Any]) -> Kind:
        """The kind of a field whose method is registered.

        :param otherwise: the template for the values that are not of the common class
        :param json_value: makes any value one for the JSON engine
        """
        names: dict[str, object] = {**self.names, "json_value": json_value}
        json_expression = f"text if type(text := ({self.expression})) is str else json_value(text)"
        if self.common is None:
            faithful = Conversion(otherwise=self.expression)
            json = Conversion(otherwise=json_expression)
        else:
            names["common_class"] = self.common
            faithful = Conversion("common_class", self.expression, otherwise)
            json = Conversion("common_class", json_expression, f"json_value({otherwise})")
        return Kind(self.label, faithful=faithful, json=json, names=names, may_skip=True)


registered: dict[Any, RegisteredKind] = {}
"""The registered kinds, by the method that they stand for."""


def register(
    method: Callable[..., Any],
    *,
    function: Callable[[Any], Any] | None = None,
    expression: str | None = None,
    names: Mapping[str, object] | None = None,
    common: type | None = None,
) -> None:
    """Tell what a field of your own does to a value, so that it can be compiled.

    It must do what the method does: fastschema does not check. None stays None without a call.

    :param method: the method that stock calls: ``MyField._serialize`` of a marshmallow field,
        ``MyField.to_representation`` of a DRF field. Fields of subclasses that do not override
        it are compiled too.
    :param function: from a value to its output; called for each value
    :param expression: a Python expression instead, in which ``{value}`` is the value and
        ``{field}`` the field object; it becomes a part of the generated code
    :param names: the objects that the expression names
    :param common: if given, only values of exactly this class are treated so; all others go to
        the method itself
    :raises TypeError: if it is no function of a field class, or not exactly one of ``function``
        and ``expression`` is given
    :raises ValueError: if the expression is no Python expression
    """
    name = getattr(method, "__name__", None)
    if not callable(method) or name not in ("_serialize", "to_representation"):
        raise TypeError(
            "register() takes the function that stock calls, MyField._serialize or "
            f"MyField.to_representation, not {method!r}"
        )
    if (function is None) == (expression is None):
        raise TypeError("register() takes one of function= and expression=")
    label = f"registered for {method.__qualname__}"
    if expression is None:
        registered[method] = RegisteredKind(
            label, common, "registered_function({value})", {"registered_function": function}
        )
        return
    try:
        compile(expression.format(value="value", field="field"), "<expression>", "eval")
    except (SyntaxError, KeyError, IndexError, ValueError) as error:
        raise ValueError(f"not an expression over {{value}}: {expression!r} ({error})") from error
    registered[method] = RegisteredKind(label, common, expression, dict(names or {}))
