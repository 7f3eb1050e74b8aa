"""The benchmark of ordinary code: the patterns agree, and rows that are slow are named."""

import io
import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from .conftest import BENCHMARKS


@pytest.fixture
def pattern(benchmark_module):
    return benchmark_module("ordinary_pattern")


@pytest.fixture
def ordinary(benchmark_module):
    return benchmark_module("ordinary")


def run(directory, *arguments):
    return subprocess.run(
        [sys.executable, BENCHMARKS / "ordinary.py", "--results", directory, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


QUICK = ("--rounds", "1", "--batch", "0.0001")


@pytest.mark.parametrize("word", ["Serializer, 3 fields", "module-level schema, flat"])
def test_rows_are_measured_and_written(tmp_path, word):
    finished = run(tmp_path, *QUICK, "--only", word, "--fail-below", "0")

    assert finished.returncode == 0, finished.stderr
    assert "worst" in finished.stdout
    written = json.loads((tmp_path / "ordinary.json").read_text())
    assert {figure["rows"] for figure in written["figures"]} == {1, 20, 240}
    for figure in written["figures"]:
        assert word in figure["pattern"]
        assert figure["ratio"] == figure["stock"] / figure["fastschema"]


def test_rows_below_the_limit_are_named(tmp_path):
    finished = run(tmp_path, *QUICK, "--only", "validate()", "--fail-below", "1e6")

    assert finished.returncode == 1
    assert "3 of 3 rows are below" in finished.stdout
    assert "marshmallow: validate() only, 240 rows" in finished.stdout


def test_a_word_that_no_pattern_has_is_an_error(tmp_path):
    finished = run(tmp_path, "--only", "no such pattern")

    assert finished.returncode == 1
    assert "no pattern has 'no such pattern' in its name" in finished.stderr


@pytest.mark.parametrize("front_end", ["DRF", "marshmallow"])
def test_stock_and_fastschema_agree_on_every_pattern_with_the_same_calls_and_queries(front_end):
    finished = subprocess.run(
        [sys.executable, Path(__file__).with_name("agreement.py"), front_end],
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 0, finished.stderr
    assert int(finished.stdout) > 30


@pytest.mark.parametrize("contender", ["stock", "fastschema"])
def test_the_first_use_of_schemas_has_its_times_and_its_memory(contender):
    command = [sys.executable, BENCHMARKS / "ordinary_first.py", contender]
    finished = subprocess.run(
        [*command, "--schemas", "2", "--fields", "11"], capture_output=True, text=True, check=True
    )

    assert set(json.loads(finished.stdout)) == {"dump", "load", "megabytes"}


def test_what_runs_alternates_between_stock_and_fastschema(pattern):
    installed = [False]
    seen = []

    def prepare(rows):
        made_for = installed[0]

        def once():
            seen.append((made_for, installed[0]))
            return rows

        return once

    switch = pattern.Switch(
        lambda: installed.__setitem__(0, True), lambda: installed.__setitem__(0, False)
    )
    counted = pattern.Pattern("counted", "DRF", prepare)

    row = pattern.measure(counted, 20, switch, 3, batch=1e-6)

    assert set(seen) == {(False, False), (True, True)}
    turns = [made_for for made_for, _ in itertools.groupby(seen)]
    assert turns == [each for each, _ in itertools.groupby([(False, False), (True, True)] * 4)]
    assert (row.rows, str(row)) == (20, "DRF: counted, 20 rows")


def test_what_differs_is_an_error(pattern):
    installed = [False]
    switch = pattern.Switch(
        lambda: installed.__setitem__(0, True), lambda: installed.__setitem__(0, False)
    )
    changing = pattern.Pattern("changing", "DRF", lambda rows: lambda: {"is_fast": installed[0]})

    with pytest.raises(pattern.DifferentError, match=r"the result\['is_fast'\] is True, not False"):
        pattern.measure(changing, 1, switch, 1, batch=1e-6)


@pytest.mark.parametrize(
    ("value", "expected", "where"),
    [
        ([1, {"a": 2}], [1, {"a": 2}], None),
        ([1, {"a": 2}], [1, {"a": 3}], "the result[1]['a'] is 2, not 3,"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "the result has the keys ['a', 'b'], not ['b', 'a'],"),
        (True, 1, "the result is a bool, not a int,"),
        ([1], [1, 2], "the result is [1], not [1, 2],"),
    ],
)
def test_differences_are_found_in_classes_order_and_values(pattern, value, expected, where):
    assert pattern.difference(value, expected) == where


def test_the_better_of_two_measurements_counts(ordinary, benchmark_module):
    row = ordinary.Row
    one = row("DRF", "a pattern", 1, stock=2.0, fastschema=3.0)
    other = row("DRF", "a pattern", 1, stock=2.5, fastschema=1.0)

    assert ordinary.best(one, other) == row("DRF", "a pattern", 1, stock=2.0, fastschema=1.0)


def test_a_table_has_a_line_for_each_pattern_with_the_worst_and_the_median(ordinary):
    rows = [
        ordinary.Row("DRF", "a pattern", size, stock=ratio, fastschema=1.0)
        for size, ratio in ((1, 0.5), (20, 2.0), (240, 4.0))
    ]
    outcome = ordinary.Outcome(rows=rows)
    console = Console(record=True, width=80, file=io.StringIO())
    console.print(ordinary.table(outcome, "DRF", 0.95))
    shown = console.export_text()

    assert "0.50" in shown
    assert "all: worst 0.50, median 2.00" in shown
    assert [str(each) for each in outcome.below(0.95)] == ["DRF: a pattern, 1 row"]
