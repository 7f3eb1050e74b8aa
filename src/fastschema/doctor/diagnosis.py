"""The doctor: what of an application runs as stock, what that costs, and what to change.

Schemas are named as ``package.module:Name``, or ``package.module.Name``. Where there is a list of
schemas to find it in, the end of a name will do.

``manage.py fastschema``, ``flask fastschema`` and ``python -m fastschema`` find schemas and views,
each in its own way, and print a :class:`Diagnosis` of them (:mod:`fastschema.doctor.cli`).
"""

from __future__ import annotations

import pkgutil
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastschema.plan import Plan, compile
from fastschema.runtime import json_engine
from fastschema.runtime.report import Report
from fastschema.runtime.switch import VARIABLE, is_disabled
from fastschema.runtime.versions import versions

if TYPE_CHECKING:
    from fastschema.doctor.profiling import FieldTime, Profile

DUMP, LOAD = "dump", "load"
ADVICE = (
    (
        DUMP,
        r"fastschema cannot compile (\S+)",
        "Remove {0} if it only calls super(). Otherwise describe it with fastschema.register, or "
        "leave it: it costs nothing extra.",
    ),
    (
        DUMP,
        r"serialize is overridden",
        "Override the field's _serialize instead of serialize.",
    ),
    (
        LOAD,
        r"deserialize is overridden",
        "Override the field's _deserialize instead of deserialize.",
    ),
    (
        DUMP,
        r"get_value is overridden",
        "If the field's get_value only reads another name, use attribute= instead.",
    ),
    (
        DUMP,
        r"(dump|_serialize) is overridden",
        "Move what the schema's {0} adds to a pre_dump or post_dump hook.",
    ),
    (
        LOAD,
        r"(load|_do_load|_deserialize) is overridden",
        "Move what the schema's {0} adds to a pre_load or post_load hook.",
    ),
    (
        DUMP,
        r"to_representation is overridden",
        "Let to_representation call super().to_representation(), which is compiled, and change "
        "what that returns.",
    ),
)
"""What to change, by what a schema or field does as stock, and a pattern for the reason."""
_SLOWEST = 3
_PASSES = 5


class PathError(Exception):
    """A name that leads to no schema, and why."""


def told(error: Exception) -> str:
    """Return an error in a line, without addresses of memory."""
    text = f"{type(error).__name__}: {error}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))


def path_of(cls: type) -> str:
    """Return the name of a class, as the command line takes it."""
    return f"{cls.__module__}:{cls.__qualname__}"


