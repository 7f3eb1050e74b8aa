"""manage.py fastschema as the doctor: what to change, profiles and CI."""

import io
import itertools
import json
import sys
import types

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import path
from djangorestframework_camel_case.render import CamelCaseJSONRenderer
from rest_framework import serializers
from rest_framework.pagination import CursorPagination, PageNumberPagination
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from fastschema import Plan
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.doctor.django.survey import diagnosis_of_project, reached
from flights.models import Airline, Flight
from flights.serializers import FlightSerializer
from tests.marks import needs_orjson
from tests.profiles import profile_by_length
from tests.promises.django.lists.models import City
from tests.promises.doctor.django import surveyed
from tests.promises.doctor.django.surveyed import HERE, run

NUMBERS = itertools.count()
FLIGHTS = "GET /flights/ (Flights.list)"


class Flights(surveyed.Airlines):
    queryset = Flight.objects.all()
    serializer_class = FlightSerializer


class OwnNumber(serializers.IntegerField):
    def to_internal_value(self, data):
        return super().to_internal_value(data) + 1


class InputSerializer(serializers.ModelSerializer):
    number = OwnNumber()

    class Meta:
        model = Flight
        fields = ("number", "airline")


@pytest.fixture
def urls(monkeypatch):
    """A function that makes a URL configuration of views, and returns its name."""

    def make(**views):
        module = types.ModuleType(f"urls_{next(NUMBERS)}")  # Django keeps them by their names
        module.urlpatterns = [path(f"{name}/", view) for name, view in views.items()]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        return module.__name__

    return make


@pytest.fixture
def _profiling(monkeypatch):
    monkeypatch.setattr(Plan, "profile", profile_by_length)


def advice(urlconf):
    diagnosis = diagnosis_of_project(reached(urlconf))
    queries = [(each.what, [view]) for view, each in diagnosis.queries.items()]
    return [*queries, *diagnosis.advice.items()]


def test_a_serializer_that_adds_itself(urls):
    class TreeSerializer(serializers.ModelSerializer):
        class Meta:
            model = City
            fields = ("name",)

        def get_fields(self):
            return {**super().get_fields(), "twin": TreeSerializer()}

    view = type("Trees", (surveyed.Airlines,), {"serializer_class": TreeSerializer})
    view.queryset = City.objects.all()
    urlconf = urls(trees=view.as_view({"get": "list", "post": "create"}))

    for arguments in ([], ["--json"], ["TreeSerializer"], ["--queries"]):
        assert "recursion" not in run("--urlconf", urlconf, *arguments)
    [schema] = diagnosis_of_project(reached(urlconf)).schemas
    for report in (schema.report, schema.report.loading):
        assert [field.key for field in report] == ["name", "twin", "twin.name", "twin.twin"]
    assert advice(urlconf)[0][0].startswith("Add select_related('twin')")


class Encoder(JSONEncoder):
    """One of the project's own."""


@needs_orjson
class TestAdvice:
    def test_a_queryset_that_loads_too_little_is_told_what_to_add(self, urls):
        [(what, where)] = advice(urls(flights=Flights.as_view({"get": "list"})))

        assert what.startswith(
            "Add select_related('airline', 'origin', 'destination', 'plane') to the view's queryset"
        )
        assert where == [FLIGHTS]

    @pytest.mark.parametrize(
        ("attributes", "words"),
        [
            ({"renderer_classes": [JSONRenderer]}, "FastJSONRenderer first in the view's"),
            (
                {
                    "renderer_classes": [
                        type("Own", (FastJSONRenderer,), {"encoder_class": Encoder})
                    ]
                },
                "leave out encoder_class",
            ),
            (
                {"pagination_class": type("Own", (CursorPagination,), {"get_ordering": None})},
                "Use one of DRF's paginators as it comes",
            ),
        ],
    )
    def test_a_view_that_could_be_faster_is_told_how(self, urls, attributes, words):
        attributes = {"serializer_class": surveyed.DynamicSerializer, **attributes}
        view = type("View", (surveyed.Airlines,), attributes).as_view({"get": "list"})

        told = [what for what, _ in advice(urls(airlines=view))]

        assert [words in what for what in told] == [True]

    @pytest.mark.parametrize(
        "renderer",
        [
            type("Own", (CamelCaseJSONRenderer, FastJSONRenderer), {}),
            type("Own", (BaseRenderer,), {"media_type": "text/own", "format": "own"}),
        ],
    )
    def test_a_renderer_that_writes_by_orjson_or_no_json_stays(self, urls, renderer):
        attributes = {
            "serializer_class": surveyed.DynamicSerializer,
            "renderer_classes": [renderer],
        }
        view = type("View", (surveyed.Airlines,), attributes).as_view({"get": "list"})

        assert advice(urls(airlines=view)) == []

    @pytest.mark.parametrize("is_placeholder", ["attribute", "method"])
    def test_a_view_with_a_placeholder_for_a_queryset_is_not_examined(self, urls, is_placeholder):
        nothing = Flight.objects.none()
        attributes = (
            {"queryset": nothing}
            if is_placeholder == "attribute"
            else {"get_queryset": lambda self: nothing}
        )
        view = type("View", (Flights,), attributes).as_view({"get": "list"})

        survey = reached(urls(flights=view))

        [finding] = survey.views.values()
        assert finding.queries is None
        assert not any(finding.advice)
        why = "its queryset is none() without a real request"
        assert finding.why_not_looked_at == why
        assert finding.how == f"how rows are made is not known: {why}"


