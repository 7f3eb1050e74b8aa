"""LOAD_RELATIONS in views: what is loaded, when, and what is left alone."""

import pytest
from django import VERSION
from django.core.exceptions import PermissionDenied
from django.db import connection, models, transaction
from django.db.models import Prefetch, prefetch_related_objects
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps
from rest_framework import generics, pagination, serializers, viewsets
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.relations import load_relations
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.streaming import StreamingListMixin
from flights.models import Airline, Flight
from flights.serializers import FlightSerializer
from tests.instruments.core import thresholds
from tests.instruments.relations import on_demand
from tests.promises.django.differential import serializer_of as of
from tests.promises.django.list_views import without_token
from tests.promises.django.serializers import Named
from tests.promises.django.tables import NamedBase, tables_of

pytestmark = pytest.mark.django_db
ALL = ("airline", "origin", "destination", "plane")


class Flights(generics.ListAPIView):
    queryset = Flight.objects.order_by("pk")
    serializer_class = FlightSerializer
    pagination_class = None
    filter_backends = ()
    renderer_classes = (FastJSONRenderer,)
    fastschema_load_relations = True


class FlightDetail(generics.RetrieveAPIView):
    """One flight: each relation of one object is a query in any case."""

    queryset = Flight.objects.all()
    serializer_class = FlightSerializer
    filter_backends = ()
    renderer_classes = (FastJSONRenderer,)
    fastschema_load_relations = True


class WithFlights(serializers.ModelSerializer):
    flights = FlightSerializer(many=True)

    class Meta:
        model = Airline
        fields = ("code", "flights")


def view_of(base=Flights, **attributes):
    return type("View", (base,), attributes)


def asked(view, path="/", **kwargs):
    """The body of an answer, and the queries that it took."""
    queries = []

    def note(execute, sql, params, many, context):
        queries.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        response = view.as_view()(APIRequestFactory().get(path), **kwargs).render()
    return without_token(response.content), queries


def assert_same(view, expected, path="/", **kwargs):
    """Assert that a view answers as in stock, by so many queries; return them."""
    with fastschema.disabled():
        body, _ = asked(view, path, **kwargs)
    for _ in range(2):  # the second time, what is missing is known
        found, queries = asked(view, path, **kwargs)
        assert found == body
        assert len(queries) == expected
    return queries


def queries_of_stock(view, path="/", **kwargs):
    with fastschema.disabled():
        return asked(view, path, **kwargs)[1]


