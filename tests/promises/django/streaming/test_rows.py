"""Streamed lists that are written from rows: the bytes, errors, queries and calls of stock."""

import contextlib
import random

import pytest
from django.db import connection, models, transaction
from django.db.models import ExpressionWrapper, F, Prefetch
from django.db.models.sql import compiler
from rest_framework import serializers
from rest_framework.generics import ListAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer, NDJSONRenderer
from fastschema.contrib.django.streaming import StreamingListMixin
from tests.instruments.django import LazyInstanceList
from tests.marks import seeds
from tests.promises.django.differential import assert_equal, outcome, serializer_of
from tests.promises.django.lists import test_row_programs as kept
from tests.promises.django.lists.conftest import few_rows_are_worth_reading
from tests.promises.django.lists.models import City, Country, Language, Person, Profile, Worker
from tests.promises.django.lists.random_views import random_queryset, random_serializer
from tests.promises.django.lists.test_row_layout import CALLS, Noting, model_of
from tests.promises.django.lists.user_code import seen

__all__ = ["few_rows_are_worth_reading"]
pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.select_related("city__country", "birthplace").order_by("pk")


@pytest.fixture
def written(monkeypatch):
    """The rows that were written without instances."""
    found = []
    rows_of = LazyInstanceList.rows
    monkeypatch.setattr(
        LazyInstanceList, "rows", lambda self: found.append(rows_of(self)) or found[-1]
    )
    return found


def view_of(queryset, serializer_class, renderer=FastJSONRenderer, chunk_size=4):
    attributes = {
        "get_queryset": lambda self: queryset.all(),
        "serializer_class": serializer_class,
        "renderer_classes": [renderer],
        "stream_chunk_size": chunk_size,
        "filter_backends": [],
    }
    return type("Export", (StreamingListMixin, ListAPIView), attributes)


def answer(view_class):
    """The chunks of an answer, and the error that ends it."""
    response = view_class.as_view()(APIRequestFactory().get("/"))
    chunks = []
    try:
        chunks.extend(response.streaming_content)
    except Exception as error:
        chunks.append((type(error), str(error)))
    return chunks


def assert_same(view_class, calls=None):
    calls = [] if calls is None else calls

    def answered():
        with transaction.atomic():  # after an error, the database would refuse what follows
            found = outcome(lambda: answer(view_class), calls)
            transaction.set_rollback(True)
        return found

    with fastschema.disabled():
        expected = answered()
    assert_equal(answered(), expected)
    return expected


@pytest.mark.parametrize("seed", seeds(*range(150)))
def test_a_random_stream_is_that_of_stock(seed):
    chance = random.Random(seed).random
    model = random.Random(seed).choice([Person, Person, Worker, City, Profile, Country])
    serializer_class = random_serializer(chance, model, is_plain=chance() < 0.7)
    assert_same(view_of(random_queryset(chance, model), serializer_class))


@pytest.mark.instruments
@pytest.mark.parametrize("renderer", [FastJSONRenderer, NDJSONRenderer, JSONRenderer])
def test_rows_are_streamed(written, renderer):
    assert_same(view_of(PEOPLE, serializer_of(name=serializers.CharField()), renderer))
    assert written


@pytest.mark.instruments
def test_a_row_that_fails_fails_as_in_stock(written):
    names = serializer_of(
        name=serializers.CharField(), at=serializers.CharField(source="birthplace.name")
    )
    first_without = next(
        number for number, person in enumerate(PEOPLE) if person.birthplace is None
    )
    found = assert_same(view_of(PEOPLE, names, chunk_size=1))
    assert written
    assert ("AttributeError" in str(found.error)) == (first_without == 0)


@pytest.mark.instruments
def test_fields_of_ones_own_are_called_as_in_stock(written):
    calls = []

    class Loud(serializers.CharField):
        def to_representation(self, value):
            calls.append(value)
            if value == "Person 5":
                raise ValueError(value)
            return value.upper()

    assert_same(view_of(PEOPLE, serializer_of(name=Loud())), calls)
    assert written


@pytest.fixture
def results(monkeypatch):
    """The results of all queries, which close their cursors at their end."""
    opened = []
    cursor_iter = compiler.cursor_iter

    def noting(*args):
        opened.append(cursor_iter(*args))
        return opened[-1]

    monkeypatch.setattr(compiler, "cursor_iter", noting)
    return opened


def fail(*args, **kwargs):
    raise ValueError("fails")


class Failing(models.CharField):
    from_db_value = fail


class FailingField(serializers.CharField):
    to_representation = fail


class FailingMethod(serializers.Serializer):
    method = serializers.SerializerMethodField()
    get_method = fail


class FailingFields(serializers.Serializer):
    get_fields = fail


NAMES = serializer_of(name=serializers.CharField())
FAILED = PEOPLE.annotate(name_again=ExpressionWrapper(F("name"), Failing()))
FAILURES = {
    "a field": (PEOPLE, serializer_of(name=FailingField())),
    "a method": (PEOPLE, FailingMethod),
    "get_fields": (PEOPLE, FailingFields),
    "a converter": (FAILED, NAMES),
    "a converter of dictionaries": (FAILED.values("name", "name_again"), NAMES),
    "a converter of tuples": (FAILED.values_list("name_again", named=True), NAMES),
    "a converter, and what is prefetched": (FAILED.prefetch_related("languages"), NAMES),
    "what cannot be prefetched": (
        PEOPLE.prefetch_related(Prefetch("languages", Language.objects.order_by("pk")[:1])),
        NAMES,
    ),
}


