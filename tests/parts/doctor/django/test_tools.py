"""manage.py fastschema, and the system check."""

import json
import sys
import types
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError
from django.db import OperationalError
from django.test import override_settings
from django.urls import path
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.pagination import CursorPagination, PageNumberPagination
from rest_framework.renderers import JSONRenderer
from rest_framework.views import APIView

from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.streaming import StreamingListMixin
from fastschema.doctor.diagnosis import path_of
from fastschema.doctor.django.checks import check_serializers
from fastschema.doctor.django.survey import Endpoints, Survey, reached
from flights.models import Airline, Flight
from flights.serializers import FlightSerializer
from tests.promises.doctor.django import surveyed
from tests.promises.doctor.django.surveyed import HERE, AirlineSerializer, WholeSerializer, run


@pytest.fixture
def survey():
    return reached(HERE)


def found(survey, name):
    return [each for each in survey.serializers if each.path == f"{HERE}:{name}"]


class TestReached:
    def test_every_serializer_is_found_once(self, survey):
        names = [each.path.removeprefix(f"{HERE}:") for each in survey.serializers]
        assert names == [
            "AirlineSerializer",
            "OuterSerializer",
            "WholeSerializer",
            "DynamicSerializer",
            "DynamicSerializer",
            "ListedSerializer",
            "Backwards",
        ]

    def test_it_knows_who_uses_a_serializer(self, survey):
        [airline] = found(survey, "AirlineSerializer")
        assert airline.uses == [
            "GET /airlines/ (Airlines.list)",
            f"{HERE}:OuterSerializer.airline",
            "GET /airlines/{pk}/ (Airlines.retrieve)",
            "GET /fake/{pk}/ (Fake)",
            "GET /named/ (Named)",
        ]
        [listed] = found(survey, "ListedSerializer")
        assert listed.uses == ["GET /listed/ (Listed)", "POST /listed/ (Listed)"]

    def test_it_says_which_fields_run_as_stock_and_why(self, survey):
        [airline] = found(survey, "AirlineSerializer")
        fields = {field.key: (field.compiled, field.why) for field in airline.report}
        assert fields == {
            "code": (True, ""),
            "name": (False, "fastschema cannot compile Shout.to_representation"),
        }

    def test_fields_that_depend_on_the_view_are_those_of_the_view(self, survey):
        described = {
            tuple(field.key for field in each.report): each.uses
            for each in found(survey, "DynamicSerializer")
        }
        assert described == {
            ("code",): ["GET /dynamic/ (Dynamic.list)"],
            ("code", "name"): ["GET /dynamic/{pk}/ (Dynamic.retrieve)"],
        }

    def test_the_child_of_a_list_or_a_dictionary_is_found(self):
        class HoldingSerializer(serializers.Serializer):
            listed = serializers.ListField(child=AirlineSerializer())
            named = serializers.DictField(child=serializers.ListField(child=WholeSerializer()))
            plain = serializers.ListField()

        survey = Survey()
        survey.add(HoldingSerializer(), "here")
        holding = path_of(HoldingSerializer)
        assert {each.path: each.uses for each in survey.serializers} == {
            holding: ["here"],
            f"{HERE}:AirlineSerializer": [f"{holding}.listed"],
            f"{HERE}:WholeSerializer": [f"{holding}.named"],
        }

    def test_it_says_where_it_found_none_and_why(self, survey):
        assert survey.without == {
            "GET / (APIRootView)": "the view names no serializer",
            "GET /picky/ (Picky)": "MultiValueDictKeyError: 'kind'",
            "GET /misnamed/ (Misnamed)": "the view names no serializer",
            "GET /unnamed/ (Unnamed)": "the view names no serializer",
            "GET /function/ (function)": "the view names no serializer",
        }

    def test_methods_come_in_one_order_though_functions_have_theirs_in_a_set(self):
        class Many(APIView):
            http_method_names = ["purge", "delete", "post", "get", "options"]
            get = post = delete = purge = lambda self, request: None

        found = Endpoints([path("", Many.as_view())]).get_api_endpoints()
        assert [method for _, method, _ in found] == ["GET", "POST", "DELETE", "PURGE"]

    def test_views_that_are_made_with_arguments_are_found(self):
        class Served(ListAPIView):
            serializer_class = AirlineSerializer
            queryset = Airline.objects.all()
            service = None

            def __init__(self, service, **arguments):
                super().__init__(**arguments)
                self.service = service

        class Broken(ListAPIView):
            serializer_class = WholeSerializer

            def __init__(self, missing, **arguments):
                raise AssertionError

        urls = (path("served/", Served.as_view(service=1)), path("broken/", Broken.as_view()))
        survey = reached(urls)
        assert list(survey.views) == ["GET /served/ (Served)"]
        assert list(survey.without) == ["GET /broken/ (Broken)"]

    @pytest.mark.parametrize(
        ("attributes", "how"),
        [
            (
                {"serializer_class": surveyed.ListedSerializer},
                "Backwards is a list serializer of your own",
            ),
            (
                {"get_queryset": lambda self: Airline.objects.prefetch_related("flights__airline")},
                "because airline is loaded before it is prefetched",
            ),
            (
                {"get_queryset": lambda self: Airline.objects.only("pk")},
                "because name is not among the columns of Airline that the query reads",
            ),
            (
                {"pagination_class": type("Own", (CursorPagination,), {"get_ordering": None})},
                "a model instance is built for each row, because get_ordering is overridden in Own",
            ),
            (
                {"pagination_class": type("Cursor", (CursorPagination,), {"ordering": "pk"})},
                "no model instances are built",
            ),
            (
                {"serializer_class": surveyed.WholeSerializer},
                "to_representation of WholeSerializer",
            ),
            (
                {"serializer_class": surveyed.OuterSerializer},
                "a model instance is built for each row, because the query does not load airline",
            ),
            (
                {"renderer_classes": [JSONRenderer]},
                "its first renderer is JSONRenderer, not FastJSONRenderer",
            ),
            (
                {"renderer_classes": [type("Spaced", (FastJSONRenderer,), {"compact": False})]},
                "JSON is written with spaces, which orjson cannot",
            ),
            ({"get_queryset": lambda self: 1 / 0}, "is not known: ZeroDivisionError: "),
            (
                {"pagination_class": None, "get_queryset": lambda self: []},
                "list is not a plain QuerySet",
            ),
        ],
    )
    def test_it_says_what_a_list_is_made_of(self, attributes, how):
        class Airlines(surveyed.Airlines):
            pagination_class = PageNumberPagination

        view = type("View", (Airlines,), attributes).as_view({"get": "list"})
        url = types.ModuleType("of_one_view")
        url.urlpatterns = [path("airlines/", view)]
        assert how in reached(url).views["GET /airlines/ (View.list)"].how

    def test_it_says_that_a_list_is_streamed(self):
        class Streamed(StreamingListMixin, surveyed.Listed):
            pass

        url = types.ModuleType("of_one_view")
        url.urlpatterns = [path("listed/", Streamed.as_view())]
        assert reached(url).views["GET /listed/ (Streamed)"].how == "rows are streamed"