@pytest.mark.usefixtures("flights")
class TestLists:
    def test_the_query_of_the_view_stays_what_it_was(self):
        queries = assert_same(Flights, 5)
        assert queries[0] == queries_of_stock(Flights)[0]
        assert len(queries_of_stock(Flights)) > 12

    def test_the_setting_is_for_all_views_and_a_view_knows_better(self):
        view = type("Plain", (Flights,), {})
        with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
            assert_same(view_of(fastschema_load_relations=False), len(queries_of_stock(Flights)))
            del Flights.fastschema_load_relations
            try:
                assert_same(view, 5)
            finally:
                Flights.fastschema_load_relations = True
        assert_same(view_of(fastschema_load_relations=False), len(queries_of_stock(Flights)))

    def test_counting_has_no_joins(self):
        pages = type("Pages", (pagination.PageNumberPagination,), {"page_size": 3})
        queries = assert_same(view_of(pagination_class=pages), 6)
        assert queries[:2] == queries_of_stock(view_of(pagination_class=pages))[:2]

    def test_what_the_queryset_loads_is_not_loaded_again(self):
        loaded = Flight.objects.select_related("airline").prefetch_related("origin", "plane")
        assert_same(view_of(queryset=loaded.order_by("pk")), 4)

    @pytest.mark.at_once
    def test_a_prefetch_of_the_users_is_continued(self):
        flights = Prefetch("flights", Flight.objects.select_related("origin").order_by("pk"))
        airlines = Airline.objects.order_by("pk").prefetch_related(flights)
        assert_same(view_of(queryset=airlines, serializer_class=WithFlights), 4)

    @pytest.mark.parametrize(
        ("change", "queries"),
        [
            (lambda rows: rows.only("pk", "airline", "origin", "destination", "plane"), 5),
            (lambda rows: rows.only("pk"), 1 + 4 + 4 if VERSION >= (6, 1) else 1 + 4 * 4 + 4),
            (lambda rows: rows.defer("number", "date"), 5),
            (lambda rows: rows[1:3], 5),
            (lambda rows: rows.distinct(), 5),
            (lambda rows: rows.annotate(n=models.Count("airline__flights")), 5),
            (lambda rows: rows.select_for_update(), 5),
            (lambda rows: rows.none(), 0),
        ],
        ids=["only", "keys", "defer", "sliced", "distinct", "annotated", "for update", "none"],
    )
    def test_querysets_of_all_sorts_are_loaded(self, change, queries):
        serializer = of(**{name: AirlineLike() for name in ALL})
        rows = change(Flight.objects.order_by("pk"))
        assert_same(view_of(queryset=rows, serializer_class=serializer), queries)

    def test_fields_that_are_chosen_by_the_request_are_followed_as_chosen(self):
        class Chosen(FlightSerializer):
            def get_fields(self):
                fields = super().get_fields()
                chosen = self.context["request"].GET.get("fields")
                return fields if chosen is None else {chosen: fields[chosen]}

        view = view_of(serializer_class=Chosen)
        assert_same(view, 5)
        assert_same(view, 2, "/?fields=airline")
        assert_same(view, 1, "/?fields=number")

    def test_a_streamed_list_prefetches_too(self):
        class Streamed(StreamingListMixin, Flights):
            pass

        with fastschema.disabled():
            expected = asked(view_of(fastschema_load_relations=False))[0]
        for rows in (True, False):
            with override_settings(FASTSCHEMA={"ROWS": rows}):
                response = Streamed.as_view()(APIRequestFactory().get("/"))
                with CaptureQueriesContext(connection) as captured:
                    assert b"".join(response.streaming_content) == expected
            assert len(captured) <= 5


class AirlineLike(serializers.Serializer):
    pk = serializers.CharField()


class Told(FlightSerializer):
    told = serializers.SerializerMethodField()

    def get_told(self, flight):
        return flight.number


def test_rows_that_have_all_they_need_are_not_looked_at(monkeypatch, flights):
    rows = Flight.objects.select_related("airline", "origin", "destination", "plane").order_by("pk")
    expected = Told(rows, many=True).data
    monkeypatch.setattr(thresholds, "few_for_django", 1)
    monkeypatch.setattr(on_demand, "_missing_of", None)

    with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
        assert Told(rows.all(), many=True).data == expected


@pytest.mark.usefixtures("flights")
class TestDetails:
    def test_single_objects_take_the_queries_that_they_take_in_stock(self):
        for key in (1, 4):  # the latter has no plane
            assert assert_same(FlightDetail, len(queries_of_stock(FlightDetail, pk=key)), pk=key)

    def test_what_lists_of_objects_refer_to_is_prefetched(self):
        view = view_of(FlightDetail, queryset=Airline.objects.all(), serializer_class=WithFlights)
        assert_same(view, 5, pk="UA")
        assert len(queries_of_stock(view, pk="UA")) > 5

    def test_what_may_not_be_seen_is_not_loaded(self):
        class Forbidden(FlightDetail):
            queryset = Airline.objects.all()
            serializer_class = WithFlights

            def check_object_permissions(self, request, obj):
                raise PermissionDenied

        assert_same(Forbidden, 1, pk="UA")

    def test_a_prefetch_of_the_users_keeps_its_queryset(self):
        class Told(serializers.Serializer):
            told = serializers.CharField()
            flights = FlightSerializer(many=True)

        airlines = Airline.objects.annotate(told=models.Value("told"))
        rows = Flight.objects.prefetch_related(Prefetch("airline", airlines))
        view = view_of(FlightDetail, queryset=rows, serializer_class=of(airline=Told()))
        assert_same(view, 6, pk=1)


