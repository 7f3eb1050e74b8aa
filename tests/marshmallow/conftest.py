"""Hypothesis profiles, of which HYPOTHESIS_PROFILE chooses one; assertions that tell; a fixture."""

import os

import pytest
from hypothesis import HealthCheck, settings

import fastschema
from tests.marks import share

# Random schemas with their rows are large, and a busy machine takes its time to make them.
_SLOW_TO_MAKE = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=share(60),
    suppress_health_check=_SLOW_TO_MAKE,  # random schemas with their rows are large
)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=3000,
    suppress_health_check=_SLOW_TO_MAKE,  # random schemas with their rows are large
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture
def _installed():
    """For tests in which schemas are used by ``install()`` from first to last."""
    fastschema.install()
    yield
    fastschema.uninstall()
