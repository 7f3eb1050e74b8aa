"""MessagePack by plans of marshmallow schemas."""

import pytest
from marshmallow import Schema, fields

import fastschema


class Dog(Schema):
    name = fields.Raw()


ROWS = [{"name": number} for number in range(7)]


@pytest.mark.parametrize("rows", [ROWS, (), set(), (row for row in ROWS)])
def test_several_objects_are_refused_where_one_is_packed(rows):
    plan = fastschema.compile(Dog)
    with pytest.raises(TypeError, match=r"^Dog dumps one object here, not a .*: pass many=True"):
        plan.packb(rows)
    assert plan.packb([], many=False) == plan.packb({})
