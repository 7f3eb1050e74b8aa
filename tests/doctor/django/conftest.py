"""The flights of the tests of the Django REST framework front end."""

from fastschema.runtime.json_engine import orjson
from tests.contrib.django.conftest import flights

__all__ = ["flights"]

# List views make their rows as stock does where orjson does not write them.
collect_ignore = [] if orjson is not None else ["test_tools.py"]
