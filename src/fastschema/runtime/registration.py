"""register(): users compile their own fields, schemas and hooks."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from fastschema.compiler.kinds import by_class, for_all
from fastschema.compiler.nodes import ANY, Kind, LoadKind, Slot, fill, of_classes
from fastschema.runtime.guard import generations
from fastschema.runtime.patching import stock_of
from fastschema.runtime.plugins import plugin

_VALUE, _FIELD = "_registered_value", "_registered_field"
_numbers = itertools.count(1)

Function = Callable[..., Any]
Maker = Callable[[Any, Any], Function]
"""From a field or schema, and what compiles those inside of it, to what does the method's work."""

_OF_FIELDS = frozenset(["_serialize", "_deserialize", "_format_num", "to_representation"])
_BY_FUNCTIONS = frozenset(["dump", "load", "to_internal_value"])
"""Methods, besides hooks, for which there are functions and makers, but no expressions."""
_HOOKS = frozenset(["pre_dump", "post_dump", "pre_load", "post_load"])
_FRAMEWORKS = ("marshmallow", "rest_framework")


class Refused(Exception):  # noqa: N818  # it is no error
    """Raised by what a maker makes, for a value that it leaves to the method itself.

    A maker may raise it, too: then the method is called for all values of that field.
    """


@dataclass(frozen=True, eq=False, slots=True)
class Registered:
    """What :func:`register` was told; see there. A description may begin with it.

    :param maker: makes a function for each field or schema; None: there is an expression
    :param common: the name of the class that the expression is for, or None for all values
    :param expression: a template, whose names are unlike those of any other
    """

    label: str
    maker: Maker | None
    common: str | None = None
    expression: str = ""
    names: Mapping[str, object] | None = None

    def __call__(self, *, path: Any, slots: list[Slot]) -> Kind:
        """Return the kind of a field that is dumped, and whose method is registered."""
        if self.maker is not None:
            template = path.called(path.by_maker(self, slots))
            return for_all(self.label, template, user_code=self.label)
        names = self.names or {}
        if self.common is None:
            return for_all(self.label, path.called(self.expression), names=names)
        return by_class(self.label, self.common, self.expression, path.own_method, ANY, names=names)

    def load_kind(self, field: str) -> LoadKind:
        """Return how a field is loaded by an expression. Where it fails, the method is called."""
        accepts = None if self.common is None else of_classes(self.common)
        convert = fill(self.expression, field=field)
        return LoadKind(self.label, accepts, convert, names=self.names or {})


_PLUGINS = {"marshmallow_oneofschema.one_of_schema": "fastschema.contrib.oneofschema"}
"""By modules of other libraries, where makers for their classes are; see :func:`load_plugin`."""


def has_plugin(what: Any) -> bool:
    """Return whether a class, or a function, is of a library for which there are makers of ours."""
    return getattr(what, "__module__", None) in _PLUGINS


def load_plugin(cls: type) -> None:
    """Register the makers for a class, if it is of such a library."""
    if has_plugin(cls):
        plugin(_PLUGINS[cls.__module__])


registered: dict[Any, Registered] = {}
"""What is registered, by the method that it stands for."""


def is_registered(method: Any) -> bool:
    """Return whether a function is registered by users."""
    return type(method) is FunctionType and method in registered and not has_plugin(method)


def registered_for(obj: Any, name: str) -> Registered | None:
    """Return what is registered for a method of an object's class; None if it has its own."""
    if not registered or name in vars(obj):
        return None
    return registered.get(stock_of(getattr(type(obj), name, None)))


def function_of(registered: Registered, target: Any, compiled: Any) -> Function:
    """Return what a maker makes for a field or a schema."""
    assert registered.maker is not None
    try:
        function = registered.maker(target, compiled)
    except Refused:
        return refuse
    if not callable(function):
        raise TypeError(f"the maker {registered.label} made {function!r}, which is no function")
    return function


def refuse(*_: Any) -> Any:
    """Do what a function that a maker makes does with values that it leaves to the method."""
    raise Refused


