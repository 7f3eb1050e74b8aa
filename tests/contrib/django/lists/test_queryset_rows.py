"""Rows that become instances when somebody looks at them, without another query."""

import copy
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import django
import pytest
from django.db import connection, models
from django.test.utils import CaptureQueriesContext, isolate_apps
from rest_framework import serializers

import fastschema
from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.lists.prefetching import fetch_instances
from fastschema.contrib.django.lists.query_plan import plan_of
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList
from tests.contrib.django.list_views import FlightList, assert_same_outcome, get, view_of
from tests.contrib.django.lists.models import City, Person, Worker

pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.select_related("city__country", "birthplace", "profile").order_by("pk")


class Names(serializers.Serializer):
    name = serializers.CharField()


def later(queryset=PEOPLE):
    """The instances of a queryset, to be made later."""
    return fetch_instances(queryset.all())


def inside(instance, seen=()):
    """All that is in an instance and in what it keeps of relations, in order."""
    if instance is None or instance in seen:
        return str(instance)
    state = dict(vars(instance._state))
    state.pop("peers", None)
    related = {
        name: inside(each, (*seen, instance))
        for name, each in state.pop("fields_cache", {}).items()
    }
    order = list(vars(instance)), list(vars(instance._state))
    return type(instance), [*vars(instance).items()][1:], order, state, related


@pytest.mark.parametrize(
    "queryset",
    [
        PEOPLE,
        Person.objects.order_by("pk").only("name"),
        Worker.objects.order_by("pk"),
        Person.objects.annotate(x=City.objects.values("name")[:1]).order_by("pk"),
    ],
    ids=["related", "deferred", "inherited", "annotated"],
)
def test_instances_are_those_of_stock(queryset):
    rows = later(queryset)
    with CaptureQueriesContext(connection) as queries:
        found = list(rows)
    assert not queries.captured_queries
    assert list(map(inside, found)) == list(map(inside, queryset.all()))


@pytest.mark.skipif(django.VERSION < (6, 1), reason="fetch modes are new in Django 6.1")
@pytest.mark.parametrize("mode", ["FETCH_ONE", "FETCH_PEERS", "FETCH_RAISE"])
def test_instances_have_the_fetch_mode_of_their_queryset(mode):
    people = PEOPLE.fetch_mode(getattr(models, mode))
    found, expected = list(later(people)), list(people)
    assert [each._state.fetch_mode for each in found] == [
        each._state.fetch_mode for each in expected
    ]
    assert list(map(inside, found)) == list(map(inside, expected))
    assert [len(each._state.peers) for each in found] == [
        len(each._state.peers) for each in expected
    ]


def test_objects_that_are_known_are_related():
    oslo = City.objects.get(name="Oslo")
    people = oslo.people.order_by("pk")
    assert all(person.city is oslo for person in later(people))


@pytest.mark.parametrize(
    "use",
    [
        len,
        bool,
        list,
        tuple,
        sorted,
        lambda rows: rows[1],
        lambda rows: rows[1:3],
        lambda rows: rows[-1],
        lambda rows: [each.name for each in rows],
        lambda rows: [*rows],
        lambda rows: [0, *rows],
        lambda rows: rows + [1],  # noqa: RUF005  # addition is what is tested
        lambda rows: [1] + rows,  # noqa: RUF005  # likewise
        lambda rows: rows + rows,
        lambda rows: rows * 2,
        lambda rows: 2 * rows,
        lambda rows: rows == list(rows),
        lambda rows: list(rows) == rows,
        lambda rows: rows != rows,
        lambda rows: rows.index(rows[2]),
        lambda rows: rows.count(rows[2]),
        lambda rows: rows[2] in rows,
        lambda rows: list(reversed(rows)),
        lambda rows: rows.pop() and rows,
        lambda rows: rows.append(1) or rows,
        lambda rows: rows.extend([1]) or rows,
        lambda rows: rows.insert(0, 1) or rows,
        lambda rows: rows.reverse() or rows,
        lambda rows: rows.clear() or rows,
        lambda rows: rows.copy(),
        lambda rows: rows.sort(key=lambda each: each.name, reverse=True) or rows,
        lambda rows: rows.__setitem__(0, 1) or rows,
        lambda rows: rows.__delitem__(0) or rows,
        repr,
        str,
        copy.copy,
        lambda rows: type(rows.__reduce_ex__(5)[0](*rows.__reduce_ex__(5)[1])),
        lambda rows: isinstance(rows, list),
        lambda rows: hash(rows),
    ],
)
def test_the_list_is_as_any_list(use):
    def found(rows):
        try:
            return use(rows)
        except TypeError as error:
            return str(error).replace("LazyInstanceList", "list")

    assert found(later()) == found(list(PEOPLE))


