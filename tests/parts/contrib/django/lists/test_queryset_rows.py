"""Rows that become instances when users' code looks at them, without another query."""

import copy
from concurrent.futures import ThreadPoolExecutor

import django
import pytest
from django.db import models
from django.test.utils import isolate_apps
from rest_framework import serializers

from fastschema.contrib.django.lists.prefetching import fetch_instances
from tests.promises.django.list_views import FlightList, assert_same_outcome, view_of
from tests.promises.django.lists.models import Person
from tests.promises.django.serializers import Named

pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.select_related("city__country", "birthplace", "profile").order_by("pk")


def later(queryset=PEOPLE):
    """The instances of a queryset, to be made later."""
    return fetch_instances(queryset.all())


@pytest.mark.skipif(django.VERSION < (6, 1), reason="fetch modes are new in Django 6.1")
@pytest.mark.parametrize("mode", ["FETCH_ONE", "FETCH_PEERS", "FETCH_RAISE"])
def test_instances_have_the_fetch_mode_of_their_queryset(mode):
    people = PEOPLE.fetch_mode(getattr(models, mode))
    found, expected = list(later(people)), list(people)
    assert [each._state.fetch_mode for each in found] == [
        each._state.fetch_mode for each in expected
    ]
    assert [len(each._state.peers) for each in found] == [
        len(each._state.peers) for each in expected
    ]


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


def test_threads_that_share_rows_get_the_same_instances():
    rows = later()
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(list, [rows] * 40))
    assert all(each == found[0] for each in found)
    assert all(one is other for each in found for one, other in zip(each, found[0], strict=True))
    assert len(rows) == len(found[0]) == 9


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
        owner = Named()

    view_class = view_of(
        FlightList,
        serializer_class=Owners,
        get_queryset=lambda self: model.objects.select_related("owner").order_by("pk"),
    )
    assert_same_outcome(view_class, calls=calls)
    assert calls
