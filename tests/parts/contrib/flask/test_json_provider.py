"""What the JSON provider leaves to Flask's own."""

import pytest
from flask import Flask, jsonify

from fastschema.contrib.flask import FastJSONProvider, FastSchema
from fastschema.contrib.flask.json_provider import encode
from tests.marks import needs_orjson
from tests.promises.flask.schemas import BandSchema
from tests.promises.flask.test_json_provider import VALUES


@pytest.mark.parametrize(
    "name", ["html", "dataclass", "enum", "nan", "subclasses", "lone surrogate"]
)
@needs_orjson
def test_what_orjson_would_write_otherwise_is_left_to_flask(name):
    provider = FastJSONProvider(Flask("app"))

    assert encode(provider, VALUES[name]()) is None


class ShoutingFast(FastJSONProvider):
    def dumps(self, obj, **kwargs):
        return super().dumps(obj, **kwargs).upper()


@needs_orjson
def test_a_method_that_a_subclass_of_the_fast_provider_overrides_is_called(monkeypatch):
    app = Flask("app")
    app.json = ShoutingFast(app)
    fast = FastSchema(app)
    written = []
    monkeypatch.setattr(
        "fastschema.contrib.flask.json_provider.encode",
        lambda provider, data, **how: written.append(data) or encode(provider, data),
    )

    assert type(app.json) is ShoutingFast
    with app.test_request_context():
        assert jsonify(["a"]).data == b'["A"]\n'
        assert fast.response(BandSchema, {"name": "can"}).data == b'{"NAME":"CAN"}\n'
    assert written[0] == ["a"]
