"""One contender of the patterns.

python benchmarks/patterns_worker.py CONTENDER MODULE [MODULE ...]

The modules are those of ``patterns``. The database is SQLite in memory, or a new one of the
PostgreSQL server that DATABASE_URL leads to.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import drf_peers
from harness.measuring import Contender, Run, installed, serve
from harness.queries import django_statements, sqlalchemy_statements

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))

WITH_DJANGO = {"serializers", "requests", "relations", "plugins", "objects"}
WITH_SQLALCHEMY = {"schemas", "flask_requests", "relations"}
PACKAGES = {
    "schemas": ("marshmallow",),
    "objects": ("marshmallow",),
    "flask_requests": ("flask", "marshmallow", "sqlalchemy"),
    "relations": ("sqlalchemy",),
    "plugins": ("adrf", "djangorestframework-camel-case"),
}
"""By module, what to show the versions of, besides Django's."""


class Patterns(Contender):
    """Those of some modules.

    :param database: the name of a database of the PostgreSQL server, if there is one
    """

    def __init__(self, contender: str, modules: list[str]) -> None:
        self._modules = set(modules)
        os.environ["FASTSCHEMA"] = str(int(contender == "fastschema"))
        # Coroutines ask the database in other threads, which have a memory of their own.
        self._folder = tempfile.TemporaryDirectory()
        file = Path(self._folder.name, "plugins.sqlite3") if "plugins" in modules else None
        self._connection = choose_database(f"patterns_{contender}".replace("-", "_"), file)
        packages: list[str] = []
        if self._modules & WITH_DJANGO:
            set_up_django(contender)
            packages += drf_peers.PACKAGES[contender]
        if contender == "fastschema":
            import fastschema

            fastschema.install()
            packages += ["fastschema", "orjson"]
        collections = [importlib.import_module(f"patterns.{each}").PATTERNS for each in modules]
        self._collections = collections
        names = [
            f"{each.title}: {name}, {size}"
            for each in collections
            for name, sizes in each.sizes().items()
            for size in sizes
        ]
        packages += [name for each in modules for name in PACKAGES.get(each, ())]
        versions = installed(*packages)
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
        django, mapped = self._modules & WITH_DJANGO, self._modules & WITH_SQLALCHEMY
        with (
            django_statements() if django else nullcontext([]) as statements,
            sqlalchemy_statements() if mapped else nullcontext([]) as more,
        ):
            self._run()
        return {"queries": [*statements, *more]}


def choose_database(name: str, file: Path | None) -> Any:
    """Let DATABASE_URL lead to an empty database of the server there; or to SQLite.

    :param file: where SQLite is not to be in memory
    :return: a connection to the server, if there is one
    """
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        os.environ["DATABASE_URL"] = "sqlite://:memory:"
        if file:
            os.environ["DATABASE_URL"] = f"sqlite:///{file}"
        return None
    from applications.postgresql import address, connected, django_url, make_anew

    for each, variable in ((name, "PATTERNS_DATABASE"), (f"{name}_flask", "FLASK_DATABASE")):
        make_anew(each)
        os.environ[variable] = each
    connection = connected(address().database)
    os.environ["DATABASE_URL"] = django_url(name)
    return connection


def set_up_django(contender: str) -> None:
    """Set Django up with the example project's settings, and make all tables."""
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DEBUG": "0"}
    import django

    django.setup()
    drf_peers.switch_on(contender)
    from patterns.models import make_tables

    make_tables()


if __name__ == "__main__":
    serve(Patterns(sys.argv[1], sys.argv[2:]))
