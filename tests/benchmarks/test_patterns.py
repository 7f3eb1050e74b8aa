"""The patterns of ordinary code: stock and fastschema agree, and rows that are slow are named."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import BENCHMARKS


def ran(script, *arguments, directory):
    command = [sys.executable, BENCHMARKS / script, *arguments, "--results", directory]
    return subprocess.run(command, capture_output=True, text=True, check=False)


QUICK = ("--rounds", "1", "--batch", "0.0001")


@pytest.fixture
def benchmarks(benchmark_module):
    return benchmark_module("run")


MODULES = ("serializers", "schemas", "requests", "flask_requests", "relations", "objects")


def test_stock_and_fastschema_agree_on_every_pattern_with_the_same_calls_and_queries():
    agreement = Path(__file__).with_name("agreement.py")
    lines = {}
    for contender in ("stock", "fastschema"):
        command = [sys.executable, agreement, contender, *MODULES]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
        lines[contender] = [json.loads(line) for line in finished.stdout.splitlines()]

    assert len(lines["stock"]) == len(lines["fastschema"]) > 200
    for stock, fast in zip(*lines.values(), strict=True):
        name, *expected, queries = stock
        assert fast[:-1] == [name, *expected]
        if name.startswith("relations:") or "in bulk" in name:
            assert len(fast[-1]) < len(queries), name
        else:
            assert fast[-1] == queries, name


def test_rows_are_measured_written_and_named_if_they_are_below_the_limit(tmp_path):
    only = ("--only", "validate()")
    finished = ran("run.py", "ordinary", *QUICK, *only, "--fail-below", "1e6", directory=tmp_path)

    assert finished.returncode == 1, finished.stderr
    assert "3 of 3 rows are below" in finished.stdout
    assert "marshmallow: validate() only, 240" in finished.stdout
    figures = json.loads((tmp_path / "ordinary.json").read_text())["figures"]
    assert [figure["rows"] for figure in figures] == [1, 1, 20, 20, 240, 240]


def test_a_word_that_no_pattern_has_is_an_error(tmp_path):
    finished = ran("run.py", "ordinary", "--only", "no such pattern", directory=tmp_path)

    assert finished.returncode == 1
    assert "no pattern has 'no such pattern' in its name" in finished.stderr


@pytest.mark.parametrize(
    "measure",
    [
        "DRF: Serializer, 14 fields, 20",
        "marshmallow: module-level schema, flat dictionaries, 20",
    ],
)
def test_fastschema_is_installed_where_both_frameworks_are_measured(measure, benchmarks):
    stock, fast = benchmarks.contenders(benchmarks.BENCHMARKS["ordinary"].modules)
    calls = []
    for contender in (stock, fast):
        with contender:
            contender.ask("digest", measure, runs=3)
            calls.append(contender.ask("calls", measure)["calls"])

    assert calls[1] < calls[0] / 2


def test_plugins_are_compared_and_measured(tmp_path):
    quick = (*QUICK, "--fail-below", "0")
    finished = ran("run.py", "plugins", *quick, directory=tmp_path)

    assert finished.returncode == 0, finished.stderr
    assert len(json.loads((tmp_path / "plugins.json").read_text())["measures"]) == 5


def test_a_table_has_a_line_for_each_pattern_and_20_rows_come_first(benchmarks):
    figures = [
        {"measure": f"a pattern, {rows}", "contender": "fastschema", "rows": rows, "ratio": ratio}
        for rows, ratio in ((1, 0.5), (20, 2.0), (240, 4.0))
    ]
    titles = {each["measure"]: "a pattern" for each in figures}

    assert benchmarks.ratios({"figures": figures, "measures": titles}) == [
        ["speedup over stock", "20 rows", "240 rows", "one row"],
        ["a pattern", "2.0", "4.0", "0.5"],
    ]
    assert benchmarks.summary(figures).startswith("1: worst 0.50, median 0.50\n")
    assert [each["rows"] for each in benchmarks.below(figures, 3)] == [1, 20]
