"""A fixture for tests of what depends on CPython's versions of classes, or does without them."""

import pytest

from fastschema import class_versions


@pytest.fixture(params=["versions of classes", "no versions"])
def _with_and_without_versions(request, monkeypatch):
    if request.param == "no versions":
        monkeypatch.setattr(class_versions, "_OFFSET", None)
