"""Contenders that fail, differ, or do not know a measure."""

import sys

import pytest
from rich.console import Console

from .conftest import BENCHMARKS

WORKER = """
import sys
sys.path.insert(0, {directory!r})
from worker import serve

def fails():
    raise ValueError("no")

serve({measures}, {{"Python": "3"}})
"""


@pytest.fixture
def compared(benchmark_module):
    """Compares contenders, given the source of their measures, in one round."""
    contenders = benchmark_module("contenders")

    def compare(peers=(), **sources):
        workers = [
            contenders.Contender(
                name,
                [
                    sys.executable,
                    "-c",
                    WORKER.format(directory=str(BENCHMARKS), measures=measures),
                ],
                is_peer=name in peers,
            )
            for name, measures in sources.items()
        ]
        measures = [contenders.Measure("first", "the first", 10)]
        return contenders.compare(measures, workers, 2, Console(quiet=True), min_time=1e-4)

    return compare


STOCK = '{"first": lambda: [b"[1, 2]", sum(range(1000))][0]}'


def test_figures_are_the_best_of_the_rounds_with_the_ratio_to_the_first_contender(compared):
    comparison = compared(stock=STOCK, other=STOCK)

    stock, other = comparison.figures
    values = comparison.timings["other"][0].get_values()
    assert len(values) == 2
    assert other.seconds == min(values)
    assert other.ratio == stock.seconds / other.seconds
    assert stock.ratio == 1
    assert other.spread >= 0


def test_peers_that_differ_or_fail_are_reported_and_not_timed(compared):
    comparison = compared(
        peers=("different", "failing", "dead"),
        stock=STOCK,
        different='{"first": lambda: b"[1, 3]"}',
        failing='{"first": fails}',
        dead="1 / 0",
    )

    assert [figure.contender for figure in comparison.figures] == ["stock"]
    outcomes = {each.contender: (each.outcome, each.reason) for each in comparison.failures}
    assert outcomes == {
        "different": ("not equal", "[1] is 3, not 2"),
        "failing": ("cannot", "ValueError: no"),
        "dead": ("cannot", "its process has ended"),
    }


def test_bytes_of_peers_are_compared_by_their_value_and_those_of_others_as_they_are(compared):
    spaces = '{"first": lambda: b"[1,2]"}'

    comparison = compared(peers=("other",), stock=STOCK, other=spaces)
    assert [figure.contender for figure in comparison.figures] == ["stock", "other"]
    with pytest.raises(SystemExit, match="its bytes differ, its value does not"):
        compared(stock=STOCK, other=spaces)


def test_the_bytes_of_a_json_text_are_compared_by_its_value(compared):
    text, spaced = '{"first": lambda: "[1, 2]"}', '{"first": lambda: b"[1,2 ]"}'

    assert [each.contender for each in compared(stock=text, other=spaced).figures] == [
        "stock",
        "other",
    ]
    with pytest.raises(SystemExit, match=r"not equal: \[1\] is 3, not 2"):
        compared(stock=text, other='{"first": lambda: b"[1,3]"}')


def test_a_contender_that_does_not_know_a_measure_takes_no_part(compared):
    comparison = compared(stock=STOCK, other="{}")

    assert [figure.contender for figure in comparison.figures] == ["stock"]
    assert comparison.failures == []


def test_the_difference_of_long_texts_is_shown_where_it_is(benchmark_module):
    difference = benchmark_module("contenders").difference

    text = "x" * 200
    assert difference([text + "a"], [text + "b"]) == (f'[0] is {"x" * 20}a", not {"x" * 20}b"')
