"""Where a field's value comes from, and what happens when it does not come."""

import datetime
import types
from collections import namedtuple
from dataclasses import dataclass
from functools import partial

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.test.utils import isolate_apps
from django.utils.functional import SimpleLazyObject
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import CreateOnlyDefault, SkipField

import fastschema
from flights.models import Airline, Airport, Flight
from tests.promises.django.differential import (
    Thing,
    Witness,
    WitnessMapping,
    assert_same,
    assert_same_each_time,
    serializer_of,
    shown,
)

Text = serializers.CharField


def raises(error):
    """A function that raises an exception."""

    def function():
        raise error

    return function


class TestObjects:
    Named = namedtuple("Named", "a b")

    @dataclass(slots=True)
    class Slotted:
        a: int
        b: int

    OBJECTS = {
        "an object": Thing(a=1, b=2),
        "a slotted object": Slotted(1, 2),
        "a namedtuple": Named(1, 2),
        "a namespace": types.SimpleNamespace(a=1, b=2),
        "a class": type("Class", (), {"a": 1, "b": 2}),
        "a module": types.ModuleType("a"),
        "a dict": {"a": 1, "b": 2},
        "a lazy object": SimpleLazyObject(lambda: Thing(a=1, b=2)),
        "a lazy object that lacks one": SimpleLazyObject(lambda: Thing(a=1)),
        "a list": [1, 2],
        "a string": "ab",
        "a number": 7,
        "None": None,
        "True": True,
    }

    @pytest.mark.parametrize("instance", OBJECTS.values(), ids=OBJECTS.keys())
    @pytest.mark.parametrize("field", [Text, serializers.ReadOnlyField])
    def test_an_object_of_any_kind_is_read_as_in_stock(self, instance, field):
        assert_same(serializer_of(a=field(), b=field()), instance)

    def test_a_lazy_object_is_made_once(self):
        calls = []

        def make():
            calls.append("made")
            return Thing(a=1, b=2)

        data = assert_same_each_time(
            serializer_of(a=Text(), b=Text()), lambda: SimpleLazyObject(make), calls=calls
        )
        assert data == {"a": "1", "b": "2"}

    def test_an_object_with_own_attribute_access_is_asked(self):
        class Loud:
            a = 0

            def __getattribute__(self, name):
                return name * 2 if name in ("a", "b") else super().__getattribute__(name)

        assert assert_same(serializer_of(a=Text(), b=Text()), Loud()) == {"a": "aa", "b": "bb"}

    def test_an_object_that_claims_to_be_a_dict_is_read_as_one(self):
        class Pretender:
            __class__ = dict
            a = 1

            def __getitem__(self, key):
                return f"item {key}"

        assert assert_same(serializer_of(a=Text()), Pretender()) == {"a": "item a"}

    def test_a_virtual_mapping_is_read_by_item(self):
        from collections.abc import Mapping

        class Virtual:
            a = 1

            def __getitem__(self, key):
                return f"item {key}"

        Mapping.register(Virtual)
        assert assert_same(serializer_of(a=Text()), Virtual()) == {"a": "item a"}

    def test_a_class_that_changes_after_a_use_is_read_anew(self):
        class Changing:
            a = "before"

        serializer = serializer_of(a=Text())
        assert assert_same(serializer, Changing()) == {"a": "before"}
        Changing.a = property(lambda self: "after")
        assert assert_same(serializer, Changing()) == {"a": "after"}
        Changing.__getattribute__ = lambda self, name: (
            "always" if name == "a" else object.__getattribute__(self, name)
        )
        assert assert_same(serializer, Changing()) == {"a": "always"}

    def test_a_proxy_by_getattribute_is_what_it_claims_to_be(self):
        class Proxy:
            def __init__(self, target):
                object.__setattr__(self, "target", target)

            def __getattribute__(self, name):
                return getattr(object.__getattribute__(self, "target"), name)

            def __getitem__(self, key):
                return object.__getattribute__(self, "target")[key]

        serializer = serializer_of(a=Text())
        assert assert_same(serializer, Proxy(Thing(a=1))) == {"a": "1"}
        assert assert_same(serializer, Proxy({"a": 1})) == {"a": "1"}


