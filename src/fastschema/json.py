"""A render module for marshmallow's ``Meta.render_module``: ``json``, by orjson or msgspec.

::

    class ItemSchema(Schema):
        class Meta:
            render_module = fastschema.json

The values are those of the standard library's ``json``; the text is compact. Whatever these would
read or write otherwise goes to the standard library, as does everything where both are missing.
"""

from fastschema.runtime.standard_json import dumps, loads

__all__ = ["dumps", "loads"]
