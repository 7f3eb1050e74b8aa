"""A fixture for tests of what depends on CPython's numbers, or does without them."""

import pytest

from fastschema import class_versions, dictionary_versions


@pytest.fixture(params=["all versions", "versions of classes", "no versions"])
def _with_and_without_versions(request, monkeypatch):
    if request.param == "no versions":
        monkeypatch.setattr(class_versions, "_OFFSET", None)
    if request.param != "all versions":
        monkeypatch.setattr(dictionary_versions, "_OFFSET", None)
