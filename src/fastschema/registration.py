"""register(): users compile their own fields."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from fastschema.compiler.kinds import by_class, for_all
from fastschema.compiler.nodes import ANY, Kind, as_template
from fastschema.runtime.guard import readings

_VALUE, _FIELD = "_registered_value", "_registered_field"
_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False, slots=True)
class RegisteredKind:
    """What :func:`register` was told; see there.

    :param label: how reports name it
    :param common: the name of the class that it is for, or None for all values
    :param expression: a template, whose names are unlike those of any other
    :param names: the objects of those names
    """

    label: str
    common: str | None
    expression: str
    names: Mapping[str, object]

    def kind(
        self, otherwise: str, any_value: Callable[[str], str] = lambda template: template
    ) -> Kind:
        """Return the kind of a field whose method is registered.

        :param otherwise: the template for the values that are not of the common class
        :param any_value: makes a template fit for values of all classes
        """
        if self.common is None:
            return for_all(self.label, any_value(self.expression), names=self.names)
        return by_class(self.label, self.common, self.expression, otherwise, ANY, names=self.names)


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
    :raises TypeError: if it is no function of a field class, not exactly one of ``function`` and
        ``expression`` is given, or an argument is of another type
    :raises ValueError: if the method is marshmallow's or DRF's own, or registered already; if the
        expression is no Python expression, or does not use ``{value}``
    """
    name = getattr(method, "__name__", None)
    if not callable(method) or name not in ("_serialize", "to_representation"):
        raise TypeError(
            "register() takes the function that stock calls, MyField._serialize or "
            f"MyField.to_representation, not {method!r}"
        )
    if method.__module__.partition(".")[0] in ("marshmallow", "rest_framework"):
        raise ValueError(
            f"{method.__qualname__} is a method of {method.__module__}, which all its fields have. "
            "Register the method of a field class of your own."
        )
    if method in registered:
        raise ValueError(f"{method.__qualname__} is registered already")
    if (function is None) == (expression is None):
        raise TypeError("register() takes one of function= and expression=")
    if function is not None and not callable(function):
        raise TypeError(f"function= must be a function of one value, not {function!r}")
    if common is not None and not isinstance(common, type):
        raise TypeError(f"common= must be a class, such as int, not {common!r}")
    number = next(_numbers)
    if expression is None:
        expression, names = "registered_function({value})", {"registered_function": function}
    template, own_names = _renamed(expression, names or {}, number)
    common_name = None
    if common is not None:
        common_name = f"common_class_{number}"
        own_names[common_name] = common
    label = f"registered for {method.__qualname__}"
    registered[method] = RegisteredKind(label, common_name, template, own_names)
    readings.forget()


def _renamed(
    expression: str, names: Mapping[str, object], number: int
) -> tuple[str, dict[str, object]]:
    """Return the expression as a template in which each name has a number, and the objects by name.

    :raises ValueError: if it is no expression, or uses a name that it was not given
    """
    try:
        tree = ast.parse(expression.format(value=_VALUE, field=_FIELD), mode="eval")
        compile(tree, "<expression>", "eval")  # refuses more than parsing does
    except (SyntaxError, KeyError, IndexError, ValueError) as error:
        raise ValueError(f"not an expression over {{value}}: {expression!r} ({error})") from error
    if not any(isinstance(node, ast.Name) and node.id == _VALUE for node in ast.walk(tree)):
        raise ValueError(f"{expression!r} does not use {{value}}, the value of the field")
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound |= {node.id for node in used if isinstance(node.ctx, ast.Store)}
    given = {**dict.fromkeys(bound), **names}
    for node in used:
        if node.id not in {*given, _VALUE, _FIELD, *dir(builtins)}:
            raise ValueError(f"{expression!r} uses {node.id}, which is not in names=")
    tree = _Numbering(given, number).visit(tree)
    template = as_template(ast.unparse(tree))
    template = template.replace(_VALUE, "{value}").replace(_FIELD, "{field}")
    return template, {f"{name}_{number}": value for name, value in given.items()}


class _Numbering(ast.NodeTransformer):
    """Gives names a number, those too that an expression binds: its value may have any name.

    :param names: the names
    :param number: the number
    """

    def __init__(self, names: Collection[str], number: int) -> None:
        self._names = names
        self._number = number

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Return a name that is used or bound."""
        node.id = self._numbered(node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        """Return a parameter of a lambda."""
        node.arg = self._numbered(node.arg)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Return a call; a lambda that is called at once may be passed its parameters by name."""
        if isinstance(node.func, ast.Lambda):
            parameters = node.func.args
            named = {each.arg for each in [*parameters.args, *parameters.kwonlyargs]}
            for keyword in node.keywords:
                if keyword.arg in named:
                    keyword.arg = self._numbered(keyword.arg)
        return self.generic_visit(node)

    def _numbered(self, name: str) -> str:
        return f"{name}_{self._number}" if name in self._names else name
