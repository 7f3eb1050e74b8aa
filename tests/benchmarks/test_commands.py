"""The benchmarks as they are started, on very little data."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyperf
import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


ONCE = ["--rounds", "1"]
"""No more than it takes to see that a benchmark works."""


def run(script: str, directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(BENCHMARKS / script), "--results", str(directory), *arguments],
        env={**os.environ, "DATABASE_URL": f"sqlite:///{directory}/flights.sqlite3"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long
def test_the_flights_benchmark_loads_compares_and_writes_its_figures(tmp_path):
    finished = run("flights.py", tmp_path, "--flights", "30", *ONCE)

    assert finished.returncode == 0, finished.stderr
    assert "serializer + rendering" in finished.stdout
    figures = json.loads((tmp_path / "flights.json").read_text())["figures"]
    measured = {(figure["measure"], figure["contender"]) for figure in figures}
    assert measured >= {
        (measure, contender)
        for measure in ("serializer", "rendering", "request", "page", "one")
        for contender in ("stock", "fastschema")
    }
    assert ("lazy", "by hand") in measured
    assert ("serializer", "by hand") not in measured
    assert (tmp_path / "flights.svg").read_text().startswith("<?xml")


@pytest.mark.long
def test_the_flask_benchmark_compares_downloads_and_writes_its_figures(tmp_path):
    few = ["--flights", "30", *ONCE, "--streamed", "60", "--streamed-rounds", "1"]
    finished = run("flights_flask.py", tmp_path, *few)

    assert finished.returncode == 0, finished.stderr
    assert "peak MB above idle" in finished.stdout
    written = json.loads((tmp_path / "flights_flask.json").read_text())
    whole = [each["contender"] for each in written["figures"] if each["measure"] == "flask"]
    assert whole == ["stock", "one line", "fs.response", "fs.stream"]
    whole = [each["contender"] for each in written["figures"] if each["measure"] == "flask.request"]
    assert whole == ["stock", "one line", "statement"]
    streams = [each["contender"] for each in written["downloads"]]
    assert streams == ["stock", "fs.stream", "statement"]
    assert written["streamed"] == 60
    assert len({each["digest"] for each in written["downloads"]}) == 1
    assert (tmp_path / "flights_flask.svg").exists()


@pytest.mark.long
def test_the_marshmallow_benchmark_compares_and_writes_its_figures(tmp_path):
    finished = run("orders.py", tmp_path, "--rows", "60", *ONCE)

    assert finished.returncode == 0, finished.stderr
    figures = json.loads((tmp_path / "orders.json").read_text())["figures"]
    assert {figure["contender"] for figure in figures} == {"stock", "fastschema"}
    assert (tmp_path / "orders.svg").exists()
    suite = pyperf.BenchmarkSuite.load(str(tmp_path / "pyperf" / "orders" / "fastschema.json"))
    assert "orders.dumps" in suite.get_benchmark_names()


@pytest.mark.long
def test_the_growth_benchmark_measures_all_sizes_and_draws_its_curves(tmp_path):
    finished = run("growth.py", tmp_path, "--rows", "5", "--fields", "3", "9", *ONCE)

    assert finished.returncode == 0, finished.stderr
    figures = json.loads((tmp_path / "growth.json").read_text())["figures"]
    assert {figure["measure"] for figure in figures} == {
        *("rows.5", "first.5", "fields.3", "fields.9", "compile.3", "compile.9")
    }
    charts = {path.name for path in tmp_path.glob("*.svg")}
    assert charts == {f"growth-{name}.svg" for name in ("rows", "first", "fields", "compile")}


@pytest.mark.long
def test_the_streaming_benchmark_serves_measures_and_writes_its_figures(tmp_path):
    finished = run("streaming.py", tmp_path, "--flights", "300")

    assert finished.returncode == 0, finished.stderr
    assert "300 flights streamed" in finished.stdout
    figures = json.loads((tmp_path / "streaming.json").read_text())["figures"]
    assert [figure["server"] for figure in figures] == ["gunicorn (WSGI)", "uvicorn (ASGI)"]
    for figure in figures:
        assert figure["flights"] == 300
        assert 0 < figure["first_byte"] < figure["seconds"]
        assert figure["idle"] > figure["bytes"] > 100_000


def test_the_benchmark_of_what_is_beside_drf_compares_and_shows_its_figures():
    command = [sys.executable, BENCHMARKS / "rooms.py", *ONCE]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)

    assert finished.returncode == 0, finished.stderr
    shown = [line.partition(":")[0] for line in finished.stdout.splitlines()[2:]]
    assert shown == ["| camelCase", *["| adrf"] * 4, "| JSON only"]


@pytest.mark.parametrize(
    ("script", "option", "rows"),
    [
        ("flights.py", "--flights", "0"),
        ("flights_flask.py", "--streamed", "-1"),
        ("growth.py", "--fields", "many"),
        ("endpoints.py", "--seconds", "0"),
        ("orders.py", "--rows", "-1"),
        ("streaming.py", "--flights", "many"),
    ],
)
def test_a_number_of_rows_that_is_none_is_an_error(tmp_path, script, option, rows):
    finished = run(script, tmp_path, option, rows)

    assert finished.returncode == 2
    assert option in finished.stderr
    assert not list(tmp_path.iterdir())
