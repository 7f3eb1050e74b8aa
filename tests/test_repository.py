"""The files by which a code host runs CI, releases, and asks for reports."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
SCHEMAS = {
    ROOT / ".github" / "dependabot.yml": "vendor.dependabot",
    ROOT / ".readthedocs.yaml": "vendor.readthedocs",
    **dict.fromkeys(WORKFLOWS, "vendor.github-workflows"),
    **dict.fromkeys(FORMS, "vendor.github-issue-forms"),
    ROOT / ".github" / "ISSUE_TEMPLATE" / "config.yml": "vendor.github-issue-config",
}


def complaints(*command):
    """What a linter says, if it has something against the repository."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}" if done.returncode else ""


def test_zizmor_finds_no_way_to_misuse_the_workflows():
    assert complaints(PROGRAMS / "zizmor", "--offline", "--persona=pedantic", ".") == ""


@pytest.mark.skipif(
    shutil.which("actionlint") is None,
    reason="there is no actionlint here; its package for pip downloads it from a code host",
)
def test_actionlint_finds_no_mistake():
    assert complaints("actionlint", *WORKFLOWS) == ""


@pytest.mark.parametrize("path", SCHEMAS, ids=lambda path: path.name)
def test_a_file_is_what_its_reader_expects(path):
    schema = ["--builtin-schema", SCHEMAS[path]]
    assert complaints(PROGRAMS / "check-jsonschema", *schema, path) == ""


def test_ci_runs_whatever_test_all_runs():
    recipe = re.search(r"^test-all: (.*(?:\n\t.*)+)", MAKEFILE, re.MULTILINE)[1]
    pythons = re.search(r"^PYTHONS := (.*)", MAKEFILE, re.MULTILINE)[1].split()
    wanted = set(re.findall(r"\b(?:test|docs|calls)[\w-]*", re.sub(r"##.*|--\S+", "", recipe)))
    wanted -= {"docs", "test-pythons", "test-pypy", "test-free-threaded"}
    wanted |= {"test-in-pypy", "test-in-free-threaded"}
    wanted |= {f"test-in-python-{python}" for python in pythons}

    ci = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    matrix = ci["jobs"]["target"]["strategy"]["matrix"]
    targets = {*matrix["target"], *(each["target"] for each in matrix["include"])}

    assert targets == wanted


def hooks():
    """What runs before each commit: the words of each command."""
    path = ROOT / ".pre-commit-config.yaml"
    [local] = yaml.safe_load(path.read_text(encoding="utf-8"))["repos"]
    return [each["entry"].split() for each in local["hooks"]]


@pytest.mark.parametrize("command", hooks(), ids=lambda command: Path(command[0]).name)
def test_a_hook_runs_what_is_installed_for_the_tests(command):
    assert (PROGRAMS / Path(command[0]).name).exists()


def test_the_hooks_upgrade_to_the_oldest_django_that_is_supported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [oldest] = [each for each in project["optional-dependencies"]["django"] if "django>=" in each]
    [command] = [each for each in hooks() if each[0].endswith("django-upgrade")]
    assert command[1:] == ["--target-version", oldest.removeprefix("django>=")]


def test_all_of_ci_needs_every_job():
    ci = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8"))
    jobs = ci["jobs"]
    needed = jobs["passed"]["needs"]
    assert set(needed) == jobs.keys() - {"passed"}
    assert " ".join(["success"] * len(needed)) in jobs["passed"]["steps"][0]["run"]


def test_ci_names_tests_that_exist():
    named = re.findall(r"tests/[\w/.]+", (ROOT / ".github/workflows/ci.yml").read_text())
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []
