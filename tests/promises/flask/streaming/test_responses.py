"""Responses that are sent while their rows are read; over HTTP in test_server.py."""

import json
import logging
from contextvars import ContextVar, copy_context

import pytest
from flask import (
    Flask,
    after_this_request,
    g,
    got_request_exception,
    has_request_context,
    jsonify,
    request,
)
from flask.json.provider import DefaultJSONProvider, JSONProvider
from marshmallow import Schema, fields

from fastschema.contrib.flask import FastJSONProvider, FastSchema
from tests.marks import counts_references
from tests.promises.flask.schemas import AlbumSchema, BandSchema, albums


class Rows:
    """Rows that tell how far they were read, and whether they were closed."""

    def __init__(self, count, fail_at=None):
        self.count = count
        self.fail_at = fail_at
        self.read = 0
        self.closed = 0

    def __iter__(self):
        for number in range(self.count):
            if number == self.fail_at:
                raise LookupError("no more rows")
            self.read += 1
            yield {"name": f"Band {number}"}

    def close(self):
        self.closed += 1


def open_stream(app, view, **options):
    """The unread response of a view."""
    app.add_url_rule("/", view_func=view)
    return app.test_client().get("/", buffered=False, **options)


def names(count):
    return [{"name": f"Band {number}"} for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7])
def test_a_stream_is_what_response_answers(app, fast, count):
    with app.test_request_context():
        streamed = fast.stream(AlbumSchema, albums(count), chunk_size=3)
        whole = fast.response(AlbumSchema(many=True), albums(count))
        assert b"".join(streamed.iter_encoded()) == whole.data
        assert streamed.mimetype == whole.mimetype == "application/json"
        assert "Content-Length" not in streamed.headers


class Guarded(DefaultJSONProvider):
    """Puts what some clients want before all JSON."""

    def dumps(self, obj, **kwargs):
        return ")]}',\n" + super().dumps(obj, **kwargs)


class Enveloped(DefaultJSONProvider):
    """Puts all JSON into an envelope."""

    def response(self, *args, **kwargs):
        wrapped = super().response({"data": self._prepare_response_obj(args, kwargs)})
        wrapped.mimetype = "application/vnd.api+json"
        return wrapped


class Plain(JSONProvider):
    """Not one of Flask's."""

    def dumps(self, obj, **kwargs):
        return json.dumps(obj, **kwargs)

    def loads(self, s, **kwargs):
        return json.loads(s, **kwargs)


def spaced(cls):
    """Settings of an application's own only."""
    return type("Spaced", (cls,), {"compact": True, "sort_keys": False})


@pytest.mark.parametrize("fast_json", [True, False])
@pytest.mark.parametrize(
    "provider",
    [
        Guarded,
        Enveloped,
        Plain,
        spaced(DefaultJSONProvider),
        DefaultJSONProvider,
        spaced(FastJSONProvider),
        type("GuardedFast", (Guarded, FastJSONProvider), {}),
    ],
)
def test_a_stream_is_what_jsonify_answers(provider, fast_json):
    app = Flask(__name__)
    app.json = provider(app)
    app.config["FASTSCHEMA_JSON_PROVIDER"] = fast_json
    fast = FastSchema(app)
    rows = Rows(7)
    with app.test_request_context():
        streamed = fast.stream(BandSchema, rows, chunk_size=3)
        expected = jsonify(BandSchema(many=True).dump(names(7)))
        assert b"".join(streamed.iter_encoded()) == expected.data
        assert streamed.mimetype == expected.mimetype
        assert rows.closed == 1
        with pytest.raises(LookupError):
            list(fast.stream(BandSchema, (failing := Rows(9, fail_at=5)), chunk_size=20))
        assert failing.closed == 1


def test_rows_are_read_as_chunks_are_sent(app, fast):
    rows = Rows(10)
    response = open_stream(app, lambda: fast.stream(BandSchema, rows, chunk_size=2))

    chunks = response.iter_encoded()
    assert next(chunks) == b'[{"name":"Band 0"},{"name":"Band 1"}'
    assert rows.read <= 4
    response.close()


def test_rows_are_closed_when_the_client_is_gone(app, fast):
    closed = []

    def rows():
        try:
            yield from names(100)
        finally:
            closed.append(True)

    response = open_stream(app, lambda: fast.stream(BandSchema, rows(), chunk_size=2))
    next(response.iter_encoded())
    assert closed == []
    response.close()
    assert closed == [True]


def test_rows_are_closed_for_a_head_request(app, fast):
    rows = Rows(100)
    app.add_url_rule("/", view_func=lambda: fast.stream(BandSchema, rows, chunk_size=2))
    answer = app.test_client().head("/")
    assert (answer.status_code, answer.data) == (200, b"")
    assert (rows.closed, rows.read) == (1, 2)


def test_the_context_of_the_request_is_kept_until_the_end(app, fast):
    ended = []
    app.teardown_request(lambda error: ended.append(("request", error)))
    app.teardown_appcontext(lambda error: ended.append(("app", error)))

    def rows():
        for number in range(4):
            assert ended == []
            yield {"name": f"{request.args['name']} {g.word} {number}"}

    def view():
        g.word = "and"
        return fast.stream(BandSchema, rows(), chunk_size=1)

    response = open_stream(app, view, query_string={"name": "Can"})
    assert [row["name"] for row in response.json] == [f"Can and {n}" for n in range(4)]
    assert ended == [("request", None), ("app", None)]
    assert not has_request_context()


