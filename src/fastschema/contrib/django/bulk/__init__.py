"""Lists of input in bulk: looked up by one query for each field, and created by ``bulk_create``.

A plugin: it is installed with :mod:`fastschema.contrib.django`.
"""

from fastschema.contrib.django.bulk.create import install, uninstall

__all__ = ["install", "uninstall"]
