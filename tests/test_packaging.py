"""What is published."""

import zipfile
from pathlib import Path

import pytest

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


def test_only_orjson_is_required_and_only_of_cpython(wheel):
    archive = zipfile.ZipFile(wheel)
    [metadata] = [name for name in archive.namelist() if name.endswith("METADATA")]
    lines = archive.read(metadata).decode().splitlines()
    required = [
        line for line in lines if line.startswith("Requires-Dist") and "extra ==" not in line
    ]
    assert required == ["Requires-Dist: orjson>=3.10; platform_python_implementation == 'CPython'"]
