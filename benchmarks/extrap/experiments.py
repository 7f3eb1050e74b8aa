"""Experiments of the paper's sizes, made with Extra-P's own classes and its own modeller."""

from __future__ import annotations

import json
import random
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

CALLPATHS = {"2.3 MiB": 120, "20.6 MiB": 1080, "140.8 MiB": 7390}
"""By the paper's sizes, how many call paths make as much JSON."""
METRICS = ("time", "visits", "bytes sent")
PROCESSES = (8, 16, 32, 64, 128)
PROBLEM_SIZES = (10, 20, 30, 40, 50)
REPETITIONS = 5


def make(callpaths: int, seed: int = 20260101) -> Any:
    numbers = random.Random(seed)
    experiment = Experiment()
    for name in ("p", "n"):
        experiment.add_parameter(Parameter(name))
    metrics = [Metric(name) for name in METRICS]
    for metric in metrics:
        experiment.add_metric(metric)
    coordinates = [Coordinate(p, n) for p in PROCESSES for n in PROBLEM_SIZES]
    for coordinate in coordinates:
        experiment.add_coordinate(coordinate)
    for number in range(callpaths):
        callpath = Callpath(f"main->solve_{number // 10}->kernel_{number}")
        experiment.add_callpath(callpath)
        for metric in metrics:
            _measure(experiment, callpath, metric, coordinates, numbers)
    experiment.call_tree = io_helper.create_call_tree(experiment.callpaths)
    generator = ModelGenerator(experiment)
    generator.model_all()
    experiment.add_modeler(generator)
    return experiment


def _measure(
    experiment: Any, callpath: Any, metric: Any, coordinates: list[Any], numbers: random.Random
) -> None:
    """Add a measurement at each coordinate, of a law that the modeller is to find."""
    constant, factor = numbers.uniform(1, 100), numbers.uniform(0.1, 5)
    exponent = numbers.choice([0.5, 1, 1.5, 2])
    for coordinate in coordinates:
        p, n = coordinate
        value = constant + factor * p**exponent + factor * n
        repeated = [value * numbers.gauss(1, 0.01) for _ in range(REPETITIONS)]
        experiment.add_measurement(Measurement(coordinate, callpath, metric, repeated))


def write_json(path: Path, callpaths: int) -> None:
    """Write the JSON of an experiment, as stock dumps it, unless it is there already."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(ExperimentSchema().dump(make(callpaths))))
