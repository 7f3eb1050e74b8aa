"""The benchmarks as they are started, on very little data."""

import json
import os
import subprocess
import sys

import pytest

from .conftest import BENCHMARKS

ONCE = ("--rounds", "1")


def run(directory, *command, database=""):
    finished = subprocess.run(
        [sys.executable, *command, "--results", directory],
        env={**os.environ, "PYTHONPATH": str(BENCHMARKS), "DATABASE_URL": database},
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def measured(directory, name):
    figures = json.loads((directory / f"{name}.json").read_text())["figures"]
    return {(figure["measure"], figure["contender"]) for figure in figures}


@pytest.mark.long
def test_the_flights_are_loaded_compared_measured_and_drawn(tmp_path):
    database = f"sqlite:///{tmp_path}/flights.sqlite3"
    results = tmp_path / "results"  # which is not there yet
    small = ("--rows", "30", *ONCE)
    shown = run(results, "run.py", "flights", "flights_flask", *small, database=database)

    assert "whole request, each with four objects, 20 rows" in shown
    page = "flights: whole request, each with four objects, 20"
    assert measured(results, "flights") >= {(page, "stock"), (page, "fastschema")}
    wanted = {(page, each) for each in ("stock", "fastschema", "fs.response")}
    assert measured(results, "flights_flask") >= wanted
    assert (results / "flights-parts.svg").read_text().startswith("<?xml")


@pytest.mark.long
def test_orders_and_single_objects_are_compared_and_measured(tmp_path):
    run(tmp_path, "run.py", "orders", "single", "--rows", "60", *ONCE)

    assert ("orders: `Schema.dump`, 60", "fastschema") in measured(tmp_path, "orders")
    assert len(measured(tmp_path, "single")) == 54


@pytest.mark.long
@pytest.mark.parametrize("name", ["shop", "library"])
def test_the_requests_of_small_applications_are_measured(tmp_path, name):
    least = ["--turns", "1", "--seconds", "0.001", "--samples", "1"]
    run(tmp_path, "-m", "applications", name, *least)

    assert len(measured(tmp_path, f"application-{name}")) >= 20
