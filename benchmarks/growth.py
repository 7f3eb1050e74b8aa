"""How time and memory grow: with rows, with fields, and what compiling and the first byte take.

    python benchmarks/growth.py [--rows N ...] [--fields N ...] [--rounds N] [--results DIR]

stock and fastschema, each in a process of its own; they take turns. Prints a table, and writes
growth.json, growth-rows.svg, growth-fields.svg, growth-compile.svg and growth-first.svg.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from contenders import Comparison, Contender, Measure, compare, positive
from showing import draw_growth, report, table, write, write_timings

HERE = Path(__file__).resolve().parent
ROWS = (10, 100, 1_000, 10_000, 100_000, 300_000)
FIELDS = (2, 8, 25, 75, 200)
VALUES = 20_000
"""How many values the rows have together, however many fields they have."""
CURVES = {
    "rows": ("orders to JSON text", "rows"),
    "first": ("first byte of the orders' JSON", "rows"),
    "fields": (f"flat rows to JSON text, {VALUES:,} values in all", "fields"),
    "compile": ("first use of a schema", "fields"),
}
"""By the prefix of their measures: title, and what grows."""


def measures(rows: Sequence[int], fields: Sequence[int]) -> list[Measure]:
    """What is measured."""
    found = []
    for prefix, (title, unit) in CURVES.items():
        for size in rows if unit == "rows" else fields:
            handled = {"rows": size, "first": size, "fields": max(1, VALUES // size)}
            name = f"{prefix}.{size}"
            found.append(Measure(name, f"{title}: {size:,} {unit}", handled.get(prefix, 1)))
    return found


def run(
    rows: Sequence[int],
    fields: Sequence[int],
    rounds: int,
    console: Console,
    *,
    min_time: float = 0.1,
) -> Comparison:
    """Compare stock and fastschema."""
    sizes = json.dumps({"rows": rows, "fields": fields, "values": VALUES})
    contenders = [
        Contender(name, [sys.executable, HERE / "growth_worker.py", name, sizes])
        for name in ("stock", "fastschema")
    ]
    return compare(measures(rows, fields), contenders, rounds, console, min_time=min_time)


def show(comparison: Comparison, results: Path, console: Console) -> None:
    """Print the table, write JSON and the charts."""
    console.print(table("Growth", comparison))
    write(results, "growth", report("growth", "Growth", comparison))
    write_timings(comparison, results / "pyperf" / "growth")
    for prefix, (title, unit) in CURVES.items():
        draw_growth(comparison, prefix, f"{title}, by {unit}", results / f"growth-{prefix}.svg")
    console.print(f"The results are equal. Figures and charts: {results}")


def main() -> None:
    """Compare, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=positive, nargs="+", default=ROWS, metavar="N")
    parser.add_argument("--fields", type=positive, nargs="+", default=FIELDS, metavar="N")
    parser.add_argument("--rounds", type=positive, default=3)
    parser.add_argument("--results", type=Path, default=HERE / "results", metavar="DIR")
    arguments = parser.parse_args()
    console = Console()
    show(
        run(arguments.rows, arguments.fields, arguments.rounds, console), arguments.results, console
    )


if __name__ == "__main__":
    main()
