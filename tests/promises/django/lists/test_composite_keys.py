"""Models whose primary key is more than one column: the answers are stock's."""

import pytest
from django.db import transaction
from django.db.models import F
from django.urls import path
from rest_framework import serializers
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.bulk.mixins import FastBulkMixin
from fastschema.contrib.django.streaming import StreamingListMixin
from tests.promises.django.differential import assert_same_each_time, outcome, serializer_of
from tests.promises.django.list_views import assert_same_outcome, get, list_of
from tests.promises.django.lists.composite_keys import MODELS, Delivery, Line, Order, Shelf
from tests.promises.django.lists.hand_built import (
    assert_built_as_in_stock,
    in_dictionary,
    of_data,
    of_page,
    of_plan,
)
from tests.promises.django.lists.hand_built import reads_rows as of_data_reads_rows
from tests.promises.django.tables import tables_of

pytestmark = [
    pytest.mark.usefixtures("lines"),
    pytest.mark.urls("tests.promises.django.lists.test_composite_keys"),
]
urlpatterns = [
    path("of/<pk>/", lambda request, pk: None, name="of"),
    path("numbered/<number>/", lambda request, number: None, name="numbered"),
]


@pytest.fixture(scope="module")
def lines_tables(django_db_setup, django_db_blocker):
    with tables_of(MODELS, django_db_blocker):
        yield


@pytest.fixture
def lines(lines_tables, db):
    """Three orders; the last one has no lines, and some lines are delivered twice."""
    for key, name in enumerate(("a", "b", "c"), 1):
        Order.objects.create(pk=key, name=name)
    for order in Order.objects.exclude(name="c"):
        for number in range(3):
            Line.objects.create(order=order, number=number, article=f"{order.name}{number}")
            Shelf.objects.create(aisle=number, number=order.pk)
            for _ in range(number):
                Delivery.objects.create(order=order, number=number)


class UndoneError(Exception):
    pass


def all_fields(model_class, **attributes):
    meta = type("Meta", (), {"model": model_class, "fields": "__all__"})
    return type("All", (serializers.ModelSerializer,), {"Meta": meta, **attributes})


LineSerializer = serializer_of(pk=serializers.ReadOnlyField(), article=serializers.CharField())
LINES = Line.objects.order_by("pk")
ORDERS = Order.objects.order_by("pk")
DELIVERIES = Delivery.objects.order_by("pk")
LISTS = {
    "the key": (LINES, LineSerializer),
    "a column": (LINES, serializer_of(article=serializers.CharField())),
    "all fields": (LINES, all_fields(Line)),
    "the key as text": (LINES, serializer_of(pk=serializers.CharField())),
    "the key once more": (
        LINES.annotate(again=F("pk")),
        serializer_of(again=serializers.ReadOnlyField(), article=serializers.CharField()),
    ),
    "the key as a list": (
        LINES,
        serializer_of(pk=serializers.ListField(child=serializers.IntegerField())),
    ),
    "the key's own field": (
        LINES,
        serializer_of(pk=serializers.ModelField(Line._meta.get_field("pk"))),
    ),
    "the key beside a method": (
        LINES,
        serializer_of(
            pk=serializers.ReadOnlyField(),
            text=serializers.SerializerMethodField(),
            get_text=lambda self, line: str(line),
        ),
    ),
    "the columns of the key": (
        LINES,
        serializer_of(
            order_id=serializers.IntegerField(),
            order=serializers.PrimaryKeyRelatedField(read_only=True),
            number=serializers.IntegerField(),
        ),
    ),
    "an object of which the key is a part": (
        LINES.select_related("order"),
        serializer_of(order=all_fields(Order)(), name=serializers.CharField(source="order.name")),
    ),
    "the same, prefetched": (
        LINES.prefetch_related("order"),
        serializer_of(order=all_fields(Order)()),
    ),
    # Loading the column loads the key as well, and forgets the order.
    "the same, beside a deferred column": (
        LINES.select_related("order").defer("article"),
        serializer_of(
            order=serializer_of(placed=serializers.DateField(format=None))(),
            article=serializers.CharField(),
        ),
    ),
    "an address": (LINES, serializer_of(url=serializers.HyperlinkedIdentityField("of"))),
    "an address by another column": (
        LINES,
        serializer_of(url=serializers.HyperlinkedIdentityField("numbered", lookup_field="number")),
    ),
    "the address of an object of which the key is a part": (
        LINES,
        serializer_of(order=serializers.HyperlinkedRelatedField("of", read_only=True)),
    ),
    "nested rows": (ORDERS, serializer_of(lines=LineSerializer(many=True))),
    "nested rows, prefetched": (
        ORDERS.prefetch_related("lines"),
        serializer_of(lines=LineSerializer(many=True)),
    ),
    "what is prefetched further": (
        ORDERS.prefetch_related("lines__deliveries"),
        serializer_of(
            lines=serializer_of(
                deliveries=serializers.PrimaryKeyRelatedField(many=True, read_only=True)
            )(many=True)
        ),
    ),
    **{
        f"{name} of many{how}": (queryset, serializer_of(lines=field(many=True, read_only=True)))
        for how, queryset in (("", ORDERS), (", prefetched", ORDERS.prefetch_related("lines")))
        for name, field in (
            ("keys", serializers.PrimaryKeyRelatedField),
            ("texts", serializers.StringRelatedField),
            ("slugs", lambda **options: serializers.SlugRelatedField("article", **options)),
            ("keys as slugs", lambda **options: serializers.SlugRelatedField("pk", **options)),
            ("addresses", lambda **options: serializers.HyperlinkedRelatedField("of", **options)),
        )
    },
    **{
        f"{name} of one{how}": (queryset, serializer_of(line=field))
        for how, queryset in (
            ("", DELIVERIES),
            (", joined", DELIVERIES.select_related("line")),
            (", prefetched", DELIVERIES.prefetch_related("line")),
        )
        for name, field in (
            ("the key", serializers.PrimaryKeyRelatedField(read_only=True)),
            ("the text", serializers.StringRelatedField()),
            ("a slug", serializers.SlugRelatedField("article", read_only=True)),
            ("the address", serializers.HyperlinkedRelatedField("of", read_only=True)),
            ("the columns", LineSerializer()),
            ("the columns of a part", serializer_of(order=all_fields(Order)())()),
        )
    },
    **{
        f"{name} found by two columns{how}": (queryset, serializer_of(**fields))
        for how, queryset in (
            ("", DELIVERIES),
            (", joined", DELIVERIES.select_related("shelf")),
            (", prefetched", DELIVERIES.prefetch_related("shelf")),
        )
        for name, fields in (
            ("the key of one", {"shelf": serializers.PrimaryKeyRelatedField(read_only=True)}),
            ("a slug of one", {"shelf": serializers.SlugRelatedField("height", read_only=True)}),
            (
                "the address of one",
                {"shelf": serializers.HyperlinkedRelatedField("of", read_only=True)},
            ),
            ("the columns of one", {"shelf": all_fields(Shelf)()}),
            ("a column of one", {"height": serializers.IntegerField(source="shelf.height")}),
        )
    },
    "nested rows found by two columns": (
        Shelf.objects.order_by("pk").prefetch_related("deliveries"),
        serializer_of(deliveries=serializer_of(id=serializers.IntegerField())(many=True)),
    ),
    "the key of one by its path": (
        DELIVERIES.select_related("line"),
        serializer_of(pk=serializers.ReadOnlyField(source="line.pk")),
    ),
}


