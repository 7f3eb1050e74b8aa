"""Fields that are made once for a class: users cannot tell, whatever changes."""

import datetime
import gc
import weakref

import pytest
from django.db import models
from django.utils.functional import lazy
from rest_framework import serializers

import fastschema
from flights.models import Airline, Flight, Plane
from flights.serializers import FlightSerializer, PlaneSerializer
from tests.instruments.django import field_maker_of, has_made_fields
from tests.promises.django.differential import (
    assert_returns_as_in_stock,
    assert_same,
    serializer_of,
)


def makes_fields(serializer_class, instance, **kwargs):
    """Whether a serializer makes its own fields, when its class has been in use."""
    for _ in range(3):
        serializer = serializer_class(instance, **kwargs)
        assert serializer.data is not None
    child = getattr(serializer, "child", serializer)
    return "fields" in vars(child)


def test_serializers_that_nest_those_of_their_own_class():
    class Node(serializers.Serializer):
        name = serializers.CharField()

    Node._declared_fields["children"] = Node(many=True)
    leaf = {"name": "c", "children": []}
    for _ in range(3):
        assert_same(Node, {"name": "a", "children": [{"name": "b", "children": [leaf]}, leaf]})


class Getting(serializers.ModelSerializer):
    """Makes fields by code of its own."""

    def get_fields(self):
        return super().get_fields()


@pytest.mark.parametrize("base", [serializers.ModelSerializer, Getting])
def test_a_class_that_stock_makes_for_depth_may_be_changed_for_one_serializer(base):
    class WithDepth(base):
        class Meta:
            model = Flight
            fields = ["airline"]
            depth = 1

    flight = Flight(airline=Airline(code="A", name="Air"))

    def use():
        changed = WithDepth(flight)
        type(changed.fields["airline"]).Meta.fields = ["name"]
        return changed.data, WithDepth(flight).data

    assert_returns_as_in_stock(use)


def point_class():
    """A new class of serializers."""

    class Inner(serializers.Serializer):
        b = serializers.CharField()

    class Point(serializers.Serializer):
        x = serializers.IntegerField()
        y = serializers.ChoiceField(["a", ("1", "one")], required=False)
        tags = serializers.ListField(child=serializers.CharField(), default=list)
        inner = Inner()
        many = Inner(many=True, required=False)
        label = serializers.SerializerMethodField()

        def get_label(self, obj):
            return f"label for {self.context.get('user')}"

    return Point


POINT = {
    "x": 1,
    "y": "1",
    "tags": ["t"],
    "inner": {"b": "c"},
    "many": [{"b": "d"}],
    "z": 3,
    "w": "4",
}


class TestUse:
    @pytest.mark.at_once
    def test_plain_serializers_do_not_make_fields(self):
        point = point_class()
        assert not makes_fields(point, POINT)
        assert not makes_fields(point, [POINT, POINT], many=True)

    @pytest.mark.at_once
    def test_model_serializers_do_not_make_fields(self, flights):
        assert not makes_fields(FlightSerializer, flights[0])
        assert not makes_fields(FlightSerializer, flights, many=True)
        assert not makes_fields(PlaneSerializer, Plane(tail_number="x"))


class TestUsersCode:
    def test_a_directory_that_is_gone(self, tmp_path):
        directory = tmp_path / "uploads"
        directory.mkdir()
        path = serializers.FilePathField(path=str(directory))
        plain, listed = serializer_of(a=path), serializer_of(a=serializers.ListField(child=path))
        for _ in range(3):
            assert_same(plain, {"a": "x"})
            assert_same(listed, {"a": ["x"]})
        directory.rmdir()
        assert isinstance(assert_same(plain, {"a": "x"}), FileNotFoundError)

    @pytest.mark.parametrize(
        "own",
        [
            {"format": "%d"},
            {"format": property(lambda self: "%d")},
            {"get_default": lambda self: "x"},
            {"context": property(lambda self: {})},
            {"__getattr__": lambda self, name: "%d" if name == "format" else 1 / 0},
        ],
    )
    def test_other_attributes_of_fields(self, own):
        rows = serializer_of(at=type("Own", (serializers.DateField,), own)(default=None))
        for value in ({"at": datetime.date(2024, 2, 29)}, {}):
            for _ in range(3):
                assert_same(rows, value)

    @pytest.mark.at_once
    def test_an_init_that_only_keeps_something_is_run_by_the_user_alone(self):
        class Keeping(serializers.Serializer):
            a = serializers.CharField()
            kept = serializers.SerializerMethodField()

            def __init__(self, *args, kept=None, **kwargs):
                super().__init__(*args, **kwargs)
                self.kept = kept

            def get_kept(self, obj):
                return self.kept

        for kept in range(4):
            serializer = Keeping({"a": "1"}, kept=kept)
            assert serializer.data == {"a": "1", "kept": kept}
        assert "fields" not in vars(serializer)

    def test_an_own_init_of_a_field_that_stands_for_a_models(self, monkeypatch):
        calls = []

        class Airlines(serializers.ModelSerializer):
            class Meta:
                model = Airline
                fields = ("name",)

        mapping = serializers.ModelSerializer.serializer_field_mapping

        class Counting(serializers.CharField):
            def __init__(self, **kwargs):
                calls.append("field")
                super().__init__(**kwargs)

        monkeypatch.setitem(mapping, models.CharField, Counting)
        for _ in range(3):
            assert_same(Airlines, Airline(name="United"), calls=calls)


