"""The settings under which real servers serve ``served``: the example project's, and a log."""

from config.settings import *  # noqa: F403  # that is how settings are extended

ROOT_URLCONF = "tests.promises.django.streaming.served"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {"django": {"handlers": ["stderr"], "level": "ERROR"}},
}
# Connections outlive requests, so that a cursor that is left open stays open.
DATABASES["default"]["CONN_MAX_AGE"] = None  # noqa: F405  # from the example project
