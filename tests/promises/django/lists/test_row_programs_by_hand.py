"""Lists that are built by hand: data, bodies, queries, calls and instances are those of stock."""

import copy
import pickle
import random

import pytest
from django.db import models
from django.db.models import Prefetch, QuerySet
from rest_framework import serializers
from rest_framework.request import Request

import fastschema
from tests.instruments.core import is_disabled, thresholds
from tests.marks import seeds
from tests.promises.django.list_views import Limited
from tests.promises.django.lists.hand_built import (
    WAYS,
    assert_built_as_in_stock,
    of_data,
    of_page,
    reads_rows,
    request,
)
from tests.promises.django.lists.models import Citizen, City, Country, Person, Profile, Worker
from tests.promises.django.lists.random_views import (
    Shouting,
    pick,
    random_queryset,
    random_serializer,
)
from tests.promises.django.lists.test_row_layout import CALLS, model_of
from tests.promises.django.serializers import Named

pytestmark = pytest.mark.usefixtures("people")

SEEDS = seeds(*range(300))


class CitySerializer(serializers.ModelSerializer):
    class Meta:
        model = City
        fields = ("id", "name", "founded", "country")


class PersonSerializer(serializers.ModelSerializer):
    city = CitySerializer()
    languages = Named(many=True)

    class Meta:
        model = Person
        exclude = ("friends",)


def people():
    return Person.objects.order_by("pk").select_related("city").prefetch_related("languages")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", SEEDS[:50])
