"""apischema: a serialization method for lists of dataclasses, and orjson."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

import apischema
import orjson

from references.classes import WORKLOADS, instances

CENT = decimal.Decimal("0.01")


@apischema.serializer
def two_places(value: decimal.Decimal) -> str:
    """A decimal as marshmallow writes it."""
    return str(value.quantize(CENT))


def writer(known: type[Any]) -> Callable[[list[Any]], bytes]:
    """From instances of a dataclass to JSON."""
    # The classes are instances' own: nothing needs to be checked.
    method = apischema.serialization_method(list[known], check_type=False)
    return lambda rows: orjson.dumps(method(rows))


PREPARE = instances
WRITERS = {name: writer(known) for name, known in WORKLOADS.items()}
PACKAGES = ["apischema", "orjson"]
