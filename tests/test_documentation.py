"""The documentation: its snippets run, its commands exist, its links lead somewhere.

A ``python`` block prints what the ``text`` block right after it shows, if there is one. After a
change to the code, ``REWRITE_DOCUMENTATION=1`` lets the tests write what is printed into the files.
Of a ``diff`` block, what is there after the change is run like a ``python`` block. The quick starts
are followed as their readers do.
"""

import ast
import contextlib
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import rest_framework.fields
import rest_framework.relations
from django.core.management import get_commands
from django.urls import resolve
from django.utils.module_loading import import_string

import fastschema
import fastschema.contrib.django
import fastschema.contrib.flask
from fastschema.contrib.adrf import representation as adrf_representation
from fastschema.contrib.django import conf
from fastschema.contrib.django import installation as django_installation
from fastschema.contrib.django.front_end import fields as rules_of_drf
from fastschema.contrib.django_filter import on_demand as django_filters_on_demand
from fastschema.contrib.flask import configuration
from fastschema.marshmallow import fields
from fastschema.marshmallow import installation as marshmallow_installation
from flights_flask import create_app
from tests.promises.marshmallow.test_fields import FIELDS as FIELDS_OF_MARSHMALLOW
from tests.promises.marshmallow.test_fields import schema_of
from tests.quick_starts.follow import PAGES as QUICK_START_PATHS
from tests.quick_starts.follow import follow

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "tests/README.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")),
]
QUICK_STARTS = [str(path.relative_to(ROOT)) for path in QUICK_START_PATHS]
OTHER_PAGES = [page for page in PAGES if page not in QUICK_STARTS]
SETTINGS = "<!-- settings -->"
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE_SPAN = re.compile(r"`([^`]+)`")
MAKE_TARGET = re.compile(r"^([a-z0-9.-]+):", re.MULTILINE)
MAKE_VARIABLE = re.compile(r"^([A-Z]+) \?=", re.MULTILINE)
DOTTED = re.compile(r"[a-z_]\w*(\.\w+)+")
FIGURES = re.compile(r"<!-- figures -->(.*)<!-- /figures -->", re.DOTALL)
WORDS_PER_MINUTE = 230
NO_ARGUMENTS_TO_CHECK = {"cd", "source"}


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    text: str
    span: tuple[int, int]
    line: int
    is_settings: bool

    @property
    def source(self) -> str:
        """The Python in it; that after the change, if it shows one."""
        if self.language != "diff":
            return self.text
        return "".join(
            "\n" if line.startswith("-") else line[1:]
            for line in self.text.splitlines(keepends=True)
        )


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    content = read(page)
    return [
        Block(
            match[1],
            match[2],
            match.span(2),
            content.count("\n", 0, match.start()) + 2,
            content[: match.start()].rstrip().endswith(SETTINGS),
        )
        for match in FENCE.finditer(content)
    ]


def snippets(page: str) -> Iterator[tuple[Block, Block | None]]:
    """The Python blocks of a page, each with the block right after it that shows its output."""
    content = read(page)
    every = blocks(page)
    for block, following in zip_longest(every, every[1:]):
        if block.language in ("python", "diff"):
            is_shown = following is not None and following.language == "text"
            between = content[block.span[1] : following.span[0]] if is_shown else ""
            yield block, following if between.split() == ["```", "```text"] else None


def run(page: str, block: Block, namespace: dict[str, Any]) -> str:
    """What a snippet prints; its errors name the line of the page."""
    source = "\n" * (block.line - 1) + block.source
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, str(ROOT / page), "exec", dont_inherit=True), namespace)
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().rstrip().splitlines())


def rewrite(page: str, outputs: list[tuple[Block, str]]) -> None:
    """Write into a page what its snippets print; who runs the tests again sees them pass."""
    content = read(page)
    for shown, printed in reversed(outputs):
        start, end = shown.span
        content = content[:start] + printed + content[end:]
    (ROOT / page).write_text(content, encoding="utf-8")


def dotted_names(source: str) -> list[str]:
    """The strings in a settings snippet that name something to import."""
    strings = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    return [each for each in strings if isinstance(each, str) and DOTTED.fullmatch(each)]


def is_importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        with contextlib.suppress(ImportError):
            return import_string(name) is not None
        return False
    return True


