"""How values are read from dictionaries and their like, beside stock."""

import gc
import types
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict

import pytest
from django.utils.functional import SimpleLazyObject
from rest_framework import serializers
from rest_framework.utils.serializer_helpers import ReturnDict

from tests.marks import counts_references
from tests.promises.django.differential import assert_same, serializer_of

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
    "odd", [{}, {"name": "x"}, {"code": None, "name": 5}, {"code": "x", "name": lambda: "called"}]
)
def test_odd_dictionaries_among_usual_ones_are_read_as_by_stock(odd):
    serializer = serializer_of(
        code=serializers.CharField(default="-"), name=serializers.CharField(required=False)
    )
    usual = {"code": "a", "name": "b"}

    assert_same(serializer, [usual, usual, odd, usual], many=True)


class PathSerializer(serializers.Serializer):
    name = serializers.CharField(source="owner.name")


@counts_references
def test_few_classes_of_objects_behind_a_path_are_kept():
    def represent():
        cls = type("Owner", (), {"name": "Ada"})
        assert PathSerializer(types.SimpleNamespace(owner=cls())).data == {"name": "Ada"}
        return weakref.ref(cls)

    classes = [represent() for _ in range(50)]
    gc.collect()

    assert sum(cls() is not None for cls in classes) < 20
