"""The figures of long lists."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def long_list_tables(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.delitem(sys.modules, "long_list_tables", raising=False)
    import long_list_tables

    return long_list_tables


def test_the_documentation_shows_the_figures_that_were_measured(long_list_tables):
    shown = long_list_tables.table(long_list_tables.read())
    assert shown in (ROOT / "docs" / "benchmarks.md").read_text()
