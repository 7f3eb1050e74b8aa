"""Objects that were prefetched, read past managers where users cannot tell: attribute_access."""

import pytest
from django.db import models
from django.test.utils import isolate_apps
from rest_framework import serializers

from tests.promises.django.differential import assert_same_each_time, serializer_of

CALLS = []


class Hiding(models.Manager):
    def all(self):
        CALLS.append("all")
        return [each for each in super().all() if each.pk != 2]


class Counting(models.Manager):
    def __init__(self):
        CALLS.append("made")
        super().__init__()


class Doubling(models.Manager):
    def doubled(self):
        return 2 * self.count()


class Setting(models.Manager):
    def __setattr__(self, name, value):
        CALLS.append(("set", name))
        super().__setattr__(name, value)


class Filtering(models.Manager):
    """A usual custom manager, which prefetched objects pass by."""

    def get_queryset(self):
        CALLS.append("get_queryset")
        return super().get_queryset().filter(pk__gt=1)


with isolate_apps("flights"):

    class Label(models.Model):
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "flights"

        def __str__(self):
            CALLS.append(("str", self.pk))
            return self.name

    class Box(models.Model):
        code = models.CharField(max_length=10, unique=True)
        labels = models.ManyToManyField(Label, related_name="boxes")

        class Meta:
            app_label = "flights"

    def item(name, manager=models.Manager, **options):
        """A model that refers to boxes, whose default manager is of that class."""
        attributes = {
            "__module__": __name__,
            "Meta": type("Meta", (), {"app_label": "flights"}),
            "name": models.CharField(max_length=10),
            "box": models.ForeignKey(Box, models.CASCADE, related_name=f"{name}s", **options),
            "objects": manager(),
        }
        return type(name.capitalize(), (models.Model,), attributes)

    Plain = item("plain")
    Hidden = item("hidden", Hiding)
    Counted = item("counted", Counting)
    Filtered = item("filtered", Filtering)
    Doubled = item("doubled", Doubling)
    Set = item("setting", Setting)
    Coded = item("coded", to_field="code")
    OwnKey = type(
        "OwnKey",
        (Box,),
        {
            "__module__": __name__,
            "Meta": type("Meta", (), {"app_label": "flights", "proxy": True}),
            "pk": property(
                lambda self: CALLS.append("pk") or self.id,
                lambda self, key: setattr(self, "id", key),
            ),
        },
    )


MADE_ONCE = Box(pk=1, code="a").settings  # and the class of such managers


def box_of(cls=Box, **options):
    """A function that makes a box whose related objects were prefetched."""

    def make():
        box = cls(**{"pk": 1, "code": "a", **options})
        found = {"labels": Label}
        for model in (Plain, Hidden, Counted, Filtered, Set, Coded):
            found[model._meta.model_name + "s"] = model
        box._prefetched_objects_cache = {name: rows_of(model) for name, model in found.items()}
        return box

    return make


def rows_of(model):
    """A queryset that has two objects."""
    queryset = models.QuerySet(model)
    queryset._result_cache = [model(pk=2, name="x"), model(pk=3, name="y")]
    return queryset


def serializer_for(source):
    """A serializer that reads a relation in every way."""
    named = serializer_of(name=serializers.CharField())
    many = {"many": True, "read_only": True, "source": source}
    return serializer_of(
        keys=serializers.PrimaryKeyRelatedField(**many),
        slugs=serializers.SlugRelatedField("name", **many),
        texts=serializers.StringRelatedField(**many),
        nested=named(**many),
        dotted=named(many=True, source=f"{source}.all"),
    )


RELATIONS = ["labels", "plains", "hiddens", "counteds", "filtereds", "settings", "codeds"]


@pytest.fixture(autouse=True)
def _no_calls():
    CALLS.clear()


@pytest.mark.parametrize("source", RELATIONS)
@pytest.mark.parametrize("cls", [Box, OwnKey])
def test_prefetched_objects_are_those_of_the_manager(source, cls):
    data = assert_same_each_time(serializer_for(source), box_of(cls), calls=CALLS)

    expected = [3] if source == "hiddens" else [2, 3]
    assert data["keys"] == expected


@pytest.mark.parametrize("source", ["plains", "labels", "codeds"])
@pytest.mark.parametrize("options", [{"pk": None}, {"code": None}], ids=str)
def test_objects_without_a_key_are_as_in_stock(source, options):
    assert_same_each_time(serializer_for(source), box_of(**options), calls=CALLS)


@pytest.mark.parametrize("objects", [None, [], [Plain(pk=7, name="z")], (), 5, "xy"], ids=str)
def test_anything_may_stand_for_prefetched_objects(objects):
    def make():
        box = Box(pk=1, code="a")
        box._prefetched_objects_cache = {"plains": objects}
        return box

    if objects is None:  # stock makes a query
        make = box_of()
    assert_same_each_time(serializer_for("plains"), make, calls=CALLS)


def test_a_serializer_of_the_manager_itself_gets_the_manager():
    def make():
        box = Box(pk=1, code="a")
        box._prefetched_objects_cache = {"doubleds": rows_of(Doubled)}
        return box

    about = serializer_of(count=serializers.IntegerField(), doubled=serializers.IntegerField())
    serializer = serializer_of(about=about(source="doubleds"))
    assert assert_same_each_time(serializer, make) == {"about": {"count": 2, "doubled": 4}}


@pytest.mark.parametrize(
    "cache", [5, [], {"plains": Plain.objects}], ids=["a number", "a list", "a manager"]
)
def test_odd_caches_are_read_as_by_stock(cache):
    def make():
        box = Box(pk=1, code="a")
        box._prefetched_objects_cache = cache
        return box

    assert_same_each_time(serializer_for("plains"), make, calls=CALLS)


def test_the_reverse_side_of_many_to_many():
    def make():
        label = Label(pk=1, name="x")
        label._prefetched_objects_cache = {"boxes": rows_of_boxes()}
        return label

    def rows_of_boxes():
        queryset = models.QuerySet(Box)
        queryset._result_cache = [Box(pk=4, code="b")]
        return queryset

    key = serializers.PrimaryKeyRelatedField(many=True, read_only=True, source="boxes")
    assert assert_same_each_time(serializer_of(keys=key), make) == {"keys": [4]}
