"""Streaming over gunicorn and uvicorn, to a real client: whole, cut off, and disconnected."""

import http.client
import json
import time
from contextlib import closing
from types import SimpleNamespace

import pytest
from django.db import connection

from tests.promises.django.servers import AIRLINES, database, serving
from tests.promises.http_bodies import received

__all__ = ["database"]
PADDING = 100_000
APPLICATIONS = "tests.promises.django.streaming.served_by"
SERVERS = {
    "gunicorn": ["gunicorn", "--bind", "fd://{fd}", f"{APPLICATIONS}:wsgi"],
    "uvicorn": ["uvicorn", "--fd", "{fd}", f"{APPLICATIONS}:asgi"],
}


@pytest.fixture(scope="module", params=sorted(SERVERS))
def server(request, database, tmp_path_factory):
    """A server that runs: ``ask(path)`` gives a connection and its response, ``log()`` its log."""
    log = tmp_path_factory.mktemp(request.param) / "log"
    settings = "tests.promises.django.streaming.served_settings"
    with (
        log.open("w") as output,
        serving(SERVERS[request.param], database, settings, output) as address,
    ):

        def ask(path, method="GET"):
            client = http.client.HTTPConnection(*address, timeout=30)
            client.request(method, path)
            return client, client.getresponse()

        yield SimpleNamespace(name=request.param, address=address, ask=ask, log=log.read_text)


def content(server, path, method="GET"):
    client, response = server.ask(path, method)
    with closing(client):
        return response.status, response.headers.get("Content-Type"), response.read()


def cursors(server):
    return json.loads(content(server, "/cursors/")[2])


def test_the_interface_is_the_servers(server):
    expected = {"gunicorn": "WSGIRequest", "uvicorn": "ASGIRequest"}
    state = cursors(server)
    assert state["interface"] == expected[server.name]
    assert state["database"] == connection.vendor


@pytest.mark.parametrize("query", ["", "?format=ndjson"])
def test_the_answer_is_that_of_stock_in_chunks(server, query):
    client, response = server.ask(f"/streamed/airlines/{query}")
    with closing(client):
        assert response.headers["Transfer-Encoding"] == "chunked"
        written = response.read()
    expected = content(server, f"/airlines/{query}")
    assert (response.status, response.headers["Content-Type"], written) == expected
    assert written.count(b'"code"') == AIRLINES


def test_the_first_bytes_come_before_the_last_rows_are_read(server):
    client, response = server.ask(f"/streamed/airlines/?pad={PADDING}")
    with closing(client):
        assert response.read(20) == b'[{"code":"AA","name"'
        assert len(response.read()) > AIRLINES * PADDING


@pytest.mark.parametrize("query", ["", "format=ndjson&"])
def test_a_client_that_goes_closes_the_cursor(server, query):
    before = cursors(server)
    assert before["opened"] == before["closed"]
    client, response = server.ask(f"/streamed/airlines/?{query}pad={PADDING}")
    received = len(response.read(PADDING))
    response.close()
    client.close()
    assert received < AIRLINES * PADDING / 10

    deadline = time.monotonic() + 20
    while (now := cursors(server))["closed"] == before["closed"]:
        assert time.monotonic() < deadline, "the cursor is still open"
        time.sleep(0.02)
    assert now["opened"] - before["opened"] == now["closed"] - before["closed"] == 1
    assert now["rows"] - before["rows"] < AIRLINES
    assert "cut off" not in server.log()


def test_it_answers_as_before_after_that(server):
    assert content(server, "/streamed/airlines/") == content(server, "/airlines/")


def test_an_error_before_the_first_byte_is_an_error_response(server):
    expected = content(server, "/airlines/?refuse=AB")
    assert expected[0] == 400
    assert content(server, "/streamed/airlines/?refuse=AB") == expected
    assert content(server, "/streamed/airlines/?fail=AB")[0] == 500


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("fail=EE", "RuntimeError: EE fails"),
        ("format=ndjson&fail=EE", "RuntimeError: EE fails"),
        ("mistype=EE", "TypeError: EE is of the wrong type"),
    ],
)
def test_an_error_after_it_cuts_the_connection_and_is_logged(server, query, error):
    client, response = server.ask(f"/streamed/airlines/?{query}")
    assert response.status == 200
    with closing(client), pytest.raises(http.client.IncompleteRead) as cut:
        response.read()
    assert b'"code":"DA"' in cut.value.partial
    assert not cut.value.partial.endswith((b"]", b"\n"))

    log = server.log()
    assert "Answer cut off: /streamed/airlines/" in log
    assert error in log
    assert "in get_padding" in log
    now = cursors(server)
    assert now["opened"] == now["closed"]


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize(("form", "end"), [("json", b"]"), ("ndjson", b"\n")])
def test_only_a_whole_body_has_its_end(server, version, form, end):
    def body(query):
        return received(server.address, f"/streamed/airlines/?format={form}{query}", version)

    whole, cut = body(""), body("&fail=EE")
    assert whole.count(b'"code"') == AIRLINES
    assert whole.endswith(end)
    assert b'"code":"DA"' in cut
    assert not cut.endswith((b"]", b"\n"))


def test_head_is_answered_without_a_body(server):
    assert content(server, "/streamed/airlines/", "HEAD") == (200, "application/json", b"")
    now = cursors(server)
    assert now["opened"] == now["closed"]
    assert "Warning" not in server.log()
