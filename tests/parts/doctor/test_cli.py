"""python -m fastschema."""

import json
import subprocess
import sys

import pytest
from marshmallow import Schema, fields

from fastschema import Plan, compile
from fastschema.doctor.cli import main
from tests.profiles import profile_by_length


class ShipSchema(Schema):
    name = fields.String()


class Own(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return value


class OwnSchema(Schema):
    own = Own()


ROWS = [{"name": "a"}, {"name": "b"}]
SHIP = f"{__name__}:ShipSchema"
OWN = f"{__name__}:OwnSchema"


def failed(*arguments):
    """The exit status of a command that fails."""
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    return raised.value.code


@pytest.fixture
def _profiling(monkeypatch):
    monkeypatch.setattr(Plan, "profile", profile_by_length)


def test_a_schema_is_told_of_in_detail(capsys):
    main([SHIP])
    assert capsys.readouterr().out == (
        f"{SHIP}\n\n{compile(ShipSchema).explain()}\n\nSchemas and fields that run as stock: none\n"
    )


def test_ci_can_fail_on_what_runs_as_stock(capsys):
    assert failed(SHIP, OWN, "--fail-on-stock", "--json") == 1

    printed = capsys.readouterr()
    assert json.loads(printed.out)["stock"][0]["where"] == f"{OWN}.own"
    assert printed.err == f"fastschema: these schemas and fields run as stock: {OWN}.own\n"


def test_how_schemas_load_can_be_left_out(capsys):
    main([SHIP, "--dump-only"])
    assert "loading" not in capsys.readouterr().out


@pytest.mark.usefixtures("_profiling")
def test_a_profile_shows_what_fields_cost(capsys, tmp_path):
    file = tmp_path / "profile.svg"

    main([SHIP, "--profile", f"{__name__}:ROWS", "--svg", str(file)])

    printed = capsys.readouterr().out
    assert f"Profile of {SHIP}\nname 2.0\n" in printed
    assert "Fields that cost most\n  name, in " in printed
    assert f"The picture of {SHIP} is in {file}.\n" in printed
    assert file.read_text() == "<svg>name</svg>"


def test_a_profile_is_one_of_a_real_dump(capsys, tmp_path):
    file = tmp_path / "profile.svg"

    main([SHIP, "--profile", f"{__name__}:ROWS", "--svg", str(file), "--json"])

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
        ([SHIP, "--profile", "nowhere:rows"], "nowhere:rows cannot be imported"),
        ([SHIP, "--source", "--access", "odd"], "access must be one of"),
    ],
)
def test_what_is_not_there_is_an_error_in_a_line(capsys, arguments, message):
    assert failed(*arguments) == 1

    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"fastschema: {message}")


@pytest.mark.parametrize(
    "arguments", [[], [SHIP, "--svg", "profile.svg"], ["--profile", f"{__name__}:ROWS"]]
)
def test_arguments_that_make_no_sense_are_refused_with_the_usage(capsys, arguments):
    assert failed(*arguments) == 2
    assert capsys.readouterr().err.startswith("usage: python -m fastschema ")


def test_source_prints_the_generated_code(capsys):
    main([SHIP, "--source", "--form", "json"])
    assert capsys.readouterr().out == f"{compile(ShipSchema).source('json')}\n"


def test_the_module_runs_and_says_its_versions():
    command = [sys.executable, "-m", "fastschema", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("fastschema ")
    assert "marshmallow " in " ".join(done.stdout.split())  # it is wrapped