class TestReads:
    @pytest.mark.parametrize("witness", [Witness, WitnessMapping])
    def test_every_value_is_read_once_and_in_order(self, witness):
        calls = []
        serializer = serializer_of(
            c=Text(),
            a=serializers.IntegerField(),
            b=serializers.DecimalField(5, 2),
            d=serializers.DateField(),
            e=serializers.ChoiceField([1]),
            f=serializers.ReadOnlyField(),
            g=serializers.FloatField(),
        )
        values = {"a": 1, "b": None, "c": "c", "d": "2024", "e": 1, "f": [1], "g": "2"}
        assert_same(serializer, witness(calls, **values), calls=calls)
        assert calls == ["c", "a", "b", "d", "e", "f", "g"]

    @pytest.mark.parametrize("witness", [Witness, WitnessMapping])
    @pytest.mark.parametrize(
        "error",
        [
            *(AttributeError("no"), KeyError("no"), ValueError("no"), TypeError("no")),
            *(SkipField(), ObjectDoesNotExist("no"), Airline.DoesNotExist("no")),
            *(StopIteration("no"), RuntimeError("no"), LookupError("no")),
            serializers.ValidationError("no"),
        ],
        ids=repr,
    )
    @pytest.mark.parametrize(
        "options",
        [{}, {"default": 5}, {"allow_null": True}, {"required": False}, {"read_only": True}],
        ids=str,
    )
    def test_an_error_while_reading_is_treated_as_in_stock(self, witness, error, options):
        calls = []
        serializer = serializer_of(a=Text(), b=Text(**options), c=Text())
        assert_same(serializer, witness(calls, a=1, b=error, c=3), calls=calls)

    def test_two_fields_with_one_source_read_it_twice(self):
        calls = []
        serializer = serializer_of(x=Text(source="a"), y=serializers.IntegerField(source="a"))
        assert_same(serializer, Witness(calls, a=1), calls=calls)
        assert calls == ["a", "a"]


class Default:
    requires_context = True

    def __call__(self, field):
        return f"for {field.field_name}"


class TestDefaults:
    @pytest.mark.parametrize(
        "default",
        [
            *("text", 3, None, "", list, lambda: "made", Default(), CreateOnlyDefault("x")),
            *(ErrorDetail, raises(OSError("no")), raises(SkipField())),
        ],
        ids=shown,
    )
    @pytest.mark.parametrize("field", [Text, serializers.IntegerField, serializers.ReadOnlyField])
    def test_a_default_takes_the_place_of_a_missing_value(self, field, default):
        assert_same(serializer_of(a=field(default=default)), Thing())

    def test_a_partial_update_has_no_defaults(self):
        def make(instance=None, **kwargs):
            return serializer_of(a=Text(default="x"), b=Text())(instance, partial=True, **kwargs)

        assert assert_same(make, Thing(b=1)) == {"b": "1"}
        assert assert_same(serializer_of(a=Text(default="x"), b=Text()), Thing(b=1)) == {
            "a": "x",
            "b": "1",
        }


class TestCallables:
    def test_whether_a_value_is_called_is_decided_row_by_row(self):
        rows = [Thing(a="plain"), Thing(a=lambda: "called"), Thing(a=None), Thing(a=lambda: None)]
        data = assert_same(serializer_of(a=Text()), rows, many=True)
        assert data == [{"a": "plain"}, {"a": "called"}, {"a": None}, {"a": None}]

    @pytest.mark.parametrize("field", [Text, serializers.IntegerField, serializers.BooleanField])
    def test_a_string_that_can_be_called_is_not(self, field):
        class CallableText(str):
            __slots__ = ()

            def __call__(self):
                return "7"

        assert_same(serializer_of(a=field()), Thing(a=CallableText("1")))


