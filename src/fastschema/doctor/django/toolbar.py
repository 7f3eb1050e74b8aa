"""A panel for django-debug-toolbar: what fastschema made of the serializers of a request."""

from __future__ import annotations

from typing import Any

from fastschema.runtime.versions import require

_OLDEST = {"django-debug-toolbar": (5, 0)}
require("fastschema.doctor.django.toolbar", **_OLDEST)

from debug_toolbar.panels import Panel  # noqa: E402  # only if it fits

from fastschema.doctor.django.dumps import DumpLog, Dumps, Output  # noqa: E402  # likewise
from fastschema.doctor.django.n_plus_one import advice, left_on_demand  # noqa: E402  # likewise
from fastschema.plan import compile  # noqa: E402  # likewise
from fastschema.runtime.report import Report  # noqa: E402  # likewise


class FastSchemaPanel(Panel):
    """What fastschema made of the serializers of a request.

    Which of them were compiled, and which ran as stock and why; their rows and what these took; the
    fields that ran as stock; the relations that each row had to ask the database for, and those
    that were loaded for all rows on demand.
    """

    template = "fastschema/toolbar_panel.html"
    nav_title = "fastschema"
    is_async = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._log = DumpLog()

    @property
    def title(self) -> str:
        return f"{self.nav_title}: {self.nav_subtitle}"

    @property
    def nav_subtitle(self) -> str:
        dumps = self.get_stats().get("dumps", ())
        count = len({dump["serializer"] for dump in dumps})
        stock = len({dump["serializer"] for dump in dumps if not dump["is_compiled"]})
        serializers = f"{count or 'no'} serializer{'s' * (count != 1)}"
        return f"{serializers}, {stock} as stock" if stock else serializers

    def enable_instrumentation(self) -> None:
        self._log.open()

    def disable_instrumentation(self) -> None:
        self._log.close()

    def generate_stats(self, request: Any, response: Any) -> None:
        """Record what was logged, as plain values: the toolbar may keep them in a database."""
        self.record_stats({"dumps": [_described(dump) for dump in self._log.dumps]})


def _described(dumps: Dumps) -> dict[str, Any]:
    cls = type(dumps.row_serializer)
    report = _report(dumps)
    return {
        "serializer": f"{cls.__module__}.{cls.__qualname__}",
        "is_compiled": dumps.is_compiled,
        "why": _why(dumps, report),
        "output": str(dumps.output),
        "times": dumps.times,
        "rows": dumps.rows,
        "milliseconds": None if dumps.output is Output.STREAM else dumps.seconds * 1000,
        "fields": len(report.fields),
        "stock_fields": [
            {"key": field.key, "why": field.why}
            for field in report.fields
            if not field.compiled and dumps.is_compiled
        ],
        "queries": _queries(dumps),
        "on_demand": list(dumps.on_demand),
    }


def _report(dumps: Dumps) -> Report:
    """Return how the serializer is compiled, or that of its rows if that is what ran."""
    serializer = dumps.row_serializer if dumps.is_compiled else dumps.serializer
    try:
        return compile(serializer).explain()
    except Exception as error:  # of code of users
        return Report(type(serializer).__name__, [], f"it cannot be read: {error}")


def _why(dumps: Dumps, report: Report) -> str:
    """Return why it ran as stock, or what is to be said of it where it did not."""
    if dumps.is_compiled and report.override:
        return f"inside your {report.override}"
    if dumps.is_compiled or report.why:
        return report.why
    return "fastschema is disabled" if dumps.was_disabled else "stock is faster for so few rows"


def _queries(dumps: Dumps) -> dict[str, Any] | None:
    """Return the fields whose relations each row had to ask for, and what to do about it."""
    try:
        relations = dumps.unloaded()
    except Exception:  # of code of users
        return None
    if not relations or dumps.loaded is None:
        return None
    return {
        "fields": list(dict.fromkeys(relation.field for relation in relations)),
        "advice": advice(relations) + left_on_demand(relations, dumps.loaded[0]),
    }
