"""Random querysets and serializers: bytes, data, exceptions and queries as in stock."""

import random

import pytest

from tests.marks import seeds
from tests.promises.django.list_views import (
    Cursor,
    FlightList,
    Limited,
    Numbered,
    assert_same_outcome,
    view_of,
)
from tests.promises.django.lists.models import Citizen, City, Country, Person, Profile, Worker
from tests.promises.django.lists.random_views import pick, random_queryset, random_serializer

pytestmark = pytest.mark.usefixtures("people")

SEEDS = seeds(*range(300))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_list_view_answers_as_in_stock(seed):
    chance = random.Random(seed).random
    model = pick(chance, [Person, Person, Worker, Citizen, City, Profile, Country])
    view_class = view_of(
        FlightList,
        serializer_class=random_serializer(chance, model, is_plain=chance() < 0.7),
        get_queryset=lambda self: random_queryset(random.Random(seed).random, model),
        pagination_class=pick(chance, [None, None, Numbered, Limited, Cursor]),
    )
    assert_same_outcome(view_class, pick(chance, ["/", "/?page=2", "/?offset=3"]))
