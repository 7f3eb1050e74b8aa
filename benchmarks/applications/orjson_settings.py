"""The settings of a Django application whose JSON orjson writes, and nothing else."""

import os
from importlib import import_module

globals().update(vars(import_module(os.environ["APPLICATION_SETTINGS"])))

REST_FRAMEWORK = {
    **globals()["REST_FRAMEWORK"],
    "DEFAULT_RENDERER_CLASSES": [
        "applications.orjson_renderer.ORJSONRenderer"
        if renderer == "rest_framework.renderers.JSONRenderer"
        else renderer
        for renderer in globals()["REST_FRAMEWORK"]["DEFAULT_RENDERER_CLASSES"]
    ],
}
