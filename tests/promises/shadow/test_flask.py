"""Shadow mode: stock makes the answers of ``fs.response`` as well."""

import gc
import weakref

import pytest
from flask import Flask, jsonify
from marshmallow import Schema, fields

from fastschema.contrib.flask import FastSchema
from fastschema.shadow.flask import shadow_differed
from tests.instruments.core import JsonArray, is_disabled
from tests.instruments.marshmallow import dump, installation
from tests.marks import counts_references, needs_orjson


class Record(Schema):
    title = fields.String()
    year = fields.Integer()


class Unjson(Schema):
    """Dumps what JSON cannot hold."""

    title = fields.Function(lambda obj: object())


RECORDS = [{"title": "Blue", "year": "1971"}, {"title": "Hejira", "year": 1976}]


@pytest.fixture
def told():
    """The differences that were signalled, each with its sender."""
    found = []

    def receive(sender, difference):
        found.append((sender, difference))

    with shadow_differed.connected_to(receive):
        yield found


@pytest.fixture
def wrong(monkeypatch):
    """A fast path that writes a title wrongly."""
    join = JsonArray.join
    monkeypatch.setattr(JsonArray, "join", lambda *args: join(*args).replace(b"Blue", b"Bluff"))


@pytest.fixture
def answered(make_app, fast):
    """A function that makes an application with one view, and returns its answer."""

    def answer(view, **config):
        app = make_app(**{"FASTSCHEMA_SHADOW": 1, **config})
        app.add_url_rule("/", "list_records", view)
        return app.test_client().get("/")

    return answer


def counts(counter):
    return counter.compared, counter.differed, counter.failed


@pytest.mark.parametrize("schema", [Record, Record(many=True)])
@pytest.mark.parametrize("rows", [RECORDS, tuple(RECORDS), []])
def test_lists_are_compared_and_the_same(answered, fast, counter, schema, rows, caplog):
    expected = answered(lambda: fast.response(schema, rows, many=True), FASTSCHEMA_SHADOW=0).data
    assert answered(lambda: fast.response(schema, rows, many=True)).data == expected
    assert counts(counter) == (1, 0, 0)
    assert caplog.records == []


@needs_orjson
@pytest.mark.parametrize("format", ["json", "accept"])
def test_a_wrong_fast_path_is_found(answered, fast, counter, told, wrong, caplog, format):
    response = answered(lambda: fast.response(Record, RECORDS, many=True, format=format))
    assert response.json[0]["title"] == "Bluff"
    ((sender, difference),) = told
    assert isinstance(sender, Flask)
    assert (difference.schema, difference.view) == ("Record", "list_records")
    assert (difference.position, difference.path) == (14, "$[0].title")
    assert (difference.written, difference.expected) == (None, None)
    assert counts(counter) == (1, 1, 0)
    assert caplog.messages == ["Record in list_records differs from stock at byte 14, $[0].title"]


@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (RECORDS[0], {"many": False}),
        (RECORDS[0], {}),
        (iter(RECORDS), {"many": True}),
        (RECORDS, {"many": True, "format": "msgpack"}),
        (None, {"many": True}),
    ],
)
def test_other_answers_are_not_compared(answered, fast, counter, rows, options):
    answered(lambda: fast.response(Record, rows, **options))
    assert counts(counter) == (0, 0, 0)


@pytest.mark.at_once
def test_an_error_of_stock_does_not_reach_the_client(answered, fast, counter, caplog):
    class Fickle(Record):
        year = fields.Function(lambda obj: 1 / 0 if is_disabled() else 1971)

    response = answered(lambda: fast.response(Fickle, RECORDS, many=True))
    assert response.json[0] == {"title": "Blue", "year": 1971}
    assert counts(counter) == (0, 0, 1)
    assert caplog.records[-1].exc_info[0] is ZeroDivisionError


