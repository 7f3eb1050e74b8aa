"""What a contender does in every pattern: results, calls of the patterns' own functions, queries.

python tests/benchmarks/agreement.py CONTENDER MODULE...

Prints a line of JSON for each of the first three runs of each pattern.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
OWN = (str(BENCHMARKS / "patterns"), str(ROOT / "example_project"))
MANY = 40
"""So many rows that all that is compiled for lists is compiled."""

sys.path.insert(0, str(BENCHMARKS))

from harness.measuring import body  # noqa: E402  # it is found now
from harness.queries import django_statements, sqlalchemy_statements  # noqa: E402  # likewise
from worker import Patterns  # noqa: E402  # likewise


def observed(run):
    """What a run returns, which functions of its own it calls, and its queries."""
    calls = []

    def note_call(frame, kind, argument):
        if kind == "call" and frame.f_code.co_filename.startswith(OWN):
            calls.append(frame.f_code.co_qualname)

    with django_statements() as statements, sqlalchemy_statements() as more:
        sys.setprofile(note_call)
        try:
            result = run()
        finally:
            sys.setprofile(None)
    shown = result.decode("latin-1") if isinstance(result, bytes) else json.loads(body(result))
    return shown, calls, [*statements, *more]


def main():
    contender, *modules = sys.argv[1:]
    patterns = Patterns(contender, modules)
    most = {}
    for measure in patterns.measures:
        name, _, rows = measure.rpartition(", ")
        most[name] = min(MANY, max(int(rows), most.get(name, 0)))
    for measure in [f"{name}, {rows}" for name, rows in most.items()]:
        patterns.prepared(measure)()  # imports what is imported late
        run = patterns.prepared(measure)
        for _ in range(3):
            print(json.dumps([measure, *observed(run)]))


if __name__ == "__main__":
    main()
