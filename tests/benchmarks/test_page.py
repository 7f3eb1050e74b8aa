"""The figures in the documentation."""

import json

import pytest


@pytest.fixture
def page(benchmark_module):
    return benchmark_module("page")


REPORT = {
    "measures": {"dump": "rows to dictionaries", "load": "rows from dictionaries"},
    "versions": {"stock": {"marshmallow": "4.4.0", "Python": "3.11"}, "fast": {}, "peer": {}},
    "figures": [
        {"measure": "dump", "contender": "stock", "seconds": 0.2, "ratio": 1.0, "spread": 0.0},
        {"measure": "dump", "contender": "fast", "seconds": 0.02, "ratio": 10.0, "spread": 0.0},
        {"measure": "dump", "contender": "peer", "seconds": 0.1, "ratio": 2.0, "spread": 0.0},
        {"measure": "load", "contender": "stock", "seconds": 0.3, "ratio": 1.0, "spread": 0.0},
        {"measure": "load", "contender": "fast", "seconds": 0.1, "ratio": 3.0, "spread": 0.0},
    ],
    "failures": [
        {"measure": "load", "contender": "peer", "outcome": "cannot", "reason": "TypeError: no"},
        {"measure": None, "contender": "gone", "outcome": "not installed", "reason": "no wheel"},
    ],
}


def test_a_table_has_the_time_of_stock_the_ratios_and_what_has_none(page):
    contenders = ["stock", "fast", "peer"]

    assert page.table({**REPORT, "failures": REPORT["failures"][:1]}, contenders) == "\n".join(
        [
            "| | stock | fast | peer |",
            "| --- | ---: | ---: | ---: |",
            "| rows to dictionaries | 200 ms | 10.0 | 2.0 |",
            "| rows from dictionaries | 300 ms | 3.0 | cannot |",
        ]
    )


def test_measures_that_only_stock_and_fastschema_have_are_left_out_of_a_table_of_others(page):
    shown = page.table({**REPORT, "failures": []}, ["stock", "fast", "peer"])

    assert "rows to dictionaries" in shown
    assert "rows from dictionaries" not in shown


def test_growth_is_shown_with_memory(page):
    figures = [
        {**REPORT["figures"][0], "contender": "stock", "peak_megabytes": 12.34},
        {**REPORT["figures"][1], "contender": "fastschema", "peak_megabytes": 3.0},
    ]
    report = {"measures": {"dump": "10 rows"}, "figures": figures}

    *_, row = page.growth_table(report).splitlines()

    assert row == "| 10 rows | 200 ms | 20 ms | 10.0 | 12.3 MB | 3.0 MB |"


def test_what_could_not_be_installed_has_no_figure_anywhere_and_a_reason(page):
    contenders = ["stock", "fast", "gone"]

    assert page.table(REPORT, contenders).count("not installed") == 2
    assert page.reasons(REPORT, contenders) == ["- gone, all: not installed: `no wheel`"]
    assert page.reasons(REPORT, ["stock", "fast"]) == []


def test_the_documentation_shows_the_figures_that_were_measured(page):
    about = json.loads((page.FIGURES / "peers.json").read_text())

    assert about["profile"] in ("quick", "full")
    assert page.markdown(page.FIGURES).strip() in page.PAGE.read_text()


def test_a_ratio_of_times_that_spread_much_is_marked(page):
    steady, noisy = {"ratio": 4.04, "spread": 0.1}, {"ratio": 0.034, "spread": 0.3}

    assert page.cell(steady, steady) == "4.0"
    assert page.cell(noisy, steady) == "~0.034"
    assert page.cell(steady, noisy) == "~4.0"
