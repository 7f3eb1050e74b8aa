"""What is published."""

import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.quick_starts.follow import build_wheel

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def test_the_wheel_is_pure_python(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_wheel_says_that_it_is_typed(wheel):
    assert "fastschema/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_every_module_and_template_and_nothing_else(wheel):
    packaged = {
        name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("fastschema/")
    }
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "fastschema").rglob("*")
        if path.suffix in (".py", ".html") or path.name == "py.typed"
    }
    assert packaged == sources


@pytest.fixture(scope="module")
def requirements(wheel):
    archive = zipfile.ZipFile(wheel)
    [metadata] = [name for name in archive.namelist() if name.endswith("METADATA")]
    found = Parser().parsestr(archive.read(metadata).decode()).get_all("Requires-Dist")
    return [Requirement(each) for each in found]


def brought(requirements, extra, python, implementation="CPython"):
    """The packages that an extra brings to a Python."""
    where = {
        "extra": extra,
        "python_version": python,
        "platform_python_implementation": implementation,
    }
    return {each.name for each in requirements if each.marker.evaluate(where)}


def test_the_core_requires_nothing(requirements):
    assert all("extra ==" in str(each.marker) for each in requirements)


@pytest.mark.parametrize("extra", ["marshmallow", "flask", "django"])
def test_an_extra_brings_orjson_only_where_it_has_wheels_for_all_systems(requirements, extra):
    assert "orjson" in brought(requirements, extra, "3.11")
    assert "orjson" in brought(requirements, extra, "3.14")
    assert "orjson" not in brought(requirements, extra, "3.15")
    assert "orjson" not in brought(requirements, extra, "3.11", "PyPy")
