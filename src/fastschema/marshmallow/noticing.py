"""Noticing writes to fields: what ``Field`` has as ``__setattr__`` and ``__delattr__``."""

from __future__ import annotations

from typing import Any

from marshmallow.fields import Field

from fastschema.writes import writes


def set_attribute(self: Any, name: str, value: Any) -> None:
    """``object.__setattr__``, noticed."""
    super(Field, self).__setattr__(name, value)
    if id(self) in writes.watched:
        writes.watched = set()


def delete_attribute(self: Any, name: str) -> None:
    """``object.__delattr__``, noticed."""
    super(Field, self).__delattr__(name)
    if id(self) in writes.watched:
        writes.watched = set()
