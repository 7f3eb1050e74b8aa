"""What is stock: the methods of a framework as the framework has them, and as we install them."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache, update_wrapper
from importlib.metadata import version
from itertools import pairwise
from operator import is_
from types import (
    BuiltinFunctionType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from fastschema.runtime.versions import release

logger = logging.getLogger("fastschema")


_WRITTEN_IN_C = (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, type, ModuleType)


class _Replaced:
    """Stands for a method that had been replaced: no method is it."""


def stock_method(owner: Any, name: str) -> Any:
    """Return a method (or property) of a framework's class or module, as the framework has it.

    It must be asked when fastschema is imported. If another library had replaced the method by
    then, which shows by where its code comes from, the result is an object that equals no method,
    so that nothing is taken for stock's.
    """
    method = stock_of(getattr(owner, name))
    order = owner.__mro__ if isinstance(owner, type) else (owner,)
    holder = next((base for base in order if name in vars(base)), owner)
    module = holder.__module__ if isinstance(holder, type) else holder.__name__
    function = method
    if isinstance(function, property):
        function = function.fget
    elif isinstance(function, cached_property):
        function = function.func
    function = getattr(function, "__func__", function)
    module_names = getattr(function, "__globals__", None)
    if module_names is None:
        is_stock = not callable(function) or isinstance(function, _WRITTEN_IN_C)
    else:
        # A proxy may have all attributes of the function that it stands for.
        is_itself = type(function) is FunctionType or not hasattr(function, "__wrapped__")
        is_stock = is_itself and module_names is vars(sys.modules[module])
    return method if is_stock else _Replaced()


_stock_of: dict[Any, Any] = {}
"""From the methods that fastschema installs to those of stock that they replace."""
_types = {FunctionType}


def stock_of(method: Any) -> Any:
    """Return the method of stock that fastschema has replaced by a method; any other as it is."""
    # Of another type, it need not have a hash.
    return _stock_of.get(method, method) if type(method) in _types else method


def is_stock(method: Any, stock: Any) -> bool:
    """Return whether a method is that of stock, or what fastschema has put in its place."""
    return method is stock or stock_of(method) is stock


def calls_super(obj: object, name: str, root: type) -> bool:
    """Return whether each override of a method, up to a framework's class, calls ``super()``."""
    if name in vars(obj):
        return False
    for base in type(obj).__mro__:
        if base is root:
            return True
        code = getattr(base.__dict__.get(name), "__code__", None)
        if name in base.__dict__ and (code is None or not {"super", name} <= {*code.co_names}):
            return False
    return False


def overridden(obj: Any, methods: Mapping[str, Any]) -> str | None:
    """Return a reason if an object, or a class, has one of some methods otherwise than stock."""
    cls, attributes = (obj, ()) if isinstance(obj, type) else (type(obj), vars(obj))
    for name, stock in methods.items():
        method = getattr(cls, name, None)
        if name in attributes or (method is not stock and not is_stock(method, stock)):
            return f"{name} is overridden"
    return None


_MOST_SETS_OF_CLASSES = 1024


class StockMethods:
    """Methods that generated code bypasses, for it does what they do.

    Whoever has put something in the place of one of them is to be asked: then the general way is
    taken, which calls it. That may happen at any time, so this is asked for each dump. They must be
    named when fastschema is imported.

    :param imported: modules, names of functions that these import, and where they come from
    """

    __slots__ = ("_last", "_names", "_owners", "_stock")

    def __init__(
        self,
        methods: Iterable[tuple[Any, str]],
        imported: Iterable[tuple[Any, str, tuple[Any, str]]] = (),
    ) -> None:
        places = [(*method, method) for method in methods]
        places += imported
        self._owners = [owner for owner, _, _ in places]
        self._names = [name for _, name, _ in places]
        self._stock = [stock_method(*origin) for _, _, origin in places]
        self._last: tuple[list[Any], Callable[[], bool]] | None = None
        """What :meth:`unchanged` has found last, and what it has returned, for the next ones."""

    def are_stock(self) -> bool:
        return all(map(is_, self._found(), self._stock))

    def _found(self) -> list[Any]:
        return list(map(getattr, self._owners, self._names))

    def unchanged(self) -> Callable[[], bool]:
        """Return what tells whether they stay as they are, twice as fast as looking up each."""
        current, last = self._found(), self._last
        if last is None or not all(map(is_, current, last[0])):
            compare = _comparison(tuple(self._names))(*self._owners, *current)
            last = self._last = current, compare
        return last[1]

    def reason(self) -> str | None:
        for owner, name, stock in zip(self._owners, self._names, self._stock, strict=True):
            if not is_stock(getattr(owner, name), stock):
                method = f"{owner.__name__}.{name}"
                return f"{method} is replaced"
        return None

    def among(self, *groups: StockMethods) -> StockMethods:
        every: dict[tuple[Any, str], Any] = {}
        for group in (self, *groups):
            methods = zip(group._owners, group._names, strict=True)
            every.update(zip(methods, group._stock, strict=True))
        joined = StockMethods(())
        joined._owners = [owner for owner, _ in every]
        joined._names = [name for _, name in every]
        joined._stock = list(every.values())
        return joined


