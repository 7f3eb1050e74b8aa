"""The versions of what works together."""

import platform
from importlib import metadata

import fastschema
from fastschema.runtime import versions


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