def command_lines(page: str) -> list[list[str]]:
    """The commands of a page, split into words, without comments and environment variables."""
    result = []
    for block in blocks(page):
        if block.language not in ("console", "sh"):
            continue
        for line in block.text.replace("\\\n", " ").splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True)
            while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
                del words[0]
            if words:
                result.append(words)
    return result


@cache
def help_of(directory: Path, *arguments: str) -> str:
    """What ``python ARGUMENTS`` prints, which must be a success."""
    done = subprocess.run(
        [sys.executable, *arguments], cwd=directory, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def check_python(arguments: list[str], directory: Path) -> None:
    if arguments[0] == "-m":
        if arguments[1] != "venv":
            help_of(directory, "-m", arguments[1], "--help")
        return
    script, *options = arguments
    assert (directory / script).is_file()
    if Path(script).name == "manage.py":
        command, *options = options
        assert command in get_commands()
        text = help_of(directory, script, "help", command)
    else:
        text = help_of(directory, script, "--help")
    for option in options:
        if option.startswith("-"):
            assert option.partition("=")[0] in text


def check_make(arguments: list[str], directory: Path) -> None:
    makefile = (directory / "Makefile").read_text(encoding="utf-8")
    for argument in arguments:
        variable, is_assignment, _ = argument.partition("=")
        known = MAKE_VARIABLE if is_assignment else MAKE_TARGET
        assert variable in known.findall(makefile)


def check_pip(arguments: list[str], directory: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for extras in re.findall(r"\[([\w,]+)\]", " ".join(arguments)):
        assert set(extras.split(",")) <= set(project["project"]["optional-dependencies"])
    if arguments[0] == "uninstall":
        return
    if "--group" in arguments:
        assert arguments[arguments.index("--group") + 1] in project["dependency-groups"]


def check_curl(arguments: list[str], directory: Path) -> None:
    (url,) = (argument for argument in arguments if not argument.startswith("-"))
    host, _, path = url.removeprefix("http://").partition("/")
    path = f"/{path.partition('?')[0]}"
    if host.endswith(":5000"):  # where Flask's development server listens
        create_app({"FASTSCHEMA": False}).url_map.bind(host).match(path)
    else:
        resolve(path)


def check_flask(arguments: list[str], directory: Path) -> None:
    option, app, *arguments = arguments
    assert option == "--app"
    assert (directory / app).is_dir()
    commands = [each for each in arguments if each.islower() and not each.startswith("-")]
    assert "sage: " in help_of(directory, "-m", "flask", "--app", app, *commands, "--help")


def check_pytest(arguments: list[str], directory: Path) -> None:
    for argument in arguments:
        assert argument.startswith("-") or (directory / argument).exists()


def check_ruff(arguments: list[str], directory: Path) -> None:
    assert arguments[0] in ("check", "format")


CHECKS: dict[str, Callable[[list[str], Path], None]] = {
    "curl": check_curl,
    "flask": check_flask,
    "make": check_make,
    "pip": check_pip,
    "pytest": check_pytest,
    "python": check_python,
    "python3": check_python,
    "ruff": check_ruff,
}


def known_reasons() -> set[str]:
    """The reasons that the code gives for running as stock, with "..." for what varies."""
    reasons = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                if node.func.id in ("own_method", "UnreadableError"):
                    reasons.add(text_of(node.args[0]))
                elif node.func.id == "Report" and len(node.args) == 3:
                    reasons.add(text_of(node.args[2]))
            elif isinstance(node, ast.FunctionDef) and is_why(node):
                returned = [each for each in ast.walk(node) if isinstance(each, ast.Return)]
                reasons.update(text_of(each.value) for each in returned)
            elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
                mark, reason = node.elts
                if isinstance(mark, ast.Name) and mark.id == "_BY_STOCK":
                    reasons.add(text_of(reason))
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "reason":
                reasons.add(text_of(node.value))
    return {reason for reason in reasons if reason.strip(". ")}


def is_why(function: ast.FunctionDef) -> bool:
    """Whether a function returns a reason or None."""
    return function.returns is not None and ast.unparse(function.returns) == "str | None"


def text_of(node: ast.expr | None) -> str:
    """A string or f-string as it is written, with "..." for each expression; "" for others."""
    if isinstance(node, ast.JoinedStr):
        parts = [each.value if isinstance(each, ast.Constant) else "..." for each in node.values]
        return "".join(map(str, parts))
    return str(node.value) if isinstance(node, ast.Constant) and node.value else ""


def compiled_fields(direction: str) -> str:
    """The fields of marshmallow of which some options are compiled, as lines of a list."""
    names = set()
    for make_field in FIELDS_OF_MARSHMALLOW.values():
        report = fastschema.compile(schema_of(make_field)).explain()
        first = next(iter(report if direction == "dumping" else report.loading), None)
        if first is not None and first.compiled:  # a Function may not be loaded at all
            names.add(type(make_field()).__name__)
    spans = [f"`{name}`" for name in sorted(names)]
    lines = textwrap.wrap(", ".join(spans) + ";", 108, break_on_hyphens=False)
    return "".join(f"  {line}\n" for line in lines)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    content = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", content, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each).strip().lower().replace(" ", "-") for each in headings}


@pytest.fixture
def leave_no_trace() -> Iterator[None]:
    """Undo what snippets install."""
    rules = dict(fields.RULES)
    yield
    fastschema.uninstall()
    fastschema.contrib.django.install()  # as the example project's settings have it
    fields.RULES.clear()
    fields.RULES.update(rules)


@pytest.mark.parametrize("page", OTHER_PAGES)
@pytest.mark.usefixtures("leave_no_trace")
def test_every_snippet_runs_and_prints_what_the_page_shows(page):
    namespace: dict[str, Any] = {"__name__": f"documentation of {page}"}
    outputs = []
    for block, shown in snippets(page):
        if block.is_settings:
            continue
        printed = run(page, block, namespace)
        if shown is not None:
            outputs.append((shown, printed))
    if os.environ.get("REWRITE_DOCUMENTATION"):
        rewrite(page, outputs)
    for shown, printed in outputs:
        assert printed == shown.text, f"{page}, line {shown.line}"


def test_the_tests_that_the_page_about_testing_shows_pass(tmp_path):
    shown = tmp_path / "test_shown.py"
    shown.write_text("\n".join(block.source for block, _ in snippets("docs/testing.md")), "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:django", "-p", "no:cacheprovider", shown]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES)
def test_every_name_in_a_settings_snippet_can_be_imported(page):
    for block in blocks(page):
        if block.is_settings:
            names = dotted_names(block.source)
            assert names
            assert [name for name in names if not is_importable(name)] == []


@pytest.mark.parametrize("page", QUICK_STARTS)
def test_who_follows_a_quick_start_sees_what_it_shows(page, tmp_path):
    follow(ROOT / page, tmp_path)


@pytest.mark.parametrize("page", QUICK_STARTS)
def test_a_quick_start_is_read_in_two_minutes(page):
    assert len(read(page).split()) < 2 * WORDS_PER_MINUTE


@pytest.mark.parametrize("page", OTHER_PAGES)
def test_every_command_exists(page):
    directory = ROOT
    for program, *arguments in command_lines(page):
        if program == "cd":
            directory = (directory / arguments[0]).resolve()
            assert directory.is_dir()
        if program not in NO_ARGUMENTS_TO_CHECK:
            CHECKS[Path(program).name](arguments, directory)


@pytest.mark.parametrize("page", PAGES)
def test_every_internal_link_leads_to_a_file_and_its_heading(page):
    has_figures = (ROOT / "docs" / "figures").is_dir()
    for target in LINK.findall(FENCE.sub("", read(page))):
        if target.startswith(("http://", "https://")):
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / page).parent / name if name else ROOT / page
        if path.parent.name == "figures" and not has_figures:
            continue
        assert path.exists(), target
        if anchor:
            assert anchor in anchors(path), target


