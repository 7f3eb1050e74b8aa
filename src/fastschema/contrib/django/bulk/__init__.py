"""Lists of input in bulk: looked up by one query for each field, and created by ``bulk_create``.

A plugin: it is installed with :mod:`fastschema.contrib.django`.
"""

from __future__ import annotations


def install() -> None:
    from fastschema.contrib.django.bulk import create

    create.install()


def uninstall() -> None:
    from fastschema.contrib.django.bulk import create

    create.uninstall()
