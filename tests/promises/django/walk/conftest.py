"""Tables for the models of these tests, and rows in them."""

import datetime

import pytest

from tests.promises.django.tables import tables_of
from tests.promises.django.walk.kinds import GUESTS
from tests.promises.django.walk.models import MODELS, Guest, Land, Town


@pytest.fixture(scope="session")
def tables(django_db_setup, django_db_blocker):
    """The tables, as long as tests run."""
    with tables_of(MODELS, django_db_blocker):
        yield


@pytest.fixture
def guests(tables, db):
    """Three guests, from two towns, of which they have visited two, one and none."""
    land = Land.objects.create(pk=1, name="Land", code="LND")
    towns = [Town.objects.create(pk=n, name=f"Town {n}", size=n, land=land) for n in (1, 2)]
    for number in range(3):
        guest = Guest.objects.create(
            pk=number + 1,
            name=f"Guest {number}",
            age=None if number == 2 else number,
            time=datetime.datetime(2024, 7, 1, number, tzinfo=datetime.UTC),
            town=towns[number % 2],
        )
        guest.visited.set(towns[number:])
    related = Guest.objects.select_related("town__land").prefetch_related("visited__land")
    GUESTS[:] = related.order_by("pk")
