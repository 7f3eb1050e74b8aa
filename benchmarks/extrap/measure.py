"""Extra-P's own schemas, loading and dumping its experiments: the program of the paper.

    PYTHONPATH=benchmarks python benchmarks/extrap/measure.py --python PYTHON [--profile full]
        [--rounds 5] [--experiments FOLDER] [--results DIR]

*Acceleration of File De-Serialization with JIT Compilation* (TU Darmstadt) measured this with code
that it generates for each class of fields; its figures stand in the last column. Contenders are
stock; fastschema, Extra-P unchanged; and with makers for Extra-P's classes; each in a process of a
Python that has Extra-P (``make bench-extrap``). Prints a table, writes extrap.json.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from harness import tables
from harness.comparing import Measure, Process, compare

WORKER = Path(__file__).with_name("worker.py")
CONTENDERS = ("stock", "fastschema", "makers")
PAPER = {
    "2.3 MiB": {"load": 7.2, "dump": 4.2},
    "20.6 MiB": {"load": 12.1, "dump": 2.2},
    "140.8 MiB": {"load": 4.7, "dump": 3.0},
}
SIZES = {"quick": ("2.3 MiB", "20.6 MiB"), "full": tuple(PAPER)}


def shown(report: dict[str, Any]) -> tables.Rows:
    heading, *rows = tables.contenders_table(report)
    papers = (row[0].split(", ") for row in rows)
    beside = [
        [*row, str(PAPER[size][what])] for row, (size, what) in zip(rows, papers, strict=True)
    ]
    return [[*heading, "the paper"], *beside]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", type=Path, required=True, help="that has Extra-P")
    parser.add_argument("--profile", choices=SIZES, default="quick")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--experiments", type=Path, default=Path("experiments"))
    parser.add_argument("--results", type=Path, default=tables.RESULTS, metavar="DIR")
    options = parser.parse_args()
    sizes = SIZES[options.profile]
    contenders = [
        Process(name, [options.python, WORKER, name, options.experiments, *sizes])
        for name in CONTENDERS
    ]
    assert contenders[0].hello  # it makes the experiments that are not there yet
    measures = [
        Measure(f"{size} {what}", f"{size}, {what}") for size in sizes for what in ("load", "dump")
    ]
    comparison = compare(measures, contenders, rounds=options.rounds)
    report = tables.report("extrap", "Extra-P", comparison)
    tables.show(shown(report), report["title"])
    tables.write(options.results, report)


if __name__ == "__main__":
    main()