class Upper(serializers.CharField):
    def to_representation(self, value):
        return value.upper()


class TestModels:
    def serializer(self, **meta):
        meta = type("Meta", (), {"model": Plane, "fields": ["tail_number", "year"], **meta})
        return type("Planes", (serializers.ModelSerializer,), {"Meta": meta})

    @pytest.mark.parametrize(
        "change",
        [
            lambda cls: setattr(cls.Meta, "fields", "__all__"),
            lambda cls: [
                setattr(cls.Meta, "model", Airline),
                setattr(cls.Meta, "fields", ["name"]),
            ],
            lambda cls: setattr(cls, "serializer_field_mapping", {models.CharField: Upper}),
        ],
    )
    def test_what_fields_are_made_of_changes_later(self, change):
        serializer = self.serializer(extra_kwargs={"year": {"source": "engines"}})
        plane = Plane(tail_number="n1", year=2000, engines=2, seats=5)
        plane.name = "name"
        before = assert_same(serializer, plane)
        assert not makes_fields(serializer, plane)
        change(serializer)
        assert assert_same(serializer, plane) != before
        assert_same(serializer, [plane], many=True)

    @pytest.mark.at_once
    def test_a_name_of_urls_that_a_serializer_got_leaves_it_pending(self):
        serializer = PlaneSerializer(Plane(tail_number="x"))
        assert not makes_fields(PlaneSerializer, serializer.instance)
        serializer.url_field_name = "url"
        assert serializer.data
        assert "fields" not in vars(serializer)
        serializer.url_field_name = "link"
        assert serializer.to_representation(serializer.instance)
        assert has_made_fields(serializer)


def test_a_class_with_many_changes_is_given_up():
    point = point_class()
    for number in range(20):
        point._declared_fields[f"n{number}"] = serializers.IntegerField(default=number)
        assert_same(point, POINT)
    assert field_maker_of(point) is None
    assert makes_fields(point, POINT)


@pytest.mark.at_once
def test_throw_away_classes_do_not_live_on():
    references = []
    for _ in range(3):
        point = point_class()
        meta = type("Meta", (), {"model": Plane, "fields": "__all__"})
        planes = type("Planes", (serializers.ModelSerializer,), {"Meta": meta})
        assert not makes_fields(point, POINT)
        assert not makes_fields(planes, Plane(tail_number="x"))
        references += [weakref.ref(point), weakref.ref(planes)]
    del point, planes, meta
    gc.collect()
    assert [reference() for reference in references] == [None] * 6


def test_plans_do_not_keep_what_belongs_to_a_request():
    class User:
        pass

    point = point_class()
    users = []
    for _ in range(4):
        user = User()
        users.append(weakref.ref(user))
        assert point(POINT, context={"user": user}).data
        assert fastschema.compile(point(context={"user": user})).dumps(POINT)
    del user
    gc.collect()
    assert [reference() for reference in users] == [None] * 4


def test_a_class_made_of_the_attributes_of_another_has_fields_of_its_own():
    class Original(serializers.ModelSerializer):
        class Meta:
            model = Plane
            fields = ("tail_number",)

    plane = Plane(tail_number="N1", seats=149)
    for _ in range(3):
        assert Original(plane).data == {"tail_number": "N1"}
    meta = type("Meta", (Original.Meta,), {"fields": ("seats",)})
    copied = type(Original)("Original", Original.__bases__, {**vars(Original), "Meta": meta})
    for _ in range(3):
        assert copied(plane).data == {"seats": 149}


def test_choices_that_are_made_when_they_are_needed_are_made_for_each_serializer():
    rows = {"a": "before"}

    class Lazy(serializers.Serializer):
        choice = serializers.ChoiceField(choices=lazy(lambda: list(rows.items()), list)())

    for label in ("before", "after"):
        rows["a"] = label
        for _ in range(3):
            assert Lazy({"choice": "a"}).data == {"choice": "a"}
            assert Lazy().fields["choice"].choices == {"a": label}
