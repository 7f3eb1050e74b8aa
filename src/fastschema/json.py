"""A render module for marshmallow's ``Meta.render_module``: ``json``, by orjson.

::

    class ItemSchema(Schema):
        class Meta:
            render_module = fastschema.json

The values are those of the standard library's ``json``; the text is compact. Whatever orjson would
read or write otherwise goes to the standard library, as does everything where it is missing.
"""

from fastschema.runtime.standard_json import dumps, loads

__all__ = ["dumps", "loads"]