class TestSources:
    @pytest.mark.parametrize(
        "thing",
        [
            *(Thing(a=None), Thing(), Thing(a=Thing()), Thing(a={}), Thing(a=lambda: None)),
            *(Thing(a=Thing(b=None)), {"a": {"b": raises(KeyError("x"))}}, {"a": None}, {}),
        ],
    )
    @pytest.mark.parametrize(
        "options", [{}, {"default": 5}, {"allow_null": True}, {"required": False}], ids=str
    )
    def test_a_dotted_source_that_ends_on_the_way(self, thing, options):
        assert_same(serializer_of(x=Text(source="a.b", **options), y=Text(default=1)), thing)

    def test_a_dotted_source_reads_each_step_once(self):
        calls = []
        witness = Witness(calls, a=Witness(calls, b=Witness(calls, c=1)), d=2)
        serializer = serializer_of(x=Text(source="a.b.c"), d=Text())
        assert assert_same(serializer, witness, calls=calls) == {"x": "1", "d": "2"}
        assert calls == ["a", "b", "c", "d"]

    @pytest.mark.parametrize("field", [Text, serializers.ReadOnlyField, serializers.BooleanField])
    def test_a_star_is_the_whole_object(self, field):
        for value in (5, "text", True, 2.5):
            assert_same(serializer_of(a=field(source="*")), value)

    def test_a_star_is_not_called(self):
        def function():
            return "called"

        assert_same(serializer_of(a=serializers.ReadOnlyField(source="*")), function)

    def test_a_star_of_none_is_none(self):
        data = assert_same(
            serializer_of(a=Text(source="*"), b=serializers.ReadOnlyField(source="*")),
            [None, 1],
            many=True,
        )
        assert data == [{"a": None, "b": None}, {"a": "1", "b": 1}]

    NAMES = [
        *("class", "obj", "result", "missing", "complete", "known", "dispatch", "fields", "text"),
        *("error", "None_", "read", "settle", "str", "type", "__init__x", "_private", "__mangled"),
        *("ünïcode", "ﬁ", "with space", "with-dash", "1", "", 'quote"', "'", "\\", "{value}"),
        *("$value", "{0.__class__}", "%s", "new\nline", "\u2028", "\0", '"); import os #'),
        "a" * 500,
    ]

    @pytest.mark.parametrize("name", NAMES, ids=ascii)
    def test_a_field_may_have_any_name(self, name):
        serializer = serializer_of(**{name: Text(), "other": serializers.IntegerField()})
        assert_same(serializer, {name: "x", "other": 1})
        assert_same(serializer, Thing(**{name: "x", "other": 1}))
        assert_same(serializer, {"other": 1})
        assert_same(serializer, Thing(other=1))

    @pytest.mark.parametrize("name", [each for each in NAMES if each], ids=ascii)
    def test_a_source_may_be_any_text(self, name):
        serializer = serializer_of(x=Text(source=name))
        assert_same(serializer, {name: "x"})
        assert_same(serializer, Thing(**{name: "x"}))
        assert_same(serializer, Thing())

    def test_a_name_of_another_string_class_is_kept(self):
        class Name(str):
            __slots__ = ()

        serializer = serializer_of(a=Text())

        def make(instance=None, **kwargs):
            made = serializer(instance, **kwargs)
            made.fields[Name("b")] = Text()
            return made

        assert_same(make, Thing(a=1, b=2))

    def test_the_class_of_the_serializer_may_have_any_name(self):
        for name in ("class", "x y", '"); import os #', "é", ""):
            serializer = type(name, (serializers.Serializer,), {"a": Text()})
            assert assert_same(serializer, Thing(a=1)) == {"a": "1"}
            assert_same(serializer, Thing())

    def test_a_serializer_without_fields_gives_an_empty_dict(self):
        assert assert_same(serializers.Serializer, Thing()) == {}
        assert assert_same(serializers.Serializer, [Thing(), None], many=True) == [{}, {}]


