"""Contenders that fail, differ, or do not know a measure."""

import sys

import pytest

from .conftest import BENCHMARKS

WORKER = """
import sys
sys.path.insert(0, {directory!r})
from harness.measuring import Contender, serve

def fails():
    raise ValueError("no")

measures = {measures}
serve(Contender("", measures, measures.__getitem__, {{"Python": "3"}}))
"""
STOCK = '{"first": lambda: [b"[1, 2]", sum(range(1000))][0]}'


@pytest.fixture
def comparing(benchmark_module):
    return benchmark_module("harness.comparing")


@pytest.fixture
def compared(comparing):
    """Compares contenders, given the source of their measures, in two rounds."""

    def compare(peers=(), **sources):
        contenders = []
        for name, measures in sources.items():
            program = WORKER.format(directory=str(BENCHMARKS), measures=measures)
            command = [sys.executable, "-c", program]
            contenders.append(comparing.Process(name, command, is_peer=name in peers))
        measures = [comparing.Measure("first", "the first", 10)]
        return comparing.compare(measures, contenders, rounds=2, batch=1e-4)

    return compare


def test_figures_are_of_the_best_turn_with_the_ratio_to_the_first_contender(compared):
    comparison = compared(stock=STOCK, other=STOCK)

    stock, other = comparison.figures()
    turns = [turn.total for turn in comparison.turns["first"]["other"]]
    assert len(turns) == 2
    assert other["seconds"] == min(turns)
    assert other["ratio"] == stock["seconds"] / other["seconds"]
    assert stock["ratio"] == 1
    assert other["spread"] >= 0


def test_peers_that_differ_or_fail_are_reported_and_not_timed(compared):
    comparison = compared(
        peers=("different", "failing", "dead"),
        stock=STOCK,
        different='{"first": lambda: b"[1, 3]"}',
        failing='{"first": fails}',
        dead="1 / 0",
    )

    assert [figure["contender"] for figure in comparison.figures()] == ["stock"]
    outcomes = {
        each["contender"]: (each["outcome"], each["reason"]) for each in comparison.failures
    }
    assert outcomes == {
        "different": ("not equal", "[1] is 3, not 2"),
        "failing": ("cannot", "ValueError: no"),
        "dead": ("cannot", "its process has ended"),
    }


def test_bytes_of_peers_are_compared_by_their_value_and_those_of_others_as_they_are(compared):
    spaces = '{"first": lambda: b"[1,2]"}'

    comparison = compared(peers=("other",), stock=STOCK, other=spaces)
    assert [figure["contender"] for figure in comparison.figures()] == ["stock", "other"]
    with pytest.raises(SystemExit, match="its bytes differ, its value does not"):
        compared(stock=STOCK, other=spaces)


def test_the_bytes_of_a_json_text_are_compared_by_its_value(compared):
    text = '{"first": lambda: "[1, 2]"}'

    assert len(compared(stock=text, other='{"first": lambda: b"[1,2 ]"}').figures()) == 2
    with pytest.raises(SystemExit, match=r"not equal: \[1\] is 3, not 2"):
        compared(stock=text, other='{"first": lambda: b"[1,3]"}')


def test_what_differs_only_after_it_was_measured_is_found(compared):
    changing = (
        '{"first": lambda found=[0]: b"[1, 2]" if len(found) < 4 and not found.append(0) else b"3"}'
    )

    with pytest.raises(SystemExit, match="not equal"):
        compared(stock=STOCK, other=changing)


def test_a_contender_that_does_not_know_a_measure_takes_no_part(compared):
    comparison = compared(stock=STOCK, other="{}")

    assert [figure["contender"] for figure in comparison.figures()] == ["stock"]
    assert comparison.failures == []


def test_the_difference_of_long_texts_is_shown_where_it_is(comparing):
    text = "x" * 200
    found = comparing.difference([text + "a"], [text + "b"])
    assert found == f'[0] is {"x" * 20}a", not {"x" * 20}b"'


def test_what_is_made_anew_for_each_run_is_not_timed(benchmark_module, monkeypatch):
    measuring = benchmark_module("harness.measuring")
    clock = [0.0]

    def takes(seconds):
        def run(*arguments):
            clock[0] += seconds

        return run

    monkeypatch.setattr(measuring.time, "process_time", lambda: clock[0])
    assert measuring.seconds(measuring.Fresh(takes(5), takes(2)), 3) == 6
    assert measuring.seconds(takes(2), 3) == 6
