"""Streaming over gunicorn and uvicorn, to a real client: whole, cut off, and disconnected."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest
from django.db import connection

from tests.contrib.http_bodies import received

ROOT = Path(__file__).resolve().parents[3]
PROJECT = ROOT / "example_project"
AIRLINES = 400
PADDING = 100_000
SERVERS = {
    "gunicorn": ["gunicorn", "--bind", "fd://{fd}", "tests.contrib.django.served_by:wsgi"],
    "uvicorn": ["uvicorn", "--fd", "{fd}", "tests.contrib.django.served_by:asgi"],
}
FILL = f"""
from flights.models import Airline
codes = [a + b for a in "ABCDEFGHIJKLMNOPQRST" for b in "ABCDEFGHIJKLMNOPQRST"][:{AIRLINES}]
Airline.objects.bulk_create(Airline(code=code, name="Airline " + code) for code in codes)
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory, django_db_setup, django_db_blocker):
    """The URL of a database with airlines, of the kind that the tests run on."""
    if connection.vendor == "postgresql":
        name = f"fastschema_served_{os.getpid()}"
        values = {
            key: quote(str(connection.settings_dict[key]), safe="")
            for key in ("USER", "PASSWORD", "HOST", "PORT")
        }
        url = f"postgres://{values['USER']}:{values['PASSWORD']}@{values['HOST']}"
        url += f":{values['PORT']}/{name}" if values["PORT"] else f"/{name}"
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
    else:
        url = f"sqlite:///{tmp_path_factory.mktemp('served')}/served.sqlite3"
    for arguments in (["migrate", "--verbosity", "0"], ["shell", "--verbosity", "0", "-c", FILL]):
        subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env={**os.environ, "DATABASE_URL": url},
            check=True,
        )
    yield url
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module", params=sorted(SERVERS))
def server(request, database, tmp_path_factory):
    """A server that runs: ``ask(path)`` gives the connection and its response, ``log()`` its log.

    It inherits a socket that listens already, so nobody has to wait or to guess a free port.
    """
    log = tmp_path_factory.mktemp(request.param) / "log"
    listening = socket.create_server(("127.0.0.1", 0))
    with closing(listening), log.open("w") as stderr:
        fd, address = listening.fileno(), listening.getsockname()
        process = subprocess.Popen(
            [sys.executable, "-m", *(each.format(fd=fd) for each in SERVERS[request.param])],
            cwd=ROOT,
            env={
                **os.environ,
                "DATABASE_URL": database,
                "DEBUG": "0",
                "DJANGO_SETTINGS_MODULE": "tests.contrib.django.served_settings",
                "PYTHONPATH": f"{PROJECT}{os.pathsep}{ROOT}",
            },
            stdout=stderr,
            stderr=stderr,
            pass_fds=[fd],
        )

    # The server alone has the socket now: if it ends, requests fail and do not wait.
    def ask(path, method="GET"):
        client = http.client.HTTPConnection(*address, timeout=30)
        client.request(method, path)
        return client, client.getresponse()

    yield SimpleNamespace(name=request.param, address=address, ask=ask, log=log.read_text)
    process.terminate()
    process.wait(20)


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
