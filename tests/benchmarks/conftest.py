"""The modules of the benchmarks, which are scripts beside each other and no package."""

import importlib
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def benchmark_module(monkeypatch):
    """Imports a module of the benchmarks by name; none of them stays imported."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    for path in BENCHMARKS.rglob("*.py"):
        within = path.relative_to(BENCHMARKS).with_suffix("").parts
        for name in (path.stem, ".".join(within), within[0]):
            monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module
