"""The small applications answer alike by stock and by fastschema; the pages show their figures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack

import pytest

from .conftest import BENCHMARKS

NAMES = ("shop", "library")
MORE_THAN_STOCK_SERVES = 30
"""Requests after which fastschema has compiled the classes of single objects, too."""


@pytest.fixture
def small_tables(benchmark_module):
    return benchmark_module("applications.small_tables")


@pytest.fixture
def contenders(benchmark_module, monkeypatch, tmp_path):
    """Starts stock and fastschema over the database of an application."""
    inherited = os.environ.get("PYTHONPATH")
    folders = [str(BENCHMARKS), *filter(None, [inherited])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(folders))
    command = benchmark_module("applications.turns").command
    start = benchmark_module("contenders").Contender
    with ExitStack() as stack:

        def started(name):
            subprocess.run(command(name, "fill", tmp_path), check=True)
            return {
                each: stack.enter_context(start(each, command(name, each, tmp_path)))
                for each in ("stock", "fastschema")
            }

        yield started


@pytest.mark.parametrize("name", NAMES)
def test_stock_and_fastschema_answer_every_request_alike(name, contenders, benchmark_module):
    turns = benchmark_module("applications.turns")
    both = contenders(name)
    hello = both["stock"].hello
    assert len(hello["requests"]) >= 10
    for number, request in enumerate(hello["requests"]):
        masked = () if request["method"] == "GET" else hello["masked"]
        for _ in range(2):
            answers = {
                each: contender.ask({"request": number, "what": "send"})
                for each, contender in both.items()
            }
            assert answers["stock"]["status"] in (200, 201), answers["stock"]
            assert turns.compare(answers, masked) == [], request["title"]
            is_list = turns.rows_of(answers["stock"]["body"]) is not None
            count = 2 if is_list else MORE_THAN_STOCK_SERVES
            for contender in both.values():
                contender.ask({"request": number, "what": "time", "count": count})


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_the_benchmark_measures_every_request_that_the_readme_shows(name, tmp_path, small_tables):
    least = ["--turns", "1", "--seconds", "0.001", "--samples", "1", "--results", str(tmp_path)]
    finished = subprocess.run(
        [sys.executable, "-m", "applications", name, *least],
        env={**os.environ, "PYTHONPATH": str(BENCHMARKS)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 0, finished.stdout + finished.stderr
    report = json.loads((tmp_path / f"application-{name}.json").read_text())
    measured = {figure["measure"] for figure in report["figures"]}
    known = {figure["measure"] for figure in small_tables.found(name)["figures"]}
    assert measured == known


def test_the_pages_show_the_figures_that_were_measured(small_tables):
    for page, shown in small_tables.tables().items():
        text = (small_tables.ROOT / page).read_text()
        marked = f"<!-- small-applications -->\n{shown}<!-- /small-applications -->"
        assert marked in text


def test_the_readme_shows_ratios_by_the_number_of_rows(small_tables, monkeypatch):
    figures = [
        {"measure": "stock's", "contender": "stock", "ratio": 1.0},
        {"measure": "a page", "contender": "fastschema", "ratio": 1.26},
        {"measure": "one", "contender": "fastschema", "ratio": 0.93},
    ]
    report = {"figures": figures, "versions": {"django": "6.1"}, "date": "today", "machine": "one"}
    rows = [
        small_tables.Shown("a list", "a page", one="one"),
        small_tables.Shown("one object", one="one"),
    ]
    monkeypatch.setattr(small_tables, "SHOWN", rows)

    assert small_tables.readme([report, {**report, "versions": {"flask": "3"}}]).splitlines() == [
        "| speedup over stock | 20 rows | 240 rows | one object |",
        "| --- | ---: | ---: | ---: |",
        "| a list | 1.3 |  | 0.93 |",
        "| one object |  |  | 0.93 |",
        "",
        "Measured on today on one, with django 6.1, flask 3.",
    ]
