"""What tests of adrf share with those of DRF."""

from fastschema.contrib import adrf
from tests.promises.django.conftest import flights

__all__ = ["flights"]

# The others import adrf.
collect_ignore = [] if adrf.is_available() else ["test_representation.py", "test_views.py"]
