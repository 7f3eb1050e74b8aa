"""Input of two people in turns, for random serializers whose code decides what is accepted."""

import random

import pytest
from rest_framework import serializers

import fastschema
from tests.marks import seeds
from tests.promises.django.differential import assert_equal, exactly, outcome
from tests.promises.django.input.choosing_serializers import choosing_serializer, random_input
from tests.promises.django.lists.choosing_views import Code
from tests.promises.django.requests_in_turns import IN_TURNS, visitor_of


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


@pytest.mark.parametrize("seed", seeds(*range(120)))
def test_the_input_of_two_visitors_in_turns_becomes_what_it_does_in_stock(seed):
    assert_same_in_turns(seed, IN_TURNS)


@pytest.mark.parametrize("seed", seeds(*range(120, 150)))
def test_nor_does_it_change_when_the_class_is_compiled(seed, users_thresholds):
    assert_same_in_turns(seed, IN_TURNS * 6)


def refuse(attributes):
    """A validator."""
    raise serializers.ValidationError("not for you")


class OwnMeta(serializers.Serializer):
    name = serializers.CharField()

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.fields["name"].required = True
        if visitor_of(self) == "guest":
            self.Meta = type("Meta", (), {"validators": [refuse]})


class OwnValidators(OwnMeta):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.get_validators = lambda: [refuse] if visitor_of(self) == "guest" else []


@pytest.mark.parametrize("cls", [OwnMeta, OwnValidators])
@pytest.mark.parametrize("turns", [IN_TURNS, IN_TURNS[1:]])
def test_validators_that_one_serializer_has_of_its_own_are_called(cls, turns):
    for visitor in turns:
        with fastschema.disabled():
            expected = answer_to(cls, visitor, [], {"name": "Ann"})
        assert_equal(answer_to(cls, visitor, [], {"name": "Ann"}), expected)


class Childless(serializers.Serializer):
    names = serializers.ListField(child=serializers.CharField())

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.fields["names"].required = True
        if visitor_of(self) == "guest":
            self.fields["names"].child = None


@pytest.mark.parametrize("data", [{"names": ["Ann"]}, {"names": 5}, {}], ids=str)
def test_a_list_that_has_lost_its_field_fails_as_in_stock(data):
    for visitor in IN_TURNS[1:]:
        with fastschema.disabled():
            expected = answer_to(Childless, visitor, [], data)
        assert_equal(answer_to(Childless, visitor, [], data), expected)
