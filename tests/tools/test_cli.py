"""python -m fastschema."""

import contextlib
import io
import json
import re
import subprocess
import sys

import pytest
from marshmallow import Schema, fields

from fastschema import Plan, compile
from fastschema.tools.cli import main
from tests.profiles import profile_by_length


class ShipSchema(Schema):
    name = fields.String()


class Own(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return value


class OwnSchema(Schema):
    own = Own()


class BracketsSchema(Schema):
    own = Own(data_key="[red]" + "1 " * 200)


ROWS = [{"name": "a"}, {"name": "b"}]
SHIP = f"{__name__}:ShipSchema"
OWN = f"{__name__}:OwnSchema"
BRACKETS = f"{__name__}:BracketsSchema"
CODE = re.compile(r"\x1b\[[\d;]*m")


class Terminal(io.StringIO):
    """Where people look."""

    def isatty(self):
        return True


@pytest.fixture
def on_terminal(monkeypatch):
    """A function that runs the command on a terminal with colours, and returns what it shows."""
    monkeypatch.delenv("NO_COLOR", raising=False)

    def run(*arguments):
        with contextlib.redirect_stdout(Terminal()) as shown:
            main(arguments)
        return shown.getvalue()

    return run


@pytest.fixture
def _profiling(monkeypatch):
    monkeypatch.setattr(Plan, "profile", profile_by_length)


def test_a_schema_is_told_of_in_detail(capsys):
    assert main([SHIP]) == 0

    printed = capsys.readouterr().out
    assert printed.startswith(f"{SHIP}\n    dumping: 1 compiled, 0 custom, 0 stock\n")
    assert f"\n\n{compile(ShipSchema).explain()}\n" in printed
    assert printed.endswith("\n\nNo schema and no field runs as stock.\n")


def test_several_schemas_are_told_of_at_once(capsys):
    main([SHIP, OWN])

    printed = capsys.readouterr().out
    assert [line for line in printed.splitlines() if line in (SHIP, OWN)] == [SHIP, OWN]


def test_dots_only_will_do(capsys):
    assert main([f"{__name__}.ShipSchema"]) == 0
    assert "ShipSchema: 1 of 1 fields compiled" in capsys.readouterr().out


def test_it_prints_json(capsys):
    main([SHIP, "--json"])

    printed = json.loads(capsys.readouterr().out)
    assert [each["path"] for each in printed["schemas"]] == [SHIP]


def test_ci_can_fail_on_what_runs_as_stock(capsys):
    assert main([SHIP, OWN, "--fail-on-stock", "--json"]) == 1

    printed = capsys.readouterr()
    assert json.loads(printed.out)["stock"][0]["where"] == f"{OWN}.own"
    assert printed.err == f"fastschema: 1 field runs as stock: {OWN}.own\n"


def test_ci_passes_where_nothing_does(capsys):
    assert main([SHIP, "--fail-on-stock"]) == 0
    assert capsys.readouterr().err == ""


def test_how_schemas_load_can_be_left_out(capsys):
    main([SHIP, "--dump-only"])
    assert "loading" not in capsys.readouterr().out


@pytest.mark.usefixtures("_profiling")
def test_a_profile_shows_what_fields_cost(capsys, tmp_path):
    file = tmp_path / "profile.svg"

    assert main([SHIP, "--profile", f"{__name__}:ROWS", "--svg", str(file)]) == 0

    printed = capsys.readouterr().out
    assert f"Profile of {SHIP}\nname 2.0\n" in printed
    assert "Fields that cost most\n  name, in " in printed
    assert f"The picture of {SHIP} is in {file}.\n" in printed
    assert file.read_text() == "<svg>name</svg>"


def test_a_profile_is_one_of_a_real_dump(capsys, tmp_path):
    file = tmp_path / "profile.svg"

    assert main([SHIP, "--profile", f"{__name__}:ROWS", "--svg", str(file), "--json"]) == 0

    [cost] = json.loads(capsys.readouterr().out)["slowest"]
    assert (cost["where"], cost["key"], cost["compiled"]) == (SHIP, "name", True)
    assert "<svg" in file.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nowhere:ShipSchema"],
            "nowhere:ShipSchema cannot be imported: No module named 'nowhere'",
        ),
        (["math:pi"], "math:pi cannot be read: builtins.float is not a schema"),
        ([SHIP, "--svg", "profile.svg"], "--svg needs --profile"),
        ([SHIP, "--profile", "nowhere:rows"], "nowhere:rows cannot be imported"),
        (["explain", "nowhere:ShipSchema"], "nowhere:ShipSchema cannot be imported"),
    ],
)
def test_what_is_not_there_is_an_error_in_a_line(capsys, arguments, message):
    assert main(arguments) == 1

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"fastschema: {message}")


@pytest.mark.usefixtures("_profiling")
def test_a_picture_that_cannot_be_written_is_an_error(capsys, tmp_path):
    file = tmp_path / "nowhere" / "profile.svg"

    assert main([SHIP, "--profile", f"{__name__}:ROWS", "--svg", str(file)]) == 1
    assert "No such file or directory" in capsys.readouterr().err


def test_explain_prints_the_table_alone(capsys):
    assert main(["explain", SHIP]) == 0
    assert capsys.readouterr().out == f"{compile(ShipSchema).explain()}\n"


def test_explain_prints_json(capsys):
    main(["explain", SHIP, "--json"])
    assert json.loads(capsys.readouterr().out) == compile(ShipSchema).explain().as_dict()


def test_source_prints_the_generated_code(capsys):
    assert main(["source", SHIP, "--form", "json", "--many"]) == 0
    assert capsys.readouterr().out == f"{compile(ShipSchema).source('json', many=True).rstrip()}\n"


def test_what_is_piped_has_no_colours(capsys):
    main([OWN])
    assert "\x1b" not in capsys.readouterr().out


def test_a_terminal_has_colours(on_terminal):
    assert "\x1b[31m1 field runs as stock.\x1b[0m\n" in on_terminal(OWN)


def test_colours_leave_the_text_as_it_is(on_terminal, capsys):
    main([BRACKETS])

    assert CODE.sub("", on_terminal(BRACKETS)) == capsys.readouterr().out


@pytest.mark.parametrize("way", ["--no-color", "NO_COLOR"])
def test_colours_can_be_turned_off(on_terminal, monkeypatch, way):
    if way == "NO_COLOR":
        monkeypatch.setenv("NO_COLOR", "1")

    shown = on_terminal(OWN, *([way] if way == "--no-color" else []))

    assert "1 field runs as stock.\n" in shown
    assert "\x1b" not in shown


def test_the_module_runs_and_says_its_versions():
    command = [sys.executable, "-m", "fastschema", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("fastschema ")
    assert "marshmallow " in done.stdout
