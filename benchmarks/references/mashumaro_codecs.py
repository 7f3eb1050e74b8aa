"""mashumaro: an orjson encoder for lists of dataclasses."""

from __future__ import annotations

import decimal

from mashumaro.codecs.orjson import ORJSONEncoder
from mashumaro.dialect import Dialect

from references.classes import WORKLOADS, instances

CENT = decimal.Decimal("0.01")


class TwoPlaces(Dialect):
    """Decimals as marshmallow writes them."""

    serialization_strategy = {
        decimal.Decimal: {"serialize": lambda value: str(value.quantize(CENT))}
    }


PREPARE = instances
WRITERS = {
    name: ORJSONEncoder(list[known], default_dialect=TwoPlaces).encode
    for name, known in WORKLOADS.items()
}
PACKAGES = ["mashumaro", "orjson"]
