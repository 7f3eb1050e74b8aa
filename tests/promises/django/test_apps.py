"""fastschema in a Django project: the app, the views, the browsable API, the kill switch."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer
from rest_framework.serializers import ListSerializer, Serializer

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights import views

PATHS = [
    *("flights/", "flights/bulk/", "flights/compact/", "flights/1/", "airlines/", "airports/EWR/"),
    *("planes/", "flights/?page_size=2&page=2", "flights/bulk/?limit=x", "flights/99/"),
]


@pytest.fixture
def renderers(monkeypatch):
    """A function that chooses the renderer of JSON for all views."""

    def choose(renderer):
        for name in dir(views):
            view = getattr(views, name)
            if hasattr(view, "renderer_classes"):
                monkeypatch.setattr(view, "renderer_classes", [renderer, BrowsableAPIRenderer])

    return choose


def content(path, **kwargs):
    """The status and the body of an answer, but for the token that is new each time."""
    answer = Client().get(f"/api/{path}", **kwargs)
    return answer.status_code, re.sub(rb'("csrfToken": ")\w+', rb"\1", answer.content)


def test_the_app_is_installed():
    config = apps.get_app_config("fastschema")
    assert config.name == "fastschema.contrib.django"
    for cls in (Serializer, ListSerializer):
        assert cls.to_representation.__globals__["__name__"].startswith("fastschema.")


@pytest.mark.parametrize("path", ["", *PATHS])
def test_the_browsable_api_shows_what_it_shows_in_stock(flights, renderers, path):
    headers = {"accept": "text/html"}
    renderers(JSONRenderer)
    with fastschema.disabled():
        expected = content(path, headers=headers)
    renderers(FastJSONRenderer)
    status, html = content(path, headers=headers)
    assert (status, html) == expected
    assert b"Django REST framework" in html


@pytest.mark.parametrize("path", PATHS[:5])
def test_an_endpoint_makes_the_queries_of_stock(flights, path):
    with CaptureQueriesContext(connection) as expected, fastschema.disabled():
        content(path)
    with CaptureQueriesContext(connection) as captured:
        content(path)
    assert [query["sql"] for query in captured] == [query["sql"] for query in expected]


def run(code, **environment):
    """What a program prints in a process of its own, in the example project."""
    project = Path(views.__file__).parents[1]
    result = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{code}"],
        cwd=project,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()


ROWS = """
from flights.models import Airline
from flights.serializers import AirlineSerializer
import fastschema
rows = [Airline(code="UA", name="United")] * 30
for _ in range(2):  # stock runs what the first serializer of a class does
    assert AirlineSerializer(rows, many=True).data == [{"code": "UA", "name": "United"}] * 30
assert fastschema.compile(AirlineSerializer).dumps(rows[:1], many=True) == (
    b'[{"code":"UA","name":"United"}]'
)
print(fastschema.stats().compiled_rows)
"""


@pytest.mark.parametrize(
    ("variable", "compiled"), [("0", "31"), ("", "31"), ("1", "0"), ("true", "0"), ("yes", "0")]
)
def test_the_environment_switches_fastschema_off(variable, compiled):
    assert run(ROWS, FASTSCHEMA_DISABLED=variable, FASTSCHEMA="1") == compiled


def test_without_the_app_only_plans_are_compiled():
    assert run(ROWS, FASTSCHEMA_DISABLED="", FASTSCHEMA="0") == "1"


def test_importing_fastschema_imports_no_framework():
    code = (
        "import sys, fastschema, fastschema.contrib.django\nprint('rest_framework' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
