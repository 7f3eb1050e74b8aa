"""The benchmark of fast paths: each can be switched off, takes part, and changes no answer."""

import json
import subprocess
import sys

import pytest

from .conftest import BENCHMARKS


@pytest.fixture
def parts(benchmark_module):
    return benchmark_module("parts")


@pytest.fixture
def patches(benchmark_module):
    return benchmark_module("parts_patches")


@pytest.mark.parametrize("front_end", ["DRF", "marshmallow"])
def test_each_part_takes_part_in_a_request_whose_answer_is_the_same_without_it(front_end, patches):
    command = [sys.executable, BENCHMARKS / "parts.py", "--check", front_end]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)

    assert finished.returncode == 0, finished.stderr
    seen = set(json.loads(finished.stdout))
    assert {part.name for part in patches.PARTS if part.front_end == front_end} <= seen


def test_requests_are_measured_and_written(tmp_path):
    command = [sys.executable, BENCHMARKS / "parts.py", "--results", tmp_path]
    quick = ["--only", "one object", "--rounds", "1", "--batch", "0.001"]
    finished = subprocess.run([*command, *quick], capture_output=True, text=True, check=False)

    assert finished.returncode == 0, finished.stderr
    assert "| whole requests, times stock: SQLite | one row |" in finished.stdout
    written = json.loads((tmp_path / "parts-sqlite.json").read_text())
    assert [figure["front_end"] for figure in written["figures"]] == ["DRF", "marshmallow"]
    for figure in written["figures"]:
        assert min(figure["stock"], figure["fastschema"], figure["ratio"]) > 0
        assert min(figure["without"].values()) > 0


@pytest.mark.parametrize("target", ["parts_patches:gone", "parts_patches:Part.gone", "json:a.b"])
def test_a_function_that_is_not_there_any_more_is_an_error(target, patches):
    part = patches.Part("gone", "DRF", {target: patches.NONE})

    with pytest.raises(LookupError, match=f"there is no {target} any more"), part.off():
        pass


def test_a_method_that_nothing_replaces_is_an_error(patches):
    part = patches.Part("stock", "DRF", {"json:dumps": patches.by_stock})

    with pytest.raises(LookupError, match="takes the place of no stock method"), part.off():
        pass


def test_a_function_is_replaced_where_it_is_imported_and_comes_back(patches):
    from fastschema.marshmallow import pending, schema_program

    function = pending.frozen_copy
    assert schema_program.frozen_copy is function
    part = patches.Part(
        "clones", "DRF", {"fastschema.marshmallow.pending:frozen_copy": patches.NONE}
    )

    with part.off():
        assert pending.frozen_copy() is schema_program.frozen_copy() is None
    assert pending.frozen_copy is schema_program.frozen_copy is function


def report(database, figures):
    about = {"date": "today", "machine": "one", "versions": {"django": "6.1"}}
    return {"database": database, "figures": figures, **about}


def figure(rows, without):
    about = {"front_end": "DRF", "request": "plain", "rows": rows}
    return {**about, "ratio": 2.345, "without": without}


def test_a_cell_has_the_most_that_a_part_gives_on_each_database_and_what_gives_nothing_is_named(
    parts,
):
    one = [figure(20, {"rows": 1.5, "kept": 1.04}), figure(20, {"rows": 1.2, "kept": 1.0})]
    other = [figure(20, {"rows": 1.0, "kept": 1.01}), figure(240, {"kept": 0.9})]

    shown = parts.shown([report("SQLite", one), report("PostgreSQL", other)])

    assert shown.splitlines()[4:8] == [
        "| time without, in times of that with all: SQLite / PostgreSQL | 20 rows | 240 rows |",
        "| --- | ---: | ---: |",
        "| DRF: rows | 1.50 / 1.00 | |",
        "| DRF: kept (goes) | 1.04 / 1.01 | 0.90 |",
    ]


def test_a_column_in_which_nothing_makes_a_difference_by_chance_is_marked(parts):
    figures = [figure(20, {parts.NOTHING: 1.04}), figure(2400, {parts.NOTHING: 1.72})]

    shown = parts.shown([report("SQLite", figures)])

    assert f"| DRF: {parts.NOTHING} | 1.04 | 1.72 (noise) |" in shown.splitlines()
