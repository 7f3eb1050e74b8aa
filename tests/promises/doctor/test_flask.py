"""``flask fastschema``."""

import json
import subprocess
import sys

import pytest
from marshmallow import Schema, fields

from tests.promises.flask.schemas import BandSchema

NAME = f"{__name__}:ListedSchema"


class ListedSchema(Schema):
    title = fields.String()
    band = fields.Nested(BandSchema)


class NeedySchema(Schema):
    name = fields.String()

    def __init__(self, tenant):
        super().__init__()


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
def doctor(app):
    runner = app.test_cli_runner()
    return lambda *words, **options: runner.invoke(args=["fastschema", *words], **options)


@pytest.mark.at_once
def test_it_is_a_command_of_flask():
    app = "tests.promises.flask.streaming.served"
    command = ["-m", "flask", "--app", app, "fastschema", "--all"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    assert "BandSchema" in done.stdout


class TestDoctor:
    """``flask fastschema``."""

    def test_it_tells_of_views_and_schemas(self, app, fast, doctor):
        app.get("/plain")(dict)
        app.get("/bands", endpoint="bands")(fast.output(BandSchema)(list))

        done = doctor("--all")

        assert done.exit_code == 0
        assert ("Views\n  GET /plain (dict)\n  GET /bands (bands): tests") in done.output
        assert f"  {NAME}\n      dumping: 3 compiled, 0 custom, 0 stock\n" in done.output
        assert (
            f"  {__name__}:TwiceSchema.own (dump): fastschema cannot compile Own._serialize\n"
            in done.output
        )
        assert "fastschema knows the schemas of a view if a decorator names them" in done.output
        assert "\nSchemas and fields that run as stock: " in done.output

    @pytest.mark.parametrize("key", ["FASTSCHEMA_DISABLED", "FASTSCHEMA_ENABLED"])
    def test_it_says_that_the_application_is_switched_off(self, make_app, doctor, key):
        note = "switches fastschema off for this application"
        off = make_app(**{key: key == "FASTSCHEMA_DISABLED"})
        assert note in off.test_cli_runner().invoke(args=["fastschema"]).output
        assert note not in doctor().output

    @pytest.mark.parametrize("name", [NAME, "ListedSchema", f"{__name__}.ListedSchema"])
    def test_it_tells_of_one_schema_in_detail(self, doctor, name):
        done = doctor(name)

        assert done.output.startswith(f"{NAME}\n\nListedSchema: 3 of 3 fields compiled\nkey ")

    def test_it_prints_json(self, app, doctor):
        app.get("/plain")(dict)

        printed = json.loads(doctor("--json").output)

        assert printed["views"] == [
            {
                "view": "GET /plain (dict)",
                "schema": "",
                "how": "",
                "endpoint": "dict",
            }
        ]
        assert NAME in [each["path"] for each in printed["schemas"]]

    def test_ci_can_fail_on_what_runs_as_stock(self, doctor):
        done = doctor(f"{__name__}:TwiceSchema", "--fail-on-stock")

        assert done.exit_code == 1
        assert f"run as stock: {__name__}:TwiceSchema.own\n" in done.output

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["NoSuchSchema"], "no schema of the application has the name NoSuchSchema"),
            (["TwiceSchema"], "2 schemas have the name TwiceSchema; say which"),
            (["nowhere.at.all:Schema"], "nowhere.at.all:Schema cannot be imported"),
            (["NeedySchema"], "cannot be read: "),
        ],
    )
    def test_what_is_not_there_is_a_clear_error(self, doctor, arguments, message):
        done = doctor(*arguments)

        assert done.exit_code == 1
        assert message in done.output

    def test_help_names_its_options(self, doctor):
        printed = doctor("--help").output
        assert "usage: flask fastschema " in printed
        assert "--source" in printed
