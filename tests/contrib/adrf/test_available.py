"""Which adrf fastschema takes part in."""

from importlib.metadata import PackageNotFoundError

import pytest

from fastschema import versions
from fastschema.contrib import adrf


@pytest.mark.parametrize(
    ("found", "is_available"),
    [("0.1.14", True), ("0.1.13", True), ("0.2", True), ("0.1.12", False), ("0.1", False)],
)
def test_an_adrf_that_is_too_old_is_left_alone(monkeypatch, found, is_available):
    monkeypatch.setattr(versions, "version", {"adrf": found}.__getitem__)
    assert adrf.is_available() is is_available


@pytest.mark.instruments
def test_there_need_not_be_any(monkeypatch):
    def version(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(versions, "version", version)
    assert not adrf.is_available()