class TestCommand:
    def test_it_lists_them(self):
        printed = run("--all", "--urlconf", HERE)
        assert (
            f"  {HERE}:AirlineSerializer, used by GET /airlines/ (Airlines.list)\n"
            "      dumping: 1 compiled, 0 custom, 1 stock\n" in printed
        )
        assert (
            f"  {HERE}:AirlineSerializer.name (dump): "
            "fastschema cannot compile Shout.to_representation\n"
        ) in printed
        assert (
            f"  {HERE}:WholeSerializer, used by {HERE}:OuterSerializer.wholes\n"
            "      dumping: runs as stock, because to_representation is overridden\n"
        ) in printed
        assert (
            f"Views\n  GET /airlines/ (Airlines.list): {HERE}:AirlineSerializer\n      no model"
        ) in printed
        assert printed.startswith("Queries for each row\n  list views with such queries: 0 of 3\n")
        assert "Views whose schema is not known\n  GET / (APIRootView): the" in printed
        assert printed.endswith("\n\nSchemas and fields that run as stock: 4\n")

    def test_by_default_sections_are_cut(self):
        assert "  and 1 more: --all shows everything\n" in run()
        assert "more: --all" not in run("--all")

    def test_it_says_that_the_database_is_not_ready(self, monkeypatch):
        def get_serializer(self):
            raise OperationalError("no such table: flights_airline")

        monkeypatch.setattr(surveyed.Airlines, "get_serializer", get_serializer)
        printed = run("--urlconf", HERE)
        assert "the database is not ready: run manage.py migrate" in printed

    def test_it_says_so_if_there_is_nothing(self):
        assert run("--urlconf", "tests.promises.django.nothing") == (
            "The URL configuration reaches no serializer.\n"
        )

    def test_it_prints_json(self):
        printed = json.loads(run("--urlconf", HERE, "--json"))
        assert printed["schemas"][0]["path"] == f"{HERE}:AirlineSerializer"
        assert printed["schemas"][0]["fields"][1] == {
            "key": "name",
            "source": "name",
            "compiled": False,
            "kind": "the field's own method",
            "why": "fastschema cannot compile Shout.to_representation",
            "custom": False,
        }
        views = {each["view"]: each for each in printed["views"]}
        assert views["GET /listed/ (Listed)"]["rows"] == "instances"
        assert views["GET /airlines/ (Airlines.list)"] == {
            "view": "GET /airlines/ (Airlines.list)",
            "schema": f"{HERE}:AirlineSerializer",
            "how": "no model instances are built",
            "rows": "rows",
            "why": "",
            "renderer": "",
            "filters": "",
            "unloaded": [],
        }
        assert printed["unknown"]["GET /unnamed/ (Unnamed)"]

    def test_it_names_queries_for_each_row(self, monkeypatch):
        class Flights(surveyed.Airlines):
            queryset = Flight.objects.all()
            serializer_class = FlightSerializer

        urls = types.ModuleType("urls_of_flights")
        urls.urlpatterns = [path("flights/", Flights.as_view({"get": "list"}))]
        monkeypatch.setitem(sys.modules, urls.__name__, urls)
        assert run("--queries", "--urlconf", urls.__name__) == (
            "Queries for each row\n"
            "  list views with such queries: 1 of 1\n"
            "  GET /flights/ (Flights.list): nothing loads airline, origin, destination, plane\n"
            "      Add select_related('airline', 'origin', 'destination', 'plane') to the view's "
            "queryset, or set LOAD_RELATIONS.\n"
        )
        Flights.fastschema_load_relations = True
        assert "such queries: 0 of 1" in run("--queries", "--urlconf", urls.__name__)
        del Flights.fastschema_load_relations
        [told] = json.loads(run("--queries", "--json", "--urlconf", urls.__name__)).values()
        assert "select_related('airline', 'origin', 'destination', 'plane')" in told["what"]
        assert told["relations"] == ["airline", "origin", "destination", "plane"]

    def test_views_that_cannot_be_looked_at_are_counted(self, monkeypatch):
        def get_queryset(self):
            raise LookupError(f"no tenant in {object()}")

        monkeypatch.setattr(surveyed.Airlines, "get_queryset", get_queryset)
        assert run("--queries", "--urlconf", HERE) == (
            "Queries for each row\n"
            "  list views with such queries: 0 of 2\n"
            "  list views that could not be examined: 1, because LookupError: no tenant in "
            "<object object>\n"
        )

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["Nobody"], "reaches no serializer named Nobody"),
            (["nowhere.Nobody"], "nowhere.Nobody cannot be imported: No module named 'nowhere'"),
            ([f"{HERE}.plain"], f"{HERE}.plain cannot be read: .*is not a schema"),
            (["--urlconf", "nowhere"], "The URL configuration cannot be imported: .*'nowhere'"),
            (["--urlconf", "math"], "The included URLconf 'math' does not appear to have"),
        ],
    )
    def test_what_is_not_there_is_a_clear_error(self, arguments, message):
        with pytest.raises(CommandError, match=message):
            run(*arguments)

    @pytest.mark.parametrize("name", [f"{HERE}:AirlineSerializer", f"{HERE}.AirlineSerializer"])
    def test_it_shows_one_that_no_url_reaches(self, name):
        printed = run(name)
        assert f"{HERE}:AirlineSerializer\n\nAirlineSerializer: 1 of 2 fields" in printed
        assert "\n\nAirlineSerializer: 1 of 2" in printed


@pytest.mark.urls(HERE)
class TestCheck:
    def test_it_is_off_by_default(self):
        assert check_serializers() == []

    @override_settings(FASTSCHEMA={"CHECK_SERIALIZERS": True})
    def test_it_warns_of_serializers_that_run_as_stock_as_a_whole(self):
        assert [(each.id, each.msg, each.obj) for each in check_serializers()] == [
            (
                "fastschema.W001",
                f"{name} runs as stock, because to_representation is overridden.",
                f"{HERE}:{name}",
            )
            for name in ("WholeSerializer",)
        ]

    @override_settings(FASTSCHEMA={"CHECK_SERIALIZERS": True})
    def test_django_runs_it(self):
        stderr = StringIO()
        call_command("check", "--tag", "fastschema", stderr=stderr)
        assert f"{HERE}:WholeSerializer: (fastschema.W001) WholeSer" in stderr.getvalue()
        with pytest.raises(SystemCheckError):
            call_command("check", "--fail-level", "WARNING", stderr=stderr)
