"""The regression guard."""

import json
import subprocess
import sys

import pytest

from .conftest import BENCHMARKS


@pytest.fixture
def compared(tmp_path):
    """Runs the guard on two files of figures, given as ratios (and spreads) by measure."""

    def compare(old, new, *arguments):
        for name, ratios in (("old", old), ("new", new)):
            figures = [
                {"measure": measure, "contender": contender, "ratio": ratio, "spread": spread}
                for (measure, contender), (ratio, spread) in ratios.items()
            ]
            path = tmp_path / f"{name}.json"
            path.write_text(json.dumps({"benchmark": "orders", "figures": figures}))
        paths = [str(tmp_path / "old.json"), str(tmp_path / "new.json")]
        return subprocess.run(
            [sys.executable, str(BENCHMARKS / "compare.py"), *paths, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )

    return compare


STOCK = {("dump", "stock"): (1.0, 0.0)}


def test_what_got_slower_by_its_ratio_to_stock_is_named(compared):
    finished = compared(
        {**STOCK, ("dump", "fast"): (8.0, 0.01), ("dumps", "fast"): (9.0, 0.01)},
        {**STOCK, ("dump", "fast"): (6.0, 0.01), ("dumps", "fast"): (8.9, 0.01)},
    )

    assert finished.returncode == 1
    assert finished.stdout == (
        "slower: orders, dump, fast: 8.00 times as fast as stock, now 6.00 (25% less)\n"
    )


def test_nothing_is_named_that_is_within_the_tolerance(compared):
    old, new = {**STOCK, ("dump", "fast"): (8.0, 0.0)}, {**STOCK, ("dump", "fast"): (6.5, 0.0)}

    assert compared(old, new).returncode == 1
    finished = compared(old, new, "--tolerance", "0.2")
    assert finished.returncode == 0
    assert finished.stdout == "Nothing got slower, of 1 measures in both.\n"


@pytest.mark.parametrize("noisy", ["stock", "fast"])
def test_nothing_is_named_that_the_noise_explains(compared, noisy):
    old = {**STOCK, ("dump", "fast"): (8.0, 0.0)}
    new = {("dump", "stock"): (1.0, 0.0), ("dump", "fast"): (6.0, 0.0)}
    new["dump", noisy] = (new["dump", noisy][0], 0.3)

    assert compared(old, new).returncode == 0


def test_a_contender_without_a_figure_that_it_had_is_named(compared):
    finished = compared(
        {**STOCK, ("dump", "fast"): (8.0, 0.0), ("dump", "b"): (1, 0)},
        {**STOCK, ("dump", "b"): (1, 0)},
    )

    assert finished.returncode == 1
    assert finished.stdout == "no figure any more: orders, dump, fast\n"


def test_files_without_figures_are_an_error(compared, tmp_path):
    finished = compared({}, {})

    assert finished.returncode == 1
    assert "old.json has no figures with a ratio to stock" in finished.stderr
