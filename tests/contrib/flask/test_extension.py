"""What ``FastSchema(app)`` does to an application."""

import re
import subprocess
import sys

import pytest
from flask import Blueprint, Flask, jsonify
from marshmallow import Schema, fields
from marshmallow.schema import Schema as StockSchema

import fastschema
from fastschema.contrib.flask import FastJSONProvider, FastSchema
from tests.contrib.flask.schemas import BandSchema

BANDS = [{"name": "Can"}]


def is_installed():
    return "fastschema" in StockSchema.dump.__globals__["__name__"]


def test_one_line_installs_plans_and_the_provider():
    app = Flask("app")
    FastSchema(app)

    assert is_installed()
    assert isinstance(app.json, FastJSONProvider)


def test_an_unchanged_view_is_compiled(app):
    @app.get("/")
    def view():
        return jsonify(BandSchema(many=True).dump(BANDS))

    before = fastschema.stats().compiled_rows
    assert app.test_client().get("/").json == BANDS
    assert fastschema.stats().compiled_rows == before + 1


def test_a_second_call_does_nothing(app):
    provider, extension = app.json, app.extensions["fastschema"]
    app.config["FASTSCHEMA_CHUNK_SIZE"] = 7
    FastSchema(app)

    assert app.json is provider
    assert app.extensions["fastschema"] is extension


def test_a_factory_makes_applications_that_know_nothing_of_each_other():
    fast = FastSchema()

    def create_app(chunk_size):
        app = Flask("app")
        app.config["FASTSCHEMA_CHUNK_SIZE"] = chunk_size
        fast.init_app(app)

        @app.get("/")
        @fast.output(BandSchema, many=True)
        def view():
            return BANDS

        @app.get("/stream")
        def stream():
            return fast.stream(BandSchema, BANDS * 3)

        return app

    first, second = create_app(1), create_app(2)
    first.json.sort_keys = False
    chunks = [
        list(app.test_client().get("/stream", buffered=False).iter_encoded())
        for app in (first, second)
    ]

    assert first.json is not second.json
    assert second.json.sort_keys
    assert [app.test_client().get("/").json for app in (first, second)] == [BANDS, BANDS]
    assert [len(each) for each in chunks] == [5, 4]


def test_views_of_blueprints_use_it(app, fast):
    blueprint = Blueprint("bands", "bands", url_prefix="/bands")

    @blueprint.get("/")
    @fast.output(BandSchema, many=True)
    def view():
        return BANDS

    app.register_blueprint(blueprint)
    assert app.test_client().get("/bands/").json == BANDS


def test_an_application_without_the_extension_is_told(fast):
    app = Flask("other")
    with app.test_request_context(), pytest.raises(RuntimeError, match="'other' has no FastSchema"):
        fast.response(BandSchema, {})


def test_without_an_application_flask_says_so(fast):
    with pytest.raises(RuntimeError, match="application context"):
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


def test_the_provider_can_be_left_alone(make_app):
    assert not isinstance(make_app(FASTSCHEMA_JSON_PROVIDER=False).json, FastJSONProvider)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("FASTSCHEMA_INSTALL", "no"),
        ("FASTSCHEMA_JSON_PROVIDER", None),
        ("FASTSCHEMA_CHUNK_SIZE", 0),
        ("FASTSCHEMA_CHUNK_SIZE", "150"),
        ("FASTSCHEMA_CHUNK_SIZE", True),
    ],
)
def test_a_wrong_value_in_the_configuration_is_an_error_and_changes_nothing(key, value):
    app = Flask("app")
    app.config[key] = value
    with pytest.raises(ValueError, match=f"{key} must be .*{value!r}"):
        FastSchema(app)

    assert "fastschema" not in app.extensions
    assert not isinstance(app.json, FastJSONProvider)


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("FASTSCHEMA_CHUNKSIZE", "Did you mean FASTSCHEMA_CHUNK_SIZE?"),
        (
            "FASTSCHEMA_ZZZZZZZZZZZZ",
            "The settings are FASTSCHEMA_INSTALL, FASTSCHEMA_JSON_PROVIDER, ",
        ),
    ],
)
def test_an_unknown_key_in_the_configuration_is_an_error(key, hint):
    app = Flask("app")
    app.config[key] = 5
    with pytest.raises(ValueError, match=re.escape(f"{key} is not a setting. {hint}")):
        FastSchema(app)


def test_schemas_defined_later_are_compiled(app):
    class LateSchema(Schema):
        name = fields.String()

    before = fastschema.stats().compiled_rows
    LateSchema().dump({"name": "late"})
    assert fastschema.stats().compiled_rows == before + 1


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


def test_importing_it_imports_neither_django_nor_sqlalchemy_nor_flask_marshmallow():
    script = (
        "import sys, fastschema.contrib.flask\n"
        "print([name for name in ('django', 'rest_framework', 'sqlalchemy', 'flask_marshmallow')"
        " if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


WITHOUT_ORJSON = """
import datetime, sys
sys.modules["orjson"] = None
from flask import Flask, jsonify
from fastschema.contrib.flask import FastSchema
from marshmallow import Schema, fields

class AlbumSchema(Schema):
    title = fields.String()
    released = fields.Date()

app = Flask("app")
fast = FastSchema(app)
rows = [{"title": "\xe9", "released": datetime.date(1971, 6, 22)}] * 2
with app.test_request_context():
    schema = AlbumSchema(many=True)
    expected = jsonify(schema.dump(rows)).data
    assert fast.response(schema, rows).data == expected
    assert fast.stream(schema, rows).data == expected
    print(expected.decode())
"""


def test_without_orjson_the_answers_are_the_same():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_ORJSON], capture_output=True, text=True, check=True
    )
    row = '{"released":"1971-06-22","title":"\\u00e9"}'
    assert done.stdout.strip() == f"[{row},{row}]"


@pytest.mark.parametrize("app", [Blueprint("albums", __name__), __name__])
def test_what_is_no_application_is_an_error(app):
    with pytest.raises(TypeError, match="FastSchema takes the Flask application, not"):
        FastSchema(app)
