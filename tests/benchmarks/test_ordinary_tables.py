"""The tables of ordinary code."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def ordinary_tables(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in ("long_list_tables", "ordinary_tables"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import ordinary_tables

    return ordinary_tables


def test_the_page_shows_the_figures_that_were_measured(ordinary_tables):
    shown = ordinary_tables.table(ordinary_tables.read())
    assert shown in ordinary_tables.PAGE.read_text()


def test_a_size_that_was_not_measured_is_left_out(ordinary_tables):
    figure = {"front_end": "DRF", "pattern": "one", "rows": 20, "ratio": 2.345}
    report = {"figures": [figure], "versions": {"django": "6.1"}, "date": "today", "machine": "one"}
    assert ordinary_tables.table(report).splitlines() == [
        "| speedup over stock | 20 rows | 240 rows | one row |",
        "| --- | ---: | ---: | ---: |",
        "| DRF: one | 2.3 | | |",
        "",
        "Measured on today on one, with django 6.1.",
    ]


def test_another_size_is_named(ordinary_tables):
    figure = {"front_end": "DRF", "pattern": "one", "rows": 50, "ratio": 8.43}
    report = {"figures": [figure], "versions": {}, "date": "today", "machine": "one"}
    shown = ordinary_tables.table(report)
    assert "| DRF: one | 8.4 (50 rows) | | |" in shown
