"""The flights of the tests of the Django REST framework front end."""

from tests.instruments.core import orjson
from tests.promises.django.conftest import flights

__all__ = ["flights"]

# List views make their rows as stock does where orjson does not write them.
collect_ignore = [] if orjson is not None else ["test_tools.py"]
