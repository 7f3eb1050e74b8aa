"""Requests that a callable of the application's chooses for fastschema, or for stock."""

import asyncio

import pytest
from flask import Flask, g, request
from flask.json.provider import DefaultJSONProvider
from marshmallow import Schema, fields

import fastschema
from fastschema.contrib.flask import FastJSONProvider, FastSchema, extension
from fastschema.switch import is_disabled, switched


def answered_by():
    return "stock" if is_disabled() else "fastschema"


def by_header(request):
    return request.headers.get("X-Canary") == "1"


async def by_header_later(request):
    await asyncio.sleep(0)
    return by_header(request)


not_callable = "text"


class Row(Schema):
    by = fields.Function(lambda obj: answered_by())


def create_app(choose=by_header):
    app = Flask("app")
    app.config["FASTSCHEMA_ENABLED"] = choose
    fs = FastSchema(app)

    @app.get("/view")
    def view():
        return answered_by()

    @app.get("/async")
    async def async_view():
        await asyncio.sleep(0)
        return answered_by()

    @app.get("/fast-stream")
    def fast_stream():
        rows = ({} for _ in range(3))
        return fs.stream(Row, rows, format="ndjson", chunk_size=1)

    @app.get("/error")
    def error():
        raise LookupError

    @app.errorhandler(LookupError)
    def handle(error):
        return f"handled by {answered_by()}", 500

    return app


def body(app, path, header):
    return app.test_client().get(path, headers={"X-Canary": header}).text


@pytest.mark.parametrize("choose", [by_header, by_header_later, f"{__name__}.by_header"])
@pytest.mark.parametrize("path", ["/view", "/async"])
def test_the_callable_chooses_for_each_request(choose, path):
    app = create_app(choose)
    assert [body(app, path, each) for each in "101"] == ["fastschema", "stock", "fastschema"]
    assert not is_disabled()


@pytest.mark.parametrize("header", ["0", "1"])
def test_it_goes_before_a_block_around_the_request(header):
    app = create_app()
    with switched(is_on=header == "0"):
        assert body(app, "/view", header) == ("fastschema" if header == "1" else "stock")
        assert is_disabled() == (header == "1")


@pytest.mark.parametrize("header", ["0", "1"])
@pytest.mark.parametrize("is_around", [False, True])
def test_a_stream_keeps_the_choice_until_its_last_chunk(header, is_around):
    app = create_app()
    with switched(is_on=is_around):
        assert (
            body(app, "/fast-stream", header).count("fastschema" if header == "1" else "stock") == 3
        )


def test_a_callable_object_may_be_asynchronous():
    class ByHeader:
        async def __call__(self, request):
            return by_header(request)

    app = create_app(ByHeader())
    assert body(app, "/view", "0") == "stock"
    assert body(app, "/view", "1") == "fastschema"


def test_an_error_handler_has_the_choice_too():
    assert body(create_app(), "/error", "0") == "handled by stock"
    assert not is_disabled()


def test_an_error_of_the_callable_is_one_of_the_view():
    def choose(request):
        raise LookupError

    response = create_app(choose).test_client().get("/view")
    assert (response.status_code, response.text) == (500, "handled by fastschema")


def test_the_callable_is_asked_in_the_order_of_before_request():
    app = Flask("app")
    app.config["FASTSCHEMA_ENABLED"] = lambda request: g.user == "ann"

    @app.before_request
    def load_user():
        g.user = request.args["user"]

    FastSchema(app)
    app.add_url_rule("/", "view", answered_by)
    answers = [app.test_client().get("/", query_string={"user": each}).text for each in "ab"]
    assert answers == ["stock", "stock"]
    assert app.test_client().get("/?user=ann").text == "fastschema"


def test_a_client_that_keeps_its_context_does_so_still():
    app = create_app()
    with app.test_client() as client:
        client.get("/view", headers={"X-Canary": "0"})
        assert request.path == "/view"
        assert not is_disabled()


@pytest.mark.parametrize("is_around", [False, True])
def test_after_the_request_it_is_as_it_was_before(is_around):
    app = create_app()
    with switched(is_on=is_around):
        with app.test_request_context("/view"):
            assert app.full_dispatch_request().data == b"stock"
        assert is_disabled() is not is_around


def test_a_request_within_another_one_leaves_the_choice_of_that():
    app = create_app()

    @app.get("/outer")
    def outer():
        return [answered_by(), body(app, "/view", "1"), answered_by()]

    headers = {"X-Canary": "0"}
    assert app.test_client().get("/outer", headers=headers).json == ["stock", "fastschema", "stock"]


def test_an_error_before_the_choice_is_answered_as_ever():
    app = Flask("app")
    app.before_request(lambda: ("refused", 403))
    app.config["FASTSCHEMA_ENABLED"] = by_header
    FastSchema(app)
    assert app.test_client().get("/").text == "refused"
    assert not is_disabled()


