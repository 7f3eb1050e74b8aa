"""Whether stock and fastschema agree on every pattern of ordinary code.

python tests/benchmarks/agreement.py FRONT_END

Results, the calls of the patterns' own functions, and queries are compared, in order; patterns of
LOAD_RELATIONS make fewer queries. Prints how many patterns there are.
"""

import sys
from pathlib import Path

from sqlalchemy import Engine, event

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
OWN = (str(BENCHMARKS), str(ROOT / "example_project"))
MANY = 40
"""So many rows that all that is compiled for lists is compiled."""

sys.path.insert(0, str(BENCHMARKS))

from ordinary_pattern import difference  # noqa: E402  # it is found now
from ordinary_worker import FRONT_ENDS  # noqa: E402  # likewise


def observed(run):
    """What a run returns, which functions of its own it calls, and its queries."""
    calls, queries = [], []

    def note_call(frame, kind, argument):
        if kind == "call" and frame.f_code.co_filename.startswith(OWN):
            calls.append(frame.f_code.co_qualname)

    def note_query(*arguments):
        queries.append(arguments[2:4])

    def note_django_query(execute, sql, params, many, context):
        queries.append((sql, params))
        return execute(sql, params, many, context)

    connection = sys.modules.get("django.db") and sys.modules["django.db"].connection
    event.listen(Engine, "before_cursor_execute", note_query)
    if connection:
        connection.execute_wrappers.append(note_django_query)
    sys.setprofile(note_call)
    try:
        result = run()
    finally:
        sys.setprofile(None)
        event.remove(Engine, "before_cursor_execute", note_query)
        if connection:
            connection.execute_wrappers.pop()
    return result, calls, queries


def check(pattern, rows, switch):
    """Compare the first three runs of a pattern."""
    switch.uninstall()
    pattern.prepare(rows)()  # imports what is imported late
    run = pattern.prepare(rows)
    stock = [observed(run) for _ in range(3)]
    switch.install()
    run = pattern.prepare(rows)
    for number, (expected, calls, queries) in enumerate(stock):
        result, own_calls, own_queries = observed(run)
        where = f"{pattern.name}, {rows} rows, run {number}"
        assert difference(result, expected) is None, (where, difference(result, expected))
        assert own_calls == calls, (where, own_calls, calls)
        if "LOAD_RELATIONS" in pattern.name:
            assert len(own_queries) < len(queries), (where, own_queries, queries)
        else:
            assert own_queries == queries, (where, own_queries, queries)


def main():
    collection, switch, _ = FRONT_ENDS[sys.argv[1]]()
    for pattern in collection.patterns:
        for rows in sorted({min(size, MANY) for size in pattern.sizes}):
            check(pattern, rows, switch)
    print(len(collection.patterns))


if __name__ == "__main__":
    main()
