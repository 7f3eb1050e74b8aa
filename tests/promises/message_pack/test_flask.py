"""MessagePack responses hold the values of JSON responses."""

import json

import msgpack
import pytest

from tests.promises.flask.schemas import AlbumSchema, album, albums
from tests.promises.flask.test_responses import VALUES

MESSAGE_PACK = "application/vnd.msgpack"
NOT_PACKED = ("huge integers", "lone surrogate")
"""Values that MessagePack cannot hold."""


def packed(app, fast, schema, rows, **options):
    with app.test_request_context():
        response = fast.response(schema, rows, format="msgpack", **options)
        assert response.mimetype == MESSAGE_PACK
        return msgpack.unpackb(response.get_data())


@pytest.mark.parametrize("many", [True, False])
@pytest.mark.parametrize("name", [name for name in VALUES if name not in NOT_PACKED])
def test_the_values_are_those_of_json(app, fast, name, many):
    row = album(**VALUES[name])
    rows = [row, album()] if many else row
    with app.test_request_context():
        try:
            expected = fast.response(AlbumSchema(), rows, many).json
        except Exception as error:
            if name != "mixed keys":  # which JSON cannot sort
                with pytest.raises(type(error)):
                    packed(app, fast, AlbumSchema(), rows, many=many)
            return
    got = packed(app, fast, AlbumSchema(), rows, many=many)
    # As text, since NaN is not equal to itself.
    assert json.dumps(got, sort_keys=True) == json.dumps(expected, sort_keys=True)


@pytest.mark.parametrize("name", NOT_PACKED)
def test_a_value_that_does_not_fit_is_named(app, fast, name):
    with pytest.raises(ValueError, match=r"AlbumSchema, field '.+': MessagePack cannot hold"):
        packed(app, fast, AlbumSchema(), album(**VALUES[name]))


@pytest.mark.parametrize(
    ("accept", "mimetype"),
    [
        (None, "application/json"),
        (MESSAGE_PACK, MESSAGE_PACK),
        (f"application/json;q=0.5, {MESSAGE_PACK}", MESSAGE_PACK),
        (f"application/json, {MESSAGE_PACK};q=0.5", "application/json"),
    ],
)
def test_the_client_may_choose(app, fast, accept, mimetype):
    @app.get("/albums")
    @fast.output(AlbumSchema(many=True), format="accept")
    def show():
        return albums(3), 201

    response = app.test_client().get("/albums", headers={"Accept": accept} if accept else {})
    assert (response.status_code, response.mimetype) == (201, mimetype)
    assert response.headers["Vary"] == "Accept"


def test_a_format_that_there_is_not_is_refused(app, fast):
    message = r"format must be one of json, msgpack, accept, not 'xml'"
    with app.test_request_context(), pytest.raises(ValueError, match=message):
        fast.response(AlbumSchema(), album(), format="xml")
    with pytest.raises(ValueError, match=message):
        fast.output(AlbumSchema, format="xml")
