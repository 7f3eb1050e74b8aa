"""Extra-P's own schemas, loading and dumping its experiments: the program of the paper.

The paper (*Acceleration of File De-Serialization with JIT Compilation*, TU Darmstadt) has code that
is made for each class of fields. The experiments have its sizes, and are made with Extra-P's own
classes and modeller. Each time there is a new schema, as in Extra-P; reading and writing JSON is
left out.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from extrap.entities.callpath import Callpath
from extrap.entities.coordinate import Coordinate
from extrap.entities.experiment import Experiment, ExperimentSchema
from extrap.entities.measurement import Measurement
from extrap.entities.metric import Metric
from extrap.entities.parameter import Parameter
from extrap.fileio import io_helper
from extrap.modelers.model_generator import ModelGenerator

from harness.measuring import Fresh, Run
from patterns import CONTENDER, ONE, Collection, by_stock

PATTERNS = Collection("extrap")
FOLDER = Path(__file__).resolve().parents[2] / ".venv" / "applications" / "extrap" / "experiments"
CALLPATHS = {"2.3 MiB": 120, "20.6 MiB": 1080, "140.8 MiB": 7390}
"""By the paper's sizes, how many call paths make as much JSON."""
DEPTHS = itertools.cycle(range(8))
if CONTENDER == "makers":
    from patterns import extrap_makers  # noqa: F401  # registers them


@functools.cache
def text_of(size: str) -> str:
    """The JSON of an experiment, as stock dumps it; it is made if it is not there."""
    path = FOLDER / f"{size.replace(' ', '-')}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        made = experiment(CALLPATHS[size])
        path.write_text(json.dumps(by_stock(lambda: ExperimentSchema().dump(made))))
    return path.read_text()


def experiment(callpaths: int) -> Any:
    """An experiment with measurements of laws that the modeller is to find."""
    numbers = random.Random(20260101)
    made = Experiment()
    for name in ("p", "n"):
        made.add_parameter(Parameter(name))
    metrics = [Metric(name) for name in ("time", "visits", "bytes sent")]
    for metric in metrics:
        made.add_metric(metric)
    pairs = itertools.product((8, 16, 32, 64, 128), (10, 20, 30, 40, 50))
    coordinates = list(itertools.starmap(Coordinate, pairs))
    for coordinate in coordinates:
        made.add_coordinate(coordinate)
    for number in range(callpaths):
        callpath = Callpath(f"main->solve_{number // 10}->kernel_{number}")
        made.add_callpath(callpath)
        for metric in metrics:
            constant, factor = numbers.uniform(1, 100), numbers.uniform(0.1, 5)
            exponent = numbers.choice([0.5, 1, 1.5, 2])
            for coordinate in coordinates:
                p, n = coordinate
                value = constant + factor * p**exponent + factor * n
                repeated = [value * numbers.gauss(1, 0.01) for _ in range(5)]
                made.add_measurement(Measurement(coordinate, callpath, metric, repeated))
    made.call_tree = io_helper.create_call_tree(made.callpaths)
    generator = ModelGenerator(made)
    generator.model_all()
    made.add_modeler(generator)
    return made


def deeper(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same call, each time at another depth of Python's stack.

    CPython 3.11 makes its stack of small pieces. Where a loop calls across the end of one, each
    call makes the next piece, which may add half to all the time. Whom that hits is chance.
    """
    for _ in range(10 * next(DEPTHS)):
        call = one_deeper(call)
    return call


def one_deeper(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda argument: call(argument)


def load(data: Any) -> Any:
    return deeper(ExperimentSchema().load)(data)


def loaded(size: str) -> Run:
    text = text_of(size)
    dumped = lambda made: by_stock(lambda: ExperimentSchema().dump(made))  # noqa: E731  # shown
    return Fresh(lambda: json.loads(text), load, dumped)


def dumped(size: str) -> Run:
    made = load(json.loads(text_of(size)))
    return lambda: deeper(ExperimentSchema().dump)(made)


for size in list(CALLPATHS)[: 3 if os.environ.get("PROFILE") == "full" else 2]:
    PATTERNS.add(f"{size}, load", lambda _, size=size: loaded(size), ONE)
    PATTERNS.add(f"{size}, dump", lambda _, size=size: dumped(size), ONE)