def test_a_random_list_in_each_way(way, seed):
    check(way, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_list(seed):
    check(of_data, seed)


def check(way, seed):
    chance = random.Random(seed).random
    model = pick(chance, [Person, Person, Worker, Citizen, City, Profile, Country])
    serializer = random_serializer(chance, model, is_plain=chance() < 0.7)
    assert_built_as_in_stock(
        way, lambda: random_queryset(random.Random(seed).random, model), serializer
    )


@pytest.mark.parametrize("way", WAYS)
def test_a_list_in_each_way(way):
    assert_built_as_in_stock(way, people, PersonSerializer)


def test_a_plan_reads_rows_and_does_not_see_what_is_changed_later():
    def way(queryset, serializer):
        many = serializer(many=True)
        plan = fastschema.compile(many)
        if not is_disabled():
            many.child.fields.pop("city")
        return [plan.dump(queryset)]

    assert_built_as_in_stock(way, people, PersonSerializer)
    assert_built_as_in_stock(way, lambda: people()[0:0], PersonSerializer)
    queryset = people()
    assert fastschema.compile(PersonSerializer).dump(queryset, many=True)
    assert queryset._result_cache.fetched is not None


def test_a_manager_is_read_by_rows():
    assert_built_as_in_stock(of_data, lambda: Person.objects, Named)
    city = City.objects.get(name="Oslo")
    assert_built_as_in_stock(of_data, lambda: city.people, Named)


@pytest.mark.at_once
def test_values_of_user_code_are_given_to_it_in_order():
    class Spoken(Shouting):
        def to_representation(self, value):
            CALLS.append((value, len(self.parent.parent.instance)))
            return super().to_representation(value)

    class Speaking(Named):
        name = Spoken()
        again = Spoken(source="name")

    assert_built_as_in_stock(of_data, people, Speaking, CALLS)
    assert reads_rows(people(), Speaking)


def test_user_code_that_raises_is_called_once():
    class Failing(serializers.CharField):
        def to_representation(self, value):
            CALLS.append(value)
            if len(CALLS) == 5:
                raise ValueError(value)
            return value

    class Broken(Named):
        name = Failing()

    assert_built_as_in_stock(of_data, people, Broken, CALLS)


def test_user_code_that_looks_at_the_rows_meets_instances():
    class Looking(serializers.CharField):
        def to_representation(self, value):
            CALLS.append([person.name for person in self.parent.parent.instance])
            return value

    class Peeking(Named):
        name = Looking()

    assert_built_as_in_stock(of_data, people, Peeking, CALLS)
    assert_built_as_in_stock(of_page, people, Peeking, CALLS)


def test_a_converter_that_raises_leaves_the_queryset_as_it_was():
    class Failing(models.CharField):
        def from_db_value(self, value, expression, connection):
            CALLS.append(value)
            if len(CALLS) == 3:
                raise ValueError(value)
            return value

    failing = model_of(name=Failing(max_length=9))
    assert_built_as_in_stock(of_data, failing.objects.order_by("pk").all, Named, CALLS)


class Own(QuerySet):
    def _fetch_all(self):
        CALLS.append("fetched")
        super()._fetch_all()


def evaluated():
    found = people()
    list(found)
    return found


@pytest.mark.parametrize(
    "make_queryset",
    [
        lambda: Own(Person).order_by("pk"),
        evaluated,
        lambda: people().values("name"),
        lambda: people().iterator(2),
        lambda: Person.objects.raw("SELECT * FROM flights_person ORDER BY key"),
        lambda: people()[2:4],
        lambda: people().reverse(),
        lambda: people().none(),
        lambda: Person.objects.order_by("pk").only("pk"),
        lambda: people().extra(where=["no such column"]),
        lambda: people().prefetch_related("no_such_relation"),
        lambda: people().prefetch_related(
            Prefetch("friends", Person.objects.extra(where=["no such column"]))
        ),
        lambda: [*people()],
        lambda: (each for each in people()),
        lambda: tuple(people()),
    ],
)
def test_whatever_is_given(make_queryset):
    assert_built_as_in_stock(of_data, make_queryset, Named, CALLS)


@pytest.mark.parametrize(
    "look",
    [
        lambda rows: [person.name for person in rows],
        lambda rows: (len(rows), bool(rows), rows.count(), rows.exists()),
        lambda rows: rows[0].city.name,
        lambda rows: [person.name for person in rows[1:3]],
        lambda rows: [person.name for person in pickle.loads(pickle.dumps(rows))],
        lambda rows: [person.name for person in copy.deepcopy(rows)],
        lambda rows: rows.filter(name="Person 1").get().name,
        lambda rows: rows.first().name,
        lambda rows: rows[0] in rows and rows.contains(rows[1]),
        lambda rows: rows[0].city is rows[3].city,
        lambda rows: repr(rows),
        lambda rows: [each.name for person in rows for each in person.languages.all()],
    ],
)
def test_whoever_looks_at_the_queryset_finds_what_stock_has_there(look):
    def way(queryset, serializer):
        data = serializer(queryset, many=True).data
        return [data, look(queryset)]

    assert_built_as_in_stock(way, people, PersonSerializer)


@pytest.mark.parametrize(
    "change",
    [
        lambda page: page.sort(key=lambda person: person.name, reverse=True),
        lambda page: page.reverse(),
        lambda page: page.pop(),
        lambda page: page.append(page[0]),
        lambda page: page.__setitem__(0, page[1]),
        lambda page: setattr(page[0], "name", "Another"),
        lambda page: page.clear(),
        lambda page: page.__iadd__(page),
    ],
)
def test_whoever_changes_a_page_finds_it_changed(change):
    def way(queryset, serializer):
        page = Limited().paginate_queryset(queryset, Request(request()))
        change(page)
        return [serializer(page, many=True).data]

    assert_built_as_in_stock(way, people, PersonSerializer)


def test_fields_that_were_changed_are_read_as_they_are():
    def way(queryset, serializer):
        many = serializer(queryset, many=True)
        many.child.fields.pop("city")
        many.child.fields["name"] = serializers.CharField(source="age")
        return [many.data]

    assert_built_as_in_stock(way, people, PersonSerializer)


def test_few_rows_are_left_to_django(monkeypatch):
    monkeypatch.setattr(thresholds, "few_for_django", 10)
    assert_built_as_in_stock(of_data, people, PersonSerializer)
    assert not reads_rows(people(), PersonSerializer)
    monkeypatch.setattr(thresholds, "few_for_django", 9)
    assert reads_rows(people(), PersonSerializer)
