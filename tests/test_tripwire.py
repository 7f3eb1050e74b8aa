"""The tripwire itself: it tells a dump of an object from a look at its schema."""

from collections import defaultdict

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.runtime.guard import Snapshot
from tests.tripwire import trips, tripwire


class Told:
    """An object with a property of users' own."""

    @property
    def name(self):
        return "Ann"


class NameSchema(Schema):
    name = fields.String()


def test_code_of_users_that_a_dump_runs_is_let_pass():
    with tripwire():
        for _ in range(3):
            assert fastschema.compile(NameSchema).dump(Told()) == {"name": "Ann"}


def test_code_of_users_that_runs_while_something_is_found_out_is_named():
    told = Told()
    vars(told)["name"] = "Ben"
    nothing = defaultdict(tuple).__getitem__
    with pytest.raises(AssertionError, match=r"Snapshot.__init__.*Told.name"), tripwire():
        Snapshot([told], frozenset(["name"]), nothing)
    assert not trips
