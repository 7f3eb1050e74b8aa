"""What :meth:`fastschema.Plan.profile` returns: times as a table, a picture, and plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from fastschema.runtime.report import aligned

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
    :param is_yours: whether it is no field but a method of yours: a hook, or one that calls the
        compiled one by ``super()``
    """

    key: str
    source: str
    compiled: bool
    seconds: float
    user_seconds: float
    why: str = ""
    depth: int = 0
    is_yours: bool = False

    @property
    def generated_seconds(self) -> float:
        """How much of its time was spent in generated code."""
        return self.seconds - self.user_seconds

    @property
    def cost(self) -> str:
        """Its time, in words."""
        text = readable(self.seconds)
        if self.user_seconds:
            user = readable(self.user_seconds)
            text += f", {user} of it in your own code or in stock methods"
        return f"{text} ({self.why})" if self.why else text


@dataclass(frozen=True, slots=True)
class Profile:
    """Where the time of one dump went; prints as a table.

    :param schema: the schema's name
    :param rows: how many rows were dumped
    :param seconds: how long that took
    :param fields: its fields in output order, each followed by those of its nested schema. Hooks
        around the dump are lines of their own, before and after. A schema that runs as stock, or
        inside a method of yours, is one line.
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
        seconds = [field.seconds for field in self.fields]
        holders: list[int] = []
        for number, field in enumerate(self.fields):
            del holders[field.depth :]
            if holders:
                seconds[holders[-1]] -= field.seconds
            holders.append(number)
        return seconds

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
        runs = "yours" if field.is_yours else "compiled" if field.compiled else "stock"
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


_WIDTH, _LEFT, _TOP, _LINE = 960, 370, 72, 22
"""The size of a picture, where its bars begin, and the height of a line."""
_LONGEST_KEY = 40
_SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>{title}</title>
<style>
text {{ fill: #1f2328; font: 12px system-ui, sans-serif }} .time {{ text-anchor: end }}
.generated {{ fill: #0b7a75 }} .user {{ fill: #d98b2b }} .rest {{ fill: #d5dee8 }}
</style>
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="16" y="28">{title}</text>
<rect class="generated" x="16" y="42" width="12" height="12"/>
<text x="34" y="53">generated code</text>
<rect class="user" x="152" y="42" width="12" height="12"/>
<text x="170" y="53">your code and stock methods</text>
<rect class="rest" x="370" y="42" width="12" height="12"/>
<text x="388" y="53">between the fields</text>
{lines}
</svg>
"""
_SVG_LINE = """\
<g transform="translate(0 {top})"><title>{about}</title>
<text x="16" y="15">{label}</text>
<text class="time" x="362" y="15">{time}</text>
{parts}
</g>"""
_SVG_PART = '<rect class="{name}" x="{left:.2f}" y="3" width="{width:.2f}" height="16"/>'


class _Bar(NamedTuple):
    """One line of the picture; the seconds say where its parts begin and how long they are."""

    label: str
    about: str
    start: float
    parts: dict[str, float]


def _svg(profile: Profile) -> str:
    scale = (_WIDTH - 16 - _LEFT) / (profile.seconds or 1.0)
    lines = [
        _svg_line(bar, _TOP + _LINE * number, scale) for number, bar in enumerate(_bars(profile))
    ]
    return _SVG.format(
        width=_WIDTH,
        height=_TOP + _LINE * len(lines) + 16,
        title=escape(profile.title),
        lines="\n".join(lines),
    )


def _bars(profile: Profile) -> Iterator[_Bar]:
    starts = [0.0]  # where the next field of each schema begins, from the outermost inwards
    for field in profile.fields:
        del starts[field.depth + 1 :]
        start = starts[field.depth]
        starts[field.depth] += field.seconds
        starts.append(start)
        parts = {"generated": field.generated_seconds, "user": field.user_seconds}
        yield _Bar(field.key, f"{field.key}: {field.cost}", start, parts)
    rest = {"rest": profile.other_seconds}
    if profile.other_seconds > 0:
        yield _Bar("(between fields)", "between the fields", starts[0], rest)


def _svg_line(bar: _Bar, top: int, scale: float) -> str:
    parts, left = [], _LEFT + bar.start * scale
    for name, seconds in bar.parts.items():
        width = seconds * scale
        if width > 0:
            parts.append(_SVG_PART.format(name=name, left=left, width=max(width, 0.5)))
        left += width
    label = bar.label
    return _SVG_LINE.format(
        top=top,
        about=escape(bar.about),
        label=escape(label if len(label) <= _LONGEST_KEY else f"…{label[1 - _LONGEST_KEY :]}"),
        time=readable(sum(bar.parts.values())),
        parts="\n".join(parts),
    )
