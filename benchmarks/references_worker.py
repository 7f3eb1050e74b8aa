"""One reference of the marshmallow benchmark: the same rows by another library.

python benchmarks/references_worker.py MODULE ROWS

Imports nothing but the reference, what it needs and the standard library.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from records import flat_rows, orders, plants
from worker import Measure, installed, serve


def measures(module: Any, count: int) -> dict[str, Measure]:
    """The measures by name."""
    prepare: Callable[[str, list[Any]], Any] = getattr(module, "PREPARE", lambda _, rows: rows)
    rows = prepare("orders", orders(count))
    found: dict[str, Measure] = {
        "orders.dumps": partial(module.WRITERS["orders"], rows),
        "orders.page.dumps": partial(module.WRITERS["orders"], rows[:50]),
        "orders.one.dumps": partial(module.WRITERS["orders"], [rows[1 % count]]),
        "flat.dumps": partial(module.WRITERS["flat"], prepare("flat", flat_rows(count))),
        "deep.dumps": partial(module.WRITERS["deep"], prepare("deep", plants(max(1, count // 5)))),
    }
    return found


if __name__ == "__main__":
    reference = importlib.import_module(f"references.{sys.argv[1]}")
    serve(measures(reference, int(sys.argv[2])), installed(*reference.PACKAGES))
