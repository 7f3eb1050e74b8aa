"""Settings of the example project.

Three environment variables change them, all optional:

``DATABASE_URL``
    The database, as a URL. By default SQLite, in ``db.sqlite3`` next to ``manage.py``.
``FASTSCHEMA``
    ``1`` (the default) answers with fastschema, ``0`` with stock Django REST framework.
``DEBUG``
    ``1`` (the default) or ``0``.
"""

import os
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent


def is_on(variable: str) -> bool:
    """Say whether an environment variable is ``1``, unset or empty, rather than ``0``."""
    value = os.environ.get(variable) or "1"
    if value not in {"0", "1"}:
        raise ImproperlyConfigured(f"{variable} must be 0 or 1, not {value!r}.")
    return value == "1"


def database() -> dict[str, object]:
    """Return the settings of the database in ``DATABASE_URL``, or of the SQLite default."""
    url = os.environ.get("DATABASE_URL")
    if not url:
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "db.sqlite3"}
    try:
        return dict(dj_database_url.parse(url))
    except ValueError as error:
        reason = str(error).splitlines()[0]
        raise ImproperlyConfigured(f"DATABASE_URL is not a database URL: {reason}") from error


SECRET_KEY = "for-this-example-project-only-never-use-it-anywhere-else"
DEBUG = is_on("DEBUG")
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]

WITH_FASTSCHEMA = is_on("FASTSCHEMA")

# The API is public, so there are no users, sessions or admin.
INSTALLED_APPS = [
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    *(["fastschema.contrib.django"] if WITH_FASTSCHEMA else []),
    "flights",
    "race",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "race.django.raced",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
    }
]

DATABASES = {"default": database()}

LANGUAGE_CODE = "en-us"
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": [
        (
            "fastschema.contrib.django.renderers.FastJSONRenderer"
            if WITH_FASTSCHEMA
            else "rest_framework.renderers.JSONRenderer"
        ),
        "rest_framework.renderers.BrowsableAPIRenderer",
    ],
    "DEFAULT_PARSER_CLASSES": [
        (
            "fastschema.contrib.django.parsers.FastJSONParser"
            if WITH_FASTSCHEMA
            else "rest_framework.parsers.JSONParser"
        ),
    ],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_PAGINATION_CLASS": "flights.pagination.Pages",
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
}
