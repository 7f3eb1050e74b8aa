"""Every argument of every field, as a lazy object of each kind: who looks at it, and how often."""

import pytest
from rest_framework import relations, serializers
from rest_framework.fields import Field

import fastschema
from flights.models import Airline
from tests.lazy_values import CALLS, SOME_OR_ALL, TURNS, differing, lazy_cases, request_of
from tests.promises.django.differential import Thing, outcome

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore::UserWarning"),  # as an error, it would end both sides alike
]

NEEDED = {
    "DecimalField": lambda: {"max_digits": 6, "decimal_places": 2},
    "ChoiceField": lambda: {"choices": ["x"]},
    "MultipleChoiceField": lambda: {"choices": ["x"]},
    "RegexField": lambda: {"regex": "x"},
    "FilePathField": lambda: {"path": "."},
    "HiddenField": lambda: {"default": "x"},
    "ModelField": lambda: {"model_field": Airline._meta.get_field("name")},
    "PrimaryKeyRelatedField": lambda: {"queryset": Airline.objects.all()},
    "SlugRelatedField": lambda: {"queryset": Airline.objects.all(), "slug_field": "code"},
    "HyperlinkedRelatedField": lambda: {"queryset": Airline.objects.all(), "view_name": "x"},
    "HyperlinkedIdentityField": lambda: {"view_name": "x"},
    "ManyRelatedField": lambda: {"child_relation": relations.StringRelatedField()},
}
CLASSES = {
    cls: NEEDED.get(name, dict)
    for module in (serializers, relations)
    for name, cls in vars(module).items()
    if isinstance(cls, type) and issubclass(cls, Field) and "Serializer" not in name
}
OBJECT = {"field": "x", "other": "y"}
INPUTS = [{}, {"field": "x"}]


def calls(field):
    """What comes of a serializer with a field, and the calls of code of users."""
    cls = type("S", (Base,), {"field": field})
    outcomes = []
    for who in TURNS:
        with request_of(who):
            outcomes.append(outcome(lambda: cls(Thing(**OBJECT)).data, CALLS))
            for data in INPUTS:
                outcomes.append(outcome(lambda: validated(cls(data=data)), CALLS))  # noqa: B023  # at once
    return outcomes


class Base(serializers.Serializer):
    number = serializers.IntegerField(required=False)


def validated(serializer):
    return serializer.is_valid(), serializer.errors


@SOME_OR_ALL
def test_only_stock_looks_at_an_argument(choose):
    cases = choose(lazy_cases(CLASSES, Field))
    failures, count = differing(cases, calls, fastschema.disabled)
    assert failures == {}
    assert count > len(cases) / 2