each_list = pytest.mark.parametrize(("queryset", "serializer_class"), LISTS.values(), ids=LISTS)


@each_list
def test_lists(queryset, serializer_class):
    view_class = list_of(queryset, serializer_class)
    assert_same_outcome(view_class)


@each_list
@pytest.mark.parametrize("way", [of_data, of_page, in_dictionary, of_plan])
def test_lists_that_are_built_by_hand(way, queryset, serializer_class):
    assert_built_as_in_stock(way, queryset.all, serializer_class)


@pytest.mark.parametrize(
    ("name", "is_rows"),
    [
        ("a column", True),
        ("the columns of the key", True),
        ("an object of which the key is a part", True),
        ("all fields", False),
        ("the key", False),
        ("the key once more", False),
    ],
)
def test_columns_need_no_instances(name, is_rows):
    queryset, serializer_class = LISTS[name]
    assert of_data_reads_rows(queryset.all(), serializer_class) is is_rows


@each_list
def test_streams(queryset, serializer_class):
    view_class = list_of(queryset, serializer_class)
    with fastschema.disabled():
        expected = outcome(lambda: get(view_class).content, [])
    view = type("Export", (StreamingListMixin, view_class), {}).as_view()
    found = outcome(lambda: b"".join(view(APIRequestFactory().get("/")).streaming_content), [])
    assert (found.value, found.error) == (expected.value, expected.error)


@each_list
def test_objects(queryset, serializer_class):
    def make(rows, **options):
        return serializer_class(rows, context={"request": None}, **options)

    assert_same_each_time(make, lambda: queryset.all().first())
    assert_same_each_time(make, lambda: list(queryset.all()), many=True)


class TestBulkInput:
    def check(self, serializer_class, rows):
        """Assert that rows are refused as in stock, or saved as the same objects."""

        def saved(serializer_class):
            serializer = serializer_class(data=rows, many=True)
            try:
                with transaction.atomic():
                    serializer.is_valid(raise_exception=True)
                    created = [(each.pk, each._state.adding) for each in serializer.save()]
                    saved = list(Line.objects.order_by("pk").values())
                    raise UndoneError
            except UndoneError:
                return created, saved

        bulk = type("Bulk", (FastBulkMixin, serializer_class), {})
        with fastschema.disabled():
            expected = outcome(lambda: saved(serializer_class), [])
        found = outcome(lambda: saved(bulk), [])
        assert (found.value, found.error) == (expected.value, expected.error)
        return len(found.queries), len(expected.queries)

    @pytest.mark.parametrize(
        "wrong", [{}, {"order": 9}, {"order": None}, {"article": "a0"}, {"number": None}], ids=str
    )
    def test_rows_with_such_a_key(self, wrong):
        rows = [{"order": 3, "number": number, "article": f"new {number}"} for number in range(4)]
        rows[2] |= wrong
        fast, stock = self.check(all_fields(Line), rows)
        assert fast < stock

    @pytest.mark.parametrize(
        "value", [[1, 1], [2, 2], [9, 9], [1], "[1, 1]", "1", 1, None, [], {}, ["a", "b"]], ids=repr
    )
    @pytest.mark.parametrize(
        "field",
        [
            serializers.PrimaryKeyRelatedField(queryset=Line.objects),
            serializers.PrimaryKeyRelatedField(queryset=Line.objects, many=True),
            serializers.SlugRelatedField("pk", queryset=Line.objects),
            serializers.SlugRelatedField("article", queryset=Line.objects),
            serializers.HyperlinkedRelatedField("of", queryset=Line.objects),
        ],
        ids=repr,
    )
    def test_references_to_such_rows(self, field, value):
        class Reference(serializers.Serializer):
            line = field

            def create(self, validated_data):
                return Line.objects.get(pk=getattr(validated_data["line"], "pk", (1, 1)))

        self.check(Reference, [{"line": [1, 1]}, {"line": value}])
