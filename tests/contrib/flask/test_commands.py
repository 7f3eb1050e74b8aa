"""``flask fastschema``."""

import json
import subprocess
import sys

import pytest
from marshmallow import Schema, fields

from tests.contrib.flask.schemas import BandSchema

NAME = f"{__name__}.ListedSchema"


class ListedSchema(Schema):
    title = fields.String()
    band = fields.Nested(BandSchema)


class NeedySchema(Schema):
    name = fields.String()

    def __init__(self, tenant):
        super().__init__()


class OverridingSchema(Schema):
    name = fields.String()

    def dump(self, obj, *, many=None):
        return super().dump(obj, many=many)


class Own(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return value


class TwiceSchema(Schema):
    name = fields.String()
    own = Own()


class Elsewhere:
    class TwiceSchema(Schema):
        name = fields.String()


@pytest.fixture
def run(app):
    runner = app.test_cli_runner()
    return lambda *arguments: runner.invoke(args=["fastschema", "explain", *arguments])


def line(output, name):
    return next(each for each in output.splitlines() if each.split()[0] == name)


def test_every_schema_of_the_registry_is_listed(run):
    done = run()

    assert done.exit_code == 0
    assert "3 of 3 fields compiled; loading: 3 of 3 fields compiled" in line(done.output, NAME)
    assert "1 of 2 fields compiled" in line(done.output, f"{__name__}.TwiceSchema")
    assert "runs as stock, because dump is overridden" in line(
        done.output, f"{__name__}.OverridingSchema"
    )
    assert "cannot be made without arguments" in line(done.output, f"{__name__}.NeedySchema")
    listed = done.output.splitlines()
    assert listed[-1] == f"{len(listed) - 1} schemas"
    assert not any(each.startswith("marshmallow.") for each in listed)


def test_the_list_can_be_json(run):
    listed = json.loads(run("--json").output)

    assert listed[NAME]["fields"] == 3
    assert listed[f"{__name__}.TwiceSchema"] == {
        "fields": 2,
        "compiled": 1,
        "why": "",
        "loading": {"fields": 2, "compiled": 2, "why": ""},
    }
    assert "error" in listed[f"{__name__}.NeedySchema"]


@pytest.mark.parametrize("name", [NAME, "ListedSchema", f"{__name__}:ListedSchema"])
def test_one_schema_is_told_in_detail(run, name):
    done = run(name)

    assert done.exit_code == 0
    assert done.output.startswith("ListedSchema: ")
    assert "band.name" in done.output


def test_the_details_can_be_json(run):
    report = json.loads(run("ListedSchema", "--json").output)
    assert (report["schema"], len(report["fields"])) == ("ListedSchema", 3)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NoSuchSchema", "no schema has the name NoSuchSchema"),
        ("TwiceSchema", "2 schemas have the name TwiceSchema"),
        ("nowhere.at.all:Schema", "cannot be imported"),
        ("NeedySchema", "cannot be made without arguments"),
    ],
)
def test_a_name_that_leads_to_no_schema_is_an_error(run, name, message):
    done = run(name)

    assert done.exit_code == 1
    assert message in done.output


def test_it_is_a_command_of_flask():
    command = ["-m", "flask", "--app", "tests.contrib.flask.served", "fastschema", "explain"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    assert "BandSchema" in done.stdout
