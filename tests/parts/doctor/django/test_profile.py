"""Plan.profile of Django REST framework's serializers."""

from types import SimpleNamespace

import pytest
from django.db import connection, models
from django.test.utils import CaptureQueriesContext
from rest_framework import serializers

import fastschema
from fastschema.doctor import profile_run
from flights.models import Flight
from flights.serializers import FlightSerializer

SECONDS = SimpleNamespace(now=0.0)


@pytest.fixture
def _clock(monkeypatch):
    """A clock that goes on by a second whenever code of users runs, and costs nothing to read."""
    monkeypatch.setattr(profile_run, "clock", lambda: SECONDS.now)


def tick():
    SECONDS.now += 1


class Doubled(serializers.Field):
    def to_representation(self, value):
        tick()
        return 2 * value


class Own(serializers.Serializer):
    number = serializers.IntegerField()

    def to_representation(self, obj):
        tick()
        return super().to_representation(obj)


class Inner(serializers.Serializer):
    number = serializers.IntegerField()
    method = serializers.SerializerMethodField()

    def get_method(self, obj):
        tick()
        return 1


class Outer(serializers.Serializer):
    number = serializers.IntegerField()
    one = Inner()
    many = Inner(many=True)
    own = Own(source="one")
    owns = Own(source="many", many=True)
    doubled = Doubled(source="number")
    prop = serializers.IntegerField()
    called = serializers.IntegerField()
    text = serializers.StringRelatedField(source="one")


class Thing:
    number = 1

    def __init__(self, depth=1):
        if depth:
            self.one = Thing(0)
            self.many = [Thing(0), Thing(0)]

    @property
    def prop(self):
        tick()
        return 1

    def called(self):
        tick()
        return 1

    def __str__(self):
        tick()
        return "thing"


@pytest.mark.usefixtures("_clock")
def test_each_field_has_the_time_of_its_own_code():
    profile = fastschema.compile(Outer).profile([Thing() for _ in range(3)])

    lines = [(field.key, field.seconds, field.why) for field in profile]
    assert lines == [
        ("number", 0.0, ""),
        ("one", 3.0, ""),
        ("one.number", 0.0, ""),
        ("one.method", 3.0, "a method of the serializer"),
        ("many", 6.0, ""),
        ("many.number", 0.0, ""),
        ("many.method", 6.0, "a method of the serializer"),
        ("own", 3.0, "fastschema cannot compile Own.to_representation"),
        ("owns", 6.0, "code of yours runs around each dump of its schema"),
        ("doubled", 3.0, "fastschema cannot compile Doubled.to_representation"),
        ("prop", 3.0, "Thing.prop is a property"),
        ("called", 3.0, "Thing.called is a method"),
        ("text", 3.0, "__str__ of the related object"),
    ]
    assert all(field.user_seconds == field.seconds for field in profile)
    assert profile.seconds == 30.0


@pytest.mark.parametrize(
    "make", [lambda: Outer(many=True), lambda: Outer(context={}, many=True), lambda: Outer]
)
def test_a_serializer_for_many_is_profiled_as_its_child(make):
    profile = fastschema.compile(make()).profile([Thing(), Thing()])

    assert (profile.schema, profile.rows, len(profile.fields)) == ("Outer", 2, 13)


def test_a_serializer_that_runs_as_stock_is_one_line():
    (line,) = fastschema.compile(Own).profile([Thing()] * 3)

    assert (line.key, line.compiled, line.why) == (
        "Own",
        False,
        "your to_representation, and what it calls by super()",
    )


def test_code_of_users_is_called_as_often_as_in_one_dump():
    plan, rows = fastschema.compile(Outer), [Thing() for _ in range(3)]
    start = SECONDS.now
    plan.dump(rows, many=True)
    in_dump = SECONDS.now - start

    plan.profile(rows)

    assert SECONDS.now - start == 2 * in_dump


def test_errors_are_those_of_a_dump():
    with pytest.raises(AttributeError, match="Got AttributeError when attempting to get a value"):
        fastschema.compile(Inner).profile([object()])


class TestModels:
    def test_a_manager_or_a_queryset_is_asked_once(self, flights):
        plan = fastschema.compile(FlightSerializer)
        queryset = Flight.objects.select_related("airline", "origin", "destination", "plane")

        with CaptureQueriesContext(connection) as queries:
            profile = plan.profile(queryset)

        assert (profile.rows, len(queries)) == (4, 1)


def test_the_label_of_a_choice_is_a_method_that_stock_calls(db):
    class Shirt(models.Model):
        size = models.CharField(max_length=1, choices=[("S", "Small")])

        class Meta:
            app_label = "tests"

    class Labelled(serializers.Serializer):
        label = serializers.CharField(source="get_size_display")

    [line] = fastschema.compile(Labelled).profile([Shirt(size="S")] * 100)

    assert line.why == "Shirt.get_size_display is a method"
    assert line.user_seconds == line.seconds > 0


def test_a_serializer_that_is_compiled_inside_its_own_method_is_not_called_stock():
    table = str(fastschema.compile(Own).profile([Thing()] * 3))

    assert "stock" not in table
    assert "yours" in table


def test_one_object_can_be_profiled():
    assert fastschema.compile(Inner).profile(Thing(), many=False).rows == 1


def test_dictionaries_can_be_profiled():
    profile = fastschema.compile(Inner).profile([{"number": 1}])

    assert [field.key for field in profile] == ["number", "method"]
