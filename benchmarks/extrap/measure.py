"""Extra-P's own schemas, loading and dumping its experiments: the program of the paper.

    python benchmarks/extrap/measure.py [--profile full] [--rounds 5] [--turns 3]
        [--experiments FOLDER]

To be called in an environment that has Extra-P: ``make bench-extrap`` makes one. *Acceleration of
File De-Serialization with JIT Compilation* (TU Darmstadt) measured this with code that it
generates for each class of fields; its figures stand in the last column.

Each contender is a process of its own, and they take turns: stock; fastschema, Extra-P unchanged;
and with makers for Extra-P's classes. The best time counts, without reading and writing JSON.
Exits with 1 if what they load or dump differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from experiments import CALLPATHS, write_json

WORKER = Path(__file__).with_name("worker.py")
CONTENDERS = ("stock", "fastschema", "makers")
PAPER = {
    "2.3 MiB": {"load": 7.2, "dump": 4.2},
    "20.6 MiB": {"load": 12.1, "dump": 2.2},
    "140.8 MiB": {"load": 4.7, "dump": 3.0},
}
SIZES = {"quick": ("2.3 MiB", "20.6 MiB"), "full": tuple(PAPER)}


def measured(contender: str, path: Path, rounds: int) -> dict[str, Any]:
    """Return what one process measures."""
    arguments = [sys.executable, str(WORKER), contender, str(path), str(rounds)]
    answer = subprocess.run(arguments, check=True, stdout=subprocess.PIPE, text=True)
    figures: dict[str, Any] = json.loads(answer.stdout)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", choices=SIZES, default="quick")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--experiments", type=Path, default=Path("experiments"))
    options = parser.parse_args()
    print("| experiment | | stock, ms | fastschema, unchanged | with makers | the paper |")
    print("| --- | --- | --- | --- | --- | --- |")
    for size in SIZES[options.profile]:
        path = options.experiments / f"{size.replace(' ', '-')}.json"
        write_json(path, CALLPATHS[size])
        turns = [
            {each: measured(each, path, options.rounds) for each in CONTENDERS}
            for _ in range(options.turns)
        ]
        if (
            len({digest for turn in turns for each in turn.values() for digest in each["results"]})
            > 1
        ):
            sys.exit(f"{size}: the results differ")
        for operation in ("load", "dump"):
            best = {each: min(turn[each][operation] for turn in turns) for each in CONTENDERS}
            stock = best["stock"]
            ratios = " | ".join(f"{stock / best[each]:.1f}" for each in CONTENDERS[1:])
            paper = PAPER[size][operation]
            print(f"| {size} | {operation} | {stock * 1000:.0f} | {ratios} | {paper} |", flush=True)


if __name__ == "__main__":
    main()
