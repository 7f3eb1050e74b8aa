"""Values of objects may be lazy: they are evaluated when stock evaluates them, and as often."""

import datetime
import itertools

import pytest
from rest_framework import serializers

import fastschema
from tests.lazy_values import CALLS, KINDS, noting, request_of
from tests.marks import counts_looks
from tests.promises.django.differential import assert_equal, outcome

pytestmark = counts_looks

FIELDS = {
    "text": serializers.CharField(),
    "integer": serializers.IntegerField(),
    "boolean": serializers.BooleanField(),
    "date": serializers.DateField(),
    "decimal": serializers.DecimalField(5, 2),
    "choice": serializers.ChoiceField(["a", "b"]),
    "list": serializers.ListField(child=serializers.CharField()),
    "dictionary": serializers.DictField(),
    "JSON": serializers.JSONField(),
    "read only": serializers.ReadOnlyField(),
}
VALUES = {
    "text": lambda who: f"of {who}",
    "number": lambda who: 1 if who == "a" else 2.5,
    "date": lambda who: datetime.date(2020, 1, 1 if who == "a" else 2),
    "list": lambda who: [who],
    "dictionary": lambda who: {"of": who},
    "none": lambda who: None,
}


class Row:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_lazy_value_is_evaluated_as_in_stock(field, kind):
    cls = type("S", (serializers.Serializer,), {"value": FIELDS[field]})

    def dumped(give, many):
        rows = [Row(KINDS[kind](noting("value", give))) for _ in range(2)]
        return outcome(lambda: cls(rows if many else rows[0], many=many).data, CALLS)

    for give, many, who in itertools.product(VALUES.values(), (False, True), "aab"):
        with request_of(who):
            with fastschema.disabled():
                expected = dumped(give, many)
            assert_equal(dumped(give, many), expected)
