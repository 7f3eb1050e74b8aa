"""Input of two people in turns, for random serializers whose code decides what is accepted."""

import random

import pytest

import fastschema
from tests.contrib.django.differential import assert_equal, exactly, outcome
from tests.contrib.django.input.choosing_serializers import choosing_serializer, random_input
from tests.contrib.django.lists.choosing_views import Code
from tests.contrib.django.requests_in_turns import IN_TURNS


def answer_to(serializer_class, visitor, calls, data, **options):
    """What becomes of the input of a visitor."""

    def answer():
        context = {"request": visitor.request()}
        serializer = serializer_class(data=data, context=context, **options)
        is_valid = serializer.is_valid()
        return is_valid, exactly(serializer.validated_data), exactly(serializer.errors)

    with visitor.visiting():
        return outcome(answer, calls)


def assert_same_in_turns(seed, turns):
    """Assert that everybody's input becomes what it becomes in stock, whoever asked before."""
    stock_calls, calls = [], []
    stock_class = choosing_serializer(Code(random.Random(seed), stock_calls))
    serializer_class = choosing_serializer(Code(random.Random(seed), calls))
    chance = random.Random(seed)
    for visitor in turns:
        data = random_input(chance)
        options = {"partial": chance.random() < 0.2}
        if chance.random() < 0.3:
            data, options["many"] = [data, random_input(chance)], True
        with fastschema.disabled():
            expected = answer_to(stock_class, visitor, stock_calls, data, **options)
        assert_equal(answer_to(serializer_class, visitor, calls, data, **options), expected)


@pytest.mark.parametrize("seed", range(120))
def test_the_input_of_two_visitors_in_turns_becomes_what_it_does_in_stock(seed):
    assert_same_in_turns(seed, IN_TURNS)


@pytest.mark.parametrize("seed", range(120, 150))
def test_nor_does_it_change_when_the_class_is_compiled(seed, users_thresholds):
    assert_same_in_turns(seed, IN_TURNS * 6)