class TestVersions:
    def test_views_with_other_arguments_are_others(self, urls):
        one, other = (
            surveyed.Airlines.as_view({"get": "list"}, pagination_class=each)
            for each in (None, PageNumberPagination)
        )

        assert len(reached(urls(one=one, other=other)).lists) == 2

    def test_those_that_are_registered_one_by_one(self, urls):
        list_view, other = (surveyed.Airlines.as_view({"get": "list"}) for _ in range(2))

        assert list(reached(urls(v1=list_view, v2=other)).lists) == [
            "GET /v1/, /v2/ (Airlines.list)"
        ]


class OfUser(Flights):
    """A list view of what belongs to the user of the request, who is an airline here."""

    def get_queryset(self):
        if self.request.user is None:  # as what Django raises for an AnonymousUser
            raise TypeError("expected a number but got <AnonymousUser object at 0x7fae7>.")
        return Flight.objects.filter(airline=self.request.user)


@pytest.mark.django_db
class TestUser:
    @pytest.fixture(autouse=True)
    def _users(self, monkeypatch):
        class Users:
            get_by_natural_key = staticmethod(lambda name: Airline.objects.get(code=name))

        users = types.SimpleNamespace(_default_manager=Users)
        monkeypatch.setattr("django.contrib.auth.get_user_model", lambda: users)
        Airline.objects.create(code="an", name="Ann")

    @pytest.fixture
    def urlconf(self, urls):
        return urls(mine=OfUser.as_view({"get": "list"}))

    def test_a_view_that_needs_a_user_asks_for_one(self, urlconf):
        printed = run("--urlconf", urlconf)
        why = "it needs a user who is logged in: name one with --user"

        assert f"  list views that could not be examined: 1, because {why}\n" in printed
        assert f"      how rows are made is not known: {why}\n" in printed

    def test_with_a_user_it_is_examined(self, urlconf):
        printed = run("--urlconf", urlconf, "--user", "an", "--profile")

        assert printed.startswith("Queries for each row\n  list views with such queries: 1 of 1\n")
        assert "GET /mine/ (OfUser.list) is not profiled: its queryset has no rows." in printed

    def test_a_user_that_there_is_not_is_a_clear_error(self, urlconf):
        with pytest.raises(CommandError, match="There is no user named bob"):
            run("--urlconf", urlconf, "--user", "bob")


class TestSchemas:
    def test_one_with_an_override_around_compiled_code_says_so(self):
        printed = run("Backwards", "--urlconf", HERE)

        assert "Backwards: 1 of 1 fields compiled, inside your to_representation" in printed
        assert "runs as stock" not in printed


class TestInput:
    def test_it_counts_where_one_does(self, urls):
        view = type("View", (surveyed.Listed,), {"serializer_class": InputSerializer})
        urlconf = urls(flights=view.as_view())

        assert [(each.does, each.why) for each in diagnosis_of_project(reached(urlconf)).stock] == [
            ("load", "fastschema cannot compile OwnNumber.to_internal_value")
        ]
        assert "loading" not in run("--dump-only", "--urlconf", urlconf)


class TestFailing:
    def test_ci_can_fail_on_what_runs_as_stock(self):
        stdout = io.StringIO()

        with pytest.raises(CommandError) as raised:
            call_command(
                "fastschema", "--fail-on-stock", "--json", "--urlconf", HERE, stdout=stdout
            )

        assert raised.value.returncode == 1
        assert str(raised.value) == (
            f"these schemas and fields run as stock: {HERE}:AirlineSerializer.name, "
            f"{HERE}:OuterSerializer.airline.name, {HERE}:OuterSerializer.wholes, "
            f"{HERE}:WholeSerializer"
        )
        assert len(json.loads(stdout.getvalue())["stock"]) == 4


