"""Streams, errors and clients that leave, over HTTP: gunicorn and Flask's own server."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.promises.http_bodies import received

ROOT = Path(__file__).resolve().parents[4]
MODULE = "tests.promises.flask.streaming.served"
GUNICORN = ["-m", "gunicorn", "--bind", "127.0.0.1:{port}", "--log-level", "warning"]
SERVERS = {
    "gunicorn": [*GUNICORN, f"{MODULE}:app"],
    "gunicorn with threads": [*GUNICORN, "--threads", "2", f"{MODULE}:app"],
    "flask run": ["-m", "flask", "--app", MODULE, "run", "--port", "{port}"],
}
PATIENCE = 20.0


class Server:
    """A server process, its address and what it writes."""

    def __init__(self, command: list[str], log: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.address = ("127.0.0.1", port)
        self.url = f"http://127.0.0.1:{port}"
        self._log = log
        self._seen = 0
        arguments = [sys.executable, *(word.format(port=port) for word in command)]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                arguments, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
            )

    def wait_until_it_answers(self) -> None:
        """Wait for the first answer."""
        deadline = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None, self._log.read_text()
            try:
                requests.get(f"{self.url}/whole", timeout=PATIENCE)
                return
            except requests.ConnectionError:
                assert time.monotonic() < deadline, self._log.read_text()
                time.sleep(0.05)

    def forget(self) -> None:
        """Begin anew with what is written from now on."""
        self._seen = len(self._log.read_text())

    def written(self, text: str, times: int = 1) -> str:
        """What was written, as soon as it has some text in it."""
        deadline = time.monotonic() + PATIENCE
        while (log := self._log.read_text()[self._seen :]).count(text) < times:
            assert time.monotonic() < deadline, log
            time.sleep(0.02)
        return log


@pytest.fixture(scope="module", params=SERVERS)
def running(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """A server of each kind."""
    server = Server(SERVERS[request.param], tmp_path_factory.mktemp("server") / "log")
    try:
        server.wait_until_it_answers()
        yield server
    finally:
        server.process.terminate()
        server.process.wait(PATIENCE)


@pytest.fixture
def server(running: Server) -> Iterator[Server]:
    """The server, with nothing written yet."""
    running.forget()
    return running


def get(server: Server, path: str, **options: object) -> requests.Response:
    return requests.get(f"{server.url}{path}", timeout=PATIENCE, **options)


@pytest.mark.parametrize("path", ["/bands", "/async"])
def test_a_stream_arrives_whole_and_in_its_context(server, path):
    answer = get(server, f"{path}?count=5")

    assert answer.json() == [{"name": f"{path} {number}"} for number in range(5)]
    assert answer.headers["Content-Type"] == "application/json"
    assert "Content-Length" not in answer.headers
    log = server.written("request ended")
    assert log.index("rows closed") < log.index("request ended with None")
    assert "Traceback" not in log


def test_a_response_in_one_piece_has_its_length(server):
    answer = get(server, "/whole?count=3")

    assert len(answer.json()) == 3
    assert answer.headers["Content-Length"] == str(len(answer.content))


def test_an_error_before_the_first_byte_is_the_normal_error_response(server):
    answer = get(server, "/bands?count=5&fail_at=1")

    assert (answer.status_code, answer.json()) == (503, {"error": "no row 1"})


@pytest.mark.parametrize("path", ["/bands", "/async"])
@pytest.mark.parametrize("form", ["json", "ndjson"])
def test_an_error_after_the_first_byte_cuts_the_connection_and_is_logged(server, path, form):
    received = []
    with get(server, f"{path}?count=9&fail_at=5&format={form}", stream=True) as answer:
        assert answer.status_code == 200
        with pytest.raises(requests.exceptions.ChunkedEncodingError):
            received.extend(answer.iter_content(None))

    assert f"{path} 3".encode() in received[-1]
    log = server.written("request ended")
    assert f"Exception on {path} [GET]" in log
    assert "Traceback (most recent call last)" in log
    assert "LookupError: no row 5" in log
    assert "request ended with LookupError('no row 5')" in log


@pytest.mark.parametrize("version", ["1.0", "1.1"])
@pytest.mark.parametrize(("form", "end"), [("json", b"]\n"), ("ndjson", b"\n")])
def test_only_a_whole_body_has_its_end(server, version, form, end):
    def body(query):
        return received(server.address, f"/bands?count=9&format={form}{query}", version)

    whole, cut = body(""), body("&fail_at=5")
    assert whole.count(b"name") == 9
    assert whole.endswith(end)
    assert cut.count(b"name") == 4
    assert not cut.endswith((b"]", b"\n"))


def test_a_client_that_leaves_closes_the_rows(server):
    with get(server, "/bands?count=100000000", stream=True) as answer:
        next(answer.iter_content(10))

    log = server.written("request ended")
    assert log.index("rows closed") < log.index("request ended with None")
    assert len(get(server, "/bands?count=5").json()) == 5


def test_a_head_request_reads_no_more_than_a_chunk(server):
    answer = requests.head(f"{server.url}/bands?count=100000000", timeout=PATIENCE)

    assert (answer.status_code, answer.content) == (200, b"")
    server.written("rows closed")
