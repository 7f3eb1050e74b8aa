"""Requests of two people in turns, of random views whose code decides who sees what."""

import pytest
from django.db import transaction

import fastschema
from tests.marks import seeds
from tests.promises.django.differential import exactly, outcome
from tests.promises.django.lists.choosing_views import choosing_view
from tests.promises.django.requests_in_turns import IN_TURNS

pytestmark = pytest.mark.usefixtures("people")

SEEDS = seeds(*range(60))


def answer_to(view_class, visitor, calls, **kwargs):
    """What a visitor is answered: status, data and body, or what is raised."""
    view = view_class.as_view()

    def answer():
        request = visitor.http_request()
        response = view(request, **kwargs).render()
        return response.status_code, exactly(response.data), response.content

    with visitor.visiting(), transaction.atomic():
        found = outcome(answer, calls)
        transaction.set_rollback(True)
    return found


def assert_same_in_turns(seed, *, is_detail=False):
    """Assert that everybody gets from a view what they get in stock, whoever asked before."""
    stock_calls, calls = [], []
    stock_view, view = choosing_view(seed, stock_calls), choosing_view(seed, calls)
    kwargs = {"pk": view.model.objects.order_by("pk").last().pk} if is_detail else {}
    for visitor in IN_TURNS:
        with fastschema.disabled():
            expected = answer_to(stock_view, visitor, stock_calls, **kwargs)
        found = answer_to(view, visitor, calls, **kwargs)
        assert found.error == expected.error
        assert found.value == expected.value
        assert found.calls == expected.calls
        assert found.queries == expected.queries


@pytest.mark.parametrize("seed", SEEDS)
def test_two_visitors_in_turns_get_what_stock_shows_them(seed):
    assert_same_in_turns(seed)


@pytest.mark.parametrize("seed", seeds(*range(120, 160)))
def test_nor_does_that_change_when_a_class_is_compiled(seed, users_thresholds, more_people):
    assert_same_in_turns(seed)


@pytest.mark.parametrize("seed", seeds(*range(160, 200)))
def test_two_visitors_in_turns_get_the_same_object_as_in_stock(seed):
    assert_same_in_turns(seed, is_detail=True)
