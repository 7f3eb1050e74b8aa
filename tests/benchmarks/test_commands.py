"""The benchmarks as they are started, on very little data."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def run(script: str, directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / script), "--results", str(directory), *arguments],
        env={**os.environ, "DATABASE_URL": f"sqlite:///{directory}/flights.sqlite3"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_flights_benchmark_loads_compares_and_writes_its_figures(tmp_path):
    finished = run("flights.py", tmp_path, "--flights", "30", "--rounds", "1")

    assert finished.returncode == 0, finished.stderr
    assert "serializer + rendering" in finished.stdout
    figures = json.loads((tmp_path / "flights.json").read_text())["figures"]
    measured = {(figure["measure"], figure["contender"]) for figure in figures}
    assert measured == {
        (measure, contender)
        for measure in ("serializer", "rendering", "request")
        for contender in ("stock", "fastschema")
    }
    assert (tmp_path / "flights.svg").read_text().startswith("<?xml")


def test_the_marshmallow_benchmark_compares_and_writes_its_figures(tmp_path):
    finished = run("orders.py", tmp_path, "--rows", "60", "--rounds", "1")

    assert finished.returncode == 0, finished.stderr
    figures = json.loads((tmp_path / "orders.json").read_text())["figures"]
    assert {figure["contender"] for figure in figures} == {"stock", "fastschema"}
    assert (tmp_path / "orders.svg").exists()


@pytest.mark.parametrize("rows", ["0", "-1", "many"])
@pytest.mark.parametrize(
    ("script", "option"), [("flights.py", "--flights"), ("orders.py", "--rows")]
)
def test_a_number_of_rows_that_is_none_is_an_error(tmp_path, script, option, rows):
    finished = run(script, tmp_path, option, rows)

    assert finished.returncode == 2
    assert option in finished.stderr
    assert not list(tmp_path.iterdir())