class Anywhere(viewsets.ViewSet):
    renderer_classes = (FastJSONRenderer,)
    fastschema_load_relations = True

    def list(self, request):
        rows = Flight.objects.order_by("pk")
        return Response(FlightSerializer(rows, many=True, context={"view": self}).data)

    def evaluated(self, request):
        rows = Flight.objects.order_by("pk")
        context = {"count": len(rows), "view": self}
        return Response({"flights": FlightSerializer(rows, many=True, context=context).data})

    def listed(self, request):
        rows = list(Flight.objects.order_by("pk"))[1:]
        return Response(FlightSerializer(rows, many=True, context={"view": self}).data)

    def in_a_method(self, request):
        class Within(serializers.Serializer):
            flights = serializers.SerializerMethodField()

            def get_flights(self, airline):
                rows = airline.flights.order_by("pk")
                return FlightSerializer(rows, many=True, context=self.context).data

        airline = Airline.objects.get(pk="UA")
        return Response(Within(airline, context={"view": self}).data)

    def by_an_own_list_serializer(self, request):
        class Own(serializers.ListSerializer):
            def to_representation(self, data):
                return [*super().to_representation(data), len(data)]

        rows = Flight.objects.order_by("pk")
        return Response(Own(rows, child=FlightSerializer(), context={"view": self}).data)


