"""How values are read from dictionaries and their like, beside stock."""

import collections
import types
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict

import pytest
from django.db import models
from django.test.utils import isolate_apps
from django.utils.functional import SimpleLazyObject
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import ReturnDict

import fastschema
from fastschema.contrib.django.reading import access_of, reads_columns
from fastschema.nodes import ATTRIBUTE, GENERAL, ITEM
from flights.models import Airline, Flight
from tests.contrib.django.differential import assert_same, assert_same_each_time, serializer_of

CALLS = []
DATA = {"text": "a", "number": 5, "inner": {"text": "b"}}


class Noting(dict):
    def __getitem__(self, key):
        CALLS.append(("item", key))
        return super().__getitem__(key)


class Making(dict):
    def __missing__(self, key):
        CALLS.append(("missing", key))
        return "made"


class Raising(dict):
    def __getitem__(self, key):
        raise AttributeError(key)


class WithAttributes(dict):
    text = "attribute"

    def __getattr__(self, name):
        CALLS.append(("attribute", name))
        return "attribute"


class Hiding(dict):
    def __getattribute__(self, name):
        CALLS.append(("hidden", name))
        return super().__getattribute__(name)


class Claiming(dict):
    __class__ = object


class Held(dict):
    __slots__ = ("__weakref__",)


HELD = Held(DATA)
MAPPINGS = {
    "dict": dict,
    "ordered": OrderedDict,
    "return": lambda data: ReturnDict(data, serializer=None),
    "default": lambda data: defaultdict(lambda: "made", data),
    "counter": Counter,
    "chain": ChainMap,
    "user": UserDict,
    "proxy": types.MappingProxyType,
    "lazy": lambda data: SimpleLazyObject(lambda: data),
    "weak proxy": lambda data: weakref.proxy(HELD),
    "noting": Noting,
    "making": Making,
    "raising": Raising,
    "with attributes": WithAttributes,
    "claiming": Claiming,
    "namespace": lambda data: types.SimpleNamespace(**data),
}


@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("key", ["text", "absent", "inner.text", "inner.absent"])
@pytest.mark.parametrize("required", [True, False])
def test_a_mapping_is_read_as_by_stock(name, key, required):
    serializer = serializer_of(
        a=serializers.CharField(source=key, required=required), number=serializers.IntegerField()
    )
    assert_same(serializer, MAPPINGS[name](DATA), calls=CALLS)


@pytest.mark.parametrize(
    ("cls", "access"),
    [
        (dict, ITEM),
        (OrderedDict, ITEM),
        (Noting, ITEM),
        (UserDict, ITEM),
        (Hiding, GENERAL),
        (Claiming, GENERAL),
        (collections.namedtuple("Row", "a"), GENERAL),
        (types.SimpleNamespace, GENERAL),
        (type("Plain", (), {}), ATTRIBUTE),
    ],
)
def test_the_way_of_reading_goes_by_the_class(cls, access):
    assert access_of(cls) == access


def airline(**body):
    """A class of airlines that have more, or other, than stock's."""
    with isolate_apps("flights"):
        meta = type("Meta", (), {"proxy": True, "app_label": "flights"})
        return type("Own", (Airline,), {"Meta": meta, "__module__": __name__, **body})


class Nameless:
    name = None


@pytest.mark.parametrize(
    ("cls", "names", "expected"),
    [
        (Airline, ["code", "name"], True),
        (Flight, ["id", "airline_id"], True),
        (Flight, ["airline"], False),
        (Airline, ["pk"], False),
        (Airline, ["flights"], False),
        (Airline, ["__str__"], False),
        (Airline, ["nothing"], False),
        (airline(), ["code", "name"], True),
        (airline(name=property(lambda self: "mine")), ["code", "name"], False),
        (airline(refresh_from_db=lambda self, **kwargs: None), ["code"], False),
        (airline(__getattr__=lambda self, name: "made"), ["code"], False),
        (dict, ["code"], False),
        (Nameless, ["name"], False),
    ],
)
def test_columns_are_told_from_what_runs_code(cls, names, expected):
    assert reads_columns(cls, names) is expected


ODD = [
    {},
    {"name": None},
    {"name": 5},
    {"name": models.F("x")},
    {"name": lambda: "called"},
    {"code": 7, "name": "x"},
]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "cls",
    [Airline, airline(name="an attribute"), airline(refresh_from_db=Airline.refresh_from_db)],
)
def test_odd_instances_among_usual_ones_are_read_as_by_stock(cls, odd):
    serializer = serializer_of(code=serializers.CharField(), name=serializers.CharField())

    def rows():
        instances = [cls(code=code, name="x") for code in "abcd"]
        vars(instances[2]).update(odd)
        return instances

    assert_same_each_time(serializer, rows, many=True)


def test_properties_of_a_model_are_read_once():
    calls = []
    own = airline(title=property(lambda self: calls.append("title") or self.code))
    serializer = serializer_of(code=serializers.CharField(), title=serializers.CharField())

    assert_same_each_time(serializer, lambda: [own(code="a"), own(code=5)], many=True, calls=calls)


def test_a_key_may_be_named_as_generated_code_names_things():
    names = ["plain", "usual", "rows", "results", "obj", "known", "dict", "type"]
    serializer = serializer_of(**{name: serializers.CharField() for name in names})

    assert_same(serializer, dict.fromkeys(names, "x"))
    assert_same(serializer, types.SimpleNamespace(**dict.fromkeys(names, 5)))


def test_columns_that_are_loaded_late_make_the_same_queries(flights):
    serializer = serializer_of(code=serializers.CharField(), name=serializers.CharField())

    def rows():
        airlines = [*Airline.objects.only("code")]
        vars(airlines[1])["code"] = 5
        return airlines

    assert_same_each_time(serializer, rows, many=True)


@pytest.mark.parametrize(("many", "access"), [(True, "item"), (True, "model"), (False, "model")])
def test_usual_rows_are_tried_as_such(many, access):
    plan = fastschema.compile(serializer_of(code=serializers.CharField()))

    assert ("usual" in plan.source("json", access, many=many)) is many
