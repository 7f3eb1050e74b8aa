"""Serializers of all kinds, whatever happens to them between two calls: as in stock."""

from contextlib import contextmanager

import pytest

import fastschema
from fastschema.contrib import django as front_end
from tests.promises.django.differential import outcome
from tests.promises.django.walk.happenings import CHANGES, LOOKS, OF_KEPT, OF_SERIALIZERS, USES
from tests.promises.django.walk.kinds import KINDS, LOG
from tests.walks import Walks, numbers

pytestmark = pytest.mark.usefixtures("guests", "each_thresholds")


@contextmanager
def stock():
    """While it holds, fastschema is neither installed nor does what stays of it do anything."""
    front_end.uninstall()
    try:
        with fastschema.disabled():
            yield
    finally:
        front_end.install()


class SerializerWalks(Walks):
    """Walks of serializers."""

    def steps(self, kind, number):
        """The steps of a walk, but for lists in which it is known that a removed field stays."""
        steps = super().steps(kind, number)
        return [step for step in steps if "removes" not in kind or "queryset" not in step]

    def uses_around(self, change, chance):
        """What is changed of a serializer shows where that one is used."""
        return [chance.choice(list(OF_KEPT if change in OF_SERIALIZERS else self.uses))]


WALKS = SerializerWalks(
    KINDS,
    USES,
    LOOKS,
    CHANGES,
    lambda call: outcome(call, LOG),
    stock,
    at_the_end=["fields", "nested fields"],
)


SHORT_WALKS = [
    # What was wrong once.
    ("of models", ["new: 30 times data", "fewer_fields of inner", "new: data"]),
    ("of models", ["new: list of 25", "new: list of 25", "exclude of deep", "new: list of 3"]),
    ("with get_fields", ["new: wrong", "replace Serializer.get_fields", "validate wrong"]),
    # What chance seldom finds.
    ("plain", ["keep a copy of one that was looked at", "a row", "pop a field", "a row"]),
    ("with a field of one's own", ["a copy of one that is gone represents"]),
    ("with a field of one's own", ["a row", "fields"]),
    (
        "of models",
        ["new: list of 25", "new: list of 25", "fields", "new fields in another language"],
    ),
    ("plain", ["twice nested fields", "30 rows one by one", "pop a twice nested field", "a row"]),
]
USED = ["new: list of 25", "new: list of 3", "a row", "validate"]
USED_AGAIN = ["a row", "validate", "new: list of 3", "new: wrong"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_serializer_does_what_stocks_does_whatever_happens_to_it(kind):
    for number in numbers(5):
        WALKS.assert_as_in_stock(kind, WALKS.steps(kind, number))


@pytest.mark.parametrize("kind", ["of models, with a field of one's own", "with get_fields"])
def test_each_change_is_seen_between_two_uses(kind):
    for change in CHANGES:
        WALKS.assert_as_in_stock(kind, [*USED, change, *USED_AGAIN])


@pytest.mark.parametrize(("kind", "steps"), SHORT_WALKS)
def test_a_short_walk(kind, steps):
    WALKS.assert_as_in_stock(kind, steps)