with isolate_apps("flights"):

    class Owner(models.Model):
        name = models.CharField(max_length=10)

        class Meta:
            app_label = "flights"

    class Citizen(Owner):
        class Meta:
            app_label = "flights"

    class Passport(models.Model):
        number = models.CharField(max_length=10)
        owner = models.OneToOneField(Owner, models.CASCADE, related_name="passport", null=True)
        agency = models.ForeignKey(Airline, models.CASCADE, related_name="+", null=True)
        rival = models.ForeignKey(
            Airline, models.CASCADE, related_name="+", null=True, to_field="name"
        )

        class Meta:
            app_label = "flights"

        @property
        def relative(self):
            return self.owner

        def get_owner(self):
            return self.owner


class TestForeignKeys:
    # From Python 3.14 on, a bare partial on a class becomes a method.
    KEY = staticmethod(partial(serializers.PrimaryKeyRelatedField, read_only=True))

    @pytest.mark.parametrize("name", ["airline", "origin", "destination", "plane"])
    def test_a_key_takes_no_query(self, flights, name, django_assert_num_queries):
        serializer = serializer_of(**{name: self.KEY()})
        for flight in flights:
            assert_same_each_time(serializer, lambda pk=flight.pk: Flight.objects.get(pk=pk))
        fresh = list(Flight.objects.all())
        with django_assert_num_queries(0):
            data = serializer(fresh, many=True).data
        assert [row[name] for row in data] == [getattr(each, f"{name}_id") for each in flights]

    def test_an_unsaved_object_has_the_key_of_its_unsaved_relation(self):
        serializer = serializer_of(owner=self.KEY(), agency=self.KEY(), number=Text())
        owner = Owner(name="x")
        assert assert_same(serializer, Passport(owner=owner)) == {
            "owner": None,
            "agency": None,
            "number": "",
        }
        owner.pk = 5
        assert assert_same(serializer, Passport(owner=Owner(pk=6), agency_id="UA"))["owner"] == 6

    @pytest.mark.parametrize(
        "value",
        [None, 1, "x", Thing(pk=3), Thing(pk=None), Thing(), lambda: 4, lambda: Thing(pk=5), len],
        ids=shown,
    )
    def test_anything_in_the_place_of_a_related_object(self, value):
        serializer = serializer_of(a=self.KEY(), b=Text())
        assert_same(serializer, Thing(a=value, b=1))
        assert_same(serializer, {"a": value, "b": 1})
        assert_same(serializer, Thing(a=value, b=1, serializable_value=lambda name: value))

    @pytest.mark.parametrize("key", [Thing(pk=1), lambda: 1, len, Thing], ids=shown)
    @pytest.mark.parametrize("witness", [Witness, WitnessMapping])
    def test_a_key_that_has_a_key_or_can_be_called_is_read_once(self, key, witness):
        calls = []
        assert_same(serializer_of(a=self.KEY()), witness(calls, a=Thing(pk=key)), calls=calls)
        passport = Passport()
        vars(passport)["agency_id"] = Thing(pk=key)
        assert_same(serializer_of(agency=self.KEY()), passport)

    @pytest.mark.parametrize("value", [lambda: 4, Thing(pk=5), len, 1.5, [1]], ids=shown)
    def test_anything_in_the_column_of_a_foreign_key(self, value):
        passport = Passport(number="1")
        vars(passport)["agency_id"] = value
        assert_same(serializer_of(agency=self.KEY()), passport)

    @pytest.mark.parametrize(
        "source", ["relative", "get_owner", "owner.passport", "agency_id", "pk", "id", "nothing"]
    )
    def test_a_key_from_a_source_that_is_no_foreign_key(self, source):
        owner = Owner(pk=7, name="x")
        passport = Passport(pk=8, owner=owner, agency_id="UA")
        assert_same(serializer_of(a=self.KEY(source=source)), passport)

    @pytest.mark.parametrize("source", ["airline.pk", "destination.code", "plane.tail_number"])
    def test_a_dotted_source_makes_the_same_queries(self, flights, source):
        for field in (self.KEY(source=source), serializers.ReadOnlyField(source=source)):
            assert_same_each_time(
                serializer_of(a=field), lambda: list(Flight.objects.all()), many=True
            )

    def test_a_key_that_is_no_primary_key_is_given_as_it_is(self):
        serializer = serializer_of(rival=self.KEY())
        passport = Passport(rival_id="United")
        assert assert_same(serializer, passport) == {"rival": "United"}

    def test_an_inherited_model_has_the_key_of_its_parent(self):
        serializer = serializer_of(
            pk=serializers.ReadOnlyField(), id=Text(), owner_ptr=self.KEY(), name=Text()
        )
        data = assert_same(serializer, Citizen(id=3, owner_ptr_id=3, name="x"))
        assert data == {"pk": 3, "id": "3", "owner_ptr": 3, "name": "x"}

    def test_a_pk_field_represents_the_key(self):
        field = self.KEY(pk_field=serializers.UUIDField(format="hex"))
        error = assert_same(serializer_of(agency=field), Passport(agency_id="UA"))
        assert isinstance(error, AttributeError)
        field = self.KEY(pk_field=serializers.CharField())
        assert assert_same(serializer_of(owner=field), Passport(owner_id=5)) == {"owner": "5"}

    def test_an_own_serializable_value_is_called(self):
        class Own(Passport):
            class Meta:
                proxy = True
                app_label = "flights"
                apps = Passport._meta.apps

            calls = []

            def serializable_value(self, name):
                self.calls.append(name)
                return "own"

        serializer = serializer_of(owner=self.KEY())
        assert assert_same(serializer, Own(owner_id=3), calls=Own.calls) == {"owner": "own"}
        assert assert_same(serializer, Passport(owner_id=3)) == {"owner": 3}

    def test_an_own_use_pk_only_optimization_is_called(self, flights):
        class Loaded(serializers.PrimaryKeyRelatedField):
            def use_pk_only_optimization(self):
                return False

            def to_representation(self, value):
                return value.name

        serializer = serializer_of(airline=Loaded(read_only=True))
        data = assert_same_each_time(serializer, lambda: Flight.objects.get(pk=1))
        assert data == {"airline": "United"}