def test_the_landing_page_links_to_every_page_of_the_documentation():
    pages = {Path(page).name for page in PAGES if page.startswith("docs/")} - {"index.md"}
    assert pages <= set(LINK.findall(FENCE.sub("", read("docs/index.md"))))


def test_the_readme_links_to_the_landing_page_and_to_what_lies_beside_it():
    links = set(LINK.findall(read("README.md")))
    assert {"docs/index.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= links


def test_the_reference_of_the_api_has_every_public_name_and_no_other():
    public = {f"fastschema.{name}" for name in fastschema.__all__}
    public |= {f"fastschema.contrib.flask.{name}" for name in fastschema.contrib.flask.__all__}
    public |= {f"fastschema.contrib.django.{name}" for name in fastschema.contrib.django.__all__}
    listed = re.findall(r"^\.\. auto\w+:: ([\w.]+)", read("docs/api.md"), re.MULTILINE)
    assert public - set(listed) == set()
    assert [name for name in listed if not is_importable(name)] == []


def test_every_setting_is_in_the_reference_with_its_default():
    rows = dict(
        re.findall(r"^\| `([A-Z_]+)` \| `(\w+)` \|", read("docs/settings.md"), re.MULTILINE)
    )
    django = {name.upper(): default for name, default in asdict(conf.Settings()).items()}
    flask = {
        f"FASTSCHEMA_{name.upper()}": default
        for name, default in asdict(configuration.Settings()).items()
    }
    settings = {**flask, **django}
    assert rows == {name: repr(default) for name, default in settings.items()}


@pytest.mark.parametrize(
    "module",
    [marshmallow_installation, django_installation, django_filters_on_demand, adrf_representation],
)
def test_every_replaced_method_is_in_the_list_of_them(module):
    table = read("docs/patching.md").partition("## What is replaced")[2].partition("\n\nA ")[0]
    names = {part for name in re.findall(r"`([\w.]+)`", table) for part in name.split(".")}
    for owner, name, *_ in module._replacements._methods:
        assert {owner.__name__.rpartition(".")[2], name} <= names


def test_the_benchmarks_have_figures_exactly_if_they_were_measured():
    section = FIGURES.search(read("docs/benchmarks.md"))
    assert section is not None
    measured = (ROOT / "docs" / "figures" / "flights.json").is_file()
    assert (section[1].strip() != "none yet") is measured


def test_every_file_that_a_page_names_exists():
    missing = []
    for page in PAGES:
        for span in CODE_SPAN.findall(FENCE.sub("", read(page))):
            if re.match(r"(src|tests|docs|benchmarks|example_project)/[\w/.-]+$", span):
                name = span.rstrip("/")
                is_made = name.startswith(("docs/figures", "docs/_build", "benchmarks/results"))
                if not is_made and not (ROOT / name).exists():
                    missing.append((page, span))
    assert missing == []


def test_every_reason_for_running_as_stock_is_explained():
    explained = re.sub(r"\s+", " ", read("docs/explain.md"))
    reasons = known_reasons()
    assert len(reasons) > 20
    assert {reason for reason in reasons if f"`{reason}`" not in explained} == set()


def test_every_explained_reason_is_one_that_the_code_gives():
    rows = re.findall(r"^\| `([^`]+)` \|", read("docs/explain.md"), re.MULTILINE)
    assert rows
    assert set(rows) - known_reasons() == set()


@pytest.mark.parametrize("direction", ["dumping", "loading"])
def test_the_lists_of_compiled_fields_follow_from_the_rules(direction):
    page, mark = "docs/marshmallow.md", f"compiled for {direction} -->\n"
    before, _, rest = read(page).partition(f"  <!-- {mark}")
    shown, _, after = rest.partition(f"  <!-- /{mark}")
    compiled = compiled_fields(direction)
    if os.environ.get("REWRITE_DOCUMENTATION"):
        text = f"{before}  <!-- {mark}{compiled}  <!-- /{mark}{after}"
        (ROOT / page).write_text(text, encoding="utf-8")
        shown = compiled
    assert shown == compiled


def test_every_field_of_drf_has_a_rule_as_the_page_says():
    without = {
        cls.__name__
        for module in (rest_framework.fields, rest_framework.relations)
        for cls in vars(module).values()
        if isinstance(cls, type) and issubclass(cls, rest_framework.fields.Field)
        if cls.to_representation not in rules_of_drf.RULES
    }
    # Two are abstract, and the third is only written.
    assert without == {"Field", "RelatedField", "HiddenField"}


def test_the_changelog_has_the_version_of_the_package():
    assert f"## {fastschema.__version__} " in read("CHANGELOG.md")
