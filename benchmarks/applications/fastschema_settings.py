"""The settings of a Django application with the lines of fastschema's README."""

import os
from importlib import import_module

globals().update(vars(import_module(os.environ["APPLICATION_SETTINGS"])))

INSTALLED_APPS = [*globals()["INSTALLED_APPS"], "fastschema.contrib.django"]
REST_FRAMEWORK = {
    **globals()["REST_FRAMEWORK"],
    "DEFAULT_RENDERER_CLASSES": [
        "fastschema.contrib.django.renderers.FastJSONRenderer"
        if renderer == "rest_framework.renderers.JSONRenderer"
        else renderer
        for renderer in globals()["REST_FRAMEWORK"]["DEFAULT_RENDERER_CLASSES"]
    ],
}
