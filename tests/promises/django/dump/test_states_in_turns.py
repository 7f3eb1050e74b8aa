"""Serializers that no code has looked at take turns with one bound program, also nested ones."""

import contextlib
import gc
import weakref

import pytest
from rest_framework import serializers

import fastschema
from tests.promises.django.differential import Thing, exactly, outcome
from tests.promises.django.requests_in_turns import IN_TURNS

CALLS = []


class Loud(serializers.CharField):
    def to_representation(self, value):
        CALLS.append((self.field_name, type(self.parent).__name__, self.context.get("user")))
        return super().to_representation(value).upper()


def new_classes():
    """Classes that were never used: the outer one, what is nested in it, and in that."""

    class Own(serializers.SlugField):
        pass

    class Deep(serializers.Serializer):
        number = serializers.IntegerField()
        own = Own()
        at = serializers.DateTimeField()

    class Inner(serializers.Serializer):
        loud = Loud()
        deep = Deep()
        many = Deep(many=True)

    class Outer(serializers.Serializer):
        text = serializers.CharField()
        inner = Inner()
        all = Inner(many=True)

    return Outer, Inner, Deep, Own


def row(at):
    """A row with something in each place."""
    deep = Thing(number=1, own="x", at=at)
    inner = Thing(loud="loud", deep=deep, many=[deep, deep])
    return Thing(text="t", inner=inner, all=[inner, inner])


@pytest.fixture
def at():
    """A moment, which each time zone shows in its own way."""
    return serializers.DateTimeField().to_internal_value("2024-07-01T12:00:00Z")


def shown(cls, each, many=False, user="ann"):
    """What a serializer makes of a row or a list, the calls of users' code included."""
    CALLS.clear()
    context = {"user": user}
    return outcome(
        lambda: exactly(cls([each] * 3 if many else each, many=many, context=context).data), CALLS
    )


def assert_as_in_stock(cls, each, user="ann"):
    """Assert that rows and lists are what they are in stock."""
    for many in (False, True, False):
        with fastschema.disabled():
            expected = shown(cls, each, many, user)
        assert shown(cls, each, many, user) == expected


def test_visitors_in_turns(at):
    outer, *_ = new_classes()
    for visitor in IN_TURNS:
        with visitor.visiting():
            assert_as_in_stock(outer, row(at), visitor.name)


def test_other_classes_of_objects(at):
    outer, *_ = new_classes()
    for number in range(12):
        kind = type(f"Kind{number}", (Thing,), {})
        each = row(at)
        each.inner.deep.__class__ = kind
        assert_as_in_stock(outer, each)


def new_around_plain():
    """A plain class around another, in which one is nested that has a field of a user's own."""

    class Inner(serializers.Serializer):
        deep = new_classes()[1](source="*")

    class Outer(serializers.Serializer):
        inner = Inner()
        all = Inner(many=True)

    return Outer


@pytest.mark.parametrize("new_outer", [lambda: new_classes()[0], new_around_plain])
@pytest.mark.parametrize("many", [False, True])
def test_nothing_of_a_serializer_is_held(new_outer, many, at):
    outer = new_outer()
    for _ in range(4):
        serializer = outer([row(at)] if many else row(at), many=many, context={"request": Thing()})
        assert serializer.data
        held = weakref.ref(serializer), weakref.ref(serializer.context["request"])
        del serializer
        gc.collect()
        assert [each() for each in held] == [None, None]


def test_what_is_nested_and_was_looked_at_before_is_dumped_as_it_is(at):
    outer, *_ = new_classes()
    assert_as_in_stock(outer, row(at))

    class Validated(outer):
        def validate_inner(self, value):
            with contextlib.suppress(KeyError):
                self.fields["inner"].fields["deep"].fields.pop("number")
            return value

    def ask():
        serializer = Validated(
            row(at), data={"text": "t", "inner": {"loud": "l"}, "all": []}, partial=True
        )
        return serializer.is_valid(), exactly(serializer.to_representation(row(at)))

    with fastschema.disabled():
        expected = ask()
    for _ in range(3):
        assert ask() == expected
