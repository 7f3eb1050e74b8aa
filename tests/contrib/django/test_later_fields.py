"""Fields that are made alone, and the others later."""

import pytest
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import BindingDict

import fastschema
from fastschema.contrib.django.construction import blueprint_of
from fastschema.contrib.django.later_fields import LaterBindingDict, field_alone, has_made_fields
from fastschema.contrib.django.subjects import LaterFields
from flights.models import Plane
from tests.contrib.django.differential import exactly, outcome

CALLS = []


class Loud(serializers.CharField):
    """A field of a user's own, which remembers what it has seen."""

    def to_representation(self, value):
        CALLS.append((self.field_name, type(self.parent).__name__, self.context.get("user"), value))
        self.seen = [*getattr(self, "seen", ()), value]
        return super().to_representation(value).upper()


class Inner(serializers.Serializer):
    number = serializers.IntegerField()
    loud = Loud()


class Outer(serializers.Serializer):
    first = serializers.IntegerField()
    loud = Loud()
    inner = Inner()
    many = Inner(many=True)
    last = serializers.CharField()


ROWS = [
    {
        "first": number,
        "loud": f"a{number}",
        "inner": {"number": 1, "loud": "b"},
        "many": [{"number": 2, "loud": "c"}, {"number": 3, "loud": "d"}],
        "last": "e",
    }
    for number in range(3)
]


@pytest.fixture(autouse=True)
def _known():
    """Serializers of these classes have been made before."""
    for cls in (Inner, Outer):
        for _ in range(3):
            _ = cls({}, context={}).fields
            with pytest.raises(KeyError):
                _ = cls({}).data
    CALLS.clear()


def test_a_field_with_its_own_method_is_made_without_the_others():
    serializer = Outer(ROWS[0])
    assert serializer.data["loud"] == "A0"
    assert type(vars(serializer)["fields"]) is LaterBindingDict
    assert not has_made_fields(serializer)


@pytest.mark.parametrize("many", [False, True])
def test_the_answer_the_calls_and_the_fields_are_those_of_stock(many):
    def ask():
        serializer = Outer(ROWS if many else ROWS[0], many=many, context={"user": "ann"})
        data = serializer.data
        child = serializer.child if many else serializer
        return exactly(data), described(child), described(child.fields["inner"])

    with fastschema.disabled():
        expected = outcome(ask, CALLS)
    assert outcome(ask, CALLS) == expected
    assert outcome(ask, CALLS) == expected


def described(serializer):
    """The fields of a serializer, in order."""
    fields = serializer.fields
    return [
        [
            (name, type(field).__name__, field.field_name, field.parent is serializer)
            for name, field in fields.items()
        ],
        type(fields).__name__,
        getattr(fields["loud"], "seen", None),
    ]


def test_the_others_are_made_when_somebody_looks():
    serializer = Outer(ROWS[0])
    _ = serializer.data
    alone = vars(serializer)["fields"].field_alone("loud", Outer._declared_fields["loud"])
    assert list(serializer.fields) == ["first", "loud", "inner", "many", "last"]
    assert type(serializer.fields) is BindingDict
    assert serializer.fields["loud"] is alone
    assert all(field.parent is serializer for field in serializer.fields.values())
    assert has_made_fields(serializer)


def test_a_field_may_look_at_the_others_in_the_midst_of_a_dump():
    class Looking(serializers.CharField):
        def to_representation(self, value):
            CALLS.append([*self.parent.fields])
            CALLS.append(self.parent.fields["looking"] is self)
            self.parent.fields["after"].label = "seen"
            return value

    class Rows(serializers.Serializer):
        before = serializers.CharField()
        looking = Looking()
        after = Loud()

    row = {"before": "a", "looking": "b", "after": "c"}

    def ask():
        serializer = Rows(row)
        return serializer.data, serializer.fields["after"].label, serializer.fields["after"].seen

    with fastschema.disabled():
        expected = outcome(ask, CALLS)
    for _ in range(4):
        assert outcome(ask, CALLS) == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda fields: fields.pop("first"),
        lambda fields: fields.__setitem__("more", serializers.CharField(default="x")),
        lambda fields: repr(fields),
        lambda fields: len(fields),
        lambda fields: list(fields.values()),
    ],
)
def test_the_fields_can_be_changed_like_any(change):
    def ask():
        serializer = Outer(ROWS[0])
        data = serializer.data
        change(serializer.fields)
        return exactly([data, serializer.to_representation(ROWS[1])]), [*serializer.fields]

    with fastschema.disabled():
        expected = outcome(ask, CALLS)
    assert outcome(ask, CALLS) == expected


def test_an_error_of_the_others_comes_each_time_somebody_looks():
    class Broken(serializers.Serializer):
        loud = Loud()

        def get_fields(self):
            raise ValueError("no fields")

    serializer = Broken()
    assert field_alone(serializer, "loud").parent is serializer
    for _ in range(2):
        with pytest.raises(ValueError, match="no fields"):
            len(serializer.fields)


def test_all_fields_are_made_once_for_those_that_cannot_be_made_alone():
    class Planes(serializers.ModelSerializer):
        class Meta:
            model = Plane
            fields = ("tail_number", "seats")

    for _ in range(3):
        assert Planes(Plane(tail_number="N1")).data["tail_number"] == "N1"
    serializer = Planes(Plane())
    blueprint = blueprint_of(serializer)
    made = blueprint.made
    later = LaterFields(lambda: serializer, blueprint)
    assert [later[number].field_name for number in (1, 0)] == ["seats", "tail_number"]
    assert later[0] is serializer.fields["tail_number"]
    assert blueprint.made == made + 1


@pytest.mark.parametrize("last", [False, True])
def test_fields_that_a_method_removes_from_a_nested_serializer_are_gone(last):
    class Down(serializers.CharField):
        def to_representation(self, value):
            return f"down:{value}"

    class Child(serializers.Serializer):
        secret = serializers.CharField()
        b = Loud()
        c = Down()
        if not last:
            d = serializers.CharField()

    class Rows(serializers.Serializer):
        allowed = serializers.SerializerMethodField()
        child = Child()

        def get_allowed(self, obj):
            self.fields["child"].fields.pop("secret", None)
            return False

    row = {"child": {"secret": "S", "b": "b", "c": "c", "d": "d"}}
    with fastschema.disabled():
        expected = Rows(row).data
    for _ in range(4):
        assert Rows(row).data == expected
        assert list(Rows(row).data["child"]) == list(expected["child"])


def test_a_field_of_two_names_is_bound_twice_as_in_stock():
    shared = Loud()
    rows = type("Rows", (serializers.Serializer,), {"a": shared, "b": shared})
    with fastschema.disabled():
        expected = outcome(lambda: rows({"a": "x", "b": "y"}).data, CALLS)
    for _ in range(4):
        assert outcome(lambda: rows({"a": "x", "b": "y"}).data, CALLS) == expected


def test_rows_that_come_one_by_one_do_not_make_the_others_either():
    class Calling(Outer):
        def to_representation(self, instance):
            return {**super().to_representation(instance), "more": 1}

    with fastschema.disabled():
        expected = Calling(ROWS, many=True).data
    for _ in range(3):
        serializer = Calling(ROWS, many=True)
        assert serializer.data == expected
    assert not has_made_fields(serializer.child)
