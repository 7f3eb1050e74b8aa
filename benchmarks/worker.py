"""One contender of the patterns.

python benchmarks/worker.py CONTENDER MODULE [MODULE ...]

The modules are those of ``patterns``. The database is that of the example project for its flights;
for others SQLite in memory, or a new one of the PostgreSQL server that DATABASE_URL leads to.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import contenders
from harness.measuring import Contender, Run, installed, serve
from harness.queries import django_statements, sqlalchemy_statements

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))

DJANGO, FLASK = ("django", "djangorestframework"), ("flask", "marshmallow", "sqlalchemy")
PACKAGES = {
    "serializers": DJANGO,
    "requests": DJANGO,
    "flights": DJANGO,
    "relations": (*DJANGO, "sqlalchemy"),
    "plugins": (*DJANGO, "adrf", "djangorestframework-camel-case"),
    "objects": (*DJANGO, "marshmallow"),
    "extrap": ("extrap", "marshmallow"),
    "orders": ("marshmallow",),
    "schemas": ("marshmallow",),
    "flask_requests": FLASK,
    "flights_flask": FLASK,
}
"""By module, what to show the versions of."""
WITH_SQLALCHEMY = {"schemas", "flask_requests", "relations"}
OF_THE_EXAMPLE = {"flights", "flights_flask"}


class Patterns(Contender):
    """Those of some modules."""

    def __init__(self, contender: str, modules: list[str]) -> None:
        is_fast = str(int(contender in contenders.FAST))
        os.environ |= {"CONTENDER": contender, "FASTSCHEMA": is_fast, "DEBUG": "0"}
        packages = [name for each in modules for name in PACKAGES.get(each, ())]
        self._has_django = "django" in packages
        self._has_sqlalchemy = bool(WITH_SQLALCHEMY & {*modules})
        self._connection = None
        is_example = bool(OF_THE_EXAMPLE & {*modules})
        if not is_example:
            # Coroutines ask the database in other threads, which have a memory of their own.
            self._folder = tempfile.TemporaryDirectory()
            file = Path(self._folder.name, "plugins.sqlite3") if "plugins" in modules else None
            self._connection = choose_database(f"patterns_{contender}".replace("-", "_"), file)
        if self._has_django:
            set_up_django()
        contenders.switch_on(contender)
        if self._has_django and not is_example:
            from patterns.models import make_tables

            make_tables()
        self._collections = [
            importlib.import_module(f"patterns.{each}").PATTERNS for each in modules
        ]
        names = [
            f"{each.title}: {name}, {size}"
            for each in self._collections
            for name, sizes in each.sizes().items()
            for size in sizes
        ]
        versions = installed(*packages, *contenders.packages(contender))
        super().__init__(contender, names, self.prepared, versions, backends=self.backends)

    def prepared(self, measure: str) -> Run:
        """What is measured, prepared anew."""
        title, _, rest = measure.partition(": ")
        name = rest.rpartition(", ")[0]
        [found] = [
            each for each in self._collections if each.title == title and name in each.patterns
        ]
        run: Run = found.prepare(rest)
        return run

    def backends(self) -> list[int]:
        """The processes of the database server, but that which answers this."""
        if self._connection is None:
            return []
        databases = [os.environ["PATTERNS_DATABASE"], os.environ["FLASK_DATABASE"]]
        query = "SELECT pid FROM pg_stat_activity WHERE datname = ANY(%s)"
        return [pid for (pid,) in self._connection.execute(query, [databases])]

    def _queries(self) -> dict[str, Any]:
        with (
            django_statements() if self._has_django else nullcontext([]) as statements,
            sqlalchemy_statements() if self._has_sqlalchemy else nullcontext([]) as more,
        ):
            self._run()
        return {"queries": [*statements, *more]}

    def _sample(self, count: int) -> dict[str, Any]:
        """Where the time goes."""
        from applications.sampling import sample

        return {"parts": sample(self._run, count, ["flights/"])}


def choose_database(name: str, file: Path | None) -> Any:
    """Let DATABASE_URL lead to an empty database of the server there; or to SQLite.

    :param file: where SQLite is not to be in memory
    :return: a connection to the server, if there is one
    """
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        os.environ["DATABASE_URL"] = f"sqlite:///{file}" if file else "sqlite://:memory:"
        return None
    from applications.postgresql import connected, django_url, make_anew

    for each, variable in ((name, "PATTERNS_DATABASE"), (f"{name}_flask", "FLASK_DATABASE")):
        make_anew(each)
        os.environ[variable] = each
    connection = connected()
    os.environ["DATABASE_URL"] = django_url(name)
    return connection


def set_up_django() -> None:
    """Set Django up with the example project's settings."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()


if __name__ == "__main__":
    serve(Patterns(sys.argv[1], sys.argv[2:]))
