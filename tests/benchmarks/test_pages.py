"""The pages show the figures that were measured."""

import pytest


@pytest.fixture
def pages(benchmark_module):
    return benchmark_module("pages")


@pytest.fixture
def tables(benchmark_module):
    return benchmark_module("harness.tables")


def test_each_page_shows_what_was_measured(pages, tables):
    for (page, mark), shown in pages.SHOWN.items():
        text = (tables.ROOT / page).read_text()
        assert f"<!-- {mark} -->\n\n{shown()}\n\n<!-- /{mark} -->" in text, (page, mark)


def test_a_mark_that_a_page_does_not_have_is_an_error(tables):
    with pytest.raises(LookupError, match=r"README\.md has no place for nothing"):
        tables.rewrite("README.md", "nothing", "")


def figure(contender, ratio, spread=0.0, measure="get"):
    about = {"measure": measure, "contender": contender, "rows": 1, "seconds": 0.002}
    return {**about, "ratio": ratio, "spread": spread}


def test_peers_without_figures_are_in_the_table_and_below_it(pages, tables):
    report = {
        "versions": {"stock": {"Python": "3.12", "django": "5.2"}, "fastschema": {}, "peer": {}},
        "measures": {"get": "GET of an article"},
        "figures": [figure("stock", 1.0, 0.3), figure("fastschema", 2.0)],
        "failures": [
            {
                "measure": None,
                "contender": "peer",
                "outcome": "not installed",
                "reason": "no `wheel`",
            }
        ],
        "date": "today",
        "machine": "one",
    }

    assert pages.beside(report).split("\n\n") == [
        "| | stock | fastschema | peer |\n| --- | ---: | ---: | ---: |\n"
        "| GET of an article | 2,000 µs | ~2.0 | not installed |",
        "- peer, all: not installed: `no 'wheel'`",
        "Measured on today on one. stock: django 5.2.",
    ]


def test_what_only_stock_and_fastschema_can_do_is_left_out_beside_peers(tables):
    figures = [
        *(figure("stock", 1.0), figure("fastschema", 2.0), figure("peer", 0.9)),
        *(figure("stock", 1.0, measure="one"), figure("fastschema", 2.0, measure="one")),
    ]
    report = {"figures": figures, "failures": [], "measures": {"get": "GET", "one": "one"}}

    rows = tables.contenders_table(report, ["stock", "fastschema", "peer"])
    assert rows[1:] == [["GET", "2,000 µs", "2.0", "0.9"]]
    rows = tables.contenders_table(report, ["stock", "fastschema"])
    assert [row[0] for row in rows[1:]] == ["GET", "one"]