class TestModels:
    @pytest.mark.parametrize("model", [Airline, Airport, Flight])
    def test_a_model_serializer_with_all_fields(self, flights, model):
        meta = type("Meta", (), {"model": model, "fields": "__all__"})
        serializer = type("AnySerializer", (serializers.ModelSerializer,), {"Meta": meta})
        data = assert_same_each_time(serializer, lambda: model.objects.all(), many=True)
        assert len(data) == model.objects.count()
        for row in model.objects.all():
            assert_same(serializer, row)

    def test_related_objects_that_do_not_exist_are_none(self, db):
        serializer = serializer_of(
            a=Text(source="airline"), b=Text(source="airline.name", default="-")
        )
        data = assert_same_each_time(serializer, lambda: Flight(airline_id="??"))
        assert data == {"a": None, "b": None}


def test_a_setting_that_a_field_computes_is_asked_for_each_time():
    class Numbered(serializers.DateField):
        number = 0

        @property
        def format(self):
            self.number += 1
            return f"%Y {self.number}"

    class Listed(serializers.ListField):
        child = Numbered()

    cls = serializer_of(a=Numbered(), b=Listed(), c=Text())
    day = datetime.date(2020, 1, 2)
    assert_same(cls, [Thing(a=day, b=[day], c=1)] * 3, many=True)
    report = fastschema.compile(cls).explain()
    assert [field.why for field in report] == ["its class computes format"] * 2 + [""]
