"""What tests of the marshmallow front end share."""

import pytest

import fastschema


@pytest.fixture
def _installed():
    """For tests in which schemas are used by ``install()`` from first to last."""
    fastschema.install()
    yield
    fastschema.uninstall()