class MethodsOfFields:
    """The methods of fields that generated code bypasses; the others belong to no field."""

    def __init__(self, classes: Iterable[type], names: Sequence[str], others: StockMethods) -> None:
        self.others = others
        self._of_class = {cls: StockMethods(_methods_of(cls, names)) for cls in classes}
        self._of_classes: dict[tuple[frozenset[type], StockMethods], StockMethods] = {}

    def reason(self, cls: type) -> str | None:
        return self._among(self._outermost(cls), NO_METHODS).reason()

    def of(self, classes: Iterable[type]) -> StockMethods:
        return self._among(frozenset().union(*map(self._outermost, classes)), self.others)

    def _among(self, classes: frozenset[type], others: StockMethods) -> StockMethods:
        # No lru_cache: threads of PyPy may wait for its lock forever.
        key = classes, others
        methods = self._of_classes.get(key)
        if methods is None:
            methods = others.among(*[self._of_class[cls] for cls in classes])
            if len(self._of_classes) < _MOST_SETS_OF_CLASSES:
                self._of_classes[key] = methods
        return methods

    def _outermost(self, cls: type) -> frozenset[type]:
        """Return the framework's classes of which a class inherits all that it has of them."""
        classes: list[type] = []
        for base in cls.__mro__:
            if base in self._of_class and not any(issubclass(other, base) for other in classes):
                classes.append(base)
        return frozenset(classes)


def _methods_of(cls: type, names: Sequence[str]) -> Iterator[tuple[type, str]]:
    """Yield the methods of these names that a class has, and those that ``super()`` finds."""
    for name in names:
        if hasattr(cls, name):
            yield cls, name
            for base, after in pairwise(cls.__mro__):
                if name in vars(base) and hasattr(after, name):
                    yield after, name


@lru_cache(maxsize=_MOST_SETS_OF_CLASSES)
def _comparison(names: tuple[str, ...]) -> Callable[..., Callable[[], bool]]:
    numbers = range(len(names))
    parameters = [f"owner_{n}" for n in numbers] + [f"method_{n}" for n in numbers]
    terms = [f"owner_{n}.{name} is method_{n}" for n, name in enumerate(names)] or ["True"]
    namespace: dict[str, Any] = {}
    exec(f"def make({', '.join(parameters)}): return lambda: {' and '.join(terms)}", namespace)
    make: Callable[..., Callable[[], bool]] = namespace["make"]
    return make


NO_METHODS = StockMethods(())


class Replacements:
    """The methods of a framework that fastschema replaces when it is installed.

    What another library has put in the place of a stock method stays: fastschema is then not
    installed there. What another library has put around one of ours stays as well; ours then does
    what stock does, for as long as it is not installed.

    :param methods: for each the owner, the name, what stock has and what replaces it
    """

    def __init__(self, methods: Sequence[tuple[Any, str, Any, Any]]) -> None:
        self._methods = methods
        for _, _, stock, replacement in methods:
            if isinstance(stock, FunctionType):  # for error messages, signatures and pickles
                update_wrapper(replacement, stock, ("__module__", "__name__", "__qualname__"))
            if not isinstance(stock, _Replaced):
                _types.add(type(replacement))
                _stock_of[replacement] = stock
        self._inherited = [
            (owner, name) for owner, name, _, _ in methods if name not in vars(owner)
        ]
        self.are_installed = False

    def install(self) -> None:
        """Replace the methods that are stock's. Doing so again does nothing."""
        for owner, name, stock, replacement in self._methods:
            current = getattr(owner, name)
            if current is stock:
                setattr(owner, name, replacement)
            elif current is not replacement and not self.are_installed:
                logger.warning(
                    "Another library has replaced %s.%s; fastschema leaves it alone and is not "
                    "installed there.",
                    owner.__name__,
                    name,
                )
        self.are_installed = True

    def uninstall(self) -> None:
        """Put back what stock has, where no other code has put something around ours."""
        for owner, name, stock, replacement in self._methods:
            if vars(owner).get(name) is not replacement:
                continue
            if (owner, name) in self._inherited:
                delattr(owner, name)
            else:
                setattr(owner, name, stock)
        self.are_installed = False


@cache
def warn_of_newer(package: str, newest: tuple[int, ...]) -> None:
    """Log one warning for a framework that is newer than the newest release that is tested."""
    installed = version(package)
    if release(installed) > newest:
        logger.warning(
            "%s %s is newer than the versions that fastschema is tested with (up to %s). It is "
            "compiled as usual; FASTSCHEMA_DISABLED=1 switches fastschema off.",
            package,
            installed,
            ".".join(map(str, newest)),
        )
