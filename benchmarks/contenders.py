"""Contenders in processes of their own, which take turns, and what comes of it."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table


@dataclass(frozen=True)
class Measure:
    """What is measured.

    :param name: as the workers know it
    :param title: as people do
    :param rows: how many rows one run handles
    :param repeat: how many runs are timed together, for those too short to time alone
    """

    name: str
    title: str
    rows: int
    repeat: int = 1


@dataclass(frozen=True)
class Figure:
    """One measure of one contender.

    :param seconds: for one run, the best of the rounds
    :param rows_per_second: rows in a second
    :param peak_megabytes: memory allocated at the peak, beyond the rows themselves
    :param ratio: the first contender's seconds divided by these
    """

    measure: str
    contender: str
    seconds: float
    rows_per_second: float
    peak_megabytes: float
    ratio: float


class Contender:
    """A worker process.

    :param name: the contender's name
    :param command: what starts its worker
    :param environment: variables that it has besides this process's own
    """

    def __init__(self, name: str, command: Sequence[str], environment: dict[str, str]) -> None:
        self.name = name
        self.measures: list[str] = []
        self._process = subprocess.Popen(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Contender:
        self.measures = self._answer()["measures"]
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()  # type: ignore[union-attr]  # it is a pipe
        self._process.wait()

    def run(self, measure: Measure, *, memory: bool = False) -> dict[str, Any]:
        """Run a measure: for its seconds, or for its memory and the digest of its result."""
        order = {"measure": measure.name, "repeat": measure.repeat, "memory": memory}
        print(json.dumps(order), file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = self._process.stdout.readline()  # type: ignore[union-attr]  # it is a pipe
        if not line:
            raise SystemExit(f"the {self.name} worker ended early; its error is above")
        answer: dict[str, Any] = json.loads(line)
        return answer


def compare(
    measures: Sequence[Measure], contenders: Sequence[Contender], rounds: int, console: Console
) -> list[Figure]:
    """Run all measures of all contenders in turns; the first contender is the one to beat.

    :raises SystemExit: if a contender's result differs from the first one's
    """
    figures = []
    with ExitStack() as stack, Progress(console=console, transient=True) as progress:
        steps = len(measures) * len(contenders) * (rounds + 1)
        task = progress.add_task("starting the contenders", total=steps)
        for contender in contenders:
            stack.enter_context(contender)
        for measure in measures:
            able = [each for each in contenders if measure.name in each.measures]
            progress.update(task, description=f"{measure.title}: memory, and equal output")
            checked = {}
            for contender in able:
                checked[contender.name] = contender.run(measure, memory=True)
                progress.advance(task)
            first = checked[contenders[0].name]["digest"]
            for name, answer in checked.items():
                if answer["digest"] != first:
                    raise SystemExit(f"{measure.title}: what {name} returns is not stock's")
            seconds: dict[str, list[float]] = {each.name: [] for each in able}
            for number in range(rounds):
                progress.update(task, description=f"{measure.title}: round {number + 1}")
                for contender in able:
                    seconds[contender.name].append(contender.run(measure)["seconds"])
                    progress.advance(task)
            best = {name: min(times) for name, times in seconds.items()}
            figures += [
                Figure(
                    measure.name,
                    name,
                    time,
                    measure.rows / time,
                    checked[name]["peak"] / 1e6,
                    best[contenders[0].name] / time,
                )
                for name, time in best.items()
            ]
    return figures


def table(title: str, measures: Sequence[Measure], figures: Sequence[Figure]) -> Table:
    """The figures as a table."""
    result = Table(title=title)
    result.add_column("measure", no_wrap=True)
    result.add_column("contender", no_wrap=True)
    for column in ("time", "rows/s", "peak MB", "ratio"):
        result.add_column(column, justify="right", no_wrap=True)
    for measure in measures:
        own = [figure for figure in figures if figure.measure == measure.name]
        for number, figure in enumerate(own):
            result.add_row(
                "" if number else measure.title,
                figure.contender,
                duration(figure.seconds),
                f"{figure.rows_per_second:,.0f}",
                f"{figure.peak_megabytes:,.1f}",
                f"{figure.ratio:.2f}",
                end_section=number == len(own) - 1,
            )
    return result


def duration(seconds: float) -> str:
    """A time as people read it."""
    return f"{seconds * 1e3:,.0f} ms" if seconds >= 0.01 else f"{seconds * 1e6:,.0f} us"


def report(benchmark: str, versions: dict[str, str], figures: Sequence[Figure]) -> dict[str, Any]:
    """The figures with what they depend on."""
    return {
        "benchmark": benchmark,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "versions": versions,
        "figures": [asdict(figure) for figure in figures],
    }


def draw(measures: Sequence[Measure], figures: Sequence[Figure], x_label: str, path: Path) -> None:
    """The figures as a bar chart, one group of bars for each measure."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "fastschema"
    from matplotlib import pyplot

    names = list(dict.fromkeys(figure.contender for figure in figures))
    colors = dict(zip(names, ["#b0b7c3", "#0b7a75", "#d98b2b", "#7b5ea7", "#c2506a"], strict=False))
    height = 0.8 / len(names)
    size = (8, 0.6 + 0.3 * len(names) * len(measures))
    chart, axes = pyplot.subplots(figsize=size, layout="constrained")
    for offset, name in enumerate(names):
        own = {figure.measure: figure for figure in figures if figure.contender == name}
        drawn = [index for index, measure in enumerate(measures) if measure.name in own]
        values = [own[measures[index].name] for index in drawn]
        bars = axes.barh(
            [index + height * offset for index in drawn],
            [figure.seconds * 1000 for figure in values],
            height=height * 0.95,
            color=colors[name],
            label=name,
        )
        axes.bar_label(
            bars, [f"{duration(f.seconds)}  ({f.ratio:.1f} times)" for f in values], padding=4
        )
    middle = height * (len(names) - 1) / 2
    ticks = [index + middle for index in range(len(measures))]
    axes.set_yticks(ticks, [measure.title for measure in measures])
    axes.invert_yaxis()
    axes.margins(x=0.3)
    axes.set_xlabel(x_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    chart.savefig(path, metadata={"Date": None})


def write(directory: Path, name: str, content: dict[str, Any]) -> None:
    """Write figures as JSON."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")


def positive(text: str) -> int:
    """A positive whole number, for argparse."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number
