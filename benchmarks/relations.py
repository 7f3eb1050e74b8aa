"""Compare requests whose rows forget their relations: stock, and with LOAD_RELATIONS.

python benchmarks/relations.py [--rounds 40] [--turns 3]

SQLite in memory; with DATABASE_URL (see .ci/with-postgresql) a PostgreSQL server.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from applications.postgresql import make_anew

WORKER = Path(__file__).with_name("relations_worker.py")
DATABASE = "relations_that_nobody_loads"


def answers(how: str, rounds: int) -> dict[str, dict[str, Any]]:
    """Return what one process measures."""
    arguments = [sys.executable, str(WORKER), how, str(rounds)]
    url = os.environ.get("DATABASE_URL")
    if url:
        make_anew(DATABASE)
        arguments.append(f"{url.rpartition('/')[0]}/{DATABASE}")
    found = subprocess.run(arguments, check=True, capture_output=True, text=True)
    answered: dict[str, dict[str, Any]] = json.loads(found.stdout)
    return answered


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    turns = [
        (answers("stock", options.rounds), answers("fast", options.rounds))
        for _ in range(options.turns)
    ]
    print("| | queries | ms | ms | times |")
    print("| --- | --- | --- | --- | --- |")
    for name in turns[0][0]:
        if len({each[name]["body"] for turn in turns for each in turn}) > 1:
            sys.exit(f"{name}: the answers differ")
        stock, fast = (min(turn[each][name]["milliseconds"] for turn in turns) for each in (0, 1))
        queries = " / ".join(str(each[name]["queries"]) for each in turns[0])
        print(f"| {name} | {queries} | {stock:.1f} | {fast:.1f} | {stock / fast:.1f} |")


if __name__ == "__main__":
    main()
