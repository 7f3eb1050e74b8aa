"""Where a field's value comes from, and what happens when it does not come."""

import ast
import datetime
import functools
import inspect
import types
from collections import ChainMap, OrderedDict, UserDict, defaultdict, namedtuple
from dataclasses import dataclass
from functools import cached_property, partial

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.test.utils import isolate_apps
from django.utils.functional import SimpleLazyObject
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.fields import BuiltinSignatureError, CreateOnlyDefault, SkipField

import fastschema
from fastschema.contrib.django.front_end import fields, fields_relations, schema_reader
from flights.models import Airline, Airport, Flight
from tests.contrib.django.differential import (
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
    """Whatever DRF can read from."""

    Named = namedtuple("Named", "a b")

    @dataclass(slots=True)
    class Slotted:
        """An object without a dictionary."""

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
        "an ordered dict": OrderedDict(a=1, b=2),
        "a default dict": defaultdict(int),
        "a user dict": UserDict(a=1, b=2),
        "a chain map": ChainMap({"a": 1}, {"b": 2}),
        "a read-only dict": types.MappingProxyType({"a": 1, "b": 2}),
        "a lazy object": SimpleLazyObject(lambda: Thing(a=1, b=2)),
        "a lazy dict": SimpleLazyObject(lambda: {"a": 1, "b": 2}),
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

    @pytest.mark.parametrize("instance", OBJECTS.values(), ids=OBJECTS.keys())
    def test_so_is_one_in_a_list(self, instance):
        rows = [Thing(a=1, b=2), instance, {"a": 3, "b": 4}, instance]
        assert_same(serializer_of(a=Text(), b=Text()), rows, many=True)

    def test_a_lazy_object_is_made_once(self):
        calls = []

        def make():
            calls.append("made")
            return Thing(a=1, b=2)

        data = assert_same_each_time(
            serializer_of(a=Text(), b=Text()), lambda: SimpleLazyObject(make), calls=calls
        )
        assert data == {"a": "1", "b": "2"}

    def test_a_dict_is_read_by_item_even_where_it_has_the_attribute(self):
        data = assert_same(serializer_of(items=Text(), keys=Text()), {"items": 1, "keys": 2})
        assert data == {"items": "1", "keys": "2"}

    def test_a_dict_subclass_with_own_items_is_asked(self):
        class Upper(dict):
            def __getitem__(self, key):
                return super().__getitem__(key.upper())

        assert assert_same(serializer_of(a=Text()), Upper(A=1, a=2)) == {"a": "1"}

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
    """Each attribute is read once, in the order of the fields."""

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
            AttributeError("no"),
            KeyError("no"),
            ValueError("no"),
            TypeError("no"),
            SkipField(),
            ObjectDoesNotExist("no"),
            Airline.DoesNotExist("no"),
            StopIteration("no"),
            RuntimeError("no"),
            LookupError("no"),
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

    @pytest.mark.parametrize(
        "options", [{}, {"default": 5}, {"allow_null": True}, {"required": False}], ids=str
    )
    @pytest.mark.parametrize(
        "field",
        [
            Text,
            serializers.IntegerField,
            serializers.FloatField,
            serializers.BooleanField,
            serializers.DateTimeField,
            partial(serializers.DecimalField, 5, 2),
            partial(serializers.ChoiceField, [1, 2]),
            serializers.JSONField,
            partial(serializers.PrimaryKeyRelatedField, queryset=Airline.objects),
            partial(serializers.SlugRelatedField, slug_field="a", queryset=Airline.objects),
        ],
    )
    @pytest.mark.parametrize("witness", [Witness, WitnessMapping])
    def test_a_missing_value_is_treated_as_in_stock(self, field, options, witness):
        calls = []
        serializer = serializer_of(a=Text(), b=field(**options), c=Text())
        assert_same(serializer, witness(calls, a=1, c=3), calls=calls)
        assert_same(serializer, [witness(calls, a=1, c=3)] * 2, calls=calls, many=True)

    def test_the_message_names_the_field_the_serializer_and_the_class(self):
        error = assert_same(serializer_of(b=Text()), Thing(a=1))
        assert isinstance(error, AttributeError)
        for part in ("field `b`", "serializer `ThingSerializer`", "on the `Thing` instance"):
            assert part in str(error)

    def test_a_property_that_raises_an_attribute_error_counts_as_missing(self):
        class Broken:
            calls = []

            @property
            def a(self):
                self.calls.append("a")
                return self.nothing

        assert_same(serializer_of(a=Text()), Broken(), calls=Broken.calls)
        assert assert_same(serializer_of(a=Text(default="-")), Broken(), calls=Broken.calls) == {
            "a": "-"
        }

    def test_a_cached_property_is_computed_once(self):
        calls = []

        class Lazy:
            @cached_property
            def a(self):
                calls.append("a")
                return 1

        serializer = serializer_of(x=Text(source="a"), y=Text(source="a"))
        assert assert_same_each_time(serializer, Lazy, calls=calls) == {"x": "1", "y": "1"}

    def test_two_fields_with_one_source_read_it_twice(self):
        calls = []
        serializer = serializer_of(x=Text(source="a"), y=serializers.IntegerField(source="a"))
        assert_same(serializer, Witness(calls, a=1), calls=calls)
        assert calls == ["a", "a"]


class Default:
    """A default that wants to know its field."""

    requires_context = True

    def __call__(self, field):
        return f"for {field.field_name}"


class TestDefaults:
    """What a missing value becomes."""

    @pytest.mark.parametrize(
        "default",
        ["text", 3, None, "", list, lambda: "made", Default(), CreateOnlyDefault("x"), ErrorDetail],
        ids=shown,
    )
    @pytest.mark.parametrize("field", [Text, serializers.IntegerField, serializers.ReadOnlyField])
    def test_a_default_takes_the_place_of_a_missing_value(self, field, default):
        assert_same(serializer_of(a=field(default=default)), Thing())

    def test_a_default_is_called_once_for_each_row(self):
        calls = []

        def default():
            calls.append("default")
            return len(calls)

        data = assert_same(
            serializer_of(a=Text(default=default)), [Thing(), Thing(a=0)], many=True, calls=calls
        )
        assert data == [{"a": "1"}, {"a": "0"}]

    def test_a_partial_update_has_no_defaults(self):
        def make(instance=None, **kwargs):
            return serializer_of(a=Text(default="x"), b=Text())(instance, partial=True, **kwargs)

        assert assert_same(make, Thing(b=1)) == {"b": "1"}
        assert assert_same(serializer_of(a=Text(default="x"), b=Text()), Thing(b=1)) == {
            "a": "x",
            "b": "1",
        }

    def test_a_default_that_raises_is_heard(self):
        error = assert_same(serializer_of(a=Text(default=raises(OSError("no")))), Thing())
        assert isinstance(error, OSError)

    def test_a_default_that_skips_leaves_the_field_out(self):
        assert assert_same(serializer_of(a=Text(default=raises(SkipField()))), Thing()) == {}


class Callables:
    """Attributes that can be called, and how often they were."""

    calls = []

    def method(self):
        self.calls.append("method")
        return "result"

    def optional(self, a=1, *args, **kwargs):
        self.calls.append("optional")
        return a

    def required(self, a):
        self.calls.append("required")
        return a

    @classmethod
    def class_method(cls):
        cls.calls.append("class_method")
        return cls.__name__

    @staticmethod
    def static_method():
        Callables.calls.append("static_method")
        return "static"

    def none(self):
        self.calls.append("none")

    def attribute_error(self):
        self.calls.append("attribute_error")
        raise AttributeError("inner")

    def key_error(self):
        self.calls.append("key_error")
        raise KeyError("inner")

    def value_error(self):
        self.calls.append("value_error")
        raise ValueError("inner")

    def skips(self):
        self.calls.append("skips")
        raise SkipField

    def does_not_exist(self):
        self.calls.append("does_not_exist")
        raise ObjectDoesNotExist("inner")

    def returns_a_callable(self):
        self.calls.append("returns_a_callable")
        return self.method

    def generates(self):
        yield 1

    @property
    def property_of_a_method(self):
        self.calls.append("property")
        return self.method

    @cached_property
    def cached(self):
        self.calls.append("cached")
        return 1

    partial = functools.partial(str, "partial")
    partialmethod = functools.partialmethod(optional, 3)
    lambda_ = staticmethod(lambda: "lambda")
    builtin = len
    builtin_method = [].append
    type_ = int
    class_ = Thing

    class Calling:
        """An object that can be called, which stock does not do."""

        def __call__(self):
            Callables.calls.append("__call__")

        def __str__(self):
            return "calling"

    calling = Calling()


NAMES = [name for name in vars(Callables) if not name.startswith("__") and name != "calls"]


class TestCallables:
    """A value that can be called is called when stock would call it."""

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize(
        "field", [Text, serializers.ReadOnlyField, partial(serializers.ChoiceField, ["result"])]
    )
    @pytest.mark.parametrize(
        "options", [{}, {"default": "x"}, {"allow_null": True}, {"required": False}], ids=str
    )
    def test_a_callable_attribute(self, name, field, options):
        if field is serializers.ReadOnlyField:
            options = {key: value for key, value in options.items() if key == "default"}
        serializer = serializer_of(a=field(source=name, **options), z=Text(source="__module__"))
        assert_same_each_time(serializer, Callables, calls=Callables.calls)

    @pytest.mark.parametrize("name", NAMES)
    def test_a_callable_item(self, name):
        assert_same_each_time(
            serializer_of(a=Text(source=name)),
            lambda: {name: getattr(Callables(), name)},
            calls=Callables.calls,
        )

    @pytest.mark.parametrize("name", NAMES)
    def test_a_callable_on_the_way(self, name):
        serializer = serializer_of(a=Text(source=f"{name}.__class__.__name__"))
        assert_same_each_time(serializer, Callables, calls=Callables.calls)
        serializer = serializer_of(a=Text(source=f"one.{name}"))
        assert_same_each_time(serializer, lambda: Thing(one=Callables()), calls=Callables.calls)

    def test_a_builtin_is_refused_with_the_message_of_stock(self):
        error = assert_same(serializer_of(a=Text(source="builtin")), Callables())
        assert isinstance(error, BuiltinSignatureError)
        assert "`ThingSerializer.a`" in str(error)
        assert "`Callables` instance" in str(error)

    def test_an_attribute_error_inside_a_method_is_a_value_error(self):
        error = assert_same(serializer_of(a=Text(source="attribute_error")), Callables())
        assert isinstance(error, ValueError)
        assert 'callable attribute "attribute_error"' in str(error)

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
    """Dotted sources, the whole object, and names that are odd."""

    def test_a_dotted_source_goes_through_objects_dicts_and_methods(self):
        thing = Thing(a={"b": Thing(c=lambda: {"d": 1})})
        assert assert_same(serializer_of(x=Text(source="a.b.c.d")), thing) == {"x": "1"}

    @pytest.mark.parametrize(
        "thing",
        [
            Thing(a=None),
            Thing(),
            Thing(a=Thing()),
            Thing(a={}),
            Thing(a=lambda: None),
            Thing(a=Thing(b=None)),
            {"a": {"b": raises(KeyError("x"))}},
            {"a": None},
            {},
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
        "class",
        "obj",
        "result",
        "missing",
        "complete",
        "known",
        "dispatch",
        "fields",
        "text",
        "error",
        "None_",
        "read",
        "settle",
        "str",
        "type",
        "__init__x",
        "_private",
        "__mangled",
        "ünïcode",
        "ﬁ",
        "with space",
        "with-dash",
        "1",
        "",
        'quote"',
        "'",
        "\\",
        "{value}",
        "$value",
        "{0.__class__}",
        "%s",
        "new\nline",
        "\u2028",
        "\0",
        '"); import os #',
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

    def test_all_odd_names_together(self):
        serializer = serializer_of(**{name: Text() for name in self.NAMES})
        values = dict.fromkeys(self.NAMES, "x")
        assert_same(serializer, values)
        assert_same(serializer, [Thing(**values), values], many=True)

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

    def test_write_only_fields_are_left_out(self):
        calls = []
        serializer = serializer_of(a=Text(write_only=True), b=Text())
        assert assert_same(serializer, Witness(calls, a=1, b=2), calls=calls) == {"b": "2"}
        assert calls == ["b"]

    def test_a_hundred_fields_keep_their_order(self):
        names = [f"f{number * 37 % 101}" for number in range(100)]
        serializer = serializer_of(**{name: Text() for name in names})
        assert list(assert_same(serializer, dict.fromkeys(names, 1))) == names


with isolate_apps("flights"):

    class Owner(models.Model):
        """Someone who may have a passport."""

        name = models.CharField(max_length=10)

        class Meta:
            app_label = "flights"

    class Citizen(Owner):
        """Has its key from its parent's table."""

        class Meta:
            app_label = "flights"

    class Passport(models.Model):
        """Belongs to one owner."""

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
    """Primary keys of related objects."""

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

    @pytest.mark.parametrize("many", [False, True])
    def test_a_key_of_a_deferred_column_takes_as_many_queries_as_in_stock(self, flights, many):
        def fresh():
            rows = Flight.objects.only("number").order_by("pk")
            return list(rows) if many else rows[0]

        data = assert_same_each_time(serializer_of(airline=self.KEY()), fresh, many=many)
        assert data == (
            [{"airline": code} for code in ("UA", "UA", "DL", "DL")] if many else {"airline": "UA"}
        )

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

    def test_an_own_to_representation_of_a_key_is_called(self, flights):
        class Doubled(serializers.PrimaryKeyRelatedField):
            def to_representation(self, value):
                return [super().to_representation(value)] * 2

        serializer = serializer_of(airline=Doubled(read_only=True), plane=Doubled(read_only=True))
        data = assert_same_each_time(serializer, lambda: Flight.objects.get(pk=4))
        assert data == {"airline": ["DL", "DL"], "plane": None}

    @pytest.mark.parametrize("prefetch", [(), ("flights",)], ids=["plain", "prefetched"])
    def test_many_keys_make_the_same_queries(self, flights, prefetch):
        for field in (self.KEY(many=True), serializers.StringRelatedField(many=True)):
            serializer = serializer_of(code=Text(), flights=field)
            assert_same_each_time(
                serializer, lambda: Airline.objects.prefetch_related(*prefetch), many=True
            )

    @pytest.mark.parametrize(
        "field",
        [
            partial(serializers.SlugRelatedField, slug_field="name", read_only=True),
            serializers.StringRelatedField,
        ],
    )
    @pytest.mark.parametrize("related", [(), ("airline", "destination")])
    def test_slugs_and_strings_make_the_same_queries(self, flights, field, related):
        serializer = serializer_of(airline=field(), destination=field())
        assert_same_each_time(
            serializer, lambda: list(Flight.objects.select_related(*related)), many=True
        )

    def test_hyperlinks_are_the_same(self, flights, rf):
        class FlightLinks(serializers.ModelSerializer):
            class Meta:
                model = Flight
                fields = ("id", "airline", "plane", "destination")

            serializer_related_field = serializers.HyperlinkedRelatedField

        context = {"request": rf.get("/")}
        data = assert_same_each_time(
            FlightLinks, lambda: list(Flight.objects.all()), many=True, context=context
        )
        assert data[0]["airline"] == "http://testserver/api/airlines/UA/"
        assert isinstance(assert_same(FlightLinks, flights[0]), AssertionError)


class TestModels:
    """Model serializers and instances."""

    @pytest.mark.parametrize("model", [Airline, Airport, Flight])
    def test_a_model_serializer_with_all_fields(self, flights, model):
        meta = type("Meta", (), {"model": model, "fields": "__all__"})
        serializer = type("AnySerializer", (serializers.ModelSerializer,), {"Meta": meta})
        data = assert_same_each_time(serializer, lambda: model.objects.all(), many=True)
        assert len(data) == model.objects.count()
        for row in model.objects.all():
            assert_same(serializer, row)

    def test_rows_of_values_are_read_by_item(self, flights):
        serializer = serializer_of(code=Text(), name=Text())
        data = assert_same_each_time(
            serializer, lambda: Airline.objects.values("code", "name"), many=True
        )
        assert data[1] == {"code": "UA", "name": "United"}

    def test_named_rows_are_read_by_attribute(self, flights):
        serializer = serializer_of(code=Text(), name=Text())
        data = assert_same_each_time(
            serializer, lambda: Airline.objects.values_list("code", "name", named=True), many=True
        )
        assert data[1] == {"code": "UA", "name": "United"}

    def test_deferred_columns_make_the_same_queries(self, flights):
        serializer = serializer_of(code=Text(), name=Text())
        assert_same_each_time(serializer, lambda: Airline.objects.only("code"), many=True)

    def test_annotations_are_read(self, flights):
        serializer = serializer_of(code=Text(), total=serializers.IntegerField())
        data = assert_same_each_time(
            serializer,
            lambda: Airline.objects.annotate(total=models.Count("flights")).order_by("code"),
            many=True,
        )
        assert [row["total"] for row in data] == [2, 2, 0]

    def test_related_objects_that_do_not_exist_are_none(self, db):
        serializer = serializer_of(
            a=Text(source="airline"), b=Text(source="airline.name", default="-")
        )
        data = assert_same_each_time(serializer, lambda: Flight(airline_id="??"))
        assert data == {"a": None, "b": None}

    def test_display_methods_of_choices_are_called(self, flights):
        serializer = serializer_of(
            daylight_saving=serializers.ChoiceField(Airport.DaylightSaving.choices),
            display=Text(source="get_daylight_saving_display"),
        )
        data = assert_same(serializer, Airport.objects.get(pk="EWR"))
        assert data == {"daylight_saving": "A", "display": "on the American dates"}

    def test_an_enum_member_on_a_new_instance_is_a_choice(self):
        serializer = serializer_of(
            daylight_saving=serializers.ChoiceField(Airport.DaylightSaving.choices)
        )
        assert_same(serializer, Airport(daylight_saving=Airport.DaylightSaving.NONE))


def test_a_field_that_cannot_be_compiled_leaves_the_others_compiled():
    class Own(serializers.CharField):
        def to_representation(self, value):
            return "own"

    report = fastschema.compile(serializer_of(a=Text(), b=Own(), c=Text())).explain()
    assert [field.compiled for field in report] == [True, False, True]
    assert "to_representation" in report.fields[1].why


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


def test_rules_read_no_attributes_of_fields_but_options():
    read = set()
    modules = (fields, fields_relations, schema_reader)
    source = "".join(map(inspect.getsource, modules))
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef) and (
            function.name == "readable_fields"
            or (function.returns is not None and ast.unparse(function.returns) == "Description")
        ):
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "field":
                    read.add(node.attr)
                elif isinstance(node, ast.Call) and ast.unparse(node.func) == "option":
                    read.add(ast.literal_eval(node.args[1]))
    when_bound = {"timezone", "max_digits", "use_url", "lookup_url_kwarg"}
    assert read - {"parent"} | when_bound == fields.OPTIONS | fields._HOLDERS
