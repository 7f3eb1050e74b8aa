"""cattrs: its converter for orjson."""

from __future__ import annotations

import decimal
from collections.abc import Callable
from typing import Any

from cattrs.preconf.orjson import make_converter

from references.classes import WORKLOADS, instances

CENT = decimal.Decimal("0.01")
CONVERTER = make_converter()
CONVERTER.register_unstructure_hook(decimal.Decimal, lambda value: str(value.quantize(CENT)))


def writer(known: type[Any]) -> Callable[[list[Any]], bytes]:
    """From instances of a dataclass to JSON."""
    kind = list[known]
    return lambda rows: CONVERTER.dumps(rows, unstructure_as=kind)


PREPARE = instances
WRITERS = {name: writer(known) for name, known in WORKLOADS.items()}
PACKAGES = ["cattrs", "orjson"]
