"""What ``FastSchema(app)`` does to an application."""

import subprocess
import sys

import pytest
from flask import Blueprint, Flask
from marshmallow.schema import Schema as StockSchema

from fastschema.contrib.flask import FastJSONProvider, FastSchema
from tests.promises.flask.schemas import BandSchema

BANDS = [{"name": "Can"}]


def is_installed():
    return "fastschema" in StockSchema.dump.__globals__["__name__"]


def test_a_second_call_does_nothing(app):
    provider, extension = app.json, app.extensions["fastschema"]
    app.config["FASTSCHEMA_CHUNK_SIZE"] = 7
    FastSchema(app)

    assert app.json is provider
    assert app.extensions["fastschema"] is extension


@pytest.mark.at_once
def test_a_factory_makes_applications_that_know_nothing_of_each_other():
    fast = FastSchema()

    def create_app():
        app = Flask("app")
        fast.init_app(app)

        @app.get("/")
        @fast.output(BandSchema, many=True)
        def view():
            return BANDS

        return app

    first, second = create_app(), create_app()
    first.json.sort_keys = False

    assert first.json is not second.json
    assert second.json.sort_keys
    assert [app.test_client().get("/").json for app in (first, second)] == [BANDS, BANDS]


def test_an_application_without_the_extension_is_told(fast):
    app = Flask("other")
    with app.test_request_context(), pytest.raises(RuntimeError, match="'other' has no FastSchema"):
        fast.response(BandSchema, {})


def test_the_defaults_are_in_the_configuration(app):
    found = {key: value for key, value in app.config.items() if key.startswith("FASTSCHEMA_")}
    assert found == {
        "FASTSCHEMA_INSTALL": True,
        "FASTSCHEMA_JSON_PROVIDER": True,
        "FASTSCHEMA_CHUNK_SIZE": 150,
        "FASTSCHEMA_LOAD_RELATIONS": False,
        "FASTSCHEMA_SHADOW": 0,
        "FASTSCHEMA_SHADOW_VALUES": False,
        "FASTSCHEMA_ENABLED": True,
        "FASTSCHEMA_DISABLED": False,
    }


def test_marshmallow_can_be_left_alone(make_app, fast):
    app = make_app(FASTSCHEMA_INSTALL=False)

    assert not is_installed()
    with app.test_request_context():
        assert fast.response(BandSchema(many=True), BANDS).json == BANDS


SETTINGS = "The settings are FASTSCHEMA_INSTALL, FASTSCHEMA_JSON_PROVIDER, "


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("FASTSCHEMA_INSTALL", "no", "must be .*'no'"),
        ("FASTSCHEMA_CHUNK_SIZE", 0, "must be .*0"),
        ("FASTSCHEMA_CHUNK_SIZE", "150", "must be .*'150'"),
        ("FASTSCHEMA_CHUNKSIZE", 5, "is not a setting. Did you mean FASTSCHEMA_CHUNK_SIZE?"),
        ("FASTSCHEMA_ZZZZZZZZZZZZ", 5, f"is not a setting. {SETTINGS}"),
    ],
)
def test_a_wrong_setting_is_an_error_and_changes_nothing(key, value, message):
    app = Flask("app")
    app.config[key] = value
    with pytest.raises(ValueError, match=f"{key} {message}"):
        FastSchema(app)

    assert "fastschema" not in app.extensions
    assert not isinstance(app.json, FastJSONProvider)


HIDING = """
from importlib import metadata

def version(package, found=metadata.version):
    if package == {name!r}:
        raise metadata.PackageNotFoundError(package)
    return found(package)

metadata.version = version
try:
    import fastschema.contrib.flask
except ModuleNotFoundError as error:
    print(error)
"""


@pytest.mark.parametrize(("name", "least"), [("flask", "2.2"), ("marshmallow", "3.26")])
def test_importing_it_without_what_it_needs_gives_one_clear_message(name, least):
    done = subprocess.run(
        [sys.executable, "-c", HIDING.format(name=name)], capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        f"fastschema.contrib.flask needs {name}, which is not installed: "
        f"pip install '{name}>={least}'\n"
    )


@pytest.mark.parametrize("app", [Blueprint("albums", __name__), __name__])
def test_what_is_no_application_is_an_error(app):
    with pytest.raises(TypeError, match="FastSchema takes the Flask application, not"):
        FastSchema(app)
