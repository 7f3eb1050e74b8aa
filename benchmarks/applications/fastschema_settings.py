"""The settings of a Django application with the lines of fastschema's README.

Where the environment has ``LOAD_RELATIONS``, fastschema loads missing relations: "True" or "all".
"""

import os
from importlib import import_module

globals().update(vars(import_module(os.environ["APPLICATION_SETTINGS"])))

WRITE_JSON = (
    "rest_framework.renderers.JSONRenderer",
    "drf_ujson.renderers.UJSONRenderer",  # pretix
)
INSTALLED_APPS = [*globals()["INSTALLED_APPS"], "fastschema.contrib.django"]
REST_FRAMEWORK = {
    **globals()["REST_FRAMEWORK"],
    "DEFAULT_RENDERER_CLASSES": [
        "fastschema.contrib.django.renderers.FastJSONRenderer"
        if renderer in WRITE_JSON
        else renderer
        for renderer in globals()["REST_FRAMEWORK"]["DEFAULT_RENDERER_CLASSES"]
    ],
}
LOADS = os.environ.get("LOAD_RELATIONS", "")
FASTSCHEMA = {"LOAD_RELATIONS": LOADS if LOADS == "all" else bool(LOADS)}