@pytest.mark.usefixtures("flights")
class TestAnywhere:
    @pytest.mark.parametrize(
        ("action", "queries"),
        [
            ("list", 5),
            ("evaluated", 5),
            ("listed", 5),
            ("in_a_method", 5),
            ("by_an_own_list_serializer", 5),
        ],
    )
    def test_relations_are_loaded(self, action, queries):
        view = type("View", (Anywhere,), {"as_view": lambda: Anywhere.as_view({"get": action})})
        assert len(queries_of_stock(view)) > queries
        assert_same(view, queries)

    def test_without_a_view_the_setting_says_so(self):
        def asks():
            with CaptureQueriesContext(connection) as captured:
                FlightSerializer(Flight.objects.order_by("pk"), many=True).data  # noqa: B018  # it represents
            return len(captured)

        stock = asks()
        with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
            assert asks() == 5
        assert stock > 5

    @pytest.mark.parametrize(
        "dump",
        [
            lambda plan, rows: plan.dump(rows, many=True),
            lambda plan, rows: plan.dumps(rows, many=True),
            lambda plan, rows: list(plan.stream(rows)),
        ],
        ids=["dump", "dumps", "stream"],
    )
    def test_a_plan_loads_them(self, dump):
        plan = fastschema.compile(FlightSerializer)
        expected = dump(plan, list(Flight.objects.order_by("pk")))
        rows = list(Flight.objects.order_by("pk"))
        with (
            override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}),
            CaptureQueriesContext(connection) as captured,
        ):
            assert dump(plan, rows) == expected
        assert len(captured) == 4

    def test_a_serializer_that_runs_as_stock_loads_them(self, monkeypatch):
        monkeypatch.setattr(thresholds, "rows_worth_reading", 1000)
        assert_same(view_of(serializer_class=of(airline=AirlineLike())), 2)

    def test_a_list_of_objects_of_two_models_is_left_alone(self):
        def rows(self):
            return [*Flight.objects.order_by("pk"), Airline.objects.get(pk="UA")]

        serializer = of(airline=AirlineLike(required=False))
        view = view_of(get_queryset=rows, serializer_class=serializer)
        assert_same(view, len(queries_of_stock(view)))

    def test_objects_that_are_not_saved_are_left_alone(self):
        rows = [Flight(pk=number, airline_id="UA") for number in (1, 2)]
        view = view_of(get_queryset=lambda self: rows, serializer_class=of(airline=AirlineLike()))
        with fastschema.disabled():
            expected = asked(view)[0]
        rows[:] = [Flight(pk=number, airline_id="UA") for number in (1, 2)]
        assert asked(view)[0] == expected

    def test_rows_of_which_some_are_loaded_are_completed(self):
        rows = list(Flight.objects.order_by("pk"))
        [rows[number].airline for number in (1, 3)]
        view = view_of(get_queryset=lambda self: rows, serializer_class=of(airline=AirlineLike()))
        loaded = rows[1].airline
        assert len(asked(view)[1]) == 1
        assert rows[1].airline is loaded

    def test_many_rows_are_loaded_in_parts(self, monkeypatch):
        monkeypatch.setattr(on_demand, "_MOST_AT_ONCE", 2)
        view = view_of(serializer_class=of(airline=AirlineLike()))
        count = Flight.objects.count()
        assert_same(view, 1 + (count + 1) // 2)


@pytest.mark.usefixtures("flights")
class TestAfterwards:
    def test_lists_are_read_anew(self):
        airline = Airline.objects.get(pk="UA")
        with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
            before = WithFlights(airline).data
            new = Flight.objects.filter(airline="UA").first()
            new.pk = 1000
            new.save()
            after = WithFlights(airline).data
        assert len(after["flights"]) == len(before["flights"]) + 1

    def test_lists_behind_lists_that_were_there_before_are_read_anew(self):
        class Back(serializers.Serializer):
            flights = of(pk=serializers.CharField())(many=True)

        airlines = list(Airline.objects.prefetch_related("flights__plane").order_by("pk"))
        flights = [flight for each in airlines for flight in each.flights.all()]
        with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
            planes = of(flights=of(plane=Back(required=False))(many=True))
            planes(airlines, many=True).data  # noqa: B018  # it represents
        assert all("flights" in each._prefetched_objects_cache for each in airlines)
        loaded = [each.plane for each in flights if each.plane]
        assert loaded
        assert all(
            "flights" not in vars(each).get("_prefetched_objects_cache", {}) for each in loaded
        )

    def test_lists_that_were_there_before_stay(self):
        airlines = list(Airline.objects.order_by("pk"))
        prefetch_related_objects(airlines[1:], "flights")
        with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
            WithFlights(airlines, many=True).data  # noqa: B018  # it represents
        kept = [vars(each).get("_prefetched_objects_cache", {}).keys() for each in airlines]
        assert kept == [set(), *[{"flights"}] * len(airlines[1:])]


@pytest.mark.usefixtures("flights")
class TestNothingInAdvance:
    @pytest.mark.parametrize("base", [Flights, FlightDetail])
    def test_a_write_for_the_serializer_within_a_transaction(self, base):
        class Writing(base):
            def get_serializer(self, *args, **kwargs):
                Airline.objects.filter(pk="UA").update(name="written")
                return super().get_serializer(*args, **kwargs)

        key = {} if base is Flights else {"pk": 1}
        with transaction.atomic():
            stock = len(queries_of_stock(Writing, **key))
            queries = assert_same(Writing, 6 if base is Flights else stock, **key)
        assert len([sql for sql in queries if sql.startswith("UPDATE")]) == 1

    def test_what_makes_a_serializer_runs_once(self):
        calls = []

        class Counting(Flights):
            def get_serializer(self, *args, **kwargs):
                calls.append("get_serializer")
                return super().get_serializer(*args, **kwargs)

            def get_serializer_class(self):
                calls.append("get_serializer_class")
                return Counted

            def get_serializer_context(self):
                calls.append("get_serializer_context")
                return super().get_serializer_context()

        class Counted(FlightSerializer):
            def get_fields(self):
                calls.append("get_fields")
                return super().get_fields()

        asked(Counting)
        names = ["get_serializer", "get_serializer_class", "get_serializer_context", "get_fields"]
        assert calls == names

    def test_an_error_of_a_related_object_is_no_missing_one(self, monkeypatch):
        def from_db_value(value, expression, connection):
            raise ValueError(value)

        name = Airline._meta.get_field("name")
        monkeypatch.setattr(name, "from_db_value", from_db_value, raising=False)
        with pytest.raises(ValueError, match="United"):
            asked(view_of(FlightDetail, serializer_class=of(airline=AirlineLike())), pk=1)


class TestByHand:
    def test_it_takes_classes_instances_and_lists(self, flights):
        rows = Flight.objects.order_by("pk")
        for serializer in (FlightSerializer, FlightSerializer(), FlightSerializer(many=True)):
            loaded = load_relations(rows, serializer)
            assert loaded._prefetch_related_lookups == ALL
            assert list(loaded) == list(rows.all())

    def test_what_has_been_evaluated_stays(self, flights):
        rows = Flight.objects.all()
        len(rows)
        assert load_relations(rows, FlightSerializer) is rows

    def test_where_fastschema_is_switched_off_nothing_is_loaded(self):
        rows = Flight.objects.all()
        with fastschema.disabled():
            assert load_relations(rows, FlightSerializer) is rows

    def test_a_list_has_its_relations_afterwards(self, flights):
        rows = list(Flight.objects.order_by("pk"))
        assert load_relations(rows, FlightSerializer) is rows
        with CaptureQueriesContext(connection) as captured:
            FlightSerializer(rows, many=True).data  # noqa: B018  # it represents
        assert len(captured) == 0
        assert load_relations([], FlightSerializer) == []
        assert load_relations([{"id": 1}], FlightSerializer) == [{"id": 1}]

    @pytest.mark.parametrize(
        ("rows", "serializer", "message"),
        [
            (Flight.objects.all(), dict, "takes a serializer or its class, not <class 'dict'>"),
            ((), FlightSerializer, "takes a queryset or a list, not a tuple"),
        ],
    )
    def test_anything_else_is_an_error(self, rows, serializer, message):
        with pytest.raises(TypeError, match=message):
            load_relations(rows, serializer)

    @pytest.mark.skipif(VERSION < (6, 1), reason="fetch modes came with Django 6.1")
    def test_what_method_fields_follow_is_loaded_for_all_rows(self, flights):
        class Methods(serializers.Serializer):
            name = serializers.SerializerMethodField()

            def get_name(self, flight):
                return flight.airline.name

        assert_same(view_of(serializer_class=Methods), 2)

    @pytest.mark.skipif(VERSION < (6, 1), reason="fetch modes came with Django 6.1")
    @pytest.mark.parametrize("few", [1, 1000])
    def test_rows_fetch_for_each_other_only_while_they_are_serialized(
        self, flights, few, monkeypatch
    ):
        class Methods(serializers.Serializer):
            name = serializers.SerializerMethodField()

            def get_name(self, flight):
                return flight.airline.name

        monkeypatch.setattr(thresholds, "few_for_django", few)
        rows = Flight.objects.order_by("pk")
        with (
            override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}),
            CaptureQueriesContext(connection) as captured,
        ):
            assert len(Methods(rows, many=True).data) == 4
        assert len(captured) == 2
        assert {row._state.fetch_mode for row in rows} == {models.FETCH_ONE}
        assert {row._state.peers for row in rows} == {()}

    @pytest.mark.skipif(VERSION < (6, 1), reason="fetch modes came with Django 6.1")
    def test_a_representation_of_the_users_own_loads_for_all_rows(self, flights):
        class Represented(FlightSerializer):
            def to_representation(self, instance):
                return {"name": instance.airline.name}

        assert_same(view_of(serializer_class=Represented), 2)

    @pytest.mark.skipif(VERSION < (6, 1), reason="fetch modes came with Django 6.1")
    def test_a_fetch_mode_of_the_users_stays(self, flights):
        rows = Flight.objects.fetch_mode(models.FETCH_RAISE)
        assert (
            load_relations(rows, of(id=serializers.IntegerField()))._fetch_mode is rows._fetch_mode
        )