def test_the_length_needs_no_instances():
    rows = later()
    assert len(rows) == 9
    assert rows
    assert rows.fetched is not None


def test_the_rows_are_gone_when_the_instances_are_there():
    rows = later()
    first = rows[0]
    assert rows.fetched is None
    assert rows[0] is first


@pytest.mark.parametrize(
    "use",
    [
        list,
        len,
        bool,
        repr,
        lambda people: people[3],
        lambda people: people[2:4],
        lambda people: people.count(),
        lambda people: people.exists(),
        lambda people: people.contains(people[0]),
        lambda people: bool(pickle.dumps(people)),
    ],
)
def test_a_view_leaves_its_queryset_evaluated(use):
    querysets = []

    def filtered(self, queryset):
        querysets.append(queryset)
        return queryset

    view_class = view_of(
        FlightList,
        serializer_class=Names,
        get_queryset=lambda self: PEOPLE.all(),
        filter_queryset=filtered,
    )
    get(view_class)
    with fastschema.disabled():
        get(view_class)
    fast, stock = querysets
    assert type(fast._result_cache) is LazyInstanceList
    with CaptureQueriesContext(connection) as queries:
        assert use(fast) == use(stock)
    assert not queries.captured_queries


def test_what_is_derived_from_a_queryset_asks_the_database():
    people = PEOPLE.all()
    get(view_of(FlightList, serializer_class=Names, get_queryset=lambda self: people))
    Person.objects.filter(name="Person 1").delete()
    assert len(people.filter(name__startswith="Person")) == 8


def test_rows_die_with_their_queryset():
    people = PEOPLE.all()
    people._result_cache = later(people)
    fetched = weakref.ref(people._result_cache.fetched)
    gc.disable()
    try:
        del people
        assert fetched() is None
    finally:
        gc.enable()


def test_a_queryset_that_others_have_a_say_in_is_not_fetched():
    assert plan_of(PEOPLE.all())
    for others in (PEOPLE.values(), []):
        with pytest.raises(NotRowReadableError, match="is not a plain QuerySet"):
            plan_of(others)


def test_threads_that_share_rows_get_the_same_instances():
    rows = later()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(list, [rows] * 40))
    assert all(each == found[0] for each in found)
    assert all(one is other for each in found for one, other in zip(each, found[0], strict=True))
    assert len(rows) == len(found[0]) == 9


@pytest.mark.parametrize("name", ["__init__", "from_db"])
def test_a_patched_model_is_noticed(monkeypatch, name):
    calls = []
    stock = vars(models.Model)[name]

    def patched(*args, **kwargs):
        calls.append(name)
        return getattr(stock, "__func__", stock)(*args, **kwargs)

    is_method = isinstance(stock, classmethod)
    monkeypatch.setattr(models.Model, name, classmethod(patched) if is_method else patched)
    view_class = view_of(FlightList, serializer_class=Names, get_queryset=lambda self: PEOPLE.all())
    get(view_class)
    found = len(calls)
    with fastschema.disabled():
        get(view_class)
    assert found == len(calls) - found > 0


def test_foreign_keys_that_keep_objects_in_their_own_way():
    calls = []

    class Keeping(models.ForeignKey):
        def set_cached_value(self, instance, value):
            calls.append(value)
            super().set_cached_value(instance, value)

    with isolate_apps("flights"):
        meta = type("Meta", (), {"app_label": "flights", "db_table": "flights_profile"})
        city = Keeping(Person, models.CASCADE, "+", db_column="person_id")
        attributes = {"__module__": __name__, "Meta": meta, "owner": city}
        model = type("Keeper", (models.Model,), attributes)

    class Owners(serializers.Serializer):
        owner = Names()

    view_class = view_of(
        FlightList,
        serializer_class=Owners,
        get_queryset=lambda self: model.objects.select_related("owner").order_by("pk"),
    )
    assert_same_outcome(view_class, calls=calls)
    assert calls