def register(
    method: Callable[..., Any],
    *,
    function: Callable[..., Any] | None = None,
    expression: str | None = None,
    names: Mapping[str, object] | None = None,
    common: type | None = None,
) -> Any:
    """Tell what a method of your own does to a value, so that it can be compiled.

    Without ``function`` and ``expression`` this is a decorator for a *maker*: a function that takes
    the field (or the schema) and ``compiled``, and returns a function from a value to what becomes
    of it. ``compiled(inner)`` is that function for a field or a schema inside. A maker is called
    when the first value comes, once for each field object that is compiled.

    It must do what the method does: fastschema does not check, but :func:`fastschema.assert_same`
    does. For a field, None stays None without a call when it is dumped.

    :param method: the method that stock calls. Of a field class: ``_serialize``, ``_deserialize``
        (or ``_format_num``, if a number's is all that you override) of marshmallow,
        ``to_representation`` and ``to_internal_value`` of DRF. Of a marshmallow schema class:
        ``dump``, ``load``, or a hook, such as one decorated with ``post_load``. Subclasses that do
        not override it are compiled too.
    :param function: from a value to its output; called for each value
    :param expression: for a field: a Python expression instead, in which ``{value}`` is the value
        and ``{field}`` the field object; it becomes a part of the generated code, or a function if
        it names anything but built-ins
    :param names: the objects that the expression names
    :param common: if given, only values of exactly this class are treated so; all others go to
        the method itself
    :returns: a decorator, if neither a function nor an expression is given; else None
    :raises TypeError: if it is no such method, ``function`` and ``expression`` are both given, or
        an argument is of another type
    :raises ValueError: if the method is marshmallow's or DRF's own, or registered already; if the
        expression is no Python expression, or does not use ``{value}``
    """
    _check_method(method)
    if function is not None and expression is not None:
        raise TypeError("register() takes one of function= and expression=")
    if function is None and expression is None:
        if names is not None or common is not None:
            raise TypeError("names= and common= belong to function= and expression=")
        return lambda maker: _register_maker(method, maker)
    if function is not None and not callable(function):
        raise TypeError(f"function= must be a function of one value, not {function!r}")
    if common is not None and not isinstance(common, type):
        raise TypeError(f"common= must be a class, such as int, not {common!r}")
    label = _label(method)
    if method.__name__ not in _OF_FIELDS:
        if expression is not None or common is not None:
            raise TypeError(f"{method.__qualname__} takes a function or a maker, and all values")
        assert function is not None
        registered_function = function
        _keep(method, Registered(label, lambda schema, compiled: registered_function))
        return None
    number = next(_numbers)
    function_name, class_name = f"registered_{number}", f"common_class_{number}"
    template = f"{function_name}($value)"
    if expression is not None:
        template, function = _compiled(expression, names or {}, function_name)
    own_names: dict[str, object] = {function_name: function, class_name: common}
    common_name = None if common is None else class_name
    used = {name: value for name, value in own_names.items() if value is not None}
    _keep(method, Registered(label, None, common_name, template, used))
    return None


def _label(method: Any) -> str:
    return f"registered for {method.__qualname__}"


def _register_maker(method: Any, maker: Maker) -> Maker:
    if not callable(maker):
        raise TypeError(f"a maker must be a function of a field and compiled, not {maker!r}")
    _check_method(method)
    _keep(method, Registered(_label(method), maker))
    return maker


def register_ours(method: Any, maker: Maker) -> None:
    registered[method] = Registered(f"compiled for {method.__qualname__}", maker)


def _keep(method: Any, what: Registered) -> None:
    registered[method] = what
    generations.advance()


def _check_method(method: Any) -> None:
    name = getattr(method, "__name__", None)
    is_hook = not _HOOKS.isdisjoint(getattr(method, "__marshmallow_hook__", ()))
    if not callable(method) or not (is_hook or name in _OF_FIELDS or name in _BY_FUNCTIONS):
        raise TypeError(
            "register() takes the function that stock calls, such as MyField._serialize, "
            f"MyField._deserialize, MySchema.load or a hook, not {method!r}"
        )
    if hasattr(method, "__self__"):
        raise TypeError(
            f"register() takes {name} of the class, not of an object: {method.__qualname__}"
        )
    if method.__module__.partition(".")[0] in _FRAMEWORKS:
        raise ValueError(
            f"{method.__qualname__} is a method of {method.__module__}, which all its fields have. "
            "Register the method of a class of your own."
        )
    if method in registered:
        raise ValueError(f"{method.__qualname__} is registered already")


def _compiled(
    expression: str, names: Mapping[str, object], function_name: str
) -> tuple[str, Callable[..., Any] | None]:
    """Return a template of the expression, and the function that it calls, if it has names."""
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
        # A dollar can only stand within a text, and is none of ours.
        template = text.replace("$", r"\x24").replace(_VALUE, "$value").replace(_FIELD, "$field")
        return template, None
    # Its names might be those of something else in generated code.
    function = eval(f"lambda {_VALUE}, {_FIELD}: {text}", dict(names))
    return f"{function_name}($value, $field)", function
