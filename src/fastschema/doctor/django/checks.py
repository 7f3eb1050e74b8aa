"""System checks: serializers that run as stock as a whole; settings that do not work."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Warning

from fastschema.contrib.django import conf
from fastschema.runtime.json_engine import orjson
from fastschema.runtime.switch import VARIABLE

TAG = "fastschema"
RENDERER = "fastschema.contrib.django.renderers.FastJSONRenderer"


def check_renderers(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Warn if stock writes the JSON of views that do not choose renderers themselves."""
    from rest_framework.renderers import JSONRenderer
    from rest_framework.settings import api_settings

    from fastschema.doctor.django.list_report import why_stock_writes

    if not conf.settings().install or orjson is None:
        return []
    return [
        _of_stock()
        if cls is JSONRenderer
        else Warning(
            f"The app is installed, but DRF's JSONRenderer writes for {cls.__name__}.",
            hint=reason.what,
            obj=f"{cls.__module__}.{cls.__qualname__}",
            id="fastschema.W004",
        )
        for cls in api_settings.DEFAULT_RENDERER_CLASSES
        if issubclass(cls, JSONRenderer) and (reason := why_stock_writes(cls())) is not None
    ]


def _of_stock() -> CheckMessage:
    return Warning(
        "The app is installed, but DRF's JSONRenderer writes the responses.",
        hint=f"Put {RENDERER!r} in its place in REST_FRAMEWORK['DEFAULT_RENDERER_CLASSES'], or "
        "silence this check if your views name their renderers themselves.",
        id="fastschema.W002",
    )


def check_names(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of settings that are not read, for they stand beside the dictionary ``FASTSCHEMA``."""
    prefix = f"{conf.NAME}_"
    return [
        Warning(
            f"Nothing reads the setting {name}.",
            hint=_where_it_belongs(name.removeprefix(prefix), getattr(settings, name)),
            id="fastschema.W003",
        )
        for name in dir(settings)
        if name.startswith(prefix)
    ]


def _where_it_belongs(name: str, value: Any) -> str:
    if name in {field.name.upper() for field in fields(conf.Settings)}:
        return f"Write {conf.NAME} = {{{name!r}: {value!r}}}."
    if f"{conf.NAME}_{name}" == VARIABLE:
        return f"Set {VARIABLE} in the environment of the process."
    return f"fastschema's settings stand in the dictionary {conf.NAME}."


def check_serializers(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of each serializer that the URL configuration reaches and that runs as stock.

    Does nothing unless ``FASTSCHEMA["CHECK_SERIALIZERS"]`` is true: it imports the URL
    configuration and makes the serializers of all views.
    """
    if not conf.settings().check_serializers:
        return []
    from fastschema.doctor.django.survey import reached

    return [
        Warning(
            f"{finding.report.schema} runs as stock, because {finding.report.why}.",
            hint=f"Used by {finding.uses[0]}. For its fields: manage.py fastschema {finding.path}",
            obj=finding.path,
            id="fastschema.W001",
        )
        for finding in reached().serializers
        if finding.report and finding.report.why
    ]


CHECKS = (check_names, check_renderers, check_serializers)
