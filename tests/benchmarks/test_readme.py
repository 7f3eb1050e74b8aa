"""The figures in the README."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def readme(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.delitem(sys.modules, "readme", raising=False)
    import readme

    return readme


def test_the_readme_shows_the_figures_that_were_measured(readme):
    assert readme.table(readme.read()) in (ROOT / "README.md").read_text()
