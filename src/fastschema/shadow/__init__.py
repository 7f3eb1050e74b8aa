"""Shadow mode: a share of the answers is made by stock as well, and the two are compared.

The adapters say which answers those are, and how stock makes them. Here they are compared byte by
byte, counted, and told to the logger ``fastschema.shadow``.
"""

from __future__ import annotations

import json
import logging
import random
import re
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass

from fastschema.runtime.switch import disabled

logger = logging.getLogger("fastschema.shadow")

in_shadow: ContextVar[bool] = ContextVar("fastschema_in_shadow", default=False)
"""Whether what runs is no part of the answer: stock's, made to be compared."""

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[][{},]', re.DOTALL)
_random = random.SystemRandom()  # which leaves the numbers of a seeded program alone
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_SHOWN = 40
"""How many bytes to show on each side of a difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference between an answer and that of stock.

    :param schema: the name of the schema or the serializer
    :param view: the name of the view
    :param position: how many bytes are the same before it
    :param path: where in the JSON it lies, such as ``$.results[3].title``
    :param written: the bytes around it; None if values are not to be shown
    :param expected: what stock has there; likewise
    """

    schema: str
    view: str
    position: int
    path: str
    written: bytes | None = None
    expected: bytes | None = None

    def __str__(self) -> str:
        where = f"{self.schema} in {self.view} differs from stock at byte {self.position}"
        if self.written is None:
            return f"{where}, {self.path}"
        return f"{where}, {self.path}: {self.written!r}, and by stock {self.expected!r}"


class Counter:
    """How many answers were compared in this process.

    Where threads count at once, a count may miss a step.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin again at zero."""
        self.compared = 0
        """Answers that were compared, the same or not."""
        self.differed = 0
        """Those of them that differed."""
        self.failed = 0
        """Answers that could not be compared: stock raised an exception, most likely."""


counter = Counter()


def is_sampled(share: float) -> bool:
    return _random.random() < share


def compare(
    written: bytes,
    by_stock: Callable[[], bytes],
    *,
    schema: str,
    view: str,
    has_values: bool,
    tell: Callable[[Difference], object],
) -> None:
    """Compare an answer with stock's. A difference is logged, and so is any exception.

    :param by_stock: makes stock's; called with fastschema disabled
    :param has_values: whether what is told of a difference shows values
    """
    try:
        with disabled():
            expected = by_stock()
    except Exception:
        counter.failed += 1
        logger.exception("%s in %s could not be compared with stock", schema, view)
        return
    counter.compared += 1
    counter.differed += written != expected
    if written == expected:
        return
    position = first_difference(written, expected)
    shown = slice(max(0, position - _SHOWN), position + _SHOWN)
    difference = Difference(
        schema=schema,
        view=view,
        position=position,
        path=json_path(expected, position),
        written=written[shown] if has_values else None,
        expected=expected[shown] if has_values else None,
    )
    logger.error("%s", difference)
    try:
        tell(difference)
    except Exception:
        logger.exception("A receiver of the difference of %s in %s failed", schema, view)


def first_difference(one: bytes, other: bytes) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((place for place, (a, b) in pairs if a != b), shorter)


def json_path(text: bytes, position: int) -> str:
    """Return the path at a position of a JSON text, such as ``$[3].title``."""
    steps: list[str | int | None] = []  # an index, a key, or None: the key is to come
    for token in _TOKEN.finditer(text):
        if token.end() > position:
            break
        match token[0]:
            case b"[":
                steps.append(0)
            case b"{":
                steps.append(None)
            case b"]" | b"}" if steps:
                steps.pop()
            case b"," if steps:
                last = steps[-1]
                steps[-1] = last + 1 if isinstance(last, int) else None
            case key if steps and steps[-1] is None and key.startswith(b'"'):
                steps[-1] = json.loads(key)
    return "$" + "".join(map(_written_step, steps))


def _written_step(step: str | int | None) -> str:
    if step is None:
        return ""
    if isinstance(step, str) and _IDENTIFIER.fullmatch(step):
        return f".{step}"
    return f"[{json.dumps(step)}]"
