"""The tripwire: code of users runs where stock runs it, and not while fastschema finds things out.

Whenever a function of a test is called, the nearest function of fastschema on the stack must be one
of those that run code of users in stock's place: :data:`MAY_CALL`. Whatever else fastschema does
(reading, describing, planning, compiling, counting, advising) has no business there. What stands in
the place of a method of stock's (:data:`IN_PLACE`) may be asked by anybody: who asks is looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import fastschema

_SOURCE = str(Path(fastschema.__file__).parent) + "/"
_TESTS = str(Path(__file__).parent) + "/"
_OTHER, _OURS, _USERS, _GENERATED = range(4)


class _Kinds(dict[str, int]):
    """Whose code is in a file, by its name."""

    def __missing__(self, filename: str) -> int:
        if filename.startswith("<fastschema"):
            kind = _GENERATED
        elif filename.startswith(_SOURCE):
            kind = _OURS
        elif filename.startswith(_TESTS) and not filename.endswith(_NO_USERS):
            kind = _USERS
        else:
            kind = _OTHER
        self[filename] = kind
        return kind


_NO_USERS = ("conftest.py", "tripwire.py", "outcomes.py", "differential.py")
"""Files of tests that are no code of users."""
_kinds = _Kinds()
trips: dict[tuple[str, str], str] = {}
"""By the function of fastschema that ran code of users: what it ran."""


def _look(code: CodeType, caller: FrameType | None) -> None:
    """Note a call of a function of users, if it should not have been."""
    while caller is not None:
        kind = _kinds[caller.f_code.co_filename]
        if kind is _OURS:
            module = caller.f_code.co_filename.removeprefix(_SOURCE).removesuffix(".py")
            function = caller.f_code.co_qualname.split(".<locals>")[0]
            if function in MAY_CALL.get(module, ()):
                return
            if function not in IN_PLACE.get(module, ()):
                note((module, function), code)
                return
        elif kind is not _OTHER:
            return
        caller = caller.f_back


def note(caller: tuple[str, str], code: CodeType) -> None:
    """Note that a function of fastschema has run code of users."""
    trips.setdefault(caller, f"{code.co_qualname} ({code.co_filename})")


def _on_call(frame: FrameType, event: str, argument: Any) -> None:
    if event == "call" and _kinds[frame.f_code.co_filename] is _USERS:
        _look(frame.f_code, frame.f_back)


def _on_start(code: CodeType, offset: int) -> Any:
    if _kinds[code.co_filename] is not _USERS:
        return sys.monitoring.DISABLE
    _look(code, sys._getframe(2))
    return None


@contextmanager
def tripwire() -> Iterator[None]:
    """Note inside the ``with`` statement what fastschema runs that it must not run.

    :raises AssertionError: at its end, if there was anything
    """
    trips.clear()
    before = sys.getprofile()
    sys.setprofile(_on_call)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert not trips


MAY_CALL: dict[str, dict[str, str]] = {
    "contrib/django/dump": {
        "_represent_list": "stock represents the list",
        "_stock_row": "stock represents a row",
        "represent": "stock represents an object",
    },
    "contrib/django/front_end/access": dict.fromkeys(
        [
            "represent",
            "represent_field",
            "rows",
            "unreadable",
            "read",
            "read_path",
            "read_many",
            "called",
            "call_if_callable",
            "represent_key",
        ],
        "generated code reads by it",
    ),
    "contrib/django/front_end/bound_serializer": {
        "dispatch_for": "there is an object: stock makes the fields now",
    },
    "contrib/django/internals/queries": {"evaluated": "Django prefetches"},
    "contrib/django/lists/pagination": {"_lazily": "DRF makes a page"},
    "contrib/django/lists/views": {"list_rows": "the view makes its list, as in stock"},
}
"""By module, the functions of fastschema that run code of users, each with the reason."""

IN_PLACE: dict[str, list[str]] = {
    "contrib/django/front_end/class_state": ["new_fields", "get_fields"],
    "contrib/django/front_end/field_cloner": [
        "FieldCloner.fields",
        "_bound",
        "FieldCloner.bound_fields",
    ],
    "contrib/django/installation": ["_by_clones", "_to_representation", "_list_to_representation"],
}
"""By module, what stands in the place of methods of stock's."""
