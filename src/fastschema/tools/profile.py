"""The times of the fields of a dump, as a table, as a picture, and as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from fastschema.report import aligned

_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


@dataclass(frozen=True, slots=True)
class FieldTime:
    """The time that one field took, over all rows.

    :param key: the key in the output; dotted for a field of a nested schema
    :param source: where the value comes from
    :param compiled: whether generated code does it
    :param seconds: all of its time, with that of the fields nested in it
    :param user_seconds: how much of that was spent in code of yours or in stock methods
    :param why: why it runs as stock, or what code of yours it calls, or ""
    :param depth: how deep it is nested; 0 for a field of the schema itself
    """

    key: str
    source: str
    compiled: bool
    seconds: float
    user_seconds: float
    why: str = ""
    depth: int = 0

    @property
    def generated_seconds(self) -> float:
        """How much of its time was spent in generated code."""
        return self.seconds - self.user_seconds


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the time of one dump went; prints as a table.

    :param schema: the schema's name
    :param rows: how many rows were dumped
    :param seconds: how long that took
    :param fields: its fields in output order, each followed by those of its nested schema. Hooks
        around the dump are lines of their own, before and after. A schema that runs as stock is one
        line.
    """

    schema: str
    rows: int
    seconds: float
    fields: Sequence[FieldTime]

    @property
    def other_seconds(self) -> float:
        """What no field took: making the rows, going through them, the dictionaries."""
        taken = sum(field.seconds for field in self.fields if field.depth == 0)
        return max(self.seconds - taken, 0.0)

    def slowest(self, count: int = 3) -> list[FieldTime]:
        """Return the fields that took longest by themselves, the slowest first.

        The time of nested fields is theirs, and not that of the field that holds them.

        :param count: how many fields to return at the most
        """
        order = sorted(
            zip(self._own_seconds(), self.fields, strict=True), key=lambda each: -each[0]
        )
        return [field for _, field in order[:count]]

    def _own_seconds(self) -> list[float]:
        """For each field its time without that of the fields nested in it."""
        own = [field.seconds for field in self.fields]
        holders: list[int] = []
        for number, field in enumerate(self.fields):
            del holders[field.depth :]
            if holders:
                own[holders[-1]] -= field.seconds
            holders.append(number)
        return own

    def as_dict(self) -> dict[str, Any]:
        """Return the profile as plain values, for JSON."""
        about = {"schema": self.schema, "rows": self.rows, "seconds": self.seconds}
        return {**about, "fields": [asdict(field) for field in self.fields]}

    def svg(self) -> str:
        """Return the profile as a picture, a whole SVG file: a bar for each field, along the time.

        The bars of nested fields stand below that of their holder. Time in generated code and in
        your own code have two colours.
        """
        return _svg(self)

    def __iter__(self) -> Iterator[FieldTime]:
        return iter(self.fields)

    def __str__(self) -> str:
        scale, unit = unit_for(self.seconds)
        head = ("key", "source", "runs", unit, "share", f"your {unit}", "why")
        lines = [head, *(self._cells(field, scale) for field in self.fields)]
        rest = self.other_seconds
        if rest > 0:
            lines.append(("(between fields)", "", "", *self._numbers(rest, scale), "", ""))
        return "\n".join([self.title, *aligned(lines, _NUMBERS)])

    @property
    def title(self) -> str:
        """What was dumped and how long that took, in words."""
        rows = "1 row" if self.rows == 1 else f"{self.rows:,} rows"
        return f"{self.schema}: {rows} in {readable(self.seconds)}"

    def _cells(self, field: FieldTime, scale: float) -> tuple[str, ...]:
        runs = "compiled" if field.compiled else "stock"
        numbers = self._numbers(field.seconds, scale)
        user = f"{field.user_seconds / scale:.3f}" if field.user_seconds else ""
        return (field.key, field.source, runs, *numbers, user, field.why)

    def _numbers(self, seconds: float, scale: float) -> tuple[str, str]:
        share = seconds / self.seconds if self.seconds else 0.0
        return f"{seconds / scale:.3f}", f"{share:.0%}"


_NUMBERS = (3, 4, 5)
"""The columns of the table that are numbers."""


def unit_for(seconds: float) -> tuple[float, str]:
    """Return the unit in which a time is read best: how long it is, in seconds, and its name."""
    return next((unit for unit in _UNITS if seconds >= unit[0]), _UNITS[-1])


def readable(seconds: float) -> str:
    """Return a time in words: ``12.3 ms``."""
    scale, unit = unit_for(seconds)
    return f"{seconds / scale:.3g} {unit}" if seconds < 1000 else f"{seconds:,.0f} s"


