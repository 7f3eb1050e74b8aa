"""The data of list views have stock's values, also where the JSON engine is given others."""

import pytest
from django.test.utils import isolate_apps
from rest_framework import serializers
from rest_framework.test import APIRequestFactory

from flights.models import Airline, Flight
from tests.promises.django.differential import assert_returns_as_in_stock, exactly, serializer_of
from tests.promises.django.list_views import assert_same_answer, assert_same_outcome, get, view_of
from tests.promises.django.lists.reading import reads_rows

pytestmark = pytest.mark.usefixtures("flights")


AIRLINES = Airline.objects.order_by("pk")


class Columns(serializers.Serializer):
    when = serializers.DateTimeField(source="scheduled_departure", format=None)
    at = serializers.DateTimeField(source="scheduled_departure")
    time = serializers.TimeField(source="scheduled_arrival_time", format=None)
    distance = serializers.DecimalField(9, 2, coerce_to_string=False)
    airline = serializers.HyperlinkedRelatedField("airline-detail", read_only=True)


@isolate_apps("flights")
@pytest.mark.parametrize(
    "fields",
    [
        {"itself": Columns(source="*")},
        {"legs": serializers.ListField(child=Columns())},
        {"by_name": serializers.DictField(child=Columns())},
        {"legs": serializers.ListField(child=serializers.ListField(child=Columns()), source="all")},
    ],
    ids=["nested", "in a list", "in a dictionary", "in lists"],
)
def test_nested_values_of_all_classes(fields):
    class WithLegs(Flight):
        class Meta:
            proxy = True
            app_label = "flights"

        @property
        def legs(self):
            return [self]

        @property
        def by_name(self):
            return {"a": self, "b": None}

        @property
        def all(self):
            return [[self], []]

    rows = type("Rows", (serializers.Serializer,), fields)
    view_class = view_of(serializer_class=rows, queryset=WithLegs.objects.order_by("pk"))
    assert_same_answer(view_class)


class TestAddresses:
    def check(self, view_class, calls=None):
        assert_same_outcome(view_class, calls=calls)

    def test_of_the_row_itself(self):
        link = serializers.HyperlinkedIdentityField("flight-detail")
        queryset = Flight.objects.order_by("pk")
        view_class = view_of(serializer_class=serializer_of(link=link), queryset=queryset)
        self.check(view_class)
        request = APIRequestFactory().get("/")
        by_hand = serializer_of(link=link)(queryset.all(), many=True, context={"request": request})
        for data in (get(view_class).data, by_hand.data):
            assert [type(row["link"].obj) for row in data] == [Flight] * 4

    @pytest.mark.parametrize(
        "link",
        [
            serializers.HyperlinkedIdentityField(
                "flight-detail", lookup_field="number", lookup_url_kwarg="pk"
            ),
            serializers.HyperlinkedRelatedField(
                "airline-detail",
                source="airline",
                lookup_field="name",
                lookup_url_kwarg="pk",
                read_only=True,
            ),
        ],
        ids=["of the row", "of a related object"],
    )
    def test_of_a_column(self, link):
        self.check(view_of(serializer_class=serializer_of(link=link)))

    @isolate_apps("flights")
    def test_of_a_property(self):
        calls = []

        class Named(Flight):
            class Meta:
                proxy = True
                app_label = "flights"

            @property
            def name(self):
                calls.append(self.pk)
                return "a"

        link = serializers.HyperlinkedIdentityField(
            "flight-detail", lookup_field="name", lookup_url_kwarg="pk"
        )
        queryset = Named.objects.order_by("pk")
        view_class = view_of(serializer_class=serializer_of(link=link), queryset=queryset)
        self.check(view_class, calls)

    def test_of_a_property_of_a_related_object(self, monkeypatch):
        calls = []
        name = property(lambda self: calls.append(self.pk) or "a")
        monkeypatch.setattr(Airline, "nickname", name, raising=False)
        link = serializers.HyperlinkedRelatedField(
            "airline-detail", lookup_field="nickname", lookup_url_kwarg="pk", read_only=True
        )
        self.check(view_of(serializer_class=serializer_of(airline=link)), calls)

    def test_of_the_object_itself_instead_of_its_key(self):
        class Link(serializers.HyperlinkedRelatedField):
            use_pk_only_optimization = serializers.RelatedField.use_pk_only_optimization

        link = Link("airline-detail", read_only=True)
        queryset = Flight.objects.order_by("pk")
        view_class = view_of(serializer_class=serializer_of(airline=link), queryset=queryset)
        self.check(view_class)
        assert not reads_rows(view_class)


def test_rows_that_change_afterwards_are_told_as_they_were():
    rows = list(Flight.objects.order_by("pk"))
    view_class = view_of(serializer_class=Columns, get_queryset=lambda self: rows)

    def data():
        for flight in rows:
            flight.refresh_from_db()
        response = get(view_class)
        for flight in rows:
            flight.distance = None
        return exactly(response.data)

    assert_returns_as_in_stock(data)
