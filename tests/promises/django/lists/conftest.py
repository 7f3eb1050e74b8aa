"""What all tests of lists share."""

import pytest

from tests.instruments.core import thresholds


@pytest.fixture(autouse=True)
def few_rows_are_worth_reading(monkeypatch):
    """The tables of these tests are small."""
    monkeypatch.setattr(thresholds, "few_for_django", 1)