@pytest.fixture(scope="module")
def odd(django_db_setup, django_db_blocker):
    """Models with relations that are not the same if they are loaded at once."""
    with isolate_apps("flights"):

        class Hiding(models.Manager):
            def get_queryset(self):
                return super().get_queryset().exclude(name="hidden")

        class Visibly(models.QuerySet):
            def visible(self):
                return self.filter(name="visible")

        class Hidden(NamedBase):
            objects = Hiding()

            class Meta:
                app_label = "flights"
                base_manager_name = "objects"

        class Plain(NamedBase):
            pass

        class Unmanaged(NamedBase):
            class Meta:
                app_label = "flights"
                managed = False

        class Owner(NamedBase):
            loose = models.ForeignKey(
                Plain, models.DO_NOTHING, null=True, db_constraint=False, related_name="+"
            )
            strict = models.ForeignKey(Plain, models.CASCADE, null=True, related_name="owners")
            hidden = models.ForeignKey(Hidden, models.CASCADE, null=True, related_name="+")
            legacy = models.ForeignKey(Unmanaged, models.DO_NOTHING, null=True, related_name="+")
            unordered = models.ManyToManyField(Plain, related_name="+")
            tame = models.ManyToManyField(Hidden, related_name="+")

            objects = Visibly.as_manager()

        class Card(NamedBase):
            plain = models.OneToOneField(
                Plain, models.CASCADE, related_name="card", related_query_name="ticket"
            )

        class Line(models.Model):
            plain = models.ForeignKey(Plain, models.CASCADE, related_name="lines")
            number = models.IntegerField()

            class Meta:
                app_label = "flights"
                unique_together = ("plain", "number")

        class Ranked(NamedBase):
            plain = models.ForeignKey(Plain, models.CASCADE, related_name="ranked")
            number = models.IntegerField(null=True)

            class Meta:
                app_label = "flights"
                ordering = ("number",)

        class Note(models.Model):
            before = models.ForeignKey("self", models.CASCADE, null=True, related_name="after")

            class Meta:
                app_label = "flights"
                ordering = ("pk",)

    found = [Hidden, Plain, Unmanaged, Owner, Card, Line, Ranked, Note]
    with tables_of(found, django_db_blocker):
        yield type("Models", (), {cls.__name__: cls for cls in found})


