"""The versions of what works together, and what is said where a package is missing or too old."""

import platform
from importlib import metadata

import pytest

import fastschema
from fastschema.runtime import versions
from fastschema.runtime.versions import require


def test_versions_are_those_of_fastschema_python_and_what_is_installed():
    found = versions.versions()

    assert found["fastschema"] == fastschema.__version__
    assert found[platform.python_implementation()] == platform.python_version()
    assert found["marshmallow"] == metadata.version("marshmallow")


def test_what_is_not_installed_is_left_out(monkeypatch):
    def version(package):
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(versions, "version", version)

    assert list(versions.versions()) == [platform.python_implementation()]


def test_packages_that_are_new_enough_are_taken():
    require("the part", marshmallow=(3, 26), pytest=(3, 0))


@pytest.mark.parametrize("found", ["2028.1", "2029a1", "5.2rc1"])
def test_annual_releases_are_newer_than_numbered_ones(monkeypatch, found):
    monkeypatch.setattr(versions, "version", lambda package: found)
    require("the part", django=(5, 2))


def test_a_package_that_is_missing_is_named(monkeypatch):
    with pytest.raises(ModuleNotFoundError) as raised:
        require("the part", nothing_of_this_name=(1, 0))

    assert str(raised.value) == (
        "the part needs nothing_of_this_name, which is not installed: "
        "pip install 'nothing_of_this_name>=1.0'"
    )
    assert raised.value.name == "nothing_of_this_name"


@pytest.mark.parametrize("found", ["3.25.9", "3"])
def test_a_package_that_is_too_old_is_named(monkeypatch, found):
    monkeypatch.setattr(versions, "version", lambda package: found)
    with pytest.raises(ImportError) as raised:
        require("the part", marshmallow=(3, 26))

    assert str(raised.value) == (
        f"the part needs marshmallow 3.26 or newer, and {found} is installed: "
        "pip install 'marshmallow>=3.26'"
    )
