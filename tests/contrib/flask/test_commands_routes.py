"""The views of an application, as the doctor tells of them."""

import pytest
from flask.views import MethodView

from fastschema.contrib.flask.commands import views
from tests.contrib.flask.schemas import BandSchema

BAND = "tests.contrib.flask.schemas:BandSchema"


@pytest.fixture
def found(app):
    return lambda: {each.view: each.schema for each in views(app)}


def test_a_view_says_its_method_path_and_name(app, found):
    @app.get("/bands/<name>")
    def band(name):
        return {}

    assert found() == {"GET /bands/<name> (band)": ""}


def test_each_method_is_told_of(app, found):
    @app.route("/bands", methods=["POST", "GET"])
    def bands():
        return {}

    assert list(found()) == ["GET /bands (bands)", "POST /bands (bands)"]


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


def test_static_files_are_no_views(app, found):
    assert "static" in app.view_functions
    assert found() == {}
