"""What ``make calls`` says of counts."""

import pytest


@pytest.fixture
def calls(benchmark_module):
    return benchmark_module("calls")


def counts(stock, fastschema, python="3.11.7"):
    return {
        "versions": {"Python": python},
        "stock": {"a request": stock},
        "fastschema": {"a request": fastschema},
    }


@pytest.mark.parametrize(("fast", "shown"), [(100, "+0.0 %"), (103, "+3.0 %"), (50, "-50.0 %")])
def test_up_to_3_per_cent_more_calls_pass(calls, fast, shown):
    rows, wrong = calls.compared(counts(500, 100), counts(500, fast), 3.0)

    assert rows[1] == ["a request", "500", "100", str(fast), shown]
    assert wrong == []


def test_more_calls_are_wrong(calls):
    before, now = counts(500, 100), counts(500, 104)

    assert calls.compared(before, now, 3.0)[1] == ["a request: 100 calls became 104"]
    assert calls.not_compared(before, now) == ""


def test_where_stock_calls_other_functions_nothing_is_compared_and_versions_are_named(calls):
    before, now = counts(500, 100), counts(501, 200, python="3.12.1")

    rows, wrong = calls.compared(before, now, 3.0)

    assert (rows[1][-1], wrong) == ("?", [])
    skipped = calls.not_compared(before, now)
    assert skipped.startswith("SKIPPED: 1 of 1 rows")
    assert "Python 3.11.7 before, 3.12.1 now" in skipped


def test_a_row_that_the_file_does_not_have_is_wrong(calls):
    before = {"versions": {}, "stock": {}, "fastschema": {}}

    rows, [wrong] = calls.compared(before, counts(500, 100), 3.0)

    assert rows[1][-1] == "new"
    assert "make calls UPDATE=1" in wrong
