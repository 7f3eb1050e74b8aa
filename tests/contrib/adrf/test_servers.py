"""Coroutines that serialize, served by uvicorn and hypercorn to clients that ask at a time."""

import json
import os
import socket
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.contrib.django.test_streaming_servers import AIRLINES, PROJECT, ROOT, database

__all__ = ["database"]
APPLICATION = "tests.contrib.django.served_by:asgi"
SERVERS = {
    "uvicorn": ["uvicorn", "--fd", "{fd}", APPLICATION],
    "hypercorn": ["hypercorn", "--bind", "fd://{fd}", APPLICATION],
}


@pytest.fixture(scope="module", params=SERVERS)
def ask(request, database):
    """Ask a server that runs for what is at a path."""
    listening = socket.create_server(("127.0.0.1", 0))
    with closing(listening):
        fd, address = listening.fileno(), listening.getsockname()
        process = subprocess.Popen(
            [sys.executable, "-m", *(each.format(fd=fd) for each in SERVERS[request.param])],
            cwd=ROOT,
            env={
                **os.environ,
                "DATABASE_URL": database,
                "DEBUG": "0",
                "DJANGO_SETTINGS_MODULE": "tests.contrib.adrf.served_settings",
                "PYTHONPATH": f"{PROJECT}{os.pathsep}{ROOT}",
            },
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[fd],
        )

    # The server alone has the socket now: if it ends, requests fail and do not wait.
    def content(path):
        url = f"http://{address[0]}:{address[1]}/{path}"
        with urllib.request.urlopen(url, timeout=60) as response:
            return response.read()

    yield content
    process.terminate()
    process.wait(20)


@pytest.mark.parametrize("view", ["adrf/", "django/"])
def test_clients_that_ask_at_a_time_get_the_answer_of_stock(ask, view):
    before = json.loads(ask("statistics/"))["compiled"]
    paths = [view, f"stock/{view}", view, view, f"stock/{view}", view]
    with ThreadPoolExecutor(len(paths)) as clients:
        contents = set(clients.map(ask, paths))
    assert len(contents) == 1
    assert len(json.loads(contents.pop())) == AIRLINES
    assert json.loads(ask("statistics/"))["compiled"] > before
