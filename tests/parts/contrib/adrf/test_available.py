"""Which adrf fastschema takes part in."""

from importlib.metadata import PackageNotFoundError

import pytest

from fastschema.contrib import adrf
from fastschema.runtime import versions


@pytest.mark.parametrize(
    ("found", "is_available"),
    [("0.1.14", True), ("0.1.13", True), ("0.2", True), ("0.1.12", False), ("0.1", False)],
)
def test_an_adrf_that_is_too_old_is_left_alone(monkeypatch, found, is_available):
    found_versions = {"adrf": found, "djangorestframework": "3.17.0"}
    monkeypatch.setattr(versions, "version", found_versions.__getitem__)
    assert adrf.is_available() is is_available


def test_an_adrf_that_cannot_be_imported_with_this_drf_is_left_alone(monkeypatch):
    found_versions = {"adrf": "0.1.13", "djangorestframework": "3.16.1"}
    monkeypatch.setattr(versions, "version", found_versions.__getitem__)
    assert not adrf.is_available()


@pytest.mark.instruments
def test_there_need_not_be_any(monkeypatch):
    def version(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(versions, "version", version)
    assert not adrf.is_available()
