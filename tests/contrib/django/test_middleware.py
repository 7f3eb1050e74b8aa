"""Requests that a callable of the project's chooses for fastschema, or for stock."""

import asyncio
import io

import pytest
from django.core.exceptions import ImproperlyConfigured, MiddlewareNotUsed
from django.core.signals import request_finished
from django.db import close_old_connections
from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from django.test import AsyncClient, Client, override_settings
from django.urls import path

import fastschema
from fastschema.contrib.django import middleware
from fastschema.contrib.django.app.checks import check_middleware
from fastschema.switch import is_disabled

MIDDLEWARE = ["fastschema.contrib.django.middleware.switch_by_request"]
HERE = __name__


def answered_by():
    return "stock" if is_disabled() else "fastschema"


def by_header(request):
    return request.headers.get("X-Canary") == "1"


async def by_header_later(request):
    await asyncio.sleep(0)
    return by_header(request)


def failing(request):
    raise LookupError("no idea")


not_callable = "text"


def view(request):
    return HttpResponse(answered_by())


async def async_view(request):
    await asyncio.sleep(0)
    return HttpResponse(answered_by())


def chunks():
    for _ in range(3):
        yield answered_by()


def streamed(request):
    return StreamingHttpResponse(chunks())


async def async_chunks():
    for _ in range(3):
        await asyncio.sleep(0)
        yield answered_by()


async def async_streamed(request):
    return StreamingHttpResponse(async_chunks())


urlpatterns = [
    path("view/", view),
    path("async/", async_view),
    path("streamed/", streamed),
    path("async-streamed/", async_streamed),
]


def chosen_by(name, **settings):
    """Settings by which a callable of this module chooses."""
    return override_settings(
        ROOT_URLCONF=HERE,
        MIDDLEWARE=MIDDLEWARE,
        FASTSCHEMA={"ENABLED": f"{HERE}.{name}"},
        **settings,
    )


def body(url, header):
    """The answer on WSGI."""
    return Client().get(url, headers={"X-Canary": header}).getvalue().decode()


def async_body(url, header):
    """The answer on ASGI."""

    async def ask():
        response = await AsyncClient().get(url, headers={"X-Canary": header})
        if not response.streaming:
            return response.content
        return b"".join([chunk async for chunk in response])

    return asyncio.run(ask()).decode()


@pytest.fixture
def close_without_database():
    """Responses can be closed: it does not look after the connections, as in Django's client."""
    request_finished.disconnect(close_old_connections)
    yield
    request_finished.connect(close_old_connections)


@pytest.mark.parametrize("name", ["by_header", "by_header_later"])
@pytest.mark.parametrize("ask", [body, async_body])
@pytest.mark.parametrize("url", ["/view/", "/async/"])
class TestChoosing:
    """On WSGI and on ASGI, by a synchronous and an asynchronous callable."""

    def test_the_callable_chooses_for_each_request(self, name, ask, url):
        with chosen_by(name):
            assert [ask(url, header) for header in "101"] == ["fastschema", "stock", "fastschema"]
        assert not is_disabled()

    def test_it_goes_before_a_block_around_the_request(self, name, ask, url):
        with chosen_by(name), fastschema.disabled():
            assert [ask(url, header) for header in "10"] == ["fastschema", "stock"]


@pytest.mark.parametrize("header", ["0", "1"])
@pytest.mark.parametrize("is_around", [False, True])
class TestStreams:
    """The choice holds until the last chunk, whatever holds outside."""

    def test_a_streamed_answer_keeps_the_choice(self, header, is_around):
        expected = ("fastschema" if header == "1" else "stock") * 3
        with chosen_by("by_header"), fastschema.switch.switched(is_on=is_around):
            assert body("/streamed/", header) == expected

    def test_an_asynchronous_stream_does_too(self, header, is_around):
        expected = ("fastschema" if header == "1" else "stock") * 3
        with chosen_by("by_header"), fastschema.switch.switched(is_on=is_around):
            assert async_body("/async-streamed/", header) == expected


def test_between_two_chunks_nothing_is_switched():
    with chosen_by("by_header"):
        response = Client().get("/streamed/", headers={"X-Canary": "0"})
        for chunk in response:
            assert chunk == b"stock"
            assert not is_disabled()


@pytest.mark.usefixtures("close_without_database")
def test_a_stream_that_is_not_read_to_its_end_is_closed():
    closed = []

    def rows():
        try:
            yield answered_by()
            yield answered_by()
        finally:
            closed.append(True)

    with chosen_by("by_header"):
        choose = middleware.switch_by_request(lambda request: StreamingHttpResponse(rows()))
        response = choose(type("Request", (), {"headers": {}}))
        assert next(iter(response)) == b"stock"
        response.close()
    assert closed == [True]


@pytest.mark.usefixtures("close_without_database")
def test_a_file_is_sent_as_ever():
    file = io.BytesIO(b"text")
    with chosen_by("by_header"):
        choose = middleware.switch_by_request(lambda request: FileResponse(file))
        response = choose(type("Request", (), {"headers": {}}))
    assert response.file_to_stream is file
    response.close()


@pytest.mark.parametrize("ask", [body, async_body])
def test_an_error_of_the_callable_is_one_of_a_middleware(ask):
    with chosen_by("failing"), pytest.raises(LookupError, match="no idea"):
        ask("/view/", "1")
    with chosen_by("failing"):
        client = Client(raise_request_exception=False)
        assert client.get("/view/").status_code == 500


def test_without_the_setting_the_middleware_is_not_there():
    with pytest.raises(MiddlewareNotUsed):
        middleware.switch_by_request(view)
    with override_settings(ROOT_URLCONF=HERE, MIDDLEWARE=MIDDLEWARE):
        assert body("/view/", "0") == "fastschema"


def test_where_the_environment_disables_fastschema_nobody_is_asked(monkeypatch):
    monkeypatch.setattr(middleware, "DISABLED_AT_START", True)
    with chosen_by("failing"), fastschema.disabled():
        assert body("/view/", "1") == "stock"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere.to_be.found", r"FASTSCHEMA\['ENABLED'\] cannot be imported: No module"),
        (f"{HERE}.missing", r"FASTSCHEMA\['ENABLED'\] cannot be imported: module"),
        (f"{HERE}.not_callable", r"FASTSCHEMA\['ENABLED'\] must be a callable .*not_callable"),
    ],
)
def test_a_path_that_leads_to_no_callable_is_a_clear_error(path, message):
    with (
        override_settings(FASTSCHEMA={"ENABLED": path}),
        pytest.raises(ImproperlyConfigured, match=message),
    ):
        middleware.switch_by_request(view)


def test_the_system_check_misses_the_middleware():
    with override_settings(FASTSCHEMA={"ENABLED": f"{HERE}.by_header"}):
        (error,) = check_middleware()
    assert error.id == "fastschema.E001"
    assert MIDDLEWARE[0] in error.hint
    with chosen_by("by_header"):
        assert check_middleware() == []
    assert check_middleware() == []
