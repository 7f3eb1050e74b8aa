"""What the core knows: when classes are compiled, what is registered, and what is there."""

from fastschema.runtime import registration, thresholds
from fastschema.runtime.encode import JsonArray
from fastschema.runtime.guard import STATE_KEY
from fastschema.runtime.json_engine import orjson, standard_dumps
from fastschema.runtime.plugins import plugin
from fastschema.runtime.switch import VARIABLE, is_disabled

__all__ = [
    "STATE_KEY",
    "VARIABLE",
    "JsonArray",
    "is_disabled",
    "orjson",
    "plugin",
    "registration",
    "standard_dumps",
    "thresholds",
]