@pytest.mark.django_db
@pytest.mark.usefixtures("_profiling")
class TestProfile:
    @pytest.fixture(autouse=True)
    def _airlines(self, db):
        Airline.objects.bulk_create(Airline(code=code, name=code) for code in ("AA", "BB", "CC"))

    def test_the_first_rows_of_each_list_view_are_run(self, urls):
        urlconf = urls(airlines=surveyed.Airlines.as_view({"get": "list"}))
        printed = run("--profile", "--rows", "2", "--urlconf", urlconf)

        assert "Profile of GET /airlines/ (Airlines.list)\ncode 2.0\n" in printed
        assert (
            "Fields that cost most\n  code, in GET /airlines/ (Airlines.list): 2 s, "
            "500 ms of it in your own code or in stock methods (it is odd)\n"
        ) in printed

    def test_what_each_row_asks_is_counted(self, urls, flights, monkeypatch):
        class Telling(serializers.Serializer):
            airline = surveyed.AirlineSerializer()
            origin = serializers.SerializerMethodField()

            def get_origin(self, flight):
                return flight.origin.name

        class Rows(Flights):
            serializer_class = Telling

        monkeypatch.undo()
        urlconf = urls(rows=Rows.as_view({"get": "list"}))
        printed = run("--profile", "--urlconf", urlconf)
        assert printed.startswith(
            "Queries for each row\n  list views with such queries: 1 of 1\n"
            "  GET /rows/ (Rows.list): 2.0 queries for each row, "
        )
        place = f"{__name__}.{Telling.get_origin.__qualname__}"
        told = f"      {place} asks flights_airport 4 times\n"
        assert told in printed
        assert told in run("--queries", "--profile", "--urlconf", urlconf)
        assert "flights_airport" not in run("--queries", "--urlconf", urlconf)
        [found] = json.loads(run("--queries", "--profile", "--json", "--urlconf", urlconf)).values()
        assert (found["per_row"], len(found["by_users"])) == (2.0, 1)

    def test_a_view_that_cannot_be_run_says_why(self, urls):
        class Broken(surveyed.Airlines):
            serializer_class = surveyed.DynamicSerializer

            def get_queryset(self):
                raise LookupError("no tenant")

        urlconf = urls(
            broken=Broken.as_view({"get": "list"}), flights=Flights.as_view({"get": "list"})
        )
        printed = run("--profile", "--urlconf", urlconf)

        assert "GET /broken/ (Broken.list) is not profiled: LookupError: no tenant\n" in printed
        assert f"{FLIGHTS} is not profiled: its queryset has no rows.\n" in printed

    def test_it_is_written_as_a_picture(self, tmp_path):
        file = tmp_path / "profile.svg"
        printed = run("DynamicSerializer", "--profile", "--svg", str(file), "--urlconf", HERE)

        assert f"The picture of GET /dynamic/ (Dynamic.list) is in {file}.\n" in printed
        assert file.read_text() == "<svg>code</svg>"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--svg", "profile.svg"], "--svg needs --profile"),
            (["--profile", "--rows", "0"], "--rows must be a positive number, not 0"),
        ],
    )
    def test_options_that_make_no_sense_are_clear_errors(self, arguments, message):
        with pytest.raises(CommandError, match=message):
            run(*arguments)

    def test_a_real_profile_tells_of_every_field(self, monkeypatch):
        monkeypatch.undo()
        printed = run("DynamicSerializer", "--profile", "--urlconf", HERE)

        assert "Profile of GET /dynamic/ (Dynamic.list)\nDynamicSerializer: 3 rows in " in printed
        assert "Fields that cost most\n  code, in GET /dynamic/ (Dynamic.list): " in printed


def test_it_says_its_versions(capsys):
    with pytest.raises(SystemExit):
        call_command("fastschema", "--version")
    assert capsys.readouterr().out.startswith("fastschema ")


def test_methods_that_delete_are_left_out(urls):
    class Flown(surveyed.Airlines):
        def destroy(self, request):
            raise NotImplementedError

    urlconf = urls(a=Flown.as_view({"get": "list", "delete": "destroy"}))

    assert list(reached(urlconf).views) == ["GET /a/ (Flown.list)"]
