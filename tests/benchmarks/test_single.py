"""The benchmark of single objects, beside stock and beside other packages."""

import json
import subprocess
import sys

import pytest

from .conftest import BENCHMARKS


@pytest.fixture
def single(benchmark_module):
    return benchmark_module("single")


@pytest.fixture
def single_peers(benchmark_module):
    return benchmark_module("single_peers")


@pytest.fixture
def single_tables(benchmark_module):
    return benchmark_module("single_tables")


@pytest.mark.long
def test_the_benchmark_compares_and_writes_a_figure_for_each_line(tmp_path, single):
    quick = ["--rounds", "1", "--batch", "0.0001", "--results", tmp_path]
    finished = subprocess.run(
        [sys.executable, BENCHMARKS / "single.py", *quick],
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 0, finished.stderr
    written = json.loads((tmp_path / "single.json").read_text())
    assert {figure["measure"] for figure in written["figures"]} == set(single.SHOWN)
    assert len(single.lines(written)) == len(single.SHOWN)
    assert "One object in, one object out" in finished.stdout


def test_all_patterns_that_are_shown_exist(single):
    patterns = single.chosen(single.wanted(None, single.Outcome()))

    assert {
        f"{each.front_end}: {each.pattern}, {size}" for each in patterns for size in each.sizes
    } == set(single.SHOWN)


def ask(contender):
    """What a contender answers to each measure: the result, or the error."""
    command = [sys.executable, BENCHMARKS / "single_worker.py", contender]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        measures = json.loads(process.stdout.readline())["measures"]
        answers = {}
        for measure in measures:
            order = json.dumps({"measure": measure, "what": "result"})
            print(order, file=process.stdin, flush=True)
            answers[measure] = json.loads(process.stdout.readline())
    return answers


def test_stock_and_fastschema_answer_every_measure_alike(single_peers):
    stock = ask("stock")

    assert ask("fastschema") == stock
    assert set(stock) == {measure.name for measure in single_peers.MEASURES}
    assert all("result" in answer for answer in stock.values())
    assert stock["post.wrong"]["result"].keys() == {"age", "born", "name"}


def test_peers_that_cannot_be_installed_are_left_out_with_a_reason(single_peers, monkeypatch):
    from rich.console import Console

    class Environment:
        def __init__(self, name, needs, **options):
            self.name = name

        def python(self):
            if "oxide" in self.name:
                raise single_peers.NotInstalledError("no wheel")
            return "python"

    monkeypatch.setattr(single_peers, "Environment", Environment)
    monkeypatch.setattr(single_peers, "Contender", lambda name, command, is_peer: (name, is_peer))

    started, failures = single_peers.start("python3.12", Console(quiet=True))

    assert started[:2] == [("stock", False), ("fastschema", False)]
    assert "drf-oxide" not in dict(started)
    assert [(each.contender, each.reason) for each in failures] == [("drf-oxide", "no wheel")]


def test_stock_is_not_left_out(single_peers, monkeypatch):
    from rich.console import Console

    def python(environment):
        raise single_peers.NotInstalledError("no network")

    monkeypatch.setattr(single_peers.Environment, "python", python)
    with pytest.raises(single_peers.NotInstalledError, match="no network"):
        single_peers.start("python3.12", Console(quiet=True))


def test_contenders_without_figures_are_shown_in_the_table(single_tables):
    stock = {"contender": "stock", "seconds": 0.002, "spread": 0.0, "ratio": 1.0}
    fast = {"contender": "fastschema", "seconds": 0.001, "spread": 0.0, "ratio": 2.0}
    report = {
        "versions": {"stock": {"Python": "3.12", "django": "5.2"}, "fastschema": {}},
        "measures": {"get": "GET of an article"},
        "figures": [{"measure": "get", **figure} for figure in (stock, fast)],
        "failures": [
            {
                "measure": None,
                "contender": "peer",
                "outcome": "not installed",
                "reason": "no wheel",
            }
        ],
        "date": "today",
        "machine": "one",
    }

    shown = single_tables.peers_table(report)

    assert "| GET of an article | 2,000 µs | 2.0 | not installed |" in shown
    assert "- peer, all: not installed: `no wheel`" in shown
    assert "Measured on today on one, with Python 3.12." in shown


def test_the_page_shows_the_figures_that_were_measured(single_tables):
    text = single_tables.page.PAGE.read_text()

    for name, table in single_tables.tables().items():
        assert f"<!-- {name} -->\n\n{table}\n\n<!-- /{name} -->" in text