def named(name: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that a name stands for: the very one, or else those that end with it."""
    dotted = {path: path.replace(":", ".") for path in paths}
    wanted = name.replace(":", ".")
    same = [path for path, path_with_dots in dotted.items() if path_with_dots == wanted]
    return same or [
        path for path, path_with_dots in dotted.items() if path_with_dots.endswith(f".{wanted}")
    ]


def object_at(path: str) -> Any:
    """Return the object at ``package.module:Name`` or ``package.module.Name``."""
    if not re.fullmatch(r"\w[\w.]*[.:]\w[\w.]*", path):
        raise PathError(f"{path!r} is not of the form package.module:Name")
    try:
        return pkgutil.resolve_name(path)
    except Exception as error:  # of a module, or of what imports it
        raise PathError(f"{path} cannot be imported: {error}") from error


def fastest(plan: Plan, rows: Callable[[], list[Any]]) -> Profile:
    """Return the fastest profile of several, so that what disturbs one of them does not show."""
    return min((plan.profile(rows()) for _ in range(_PASSES)), key=attrgetter("seconds"))


def write_pictures(profiles: Mapping[str, Profile], file: str) -> list[str]:
    """Write the pictures of some runs, and return which is where, a sentence each.

    Of several, the second is in ``profile-2.svg``, say.
    """
    path = Path(file)
    notes = []
    for number, (where, profile) in enumerate(profiles.items(), 1):
        target = path.with_stem(f"{path.stem}-{number}") if len(profiles) > 1 else path
        target.write_text(profile.svg(), encoding="utf-8")
        notes.append(f"The picture of {where} is in {target}.")
    return notes


class Counts(NamedTuple):
    """How many fields of a schema are what.

    Custom: generated code calls a method or a function of yours.
    """

    compiled: int
    custom: int
    stock: int

    @classmethod
    def of(cls, report: Report) -> Counts:
        custom = sum(field_report.custom for field_report in report)
        return cls(report.compiled - custom, custom, len(report.fields) - report.compiled)


class Stock(NamedTuple):
    """A schema or a field that runs as stock.

    :param where: ``package.module:Name``, with the field's key after a dot
    :param does: ``DUMP`` or ``LOAD``
    """

    where: str
    does: str
    why: str

    @property
    def advice(self) -> str:
        for does, pattern, sentence in ADVICE:
            match = re.fullmatch(pattern, self.why, re.DOTALL)
            if match is not None and does == self.does:
                return sentence.format(*match.groups())
        return ""


@dataclass(frozen=True, slots=True)
class SchemaFinding:
    """What was found of a schema: its report, or else the error for which it cannot be read."""

    path: str
    report: Report | None = None
    error: str = ""
    uses: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, path: str, schema: Any) -> SchemaFinding:
        try:
            return cls(path, compile(schema).explain())
        except Exception as error:  # of its own code; it may need arguments
            return cls(path, error=f"cannot be read: {error}")

    def reports(self) -> Iterator[tuple[str, Report]]:
        if self.report is not None:
            yield DUMP, self.report
            if self.report.loading is not None:
                yield LOAD, self.report.loading

    def stock(self) -> Iterator[Stock]:
        for does, report in self.reports():
            if report.why:
                yield Stock(self.path, does, report.why)
            for field_report in report:
                if not field_report.compiled:
                    yield Stock(f"{self.path}.{field_report.key}", does, field_report.why)

    def without_loading(self) -> SchemaFinding:
        """Return the finding without its report on loading."""
        report = None if self.report is None else replace(self.report, loading=None)
        return replace(self, report=report)

    def as_dict(self) -> dict[str, Any]:
        about = {"path": self.path, "uses": self.uses, "error": self.error}
        counts = {does: Counts.of(report)._asdict() for does, report in self.reports()}
        return {**about, "counts": counts, **(self.report.as_dict() if self.report else {})}


@dataclass(frozen=True, slots=True)
class RowQueries:
    """What a view asks the database for each row.

    :param what: what to change, a sentence; "" if that is not known
    :param relations: what its schema follows and nothing loads
    :param by_users: what code of users asks, a sentence each; known of a real run only
    :param per_row: how many queries there are for a row in a real run; None: there was none
    :param how: what is said of the relations
    """

    what: str = ""
    relations: Sequence[str] = ()
    by_users: Sequence[str] = ()
    per_row: float | None = None
    seconds: float = 0.0
    how: str = "nothing loads"


@dataclass(slots=True)
class ViewFinding:
    """What was found of a view.

    :param view: method, path and name
    :param how: a sentence on how it makes its rows, or on what is not known
    :param facts: what ``how`` tells, for JSON
    :param advice: what to change, a sentence each
    :param queries: what it asks the database for each row; None if nothing is known of that
    :param profile: a real run
    """

    view: str
    schema: str = ""
    how: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    advice: Sequence[str] = ()
    is_list: bool = False
    queries: RowQueries | None = None
    why_not_looked_at: str = ""
    profile: Profile | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"view": self.view, "schema": self.schema, "how": self.how, **self.facts}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is found of an application, or of some schemas.

    :param unknown: the views whose schema could not be found, and why
    :param schema_profiles: real runs of schemas, by their paths
    :param notes: what else there is to know, a sentence each
    """

    schemas: Sequence[SchemaFinding]
    views: Sequence[ViewFinding] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    schema_profiles: Mapping[str, Profile] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def without_loading(self) -> Diagnosis:
        return replace(self, schemas=[schema.without_loading() for schema in self.schemas])

    @property
    def queries(self) -> dict[str, RowQueries]:
        """What views ask the database for each row, by the views, the slowest first."""
        by_view = [(view.view, view.queries) for view in self.views if view.queries is not None]
        return dict(sorted(by_view, key=lambda each: -each[1].seconds))

    @property
    def not_looked_at(self) -> Counter[str]:
        """How many list views could not be examined for queries, by the reason."""
        return Counter(view.why_not_looked_at for view in self.views if view.why_not_looked_at)

    @property
    def profiles(self) -> dict[str, Profile]:
        of_views = {view.view: view.profile for view in self.views if view.profile is not None}
        return {**of_views, **self.schema_profiles}

    @property
    def stock(self) -> list[Stock]:
        return [stock for schema in self.schemas for stock in schema.stock()]

    @property
    def advice(self) -> dict[str, list[str]]:
        """What to change, and where: views first, then schemas. Queries have their own advice."""
        places_of: dict[str, list[str]] = {}
        of_views = [(what, view.view) for view in self.views for what in view.advice]
        for what, where in [*of_views, *((part.advice, part.where) for part in self.stock)]:
            places = places_of.setdefault(what, [])
            if where not in places:
                places.append(where)
        places_of.pop("", None)
        return places_of

    @property
    def slowest(self) -> list[tuple[str, FieldTime]]:
        """The three fields that cost most in all runs, each with what was run."""
        costs = [
            (where, field_time)
            for where, profile in self.profiles.items()
            for field_time in profile.slowest(_SLOWEST)
        ]
        return sorted(costs, key=lambda cost: -cost[1].seconds)[:_SLOWEST]

    def failure(self) -> str | None:
        where = dict.fromkeys(part.where for part in self.stock)
        return f"these schemas and fields run as stock: {', '.join(where)}" if where else None

    def all_notes(self) -> list[str]:
        """Return what else there is to know, of this process too."""
        notes = [*json_engine.notes(), *self.notes]
        if is_disabled():
            off = f"{VARIABLE} is set: this process runs stock."
            notes.insert(0, f"{off} The report shows what would run without it.")
        return notes

    def as_dict(self) -> dict[str, Any]:
        return {
            "versions": versions(),
            "views": [view.as_dict() for view in self.views],
            "unknown": dict(self.unknown),
            "queries": {view: asdict(row_queries) for view, row_queries in self.queries.items()},
            "not_looked_at": dict(self.not_looked_at),
            "schemas": [schema.as_dict() for schema in self.schemas],
            "stock": [part._asdict() for part in self.stock],
            "slowest": [
                {"where": where, **asdict(field_time)} for where, field_time in self.slowest
            ],
            "advice": [{"what": what, "where": where} for what, where in self.advice.items()],
            "notes": self.all_notes(),
        }


def diagnosis_of(
    schemas: Mapping[str, Any], rows_path: str | None = None, svg: str | None = None
) -> Diagnosis:
    """Return the diagnosis of some schemas, profiled with rows if their path is given.

    :raises PathError: if one is no schema or cannot be read, or there are no rows
    :raises OSError: if the picture cannot be written
    """
    findings = [SchemaFinding.of(path, schema) for path, schema in schemas.items()]
    for finding in findings:
        if finding.error:
            raise PathError(f"{finding.path} {finding.error}")
    if rows_path is None:
        return Diagnosis(findings)
    source = object_at(rows_path)

    def rows() -> list[Any]:
        return list(source() if callable(source) else source)

    profiles = {path: fastest(compile(schema), rows) for path, schema in schemas.items()}
    notes = [] if svg is None else write_pictures(profiles, svg)
    return Diagnosis(findings, schema_profiles=profiles, notes=notes)