def test_without_the_key_the_application_is_as_it_was():
    app = Flask("app")
    FastSchema(app)
    assert app.before_request_funcs == {}


def test_where_the_environment_disables_fastschema_nobody_is_asked(monkeypatch):
    monkeypatch.setattr(extension, "DISABLED_AT_START", True)
    app = create_app()
    with fastschema.disabled():
        assert body(app, "/view", "1") == "stock"


OFF = [
    {"FASTSCHEMA_ENABLED": False},
    *({"FASTSCHEMA_DISABLED": value} for value in (True, 1, "1", "yes")),
    {"FASTSCHEMA_DISABLED": True, "FASTSCHEMA_ENABLED": by_header},
]


class Band(Schema):
    name = fields.String()


BANDS = [{"name": "Can"}, {"name": "Neu!"}]


def compiled_rows(call):
    """How many rows generated code dumps in a call, and what it returns."""
    before = fastschema.stats().compiled_rows
    result = call()
    return fastschema.stats().compiled_rows - before, result


@pytest.mark.parametrize("config", OFF)
class TestAnApplicationThatIsSwitchedOff:
    def test_is_as_it_was(self, make_app, config):
        app = make_app(**config)
        assert type(app.json) is DefaultJSONProvider
        assert Schema.dump.__module__ == "marshmallow.schema"

    def test_has_its_schemas_dumped_by_stock(self, make_app, config):
        make_app(**config)
        assert compiled_rows(lambda: Band(many=True).dump(BANDS)) == (0, BANDS)

    @pytest.mark.parametrize("is_installed", [False, True])
    def test_is_answered_by_stock_whatever_other_applications_do(
        self, make_app, config, is_installed
    ):
        app = make_app(**config)
        app.add_url_rule("/", view_func=lambda: [answered_by(), *Band(many=True).dump(BANDS)])
        if is_installed:
            make_app()
        client = app.test_client()
        assert compiled_rows(lambda: client.get("/").json) == (0, ["stock", *BANDS])

    @pytest.mark.parametrize("is_installed", [False, True])
    def test_has_its_helpers_which_run_stock_also_outside_of_requests(
        self, make_app, fast, config, is_installed
    ):
        app = make_app(**config)
        if is_installed:
            make_app()

        def stream(form):
            return fast.stream(Band, iter(BANDS), format=form, chunk_size=1).data

        with app.app_context():
            expected = app.json.response(BANDS).data
            response = compiled_rows(lambda: fast.response(Band(many=True), BANDS).data)
            assert response == (0, expected)
            assert compiled_rows(lambda: stream("json")) == (0, expected)
            assert compiled_rows(lambda: stream("ndjson"))[0] == 0

    def test_leaves_others_alone(self, make_app, config):
        make_app(**config)
        other = make_app()
        other.add_url_rule("/", view_func=lambda: Band(many=True).dump(BANDS))
        client = other.test_client()
        assert compiled_rows(lambda: client.get("/").json) == (len(BANDS), BANDS)


@pytest.mark.parametrize("value", [False, 0, None, "", "0", "false", "no", " off "])
def test_a_kill_switch_that_is_off_changes_nothing(make_app, value):
    app = make_app(FASTSCHEMA_DISABLED=value)
    app.add_url_rule("/", view_func=answered_by)
    assert isinstance(app.json, FastJSONProvider)
    assert app.test_client().get("/").text == "fastschema"


@pytest.mark.parametrize("value", [1.5, [], b"1"])
def test_a_kill_switch_that_is_none_is_a_clear_error(make_app, value):
    with pytest.raises(ValueError, match=r"FASTSCHEMA_DISABLED must be of type bool or .*not "):
        make_app(FASTSCHEMA_DISABLED=value)


def test_the_kill_switch_may_come_from_the_environment_by_way_of_flask(monkeypatch):
    monkeypatch.setenv("FLASK_FASTSCHEMA_DISABLED", "1")
    app = Flask("app")
    app.config.from_prefixed_env()
    FastSchema(app)
    app.add_url_rule("/", view_func=answered_by)
    assert app.test_client().get("/").text == "stock"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (True, "FASTSCHEMA_ENABLED must be a callable .* not True"),
        ("nowhere.to_be.found", "FASTSCHEMA_ENABLED cannot be imported: "),
        (f"{__name__}.missing", "FASTSCHEMA_ENABLED cannot be imported: "),
        (f"{__name__}.not_callable", "FASTSCHEMA_ENABLED must be a callable .* not 'tests"),
    ],
)
def test_a_value_that_leads_to_no_callable_is_a_clear_error(value, message):
    with pytest.raises(ValueError, match=message):
        create_app(value)