class Visible(serializers.ListSerializer):
    def to_representation(self, data):
        return super().to_representation(data.filter(name="visible"))


class TestOddRelations:
    def test_what_leads_back_is_known_already(self, odd):
        first = odd.Note.objects.create()
        for _ in range(3):
            odd.Note.objects.create(before=first)
        after = of(before=AirlineLike())(many=True)
        view = view_of(queryset=odd.Note.objects.all(), serializer_class=of(after=after))
        assert_same(view, 2)

    @pytest.mark.parametrize("name", ["loose", "hidden", "legacy", "unordered", "tame"])
    def test_it_is_not_loaded(self, odd, name):
        many = name in ("unordered", "tame")
        serializer = of(**{name: AirlineLike(many=many)})
        rows = odd.Owner.objects.all()
        assert load_relations(rows, serializer)._prefetch_related_lookups == ()
        both = of(**{name: AirlineLike(many=many)}, strict=AirlineLike())
        assert load_relations(rows, both)._prefetch_related_lookups == ("strict",)

    def test_a_key_that_leads_nowhere_is_what_it_is_in_stock(self, odd):
        class Methods(serializers.Serializer):
            loose = AirlineLike()
            name = serializers.SerializerMethodField()

            def get_name(self, owner):
                try:
                    return owner.loose.name
                except odd.Plain.DoesNotExist:
                    return "nowhere"

        owner = odd.Owner.objects.create(name="o", loose_id=5)
        own = {"queryset": odd.Owner.objects.order_by("pk"), "serializer_class": Methods}
        assert_same(view_of(**own), 3)
        assert_same(view_of(FlightDetail, **own), 3, pk=owner.pk)

    @pytest.mark.parametrize(
        "serializer",
        [
            of(name=serializers.CharField(source="owners.first.name", default=None)),
            of(owners=Named(many=True, source="owners.visible")),
            of(owners=Visible(child=Named())),
            of(number=serializers.IntegerField(source="owners.count")),
        ],
        ids=["first", "a method of the manager", "a list serializer", "count"],
    )
    @pytest.mark.parametrize("base", [Flights, FlightDetail])
    def test_what_asks_by_other_methods_asks_no_more(self, odd, serializer, base):
        plain = odd.Plain.objects.create(name="p")
        odd.Owner.objects.create(name="visible", strict=plain)
        view = view_of(base, queryset=odd.Plain.objects.order_by("pk"), serializer_class=serializer)
        assert_same(view, 2, **({"pk": plain.pk} if base is FlightDetail else {}))

    @pytest.mark.parametrize("base", [Flights, FlightDetail])
    def test_what_lists_without_an_order_lead_to_is_loaded_at_once(self, odd, base):
        plain = [odd.Plain.objects.create(name=f"p{number}") for number in range(9)]
        owners = [odd.Owner.objects.create(name="o", strict=plain[number]) for number in (0, 1)]
        for owner in owners:
            owner.unordered.set(plain)
        named = of(name=serializers.CharField())
        for number, each in enumerate(plain):
            odd.Card.objects.create(plain=each, name=f"c{number}")
        serializer = of(unordered=of(card=named())(many=True), strict=of(card=named())())
        view = view_of(base, queryset=odd.Owner.objects.order_by("pk"), serializer_class=serializer)
        if base is Flights:  # owners, plains, their cards; the lists; cards of those
            assert_same(view, 1 + 2 + 2 + 1)
        else:
            assert_same(view, 1 + 2 + 1 + 1, pk=owners[0].pk)
        assert len(queries_of_stock(view, **({} if base is Flights else {"pk": owners[0].pk}))) > 12

    @pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite says how it gets rows")
    def test_rows_without_an_order_come_as_in_stock(self, odd):
        plains = [odd.Plain.objects.create(name="p") for _ in range(60)]
        for number in (3, 1, 6, 5, 4, 2):
            for plain in plains:
                odd.Line.objects.create(plain=plain, number=number)
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")  # now SQLite reads the whole table for many plains
        numbers = serializers.SlugRelatedField("number", many=True, read_only=True)
        view = view_of(
            queryset=odd.Plain.objects.order_by("pk"), serializer_class=of(lines=numbers)
        )
        assert_same(view, 61)

    @pytest.mark.parametrize(
        ("model", "ordering", "is_loaded"),
        [
            ("Line", ("number",), True),
            ("Line", ("plain",), False),
            ("Line", ("plain", "-pk"), True),
            ("Ranked", ("-id",), True),
            ("Ranked", ("number",), False),
        ],
    )
    def test_an_order_says_which_of_two_rows_is_first(
        self, odd, monkeypatch, model, ordering, is_loaded
    ):
        monkeypatch.setattr(getattr(odd, model)._meta, "ordering", ordering)
        source = "lines" if model == "Line" else "ranked"
        loaded = load_relations(odd.Plain.objects.all(), of(**{source: Named(many=True)}))
        assert loaded._prefetch_related_lookups == ((source,) if is_loaded else ())

    @pytest.mark.skipif(VERSION < (6, 1), reason="fetch modes came with Django 6.1")
    def test_method_fields_fetch_one_by_one_there(self, odd):
        rows = odd.Owner.objects.all()
        assert (
            load_relations(rows, of(id=serializers.IntegerField()))._fetch_mode is rows._fetch_mode
        )
