"""The settings under which real servers serve ``served``: the example project's, and a log."""

from tests.promises.django.streaming.served_settings import *  # noqa: F403  # that is how they are extended

ROOT_URLCONF = "tests.promises.adrf.served"
