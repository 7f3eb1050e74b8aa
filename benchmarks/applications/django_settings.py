"""The settings of a Django application with the lines of fastschema's README.

Where the environment has ``LOAD_RELATIONS``, fastschema loads missing relations: "True" or "all".
Where it has ``WITH_ORJSON``, there is no fastschema, and orjson writes the JSON of stock.
"""

import os
from importlib import import_module

from applications.application import WITH_ORJSON

globals().update(vars(import_module(os.environ["APPLICATION_SETTINGS"])))

WRITE_JSON = (
    "rest_framework.renderers.JSONRenderer",
    "drf_ujson.renderers.UJSONRenderer",  # pretix
)
LOADS = os.environ.get("LOAD_RELATIONS", "")

if WITH_ORJSON in os.environ:
    RENDERER = "drf_orjson_renderer.renderers.ORJSONRenderer"
else:
    RENDERER = "fastschema.contrib.django.renderers.FastJSONRenderer"
    INSTALLED_APPS = [*globals()["INSTALLED_APPS"], "fastschema.contrib.django"]
    FASTSCHEMA = {"LOAD_RELATIONS": LOADS if LOADS == "all" else bool(LOADS)}
REST_FRAMEWORK = {
    **globals()["REST_FRAMEWORK"],
    "DEFAULT_RENDERER_CLASSES": [
        RENDERER if renderer in WRITE_JSON else renderer
        for renderer in globals()["REST_FRAMEWORK"]["DEFAULT_RENDERER_CLASSES"]
    ],
}
