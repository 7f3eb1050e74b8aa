"""Measures one pattern of ordinary code.

python benchmarks/ordinary_worker.py FRONT_END PATTERN ROUNDS BATCH ROWS [ROWS ...]

Prints a line of JSON for each number of rows; without PATTERN and what follows, the names of all
patterns with their numbers of rows. Each pattern has a process of its own: no schema of another is
there, and CPython gives a class only so many version tags, of which each install takes some.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path

from ordinary_pattern import Collection, DifferentError, Switch, measure
from worker import installed


def set_up_django(database: str) -> tuple[Switch, dict[str, str]]:
    """Set Django up with the example project's settings, and make all tables.

    :param database: the URL of the database
    """
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))
    settings = {"FASTSCHEMA": "1", "DEBUG": "0", "DATABASE_URL": database}
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", **settings}
    import django

    django.setup()
    import ordinary_models
    from fastschema.contrib.django import install, uninstall

    ordinary_models.make_tables()
    packages = installed("fastschema", "django", "djangorestframework")
    return Switch(install, uninstall), packages


def django_patterns() -> tuple[Collection, Switch, dict[str, str]]:
    """Those of Django REST framework."""
    switch, packages = set_up_django("sqlite://:memory:")
    import ordinary_drf_classes  # noqa: F401  # adds to the patterns
    import ordinary_drf_filters
    import ordinary_drf_input
    import ordinary_drf_lists  # noqa: F401  # adds to the patterns
    import ordinary_drf_methods  # noqa: F401  # likewise
    import ordinary_drf_requests  # noqa: F401  # likewise

    assert ordinary_drf_input.DRF is ordinary_drf_filters.DRF  # each adds its patterns to it
    return ordinary_drf_input.DRF, switch, packages


def marshmallow_patterns() -> tuple[Collection, Switch, dict[str, str]]:
    """Those of marshmallow."""
    import fastschema
    import ordinary_flask  # noqa: F401  # adds to the patterns
    import ordinary_neighbours  # noqa: F401  # adds to the patterns
    from ordinary_marshmallow import MARSHMALLOW

    switch = Switch(fastschema.install, fastschema.uninstall)
    return MARSHMALLOW, switch, installed("fastschema", "marshmallow")


FRONT_ENDS = {"DRF": django_patterns, "marshmallow": marshmallow_patterns}


def main() -> None:
    """List the patterns, or measure one."""
    front_end, *order = sys.argv[1:]
    collection, switch, versions = FRONT_ENDS[front_end]()
    if not order:
        sizes = {pattern.name: pattern.sizes for pattern in collection.patterns}
        print(json.dumps({"patterns": sizes, "versions": versions}))
        return
    name, rounds, batch, *rows = order
    [pattern] = [each for each in collection.patterns if each.name == name]
    for number in map(int, rows):
        try:
            row = measure(pattern, number, switch, int(rounds), batch=float(batch))
        except DifferentError as error:
            raise SystemExit(f"{front_end}: {name}, {number} rows: {error}") from None
        print(json.dumps(asdict(row)), flush=True)


if __name__ == "__main__":
    main()
