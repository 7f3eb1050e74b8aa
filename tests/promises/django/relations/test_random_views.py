"""LOAD_RELATIONS: random views that forget relations answer as in stock, by no more queries."""

import random

import pytest
from django.db import connection, transaction
from django.test import override_settings
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

import fastschema
from tests.marks import seeds
from tests.promises.django.differential import outcome
from tests.promises.django.list_views import Cursor, FlightList, Limited, Numbered, view_of
from tests.promises.django.lists import random_views
from tests.promises.django.lists.choosing_views import choosing_view
from tests.promises.django.lists.conftest import few_rows_are_worth_reading
from tests.promises.django.lists.models import (
    Citizen,
    City,
    Country,
    Language,
    Letter,
    Person,
    Profile,
    Word,
    Worker,
)
from tests.promises.django.lists.random_views import (
    pick,
    random_queryset,
    random_serializer,
    relations_of,
)
from tests.promises.django.lists.test_requests_in_turns import answer_to
from tests.promises.django.requests_in_turns import IN_TURNS

pytestmark = pytest.mark.usefixtures("people", few_rows_are_worth_reading.__name__)

SEEDS = seeds(*range(150))
MODELS = [Person, Person, Worker, Citizen, City, Profile, Country, Language]


def queryset_of(seed, model):
    """A queryset that loads some of what is read, or nothing."""
    if seed % 2:
        return model.objects.order_by("pk")
    return random_queryset(random.Random(seed).random, model)


def follows(obj):
    """What a method field returns that follows a relation."""
    name = min(relations_of(type(obj)), default="pk")
    return f"{obj.pk} {getattr(getattr(obj, name), 'pk', None)}"


def assert_same_with_fewer_queries(ask):
    """Assert that a request is answered as in stock, by as many queries at most.

    After an error there may be more: some were made for rows behind the wrong one.
    """

    def answered():
        with transaction.atomic():
            found = outcome(ask, [])
            transaction.set_rollback(True)
        return found

    with fastschema.disabled():
        expected = answered()
    with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
        for _ in range(2):  # the second time, programs are warm
            found = answered()
            assert found.error == expected.error
            assert found.value == expected.value
            if not expected.error:
                assert len(found.queries) <= len(expected.queries)


def body(view_class, path, **kwargs):
    """The body of an answer, the headers, and the data."""
    return answer_of(view_class.as_view()(APIRequestFactory().get(path), **kwargs))


def answer_of(response):
    response.render()
    return response.status_code, response.content, dict(response.headers), response.data


@pytest.fixture(autouse=True)
def _methods_follow(monkeypatch):
    monkeypatch.setattr(random_views, "of_method", follows)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_list(seed):
    chance = random.Random(seed).random
    model = pick(chance, MODELS)
    view_class = view_of(
        FlightList,
        serializer_class=random_serializer(chance, model, is_plain=chance() < 0.7),
        get_queryset=lambda self: queryset_of(seed, model),
        pagination_class=pick(chance, [None, None, Numbered, Limited, Cursor]),
    )
    path = pick(chance, ["/", "/?page=2", "/?offset=3"])
    assert_same_with_fewer_queries(lambda: body(view_class, path))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_data_outside_of_a_view(seed):
    chance = random.Random(seed).random
    model = pick(chance, MODELS)
    serializer_class = random_serializer(chance, model, is_plain=chance() < 0.7)
    rows = queryset_of(seed, model)
    given = pick(chance, [lambda: rows.all(), lambda: list(rows.all()), lambda: rows.all()[1:4]])
    request = Request(APIRequestFactory().get("/"))
    assert_same_with_fewer_queries(
        lambda: serializer_class(given(), many=True, context={"request": request}).data
    )


@pytest.mark.parametrize("seed", SEEDS[:50])
@pytest.mark.parametrize("is_detail", [False, True], ids=["lists", "details"])
def test_two_visitors_in_turns_get_what_stock_shows_them(seed, is_detail):
    stock_calls, calls = [], []
    stock_view, view = choosing_view(seed, stock_calls), choosing_view(seed, calls)
    key = view.model.objects.order_by("pk").values_list("pk", flat=True).first()
    for visitor in IN_TURNS:
        kwargs = {"pk": key} if is_detail else {}
        with fastschema.disabled():
            expected = answer_to(stock_view, visitor, stock_calls, **kwargs)
        with override_settings(FASTSCHEMA={"LOAD_RELATIONS": True}):
            found = answer_to(view, visitor, calls, **kwargs)
        assert (found.error, found.value) == (expected.error, expected.value)
        assert found.calls == expected.calls
        if not expected.error:
            assert len(found.queries) <= len(expected.queries)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_detail(seed):
    chance = random.Random(seed).random
    model = pick(chance, MODELS)
    view_class = view_of(
        generics.RetrieveAPIView,
        serializer_class=random_serializer(chance, model, is_plain=chance() < 0.7),
        get_queryset=lambda self: queryset_of(seed, model),
        filter_backends=[],
    )
    key = pick(chance, [*model.objects.order_by("pk").values_list("pk", flat=True), None])
    assert_same_with_fewer_queries(lambda: body(view_class, "/", pk=key))


def test_what_a_row_inherits_takes_no_query_and_is_not_loaded():
    class Named(serializers.Serializer):
        name = serializers.CharField()

    class Rows(serializers.Serializer):
        person_ptr = Named()
        method = serializers.SerializerMethodField()

        def get_method(self, worker):
            return worker.person_ptr.name

    workers = Worker.objects.order_by("pk")
    view_class = view_of(FlightList, serializer_class=Rows, get_queryset=lambda self: workers.all())
    assert_same_with_fewer_queries(lambda: body(view_class, "/"))


@pytest.mark.skipif(connection.vendor != "sqlite", reason="the collation is one of SQLite")
@pytest.mark.parametrize(
    ("model", "source"), [(Word, "letter"), (Word, "first"), (Letter, "words"), (Letter, "first")]
)
def test_keys_that_only_the_database_takes_for_equal(model, source):
    class Key(serializers.Serializer):
        pk = serializers.CharField()

    letter = Letter.objects.create(code="a")
    word = Word.objects.create(letter=letter, first=letter)
    Word.objects.update(letter_id="A", first_id="A")
    rows = type("Rows", (serializers.Serializer,), {source: Key(many=source == "words")})
    view_class = view_of(
        FlightList, serializer_class=rows, get_queryset=lambda self: model.objects.order_by("pk")
    )
    assert_same_with_fewer_queries(lambda: body(view_class, "/"))
    word.delete()  # Django takes the keys for different