@pytest.mark.parametrize("is_off", [False, True])
@pytest.mark.parametrize("failure", FAILURES)
def test_a_cursor_is_closed_when_an_error_leaves_the_stream(results, failure, is_off):
    """While the exception refers to all that was going on."""
    view = view_of(*FAILURES[failure], chunk_size=2).as_view()
    with fastschema.disabled() if is_off else contextlib.nullcontext():
        with pytest.raises((ValueError, TypeError), match=r"fails|Cannot filter") as raised:
            view(APIRequestFactory().get("/"))
        assert [each.gi_frame for each in results] == [None] * len(results)
    assert raised.tb


@pytest.mark.parametrize("failing", ["from_db", "__init__"])
def test_a_cursor_is_closed_when_a_model_fails(results, failing):
    made = model_of(name=models.CharField(max_length=9))
    setattr(made, failing, classmethod(fail) if failing == "from_db" else fail)
    view = view_of(made.objects.order_by("pk"), NAMES).as_view()
    with pytest.raises(ValueError, match="fails") as raised:
        view(APIRequestFactory().get("/"))
    assert [each.gi_frame for each in results] == [None] * len(results) != []
    assert raised.tb


def test_a_stream_makes_no_fields_without_rows():
    calls = []

    class Noting(serializers.Serializer):
        def get_fields(self):
            calls.append("get_fields")
            return {"name": serializers.CharField()}

    assert_same(view_of(PEOPLE.none(), Noting), calls)
    assert_same(view_of(PEOPLE, Noting), calls)


QUERYSETS = {
    **kept.QUERYSETS,
    "nested": PEOPLE.prefetch_related("languages__speakers__city", "friends__languages"),
    "to one": PEOPLE.prefetch_related("profile__country"),
    "to_attr": PEOPLE.prefetch_related(
        Prefetch("friends", Person.objects.prefetch_related("languages"), "mates")
    ),
}
METHODS = {
    "nothing": {},
    "a method": {
        "method": serializers.SerializerMethodField(),
        "get_method": lambda self, person: CALLS.append(person.pk) or seen(person, 2),
    },
    "a method that asks": {
        "method": serializers.SerializerMethodField(),
        "get_method": lambda self, person: CALLS.append(person.friends.count()) or CALLS[-1],
    },
    "a method that changes": {
        "method": serializers.SerializerMethodField(),
        "get_method": lambda self, person: [
            setattr(each, "name", each.name + "!") or each.name
            for each in (person.city, *person.languages.all())
        ],
    },
    "a method that fails": {
        "method": serializers.SerializerMethodField(),
        "get_method": lambda self, person: CALLS.append(person.pk) or 1 / (len(CALLS) - 6),
    },
}


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.parametrize("queryset", QUERYSETS)
@pytest.mark.parametrize("chunk_size", [1, 4, 100])
def test_what_is_prefetched(queryset, method, chunk_size):
    CALLS.clear()
    names = kept.COLLECTIONS.get(queryset, ("languages", "friends"))
    serializer = serializer_of(**kept.relations(names), **method)
    assert_same(view_of(QUERYSETS[queryset], serializer, chunk_size=chunk_size), CALLS)


@pytest.mark.parametrize("rows", [[0, 8], [3, 7]])
def test_blocks_of_which_few_have_related_objects(rows):
    """What the second level is like is known only where there are objects of the first."""
    people = list(PEOPLE)
    Person.languages.through.objects.exclude(person__in=[people[each] for each in rows]).delete()
    fields = {
        "languages": serializer_of(
            name=serializers.CharField(),
            speakers=serializer_of(
                name=serializers.CharField(),
                friends=serializers.PrimaryKeyRelatedField(many=True, read_only=True),
            )(many=True),
        )(many=True)
    }
    queryset = PEOPLE.prefetch_related("languages__speakers__friends")
    for chunk_size in (1, 2, 4):
        assert_same(view_of(queryset, serializer_of(**fields), chunk_size=chunk_size))


def test_an_error_of_prefetching_comes_after_the_rows_before_it():
    def get_method(self, person):
        CALLS.append(person.name)

    def refusing(execute, sql, *arguments):
        if "language" in sql and "Person 3" in CALLS:
            raise ValueError(sql)
        return execute(sql, *arguments)

    serializer = serializer_of(method=serializers.SerializerMethodField(), get_method=get_method)
    with connection.execute_wrapper(refusing):
        assert_same(view_of(PEOPLE.prefetch_related("languages"), serializer), CALLS)


def test_values_are_converted_as_they_are_read():
    noting = model_of(name=Noting(max_length=9))
    response = view_of(
        noting.objects.order_by("pk"), serializer_of(name=serializers.CharField()), chunk_size=2
    ).as_view()(APIRequestFactory().get("/"))
    CALLS.clear()
    next(iter(response.streaming_content))
    response.close()
    assert len(CALLS) < 9
