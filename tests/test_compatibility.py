"""With which versions the tests have passed, and what is claimed of them."""

import os
import re
import tomllib

import pytest
from packaging.requirements import Requirement

from tests import compatibility

PROJECT = tomllib.loads((compatibility.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]


def environment(directory, name, python, folder, packages, passed="django marshmallow"):
    """Make an environment as the Makefile's targets leave it."""
    made = directory / name
    for package, version in packages.items():
        about = made / "lib" / folder / "site-packages" / f"{package}-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Name: {package}\nVersion: {version}\n")
    (made / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {python}\n")
    (made / "installed").touch()
    if passed is not None:
        (made / "passed").write_text(f"{passed}\n")
    return made


NEWEST = {"Django": "6.1.3", "djangorestframework": "3.18.3", "marshmallow": "4.4.0"}


def test_a_row_has_the_versions_of_what_was_tested(tmp_path):
    made = environment(tmp_path, "test", "3.15.0", "python3.15", {**NEWEST, "Flask": "3.1.3"})

    assert compatibility.row(made) == ["3.15.0", "6.1.3", "3.18.3", "4.4.0", "", "", "none"]


def test_an_environment_that_was_installed_anew_has_no_row(tmp_path):
    made = environment(tmp_path, "test", "3.15.0", "python3.15", NEWEST)
    os.utime(made / "passed", (1, 1))

    assert compatibility.row(made) is None


def test_the_table_goes_by_the_versions_of_python(tmp_path):
    packages = {"marshmallow": "4.4.0"}
    for python, folder in [("3.9.1", "python3.9"), ("3.14.0", "python3.14t")]:
        environment(tmp_path, folder, python, folder, packages, "marshmallow")
    environment(tmp_path, "a", "3.11.11", "pypy3.11", packages, "marshmallow")

    assert compatibility.table(tmp_path).splitlines()[2:] == [
        "| 3.9.1 | | | 4.4.0 | | | none |",
        "| 3.14.0, free-threaded | | | 4.4.0 | | | none |",
        "| PyPy 3.11.11 | | | 4.4.0 | | | none |",
    ]


@pytest.fixture(scope="module")
def tested():
    """The versions in the page's table, by the titles of its columns."""
    page = compatibility.PAGE.read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in compatibility.TABLE.search(page)[0].splitlines()
        if line.startswith("|")
    ]
    head, _, *rows = rows
    return {title: [row[number] for row in rows] for number, title in enumerate(head)}


@pytest.mark.parametrize("extra", ["marshmallow", "flask", "django"])
def test_the_oldest_version_that_an_extra_takes_is_tested(tested, extra):
    for each in map(Requirement, EXTRAS[extra]):
        if each.name != "orjson":
            title = compatibility.COLUMNS[each.name][0]
            [oldest] = [part.version for part in each.specifier if part.operator == ">="]
            assert any(f"{version}.".startswith(f"{oldest}.") for version in tested[title])


def test_each_version_that_a_classifier_names_is_tested(tested):
    for classifier in PROJECT["project"]["classifiers"]:
        kind, _, version = classifier.rpartition(" :: ")
        if re.fullmatch(r"3\.\d+", version):
            assert any(each.startswith(f"{version}.") for each in tested["Python"])
        elif kind == "Framework :: Django":
            assert any(each.startswith(f"{version}.") for each in tested["Django"])