_WIDTH = 960
_MARGIN = 16
_LINE = 22
_TOP = 72
_LETTER = 7.2
"""How wide a letter is at the most, as a rule: an SVG cannot measure its text."""
_TIME_WIDTH = 76
_LONGEST_KEY = 40
_INDENTATION = 14
_LEGEND = (
    ("generated", "generated code"),
    ("user", "your code and stock methods"),
    ("rest", "between the fields"),
)
_STYLE = """\
.surface { fill: #ffffff } text { fill: #1f2328; font: 12px system-ui, sans-serif }
.title { font-size: 15px; font-weight: 600 } .quiet { fill: #59636e }
.number { text-anchor: end; font-variant-numeric: tabular-nums }
.generated { fill: #0b7a75 } .user { fill: #d98b2b }
.rest { fill: #d5dee8 }
@media (prefers-color-scheme: dark) {
  .surface { fill: #0d1117 } text { fill: #f0f6fc } .quiet { fill: #9198a1 }
  .generated { fill: #35b5ae } .user { fill: #eba94f }
  .rest { fill: #3d444d }
}"""


class _Bar(NamedTuple):
    """One line of the picture; the seconds say where its parts begin and how long they are."""

    label: str
    about: str
    depth: int
    start: float
    parts: tuple[tuple[str, float], ...]

    @property
    def seconds(self) -> float:
        return sum(seconds for _, seconds in self.parts)


def _svg(profile: Profile) -> str:
    """Return the picture of a profile, as the text of an SVG file."""
    bars = list(_bars(profile))
    widths = [len(bar.label) * _LETTER + bar.depth * _INDENTATION for bar in bars]
    widest = max(widths, default=0.0)
    left = _MARGIN + widest + _TIME_WIDTH + 8
    scale = (_WIDTH - _MARGIN - left) / (profile.seconds or 1.0)
    height = _TOP + _LINE * len(bars) + _MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}" role="img" aria-label={quoteattr(profile.title)}>',
        f"<title>{escape(profile.title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f'<rect class="surface" width="{_WIDTH}" height="{height}"/>',
        _text(_MARGIN, 28, profile.title, "title"),
        *_legend(),
    ]
    for number, bar in enumerate(bars):
        lines += _drawn(bar, _TOP + _LINE * number, left, scale)
    return "\n".join([*lines, "</svg>", ""])


def _bars(profile: Profile) -> Iterator[_Bar]:
    starts = [0.0]  # where the next field of each schema begins, from the outermost inwards
    for field in profile.fields:
        del starts[field.depth + 1 :]
        start = starts[field.depth]
        starts[field.depth] += field.seconds
        starts.append(start)
        parts = ("generated", field.generated_seconds), ("user", field.user_seconds)
        yield _Bar(_shortened(field.key), _about(field), field.depth, start, parts)
    rest = profile.other_seconds
    if rest > 0:
        about = f"between the fields: {readable(rest)}"
        yield _Bar("(between fields)", about, 0, starts[0], (("rest", rest),))


def _shortened(key: str) -> str:
    return key if len(key) <= _LONGEST_KEY else f"…{key[1 - _LONGEST_KEY :]}"


def _about(field: FieldTime) -> str:
    """Return what a reader sees who points at a bar."""
    about = f"{field.key}: {readable(field.seconds)}"
    if field.user_seconds:
        about += f", {readable(field.user_seconds)} of it in your code or stock methods"
    return f"{about} ({field.why})" if field.why else about


def _drawn(bar: _Bar, top: float, left: float, scale: float) -> Iterator[str]:
    yield f"<g><title>{escape(bar.about)}</title>"
    yield _text(_MARGIN + bar.depth * _INDENTATION, top + 15, bar.label)
    yield _text(left - 8, top + 15, readable(bar.seconds), "number quiet")
    start = bar.start
    for name, seconds in bar.parts:
        if seconds > 0:
            yield (
                f'<rect class="{name}" x="{left + start * scale:.2f}" y="{top + 3}" '
                f'width="{max(seconds * scale, 0.5):.2f}" height="{_LINE - 6}"/>'
            )
        start += seconds
    yield "</g>"


def _legend() -> Iterator[str]:
    left = float(_MARGIN)
    for name, label in _LEGEND:
        yield f'<rect class="{name}" x="{left:.0f}" y="42" width="12" height="12"/>'
        yield _text(left + 18, 53, label)
        left += 18 + len(label) * _LETTER + 16


def _text(x: float, y: float, text: str, classes: str = "") -> str:
    given = f' class="{classes}"' if classes else ""
    return f'<text x="{x:.2f}" y="{y:.2f}"{given}>{escape(text)}</text>'
