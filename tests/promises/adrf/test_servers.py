"""Coroutines that serialize, served by uvicorn and hypercorn to clients that ask at a time."""

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.promises.django.servers import AIRLINES, database, serving

__all__ = ["database"]
APPLICATION = "tests.promises.django.streaming.served_by:asgi"
SERVERS = {
    "uvicorn": ["uvicorn", "--fd", "{fd}", APPLICATION],
    "hypercorn": ["hypercorn", "--bind", "fd://{fd}", APPLICATION],
}


@pytest.fixture(scope="module", params=SERVERS)
def ask(request, database):
    """Ask a server that runs for what is at a path."""
    settings = "tests.promises.adrf.served_settings"
    with serving(SERVERS[request.param], database, settings) as (host, port):

        def content(path):
            with urllib.request.urlopen(f"http://{host}:{port}/{path}", timeout=60) as response:
                return response.read()

        yield content


@pytest.mark.parametrize("view", ["adrf/", "django/"])
def test_clients_that_ask_at_a_time_get_the_answer_of_stock(ask, view):
    before = json.loads(ask("statistics/"))["compiled"]
    paths = [view, f"stock/{view}", view, view, f"stock/{view}", view]
    with ThreadPoolExecutor(len(paths)) as clients:
        contents = set(clients.map(ask, paths))
    assert len(contents) == 1
    assert len(json.loads(contents.pop())) == AIRLINES
    assert json.loads(ask("statistics/"))["compiled"] > before
