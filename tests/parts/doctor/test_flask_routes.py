"""The views of an application, as the doctor tells of them."""

import pytest
from flask.views import MethodView

from fastschema.doctor.flask import views
from tests.promises.flask.schemas import AlbumSchema, BandSchema

MISSING = "PyPy's tests run without the frameworks on top of Flask"
APIFlask = pytest.importorskip("apiflask", reason=MISSING).APIFlask
flask_smorest = pytest.importorskip("flask_smorest", reason=MISSING)
BAND = "tests.promises.flask.schemas:BandSchema"


@pytest.fixture
def found(app):
    return lambda: {each.view: each.schema for each in views(app)}


@pytest.mark.parametrize("schema", [BandSchema, BandSchema(many=True)])
def test_the_schema_of_a_decorated_view_is_known(app, fast, found, schema):
    @app.get("/bands")
    @fast.output(schema)
    def bands():
        return []

    @app.get("/async")
    @fast.output(schema)
    async def async_bands():
        return []

    assert found() == {"GET /bands (bands)": BAND, "GET /async (async_bands)": BAND}


def test_the_methods_of_a_class_are_views_of_their_own(app, fast, found):
    class Bands(MethodView):
        @fast.output(BandSchema, many=True)
        def get(self):
            return []

        def post(self):
            return {}

    app.add_url_rule("/bands", view_func=Bands.as_view("bands"))

    assert found() == {"GET /bands (bands)": BAND, "POST /bands (bands)": ""}


ALBUM = "tests.promises.flask.schemas:AlbumSchema"


def told(app):
    return {each.view: (each.schema, each.how) for each in views(app) if "/bands" in each.view}


def test_the_decorators_of_flask_smorest_name_schemas(make_app):
    app = make_app(API_TITLE="x", API_VERSION="1", OPENAPI_VERSION="3.0.2")
    blueprint = flask_smorest.Blueprint("bands", "bands", url_prefix="/bands")

    @blueprint.route("/")
    class Bands(MethodView):
        @blueprint.response(200, BandSchema(many=True))
        def get(self):
            return []

        @blueprint.arguments(AlbumSchema)
        @blueprint.response(201, BandSchema)
        def post(self, data):
            return {}

        @blueprint.response(204)
        def delete(self):
            return None

    @blueprint.route("/one")
    @blueprint.response(200, BandSchema)
    def one():
        return {}

    flask_smorest.Api(app).register_blueprint(blueprint)

    assert told(app) == {
        "DELETE /bands/ (bands.Bands)": ("", ""),
        "GET /bands/ (bands.Bands)": (BAND, ""),
        "POST /bands/ (bands.Bands)": (BAND, f"takes {ALBUM}"),
        "GET /bands/one (bands.one)": (BAND, ""),
    }


def test_the_decorators_of_apiflask_name_schemas():
    app = APIFlask("bands")

    @app.post("/bands")
    @app.input(AlbumSchema)
    @app.input(BandSchema, location="query")
    @app.output(BandSchema, status_code=201)
    def add(json_data, query_data):
        return {}

    assert told(app) == {"POST /bands (add)": (BAND, f"takes {ALBUM}, {BAND}")}
