"""Rows may be mappings of any make: they are read by the calls that stock makes."""

import collections

import pytest
from marshmallow import Schema, fields

from tests.promises.marshmallow.differential import installed
from tests.promises.marshmallow.load_differential import Comparison
from tests.promises.marshmallow.load_schemas import UNKNOWN, Dog, noted, observed


class PlainMapping(collections.abc.Mapping):
    def __init__(self, **items):
        self.items_ = items

    def __getitem__(self, key):
        noted("getitem", key)
        return self.items_[key]

    def __iter__(self):
        noted("iter")
        return iter(self.items_)

    def __len__(self):
        noted("len")
        return len(self.items_)


class WithMissing(dict):
    def __missing__(self, key):
        noted("missing", key)
        return f"no {key}"


def counted(name):
    def method(self, *args):
        noted(name, *args)
        return getattr(dict, name)(self, *args)

    return method


COUNTED = ("__getitem__", "get", "__iter__", "__contains__", "keys", "items", "__len__")
CountingDict = type("CountingDict", (dict,), {name: counted(name) for name in COUNTED})


class DictWithOtherGet(dict):
    def get(self, key, default=None):
        return f"got {key}"


class DictWithOtherKeys(dict):
    def __iter__(self):
        return iter(["name", "invented"])

    def __getitem__(self, key):
        return f"item {key}"


class RaisingMapping(PlainMapping):
    def get(self, key, default=None):
        raise LookupError(key)


class Registered:
    """A Mapping by registration only."""

    def get(self, key, default=None):
        return {"name": "r"}.get(key, default)

    def __iter__(self):
        return iter(["name", "z"])

    def __getitem__(self, key):
        return key


collections.abc.Mapping.register(Registered)


class Disguised:
    @property
    def __class__(self):
        return dict

    def get(self, key, default=None):
        return default

    def __iter__(self):
        return iter(())


ITEMS = {"name": "Rex", "age": "3"}
MAPPINGS = {
    "OrderedDict": lambda items: collections.OrderedDict(items),
    "ChainMap": lambda items: collections.ChainMap({**items}, {"age": 5, "z": 1}),
    "PlainMapping": lambda items: PlainMapping(**items),
    "WithMissing": lambda items: WithMissing(items),
    "CountingDict": lambda items: CountingDict(items),
    "DictWithOtherGet": lambda items: DictWithOtherGet(items),
    "DictWithOtherKeys": lambda items: DictWithOtherKeys(items),
    "RaisingMapping": lambda items: RaisingMapping(**items),
    "Registered": lambda items: Registered(),
    "Disguised": lambda items: Disguised(),
}


def logging_mapping_input(comparison, make, items, **arguments):
    """Compare values, errors and calls only: a look at the mapping would be a call too."""
    outcomes = []
    for load in (comparison.stock.load, comparison.plan.load):
        outcomes.append(observed(load, make(items), **arguments))
    with installed():
        outcomes.append(observed(comparison.schema.load, make(items), **arguments))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0] == outcomes[2]


@pytest.mark.parametrize("name", MAPPINGS)
def test_mappings_of_any_make_are_read_as_by_stock(name):
    make = MAPPINGS[name]
    comparison = Comparison(Dog)
    nested = Comparison(Schema.from_dict({"dog": fields.Nested(Dog), "d": fields.Dict()}))
    given = Comparison(
        Schema.from_dict({"d": fields.Dict(fields.String(), fields.Raw()), "x": fields.Raw()})
    )

    def rows(items):
        return [make(items), {}, make(items)]

    def row(items):
        return {"dog": make(items), "d": make(items)}

    for items in (ITEMS, {}, {"name": 5}, {"age": "x", "b": 1, "a": 2}):
        for unknown in UNKNOWN:
            for some in (None, True, ["name"]):
                options = {"unknown": unknown, "partial": some}
                logging_mapping_input(comparison, make, items, **options)
        logging_mapping_input(comparison, rows, items, many=True)
        logging_mapping_input(nested, row, items)
        logging_mapping_input(given, row, items)


def test_a_mapping_may_change_while_it_is_read():
    class Shrinking(dict):
        def get(self, key, default=None):
            value = super().get(key, default)
            self.pop(key, None)
            return value

    comparison = Comparison(Dog)
    for unknown in UNKNOWN:
        logging_mapping_input(comparison, lambda items: Shrinking(items), ITEMS, unknown=unknown)