@needs_orjson
def test_an_error_of_a_receiver_does_not_reach_the_client(answered, fast, wrong, caplog):
    def fail(sender, difference):
        raise RuntimeError("receivers fail")

    with shadow_differed.connected_to(fail):
        assert answered(lambda: fast.response(Record, RECORDS, many=True)).status_code == 200
    assert caplog.records[-1].exc_info[0] is RuntimeError


@pytest.mark.instruments
def test_the_share_is_drawn_for_each_response(make_app, fast, counter, monkeypatch):
    drawn = iter([0.1, 0.7, 0.2, 0.5, 0.7, 0.1])
    monkeypatch.setattr("fastschema.shadow._random.random", lambda: next(drawn))
    with make_app(FASTSCHEMA_SHADOW=0.5).app_context():
        for _ in range(4):
            fast.response(Record, RECORDS, many=True)
        for _ in range(2):
            Record(many=True).dump(RECORDS)
    assert counts(counter) == (3, 0, 0)


@counts_references
def test_nothing_is_kept_alive_after_the_response(make_app, fast, wrong):
    class Row(dict):
        pass

    row = Row(title="Blue", year=1971)
    kept = weakref.ref(row)
    with make_app(FASTSCHEMA_SHADOW=1).app_context():
        fast.response(Record, [row], many=True)
    del row
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("share", [True, "0.1", -1, 1.5, None])
def test_a_share_that_is_none_is_a_clear_error(share):
    app = Flask("app")
    app.config["FASTSCHEMA_SHADOW"] = share
    with pytest.raises(
        ValueError, match=r"FASTSCHEMA_SHADOW must be a number from 0 to 1, such as 0.1, not"
    ):
        FastSchema(app)


class TestDump:
    """Lists that views dump themselves: ``jsonify(schema.dump(...))``, flask-smorest."""

    @pytest.fixture
    def wrong(self, monkeypatch):
        """A fast path that dumps a title wrongly."""
        dump_by = dump.dump_by

        def wrong(bound_program, obj, many):
            data = dump_by(bound_program, obj, many)
            return [{**each, "title": "Bluff"} for each in data]

        monkeypatch.setattr(dump, "dump_by", wrong)

    @pytest.fixture
    def schema(self, monkeypatch):
        monkeypatch.setattr(installation, "_follow", None)
        return Record(many=True)

    def test_what_jsonify_writes_is_compared(self, answered, schema, counter):
        assert answered(lambda: jsonify(schema.dump(RECORDS))).json[0]["title"] == "Blue"
        assert counts(counter) == (1, 0, 0)

    @pytest.mark.at_once
    def test_a_difference_is_told(self, answered, schema, counter, wrong, told):
        assert answered(lambda: jsonify(schema.dump(RECORDS))).json[0]["title"] == "Bluff"
        assert counts(counter) == (1, 1, 0)
        [(_, difference)] = told
        assert (difference.schema, difference.view) == ("Record", "list_records")
        assert difference.path == "$[0].title"

    def test_a_view_of_flask_smorest_is_compared(self, make_app, schema, counter):
        smorest = pytest.importorskip("flask_smorest", reason="PyPy's tests run without it")
        about = {"API_TITLE": "x", "API_VERSION": "1", "OPENAPI_VERSION": "3.0.2"}
        app = make_app(FASTSCHEMA_SHADOW=1, **about)
        blueprint = smorest.Blueprint("records", "records")
        blueprint.route("/")(blueprint.response(200, schema)(lambda: RECORDS))
        smorest.Api(app).register_blueprint(blueprint)

        assert len(app.test_client().get("/").json) == 2
        assert counts(counter) == (1, 0, 0)

    @pytest.mark.parametrize(
        "view",
        [
            lambda: Record().dump(RECORDS[0]),
            lambda: Record(many=True).dump(iter(RECORDS)),
            lambda: str(Unjson(many=True).dump(RECORDS)),
        ],
    )
    def test_other_dumps_are_not_compared(self, answered, schema, counter, view):
        assert answered(view).status_code == 200
        assert counts(counter) == (0, 0, 0)
