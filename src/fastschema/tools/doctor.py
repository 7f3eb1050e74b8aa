"""The doctor: what of an application runs as stock, what that costs, and what to change.

Schemas are named as ``package.module:Name``, or ``package.module.Name``. Where there is a list of
schemas to find it in, the end of a name will do.

``manage.py fastschema``, ``flask fastschema`` and ``python -m fastschema`` find schemas and views,
each in its own way, and print a :class:`Diagnosis` of them: as JSON, or as lines, which each
colours with what its framework has for that.
"""

from __future__ import annotations

import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastschema.plan import Plan, compile
from fastschema.report import Report
from fastschema.runtime import json_engine
from fastschema.runtime.front_end import front_end_for
from fastschema.switch import VARIABLE, is_disabled
from fastschema.tools.advice import DUMP, LOAD, Advice, advice_for, merged
from fastschema.versions import versions

if TYPE_CHECKING:
    from fastschema.profiling import Profile


class PathError(Exception):
    """A name that leads to no object, and why."""


def told(error: Exception) -> str:
    """Return an error in a line, without addresses of memory, which say nothing to anybody."""
    text = f"{type(error).__name__}: {error}"
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))


def path_of(cls: type) -> str:
    """Return the name of a class, as the command line takes it."""
    return f"{cls.__module__}:{cls.__qualname__}"


def named(name: str, paths: Iterable[str]) -> list[str]:
    """Return the paths that a name stands for: the very one, or else those that end with it.

    :param name: a path with a colon or with dots only, or the end of one
    :param paths: what there is, as :func:`path_of` writes it
    """
    dotted = {path: path.replace(":", ".") for path in paths}
    wanted = name.replace(":", ".")
    same = [path for path, each in dotted.items() if each == wanted]
    return same or [path for path, each in dotted.items() if each.endswith(f".{wanted}")]


def object_at(path: str) -> Any:
    """Return the object at ``package.module:Name`` or ``package.module.Name``.

    Modules of the current directory are found, too.

    :raises PathError: if it cannot be imported
    """
    if "." not in sys.path and "" not in sys.path:
        sys.path.insert(0, "")
    if not re.fullmatch(r"\w[\w.]*[.:]\w[\w.]*", path):
        raise PathError(f"{path!r} is not of the form package.module:Name")
    try:
        return pkgutil.resolve_name(path)
    except Exception as error:  # of a module, or of what imports it
        raise PathError(f"{path} cannot be imported: {error}") from error


_SHOWN = 3
_PASSES = 5


class Cost(NamedTuple):
    """What a field cost in a real run.

    :param where: what was run: a view, or a schema
    :param key: of the field
    :param seconds: in all
    :param user_seconds: in your own code and in stock methods
    :param compiled: whether generated code does it
    :param why: why it runs as stock, or what code of yours it calls, or ""
    """

    where: str
    key: str
    seconds: float
    user_seconds: float
    compiled: bool
    why: str


def profiles_of(schemas: Mapping[str, Any], rows_path: str) -> dict[str, Profile]:
    """Dump rows by some schemas, and measure each field.

    :param schemas: each by ``package.module:Name``
    :param rows_path: where the rows are, or a function that returns them: ``package.module:rows``
    :raises PathError: if there are none, or they cannot be dumped
    """
    given = object_at(rows_path)

    def rows() -> list[Any]:
        try:
            return list(given() if callable(given) else given)
        except Exception as error:
            raise PathError(f"{rows_path} gives no rows: {told(error)}") from error

    profiles = {}
    for path, schema in schemas.items():
        try:
            profiles[path] = fastest(compile(schema), rows)
        except PathError:
            raise
        except Exception as error:
            raise PathError(f"{path} cannot dump {rows_path}: {told(error)}") from error
    return profiles


def fastest(plan: Plan, rows: Callable[[], list[Any]]) -> Profile:
    """Return the fastest profile of several, so that what disturbs one of them does not show.

    :param rows: makes the rows, anew for each
    :raises Exception: what dumping or making the rows raises
    """
    return min((plan.profile(rows()) for _ in range(_PASSES)), key=attrgetter("seconds"))


def slowest(profiles: Mapping[str, Profile]) -> list[Cost]:
    """Return the three fields that cost most in all of some runs.

    :param profiles: the runs, by what was run
    """
    costs = [
        Cost(where, each.key, each.seconds, each.user_seconds, each.compiled, each.why)
        for where, made in profiles.items()
        for each in made.slowest(_SHOWN)
    ]
    return sorted(costs, key=lambda cost: -cost.seconds)[:_SHOWN]


