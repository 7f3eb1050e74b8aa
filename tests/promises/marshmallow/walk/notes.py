"""What code of users notes down, by stock and by fastschema alike."""

from __future__ import annotations

from typing import Any

LOG: list[Any] = []
_seen: list[Any] = []
_numbers: dict[int, int] = {}


def number(seen: Any) -> str:
    """The class of an object, and which one it is of those that were seen in this walk."""
    if id(seen) not in _numbers:
        _seen.append(seen)  # it lives as long as the walk, so that no other one gets its id
        _numbers[id(seen)] = len(_seen)
    return f"{type(seen).__name__} {_numbers[id(seen)]}"


def note(what: str, *seen: Any) -> None:
    """Note what was called, and with which objects."""
    LOG.append((what, *map(number, seen)))


def begin() -> None:
    """Forget what was seen in another walk."""
    LOG.clear()
    _numbers.clear()
    _seen.clear()


def in_order(messages: Any) -> Any:
    """Messages of errors by sorted keys: of unknown keys they are in the order of a set."""
    if isinstance(messages, dict):
        return {key: in_order(messages[key]) for key in sorted(messages, key=str)}
    return messages
