"""System checks: serializers that run as stock as a whole; settings that cannot work."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

from fastschema.contrib.django.app import conf
from fastschema.tools.doctor import path_of

TAG = "fastschema"


def check_middleware(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse ``FASTSCHEMA["ENABLED"]`` without the middleware that asks it.

    :param app_configs: ignored: settings belong to the project
    """
    from fastschema.contrib.django.middleware import PATH

    if conf.settings().enabled is None or PATH in settings.MIDDLEWARE:
        return []
    return [
        Error(
            f"{conf.NAME}['ENABLED'] is set, but no middleware asks it.",
            hint=f"Add {PATH!r} to MIDDLEWARE, after what the callable needs, such as "
            "AuthenticationMiddleware for request.user.",
            id="fastschema.E001",
        )
    ]


def check_views(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Refuse values of ``fastschema_load_relations`` that are none.

    :param app_configs: ignored: views belong to URLs, not to apps
    """
    from fastschema.contrib.django.app.url_survey import view_classes
    from fastschema.contrib.django.relations import PER_VIEW

    return [
        Error(
            f"{PER_VIEW} must be True or False, not {getattr(cls, PER_VIEW)!r}.",
            hint="Without it, a view does what FASTSCHEMA['LOAD_RELATIONS'] says.",
            obj=path_of(cls),
            id="fastschema.E002",
        )
        for cls in (view_classes() if getattr(settings, "ROOT_URLCONF", None) else ())
        if type(getattr(cls, PER_VIEW, False)) is not bool
    ]


def check_serializers(app_configs: Any = None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of each serializer that the URL configuration reaches and that runs as stock.

    Does nothing unless ``FASTSCHEMA["CHECK_SERIALIZERS"]`` is true: it imports the URL
    configuration and makes the serializers of all views.

    :param app_configs: ignored: serializers belong to URLs, not to apps
    """
    if not conf.settings().check_serializers:
        return []
    from fastschema.contrib.django.app.url_survey import reached

    return [
        Warning(
            f"{each.report.schema} runs as stock, because {each.report.why}.",
            hint=f"Used by {each.uses[0]}. For its fields: manage.py fastschema {each.path}",
            obj=each.path,
            id="fastschema.W001",
        )
        for each in reached().serializers
        if each.report.why
    ]
