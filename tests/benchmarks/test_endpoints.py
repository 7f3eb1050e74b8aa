"""What the load generator saw."""

import pytest

LOCUST = """#!/bin/sh
while [ "$1" != --csv ]; do shift; done
echo 'Type,Name,Request Count,Requests/s,50%,99%' > $2_stats.csv
echo 'GET,/,{count},7,1,2' >> $2_stats.csv
echo ',Aggregated,{count},12.5,40,110' >> $2_stats.csv
echo 'GET / 500' >&2
exit {code}
"""


@pytest.fixture
def visit(benchmark_module, tmp_path):
    """Visits with a load generator that only says that so many requests were made."""

    def visit(count, code=0):
        path = tmp_path / "locust"
        path.write_text(LOCUST.format(count=count, code=code))
        path.chmod(0o755)
        return benchmark_module("endpoints").visit(path, 8000, "/flights", 1)

    return visit


def test_a_visit_has_the_throughput_and_the_latency_of_all_requests_in_seconds(visit):
    assert visit(12) == {"requests_per_second": 12.5, "p50": 0.04, "p99": 0.11}


def test_requests_that_fail_or_are_never_answered_stop_the_benchmark(visit):
    with pytest.raises(SystemExit, match="GET / 500"):
        visit(12, code=1)
    with pytest.raises(SystemExit, match="not answered within 1 s"):
        visit(0)


def test_the_figures_are_those_of_the_best_round_beside_the_best_of_stock(benchmark_module):
    stock = [{"requests_per_second": each, "p50": 0.1, "p99": 0.2} for each in (10.0, 8.0)]
    seen = [
        {"requests_per_second": 15.0, "p50": 0.3, "p99": 0.4},
        {"requests_per_second": 20.0, "p50": 0.1, "p99": 0.9},
    ]

    load = benchmark_module("endpoints").of_rounds("page", "fastschema", seen, stock)

    assert (load.requests_per_second, load.p50, load.p99, load.ratio) == (20.0, 0.1, 0.9, 2.0)
    assert load.spread == 1 - 17.5 / 20