def write_pictures(profiles: Mapping[str, Profile], file: str) -> list[str]:
    """Write the pictures of some runs: of one to a file, of several to files with numbers.

    :param profiles: the runs, by what was run
    :param file: ``profile.svg``, say; the second of several is ``profile-2.svg``
    :returns: which is where, a sentence each
    :raises OSError: if a file cannot be written
    """
    path = Path(file)
    told = []
    for number, (where, made) in enumerate(profiles.items(), 1):
        name = f"{path.stem}-{number}{path.suffix}" if len(profiles) > 1 else path.name
        target = path.with_name(name)
        target.write_text(made.svg(), encoding="utf-8")
        told.append(f"The picture of {where} is in {target}.")
    return told


VIEWS = "List views"
"""The heading of docs/explain.md about views."""
FLAGS = {
    "--json": "print JSON",
    "--fail-on-stock": "end with exit status 1 if any schema or field runs as stock, and say which",
    "--dump-only": "leave out how schemas load",
    "--all": "show everything, even if it is longer than a screen",
}
"""The options that the commands have, and what they do."""


class Counts(NamedTuple):
    """How many fields of a schema are what.

    :param compiled: generated code does all of it
    :param custom: generated code calls a method or a function of yours
    :param stock: the field's own methods are called
    """

    compiled: int
    custom: int
    stock: int

    @classmethod
    def of(cls, report: Report) -> Counts:
        """Return the counts of a report."""
        custom = sum(each.custom for each in report)
        return cls(report.compiled - custom, custom, len(report.fields) - report.compiled)


class Stock(NamedTuple):
    """A schema or a field that runs as stock.

    :param where: ``package.module:Name``, with the field's key after a dot
    :param does: ``"dump"`` or ``"load"``
    :param why: the reason
    :param is_schema: whether it is a schema as a whole
    """

    where: str
    does: str
    why: str
    is_schema: bool


@dataclass(frozen=True, slots=True)
class SchemaFinding:
    """What was found of a schema.

    :param path: ``package.module:Name``
    :param framework: whose schema it is
    :param report: how it dumps and loads; None if it cannot be made
    :param error: why it cannot
    :param uses: where it is used
    """

    path: str
    framework: str
    report: Report | None = None
    error: str = ""
    uses: Sequence[str] = ()

    @classmethod
    def of(
        cls, path: str, schema: Any, report: Report | None = None, uses: Sequence[str] = ()
    ) -> SchemaFinding:
        """Return what there is to find of a schema, an instance or a class.

        :param report: how it dumps and loads, if that is known
        :param uses: where it is used
        :raises TypeError: if it is no schema of a framework that fastschema knows
        """
        framework = front_end_for(schema).framework
        try:
            report = compile(schema).explain() if report is None else report
        except TypeError as error:
            return cls(path, framework, error=f"cannot be made without arguments: {error}")
        except Exception as error:  # of its own code
            return cls(path, framework, error=f"cannot be read: {error}")
        return cls(path, framework, report, uses=uses)

    def reports(self) -> Iterator[tuple[str, Report]]:
        """How it dumps, and how it loads, as far as that is known."""
        if self.report is not None:
            yield DUMP, self.report
            if self.report.loading is not None:
                yield LOAD, self.report.loading

    def stock(self) -> Iterator[Stock]:
        """Yield what of it runs as stock."""
        for does, report in self.reports():
            if report.why:
                yield Stock(self.path, does, report.why, is_schema=True)
            for each in report:
                if not each.compiled:
                    yield Stock(f"{self.path}.{each.key}", does, each.why, is_schema=False)

    def advice(self) -> Iterator[Advice]:
        """Yield what to change about it."""
        for each in self.stock():
            found = advice_for(each.where, each.does, each.why, self.framework)
            if found is not None:
                yield found

    def without_loading(self) -> SchemaFinding:
        """Return the same, as if it were never loaded."""
        report = None if self.report is None else replace(self.report, loading=None)
        return replace(self, report=report)

    def as_dict(self) -> dict[str, Any]:
        """All this as plain values, for JSON."""
        about = {"path": self.path, "uses": list(self.uses), "error": self.error}
        counts = {does: Counts.of(each)._asdict() for does, each in self.reports()}
        return {**about, "counts": counts, **(self.report.as_dict() if self.report else {})}


@dataclass(frozen=True, slots=True)
class ViewFinding:
    """What was found of a view.

    :param view: methods, path and name
    :param schema: the path of its schema, or "" if that is not known
    :param how: a sentence on how it makes its rows, or on what is not known; or ""
    :param facts: the same, for JSON
    :param is_slower: whether ``how`` tells of rows that take longer than they could
    """

    view: str
    schema: str = ""
    how: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    is_slower: bool = False

    def as_dict(self) -> dict[str, Any]:
        """All this as plain values, for JSON."""
        return {"view": self.view, "schema": self.schema, "how": self.how, **self.facts}


