"""Names what got slower between two runs of a benchmark, by its ratio to stock.

    python benchmarks/compare.py OLD NEW [--tolerance PART]

OLD and NEW are files of figures, or directories of them, as the benchmarks write them. Times depend
on the machine and on what else it does; stock, which was measured in the same rounds, does too: so
the ratios to stock are compared. A measure is slower if its ratio fell by more than the tolerance,
and by more than its own times, or stock's, spread in either run.

Exits with 1 if anything got slower or has no figure any more, else with 0.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Key = tuple[str, str, str]
"""Benchmark, measure and contender."""
STOCK = "stock"


@dataclass(frozen=True)
class Change:
    """A measure of a contender whose ratio to stock changed.

    :param noise: the largest spread of the times that the two ratios are made of
    """

    key: Key
    old: float
    new: float
    noise: float

    def is_slower(self, tolerance: float) -> bool:
        """Whether it fell by more than the tolerance, and by more than the noise."""
        return self.new < self.old * (1 - max(tolerance, self.noise))

    def __str__(self) -> str:
        benchmark, measure, contender = self.key
        lost = 1 - self.new / self.old
        return (
            f"{benchmark}, {measure}, {contender}: {self.old:.2f} times as fast as stock, "
            f"now {self.new:.2f} ({lost:.0%} less)"
        )


def read(path: Path) -> dict[Key, dict[str, Any]]:
    """The figures in a file or in all files of a directory.

    :raises SystemExit: if there are none
    """
    found: dict[Key, dict[str, Any]] = {}
    for each in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        try:
            report = json.loads(each.read_text())
        except (OSError, ValueError) as error:
            raise SystemExit(f"{each} is no file of figures: {error}") from None
        figures = report.get("figures", []) if isinstance(report, dict) else []
        for figure in figures:
            if "ratio" in figure:
                found[report["benchmark"], figure["measure"], figure["contender"]] = figure
    if not found:
        raise SystemExit(f"{path} has no figures with a ratio to stock")
    return found


def changes(old: dict[Key, dict[str, Any]], new: dict[Key, dict[str, Any]]) -> list[Change]:
    """What both runs have measured, except of stock."""
    return [
        Change(key, old[key]["ratio"], new[key]["ratio"], noise(key, old, new))
        for key in old
        if key in new and key[2] != STOCK
    ]


def noise(key: Key, *runs: dict[Key, dict[str, Any]]) -> float:
    """The largest spread among a contender's and stock's times."""
    stock = (*key[:2], STOCK)
    both = (run[each] for run in runs for each in (key, stock) if each in run)
    return max(figure.get("spread", 0.0) for figure in both)


def main() -> None:
    """Compare, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument(
        "--tolerance", type=float, default=0.1, metavar="PART", help="default: 0.1, a tenth"
    )
    arguments = parser.parse_args()
    old, new = read(arguments.old), read(arguments.new)
    compared = changes(old, new)
    slower = [each for each in compared if each.is_slower(arguments.tolerance)]
    measured = {key[:2] for key in new}
    lost = [key for key in old if key not in new and key[:2] in measured]
    for change in sorted(slower, key=lambda each: each.new / each.old):
        print(f"slower: {change}")
    for key in lost:
        print(f"no figure any more: {', '.join(key)}")
    if not compared:
        raise SystemExit("the two have no measure in common")
    if slower or lost:
        sys.exit(1)
    print(f"Nothing got slower, of {len(compared)} measures in both.")


if __name__ == "__main__":
    main()
