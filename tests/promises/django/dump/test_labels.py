"""``get_FOO_display`` of instances: the label that stock returns, in whatever language."""

from unittest import mock

import pytest
from django.db import models
from django.test.utils import isolate_apps
from django.utils import translation
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from tests.promises.django.differential import assert_same

CALLS = []


@pytest.fixture(autouse=True)
def _isolated():
    with isolate_apps("flights"):
        yield


def model_of(choices, **content):
    """A model with a column of these choices."""
    meta = type("Meta", (), {"app_label": "flights"})
    rank = models.IntegerField(choices=choices, null=True)
    attributes = {"__module__": __name__, "Meta": meta, "rank": rank, **content}
    return type("Ranked", (models.Model,), attributes)


class Shown(serializers.Serializer):
    text = serializers.CharField(source="get_rank_display")
    raw = serializers.ReadOnlyField(source="get_rank_display")
    default = serializers.CharField(source="get_rank_display", default="-")


class Days(models.IntegerChoices):
    MONDAY = 0, gettext_lazy("Monday")
    TUESDAY = 1, gettext_lazy("Tuesday")


def said(text):
    """A label of the user's own."""
    CALLS.append(text)
    return text


def chosen():
    """Choices of the user's own."""
    CALLS.append("choices")
    return [(0, "none"), (1, "one")]


PLAIN = [
    Days,
    [(0, "none"), (1, "one")],
    [("Some", [(0, "none")]), ("Others", [(1, "one"), (None, "unknown")])],
    {0: "none", 1: "one"},
]
OWN = [chosen, [(0, lazy(said, str)("none")), (1, "one")], [(0.0, "none"), (1, "one")]]
VALUES = [0, 1, 7, None, True, "1", 1.5, Days.MONDAY, [1], "x", {"a": []}]


@pytest.mark.at_once
@pytest.mark.parametrize("choices", [*PLAIN, *OWN])
def test_labels_are_those_of_stock(choices):
    model = model_of(choices)
    for language in ("en", "de", "en"):
        with translation.override(language):
            for value in VALUES:
                assert_same(Shown, model(rank=value), calls=CALLS)


def own(self, *arguments):
    """A method of the user's own."""
    CALLS.append(self.rank)
    return "own"


@pytest.mark.parametrize("name", ["get_rank_display", "_get_FIELD_display"])
def test_a_method_of_the_model_is_called(name):
    assert_same(Shown, model_of(Days, **{name: own})(rank=1), calls=CALLS)


def test_a_method_of_the_instance_is_called():
    model = model_of(Days)
    instance = model(rank=1)
    instance.get_rank_display = lambda: CALLS.append("own") or "own"
    for each in (model(rank=1), instance, model(rank=0)):
        assert_same(Shown, each, calls=CALLS)


def test_a_column_that_is_not_there():
    instance = model_of(Days)(rank=1)
    del instance.rank
    instance.pk = None
    assert_same(Shown, instance)


def test_a_column_that_is_a_property_is_read_once():
    class Rank(models.IntegerField):
        def contribute_to_class(self, cls, name, **kwargs):
            super().contribute_to_class(cls, name, **kwargs)
            read = property(lambda self: CALLS.append("read") or 1, lambda self, value: None)
            setattr(cls, self.attname, read)

    assert_same(Shown, model_of(Days, rank=Rank(choices=Days))(), calls=CALLS)


def test_a_method_that_only_looks_like_one():
    model = model_of(Days, get_other_display=lambda self: "other", get_that_display="that")

    class Others(serializers.Serializer):
        other = serializers.CharField(source="get_other_display")
        that = serializers.CharField(source="get_that_display")
        missing = serializers.CharField(source="get_missing_display", default="-")

    assert_same(Others, model(rank=1))


def test_a_method_that_a_user_replaces():
    model = model_of(Days)
    assert_same(Shown, model(rank=1))
    with mock.patch.object(model, "get_rank_display", own):
        assert_same(type("Patched", (Shown,), {}), model(rank=1), calls=CALLS)
