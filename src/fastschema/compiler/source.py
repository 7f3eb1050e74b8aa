"""Writing Python source: lines, indentation, unique names, and the way into tracebacks."""

from __future__ import annotations

import builtins
import itertools
import keyword
import linecache
import re
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FunctionType
from typing import Any

_file_numbers = itertools.count(1)
_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


class Names:
    """Hands out identifiers, each once.

    :param taken: identifiers that are in use already
    """

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._taken = set(taken)

    def unique(self, hint: str) -> str:
        """An identifier that reads like ``hint``, is not taken and shadows no built-in."""
        stem = re.sub(r"\W", "_", hint, flags=re.ASCII).strip("_") or "value"
        if stem[0].isdigit():
            stem = f"value_{stem}"
        name = f"{stem}_" if stem in _RESERVED else stem
        number = itertools.count(2)
        while name in self._taken:
            name = f"{stem}_{next(number)}"
        self._taken.add(name)
        return name


class SourceWriter:
    """Collects the lines of a Python function and compiles them."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0

    def line(self, text: str) -> None:
        """Add one line at the current indentation."""
        self._lines.append(f"{'    ' * self._depth}{text}" if text else "")

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        """Add ``opening`` and indent what is written inside the ``with`` statement."""
        self.line(opening)
        self._depth += 1
        yield
        self._depth -= 1

    def include(self, other: SourceWriter) -> None:
        """Add the lines of another writer at the current indentation."""
        for line in other._lines:
            self.line(line)

    @property
    def identifiers(self) -> frozenset[str]:
        """The words of the source written so far, all identifiers among them."""
        return identifiers(self.text)

    def local_names(self, names: Iterable[str]) -> list[str]:
        """Parameters that make those of some names local that the source so far uses.

        Local names are found in half the time.
        """
        used = self.identifiers
        return [f"{name}={name}" for name in names if name in used]

    @property
    def text(self) -> str:
        """The source written so far."""
        return "\n".join(self._lines) + "\n"


class GeneratedFunction:
    """A function made from generated source, which tracebacks and debuggers can show.

    :param function_name: the name that the source defines
    :param title: what the file name shown in tracebacks says
    :param text: the source of one function definition
    :param names: the objects that the source refers to
    """

    def __init__(
        self, function_name: str, title: str, text: str, names: Mapping[str, object]
    ) -> None:
        filename = f"<fastschema {next(_file_numbers)}: {title}>"
        namespace: dict[str, Any] = {"__name__": __name__, **names}
        exec(compile(text, filename, "exec"), namespace)
        self.title = title
        self.function: FunctionType = namespace[function_name]
        self._names = tuple(names)
        self._lines = text.splitlines(keepends=True)
        linecache.cache[filename] = (len(text), None, self._lines, filename)
        weakref.finalize(self, linecache.cache.pop, filename, None)

    @property
    def text(self) -> str:
        """The source."""
        return "".join(self._lines)

    @property
    def names(self) -> dict[str, object]:
        """The objects that the source refers to."""
        found = self.function.__globals__
        return {name: found[name] for name in self._names}

    @property
    def identifiers(self) -> frozenset[str]:
        """The words of the source, all identifiers among them."""
        return identifiers(self.text)


def identifiers(text: str) -> frozenset[str]:
    """The words of some source, or of a template of it, all identifiers among them."""
    return frozenset(re.findall(r"\w+", text))