@counts_references
def test_the_context_ends_with_a_response_that_no_server_reads_or_closes(app, fast):
    rows = Rows(9)
    ended = []
    app.teardown_request(ended.append)
    response = open_stream(app, lambda: fast.stream(BandSchema, rows, chunk_size=1))
    assert ended == []
    del response
    assert (rows.closed, ended) == (1, [None])
    assert not has_request_context()


def test_two_streams_that_one_thread_sends_in_turns_see_their_own_requests(app, fast):
    def rows():
        for _ in range(3):
            yield {"name": request.args["name"]}

    app.add_url_rule("/", view_func=lambda: fast.stream(BandSchema, rows(), chunk_size=1))
    client = app.test_client()
    first, second = [client.get(f"/?name={name}", buffered=False) for name in ("a", "b")]
    for begin in (b"[", b",", b","):
        assert next(first.response) == begin + b'{"name":"a"}'
        assert next(second.response) == begin + b'{"name":"b"}'
    second.close()  # Flask's contexts end as they are stacked, the last one first
    first.close()


def test_context_variables_are_those_of_the_view_until_the_end(app, fast):
    places = ContextVar("places", default=1)
    seen = []

    class PriceSchema(Schema):
        price = fields.Function(lambda row: f"{row['price']:.{places.get()}f}")

    def rows():
        try:
            for number in range(5):
                yield {"price": number}
        finally:
            seen.append(places.get())

    def view():
        def stream():
            places.set(2)
            return fast.stream(PriceSchema, rows(), chunk_size=2)

        return copy_context().run(stream)

    response = open_stream(app, view)
    assert response.json == [{"price": f"{number}.00"} for number in range(5)]
    assert seen == [2]


@counts_references
def test_an_error_after_the_view_leaves_no_context_behind(app, fast):
    rows = Rows(9)
    ended = []
    app.teardown_request(ended.append)

    def view():
        response = fast.stream(BandSchema, rows, chunk_size=1)

        @after_this_request
        def fail(response):
            raise LookupError("too late")

        return response

    app.errorhandler(LookupError)(lambda error: ({"error": str(error)}, 500))
    app.add_url_rule("/", view_func=view)
    answer = app.test_client().get("/")
    assert answer.status_code == 500
    assert rows.closed == 1
    assert len(ended) == 1
    assert not has_request_context()


class TestErrors:
    """Before the first byte and after it."""

    def test_an_error_in_the_first_chunk_is_the_views(self, app, fast):
        rows = Rows(9, fail_at=1)
        app.errorhandler(LookupError)(lambda error: ({"error": str(error)}, 503))
        app.add_url_rule("/", view_func=lambda: fast.stream(BandSchema, rows, chunk_size=2))

        answer = app.test_client().get("/")
        assert (answer.status_code, answer.json) == (503, {"error": "no more rows"})
        assert rows.closed == 1

    @counts_references
    def test_a_later_error_is_logged_with_its_traceback_and_ends_the_body(self, app, fast, caplog):
        rows = Rows(9, fail_at=5)
        told, ended = [], []
        app.teardown_request(ended.append)

        def tell(sender, exception):
            told.append(exception)

        got_request_exception.connect(tell, app)
        response = open_stream(app, lambda: fast.stream(BandSchema, rows, chunk_size=2))

        received = []
        with pytest.raises(LookupError, match="no more rows") as raised:
            received.extend(response.iter_encoded())
        assert len(received) == 2
        assert rows.closed == 1
        assert ended == told == [raised.value]
        [record] = [each for each in caplog.records if each.levelno == logging.ERROR]
        assert record.getMessage() == "Exception on / [GET]"
        assert record.exc_info[1] is raised.value
        assert not has_request_context()

    @counts_references
    def test_an_error_outside_of_a_request_is_logged_too(self, app, fast, caplog):
        with app.app_context():
            response = fast.stream(BandSchema, Rows(9, fail_at=5), chunk_size=2)
            with pytest.raises(LookupError):
                list(response.iter_encoded())
        assert "Exception while streaming" in caplog.text

    @pytest.mark.parametrize(
        ("options", "error"), [({"headers": 5}, TypeError), ({"format": "csv"}, ValueError)]
    )
    def test_a_wrong_argument_closes_the_rows_at_once(self, app, fast, options, error):
        rows = Rows(100)
        with app.test_request_context(), pytest.raises(error) as raised:
            fast.stream(BandSchema, rows, **options)
        assert (rows.closed, raised.type) == (1, error)  # while the exception is still there

    def test_what_is_no_schema_is_an_error_and_closes_the_rows(self, app, fast):
        rows = Rows(1)
        with app.test_request_context(), pytest.raises(TypeError, match="not a schema"):
            fast.stream(dict, rows)
        assert rows.closed == 1


@pytest.mark.parametrize("rows", [{"title": "a"}, "text", b"bytes"])
def test_what_is_one_object_is_no_stream(app, fast, rows):
    with app.test_request_context(), pytest.raises(TypeError, match=r"use response\(schema, obj\)"):
        fast.stream(AlbumSchema, rows)