@dataclass(frozen=True, slots=True)
class RowQueries:
    """What a view asks the database for each row.

    :param what: what to change, a sentence; "" if nobody can tell
    :param relations: what its schema follows and nothing loads
    :param by_users: what code of users asks, a sentence each; known of a real run only
    :param per_row: how many queries there are for a row in a real run; None: there was none
    :param seconds: how long they took
    """

    what: str = ""
    relations: Sequence[str] = ()
    by_users: Sequence[str] = ()
    per_row: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is found of an application, or of some schemas.

    :param schemas: what was found of schemas
    :param views: what was found of views
    :param unknown: the views whose schema could not be found, and why
    :param queries: what views ask the database for each row, by the views
    :param lists: how many list views there are
    :param not_looked_at: how many of them could not be looked at, by the reason
    :param view_advice: what to change about views
    :param profiles: real runs, by what was run, if that was asked for
    :param notes: what else there is to know, a sentence each
    """

    schemas: Sequence[SchemaFinding]
    views: Sequence[ViewFinding] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    queries: Mapping[str, RowQueries] = field(default_factory=dict)
    lists: int = 0
    not_looked_at: Mapping[str, int] = field(default_factory=dict)
    view_advice: Sequence[Advice] = ()
    profiles: Mapping[str, Profile] | None = None
    notes: Sequence[str] = ()

    def without_loading(self) -> Diagnosis:
        """Return the same, as if no schema were ever loaded."""
        return replace(self, schemas=[each.without_loading() for each in self.schemas])

    @property
    def stock(self) -> list[Stock]:
        """The schemas and fields that run as stock."""
        return [stock for schema in self.schemas for stock in schema.stock()]

    @property
    def advice(self) -> list[Advice]:
        """What to change: queries for each row first, then views, then schemas."""
        of_queries = [
            Advice((view,), each.what, VIEWS) for view, each in self.queries.items() if each.what
        ]
        return merged([*of_queries, *self.advice_to_compile])

    @property
    def advice_to_compile(self) -> list[Advice]:
        """What to change besides queries."""
        of_schemas = [advice for schema in self.schemas for advice in schema.advice()]
        return merged([*self.view_advice, *of_schemas])

    @property
    def costs(self) -> list[Cost]:
        """The three fields that cost most, if anything was profiled."""
        return slowest(self.profiles or {})

    def summary(self) -> str:
        """How much runs as stock, in a sentence."""
        found = dict.fromkeys((each.where, each.is_schema) for each in self.stock)
        schemas = sum(is_schema for _, is_schema in found)
        fields = len(found) - schemas
        if not found:
            return "No schema and no field runs as stock."
        parts = [
            f"{count} {name}{'s' * (count != 1)}"
            for count, name in ((schemas, "schema"), (fields, "field"))
            if count
        ]
        return f"{' and '.join(parts)} run{'s' * (len(found) == 1)} as stock."

    def failure(self) -> str | None:
        """Return what ``--fail-on-stock`` says: which schemas and fields run as stock;
        None if none.
        """
        where = list(dict.fromkeys(each.where for each in self.stock))
        return f"{self.summary()[:-1]}: {', '.join(where)}" if where else None

    def all_notes(self) -> list[str]:
        """Return what else there is to know, of this process too."""
        notes = [*json_engine.notes(), *self.notes]
        if is_disabled():
            off = f"{VARIABLE} is set: this process runs stock."
            notes.insert(0, f"{off} The report shows what would run without it.")
        return notes

    def as_dict(self) -> dict[str, Any]:
        """All this as plain values, for JSON."""
        slowest = None if self.profiles is None else [each._asdict() for each in self.costs]
        return {
            "versions": versions(),
            "views": [each.as_dict() for each in self.views],
            "unknown": dict(self.unknown),
            "queries": {view: asdict(each) for view, each in self.queries.items()},
            "not_looked_at": dict(self.not_looked_at),
            "schemas": [each.as_dict() for each in self.schemas],
            "stock": [each._asdict() for each in self.stock],
            "slowest": slowest,
            "advice": [each._asdict() for each in self.advice],
            "notes": self.all_notes(),
        }


def diagnosis_of(
    schemas: Mapping[str, Any], rows_path: str | None = None, svg: str | None = None
) -> Diagnosis:
    """Return the diagnosis of some schemas.

    :param schemas: each by ``package.module:Name``
    :param rows_path: where the rows are that each of them is profiled with; None: it is not
    :param svg: the file for the picture of the profile
    :raises PathError: if one is no schema or cannot be made, or the rows cannot be dumped
    :raises ValueError: for a picture without a profile
    :raises OSError: if the picture cannot be written
    """
    if svg is not None and rows_path is None:
        raise ValueError("--svg needs --profile")
    found = []
    for path, schema in schemas.items():
        try:
            found.append(SchemaFinding.of(path, schema))
        except TypeError as error:
            raise PathError(f"{path} cannot be read: {error}") from error
        if found[-1].error:
            raise PathError(f"{path} {found[-1].error}")
    if rows_path is None:
        return Diagnosis(found)
    profiles = profiles_of(schemas, rows_path)
    notes = [] if svg is None else write_pictures(profiles, svg)
    return Diagnosis(found, profiles=profiles, notes=notes)
