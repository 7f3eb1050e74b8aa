"""register(): users compile their own fields."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fastschema.compiler.kinds import by_class, for_all
from fastschema.compiler.nodes import ANY, Kind, as_template
from fastschema.runtime.guard import generations

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
    function: Callable[..., Any] | None = None,
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
        ``{field}`` the field object; it becomes a part of the generated code, or a function if it
        names anything but built-ins
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
    function_name, class_name = f"registered_{number}", f"common_class_{number}"
    template = f"{function_name}({{value}})"
    if expression is not None:
        template, function = _compiled(expression, names or {}, function_name)
    own_names: dict[str, object] = {function_name: function, class_name: common}
    registered[method] = RegisteredKind(
        f"registered for {method.__qualname__}",
        None if common is None else class_name,
        template,
        {name: each for name, each in own_names.items() if each is not None},
    )
    generations.forget()


def _compiled(
    expression: str, names: Mapping[str, object], function_name: str
) -> tuple[str, Callable[..., Any] | None]:
    """Return a template of the expression, and the function that it calls, if it has names.

    :raises ValueError: if it is no expression, or uses a name that it was not given
    """
    try:
        source = expression.format(value=_VALUE, field=_FIELD)
        tree = ast.parse(source, mode="eval")
        compile(tree, "<expression>", "eval")  # refuses more than parsing does
    except (SyntaxError, KeyError, IndexError, ValueError) as error:
        raise ValueError(f"not an expression over {{value}}: {expression!r} ({error})") from error
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    if _VALUE not in {node.id for node in used}:
        raise ValueError(f"{expression!r} does not use {{value}}, the value of the field")
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.id for node in used if isinstance(node.ctx, ast.Store)}
    for node in used:
        if node.id not in {*bound, *names, _VALUE, _FIELD, *dir(builtins)}:
            raise ValueError(f"{expression!r} uses {node.id}, which is not in names=")
    text = ast.unparse(tree)
    if not bound and not names:
        template = as_template(text).replace(_VALUE, "{value}").replace(_FIELD, "{field}")
        return template, None
    # Its names might be those of something else in generated code.
    function = eval(f"lambda {_VALUE}, {_FIELD}: {text}", dict(names))
    return f"{function_name}({{value}}, {{field}})", function
