"""The first table of the walk: which kinds of schema object there are.

Add a schema class to ``SCHEMAS`` in schemas.py, or a way to come by an object to ``ORIGINS`` below:
each is combined with each of the others.
"""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache, partial
from itertools import product
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from marshmallow import fields

from tests.promises.marshmallow.walk import notes, schemas

_NAME = schemas.__name__
_PATH = Path(schemas.__file__)
_ABSENT = object()


def _nothing(*schemas: Any) -> None:
    pass


_NO_LIBRARY = SimpleNamespace(install=_nothing, uninstall=_nothing, forget=_nothing)
"""Stands for fastschema in stock's process, which does not import it."""


class Subject:
    """What a walk is about: an object, its class, and the module of users that has it.

    :param undo: does what is to be done when the walk is over
    """

    def __init__(self, name: str, origin: str, undo: ExitStack, *, is_older: bool) -> None:
        self.library = sys.modules.get("fastschema", _NO_LIBRARY)
        notes.begin()
        undo.callback(self.library.uninstall)
        if not is_older:
            self.library.install()
        self.undo = undo
        self.module = _fresh_module(undo)
        use_class, self._begin = ORIGINS[origin]
        self.cls = use_class(getattr(self.module, name))
        self.begin()
        self.library.install()
        self._own: list[Any] = []
        self._before: dict[tuple[int, str], tuple[Any, Any]] = {}
        """By an object's id and the name of an attribute: the object, and what it had."""

    def begin(self) -> None:
        """Come by an object anew: those that have dumped before are left behind."""
        self.make = self._begin(self.cls)
        self.schema = self.make()
        self.other = self.schema, self.make
        """Another object, which comes next, and what makes it."""

    def for_call(self) -> Any:
        """The schema for a dump or load: that of the one before, unless each call has its own."""
        self.schema = self.make()
        return self.schema

    def replace(self, schema: Any) -> None:
        """Have another schema object from now on, which is kept."""
        self.other = self.schema, self.make
        self.schema, self.make = schema, lambda: schema

    def toggle(self, owner: Any, name: str, value: Any, put_back: Any = None) -> None:
        """Set an attribute; if this has set it before, set it back.

        :param put_back: what it is to be when the walk is over, if it outlives that
        """
        key = id(owner), name
        if key in self._before:
            before = self._before.pop(key)[1]
            if before is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, before)
            return
        self._before[key] = owner, vars(owner).get(name, _ABSENT)
        if put_back is not None:
            self.undo.callback(setattr, owner, name, put_back)
        setattr(owner, name, value)

    def own(self, owner: Any, name: str) -> Any:
        """A list or dictionary that an object has, and no other one: if need be, a copy first."""
        if not any(getattr(owner, name) is own for own in self._own):
            setattr(owner, name, copy.copy(getattr(owner, name)))
            self._own.append(getattr(owner, name))
        return getattr(owner, name)

    def swap(self) -> None:
        (self.schema, self.make), self.other = self.other, (self.schema, self.make)


@cache
def _code() -> Any:
    return compile(_PATH.read_text(encoding="utf-8"), str(_PATH), "exec")


def _fresh_module(undo: ExitStack) -> Any:
    """Run schemas.py anew, as a module that can be imported until the walk is over."""
    module = ModuleType(_NAME)
    undo.callback(sys.modules.__setitem__, _NAME, schemas)
    sys.modules[_NAME] = module
    exec(_code(), vars(module))
    return module


def _kept(schema: Any) -> Callable[[], Any]:
    return lambda: schema


def _local(cls: Any) -> Any:
    """A class as an application factory makes it, which no module holds."""

    class Local(cls):
        local = fields.String()

    return Local


def _from_dict(cls: Any) -> Any:
    return cls.from_dict({"local": fields.String()})


def _in_another_thread(make: Callable[[], Any]) -> Any:
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(make).result()


_OPTIONS: dict[str, Any] = {"only": ("number", "name", "absent"), "dump_only": ["absent"]}
_DOTTED: dict[str, Any] = {"only": ("number", "dog.name")}
_OTHERS: dict[str, Any] = {"exclude": ("price",), "unknown": "raise", "partial": True}


def _itself(cls: Any) -> Any:
    return cls


Maker = Callable[[], Any]
"""Gives the schema object for a call."""
ORIGINS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Maker]]] = {
    "kept": (_itself, lambda cls: _kept(cls())),
    "made for each call": (_itself, lambda cls: cls),
    "kept by a factory": (_local, lambda cls: _kept(cls())),
    "made for each call by a factory's class": (_local, lambda cls: cls),
    "kept, of from_dict": (_from_dict, lambda cls: _kept(cls())),
    "of a class for each call": (_itself, lambda cls: lambda: _from_dict(cls)()),
    "kept, with options": (_itself, lambda cls: _kept(cls(**_OTHERS))),
    "made for each call, with options": (_itself, lambda cls: partial(cls, **_OPTIONS)),
    "made for each call, with dotted names": (_itself, lambda cls: partial(cls, **_DOTTED)),
    "made for each call, with others": (_itself, lambda cls: partial(cls, **_OTHERS)),
    "copied for each call": (_itself, lambda cls: partial(copy.copy, cls())),
    "copied deeply for each call": (_itself, lambda cls: partial(copy.deepcopy, cls())),
    "unpickled for each call": (_itself, lambda cls: partial(pickle.loads, pickle.dumps(cls()))),
    "kept, made by another thread": (_itself, lambda cls: _kept(_in_another_thread(cls))),
    "made for each call by another thread": (_itself, lambda cls: lambda: _in_another_thread(cls)),
}
"""By how one comes by an object: from a class of users to the class that is used, and from that to
what gives the object for each call."""

_AGES = {"": False, ", older than install()": True}

KINDS: dict[str, Callable[[ExitStack], Subject]] = {
    f"{cls.__name__}, {origin}{age}": partial(Subject, cls.__name__, origin, is_older=is_older)
    for cls, origin, (age, is_older) in product(schemas.SCHEMAS, ORIGINS, _AGES.items())
}
"""All kinds, by name: each makes the subject of a walk."""
