"""Write Python source: lines and blocks, unique names, and what tracebacks show."""

from __future__ import annotations

import builtins
import itertools
import keyword
import linecache
import re
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FunctionType
from typing import Any

from fastschema.compiler.nodes import Slot

_file_numbers = itertools.count(1)
_RESERVED = frozenset(keyword.kwlist) | frozenset(dir(builtins))


Lines = list["str | Lines"]
"""Lines of source; a list among them is the block of the line before it."""


class Names:
    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._taken = set(taken)

    def unique(self, hint: str) -> str:
        """Return an identifier that reads like ``hint``, is not taken and shadows no built-in."""
        stem = re.sub(r"\W", "_", hint, flags=re.ASCII).strip("_") or "value"
        if stem[0].isdigit():
            stem = f"value_{stem}"
        name = f"{stem}_" if stem in _RESERVED else stem
        number = itertools.count(2)
        while name in self._taken:
            name = f"{stem}_{next(number)}"
        self._taken.add(name)
        return name


def text_of(lines: Lines) -> str:
    return "\n".join(_indented(lines, "")) + "\n"


def _indented(lines: Lines, indentation: str) -> Iterator[str]:
    for line in lines:
        if isinstance(line, list):
            yield from _indented(line, f"{indentation}    ")
        else:
            yield indentation + line if line else ""


def branches(*cases: tuple[str | None, Lines]) -> Lines:
    result: Lines = []
    for condition, block in cases:
        if condition is None and not result:
            return block
        if block:
            keyword = "elif" if result else "if"
            result += ["else:" if condition is None else f"{keyword} {condition}:", block]
    return result


class _Source(Sequence[str]):
    """The lines of some source, compressed: tracebacks and users ask for them, but rarely."""

    def __init__(self, text: str) -> None:
        self._packed = zlib.compress(text.encode())

    @property
    def text(self) -> str:
        return zlib.decompress(self._packed).decode()

    def __len__(self) -> int:
        return len(self.text.splitlines())

    def __getitem__(self, index: Any) -> Any:
        return self.text.splitlines(keepends=True)[index]


class GeneratedFunction:
    """A function made from generated source, which tracebacks and debuggers can show.

    :param title: what the file name shown in tracebacks says
    :param slots: those of a node whose values the function takes as its last parameters
    """

    def __init__(
        self,
        function_name: str,
        title: str,
        text: str,
        names: Mapping[str, object],
        slots: tuple[Slot, ...] = (),
    ) -> None:
        filename = f"<fastschema {next(_file_numbers)}: {title}>"
        namespace: dict[str, Any] = {"__name__": __name__, **names}
        exec(compile(text, filename, "exec"), namespace)
        self.slots = slots
        self.function: FunctionType = namespace[function_name]
        self._source = _Source(text)
        # What takes the place of a list is enough for linecache.
        linecache.cache[filename] = (len(text), None, self._source, filename)  # type: ignore[assignment]  # a list, it says
        weakref.finalize(self, linecache.cache.pop, filename, None)

    @property
    def text(self) -> str:
        return self._source.text


_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|#.*""")
"""String literals, as the generators write them, and comments."""


def identifiers(text: str) -> frozenset[str]:
    """Return the names in some source or template; not what schemas bring (texts, attributes)."""
    return frozenset(re.findall(r"(?<![\w.])\w+", _TEXT.sub(" ", text)))


_ASSIGNED = re.compile(r"\b(\w+) :=|\b(?:for|lambda) (\w+(?:, \w+)*)\b")


def assigned_names(expressions: Iterable[str | None]) -> frozenset[str]:
    """Return the variables that expressions assign to; those of a generated function differ."""
    text = "\n".join(filter(None, expressions))
    return identifiers(" ".join([assigned or bound for assigned, bound in _ASSIGNED.findall(text)]))
