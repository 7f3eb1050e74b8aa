"""How schemas are named on the command line."""

import pytest
from marshmallow import Schema, fields

from fastschema.doctor.diagnosis import PathError, named, object_at, path_of


class ShipSchema(Schema):
    name = fields.String()

    class Inner(Schema):
        name = fields.String()


PATHS = ["a.schemas:Ship", "b.schemas:Ship", "b.schemas:Ship.Inner", "b.schemas:WarShip"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("a.schemas:Ship", ["a.schemas:Ship"]),
        ("a.schemas.Ship", ["a.schemas:Ship"]),
        ("Ship", ["a.schemas:Ship", "b.schemas:Ship"]),
        ("Inner", ["b.schemas:Ship.Inner"]),
        ("Ship.Inner", ["b.schemas:Ship.Inner"]),
        ("schemas:WarShip", ["b.schemas:WarShip"]),
        ("Nobody", []),
    ],
)
def test_a_name_stands_for_paths_that_end_with_it(name, found):
    assert named(name, PATHS) == found


def test_a_path_leads_back_to_its_class():
    for cls in (ShipSchema, ShipSchema.Inner):
        assert object_at(path_of(cls)) is cls


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("Ship", "'Ship' is not of the form package.module:Name"),
        (
            "nowhere.at.all:Ship",
            "nowhere.at.all:Ship cannot be imported: No module named",
        ),
        (f"{__name__}:Nobody", f"{__name__}:Nobody cannot be imported: .*no attribute 'Nobody'"),
    ],
)
def test_a_path_that_leads_nowhere_says_why(path, message):
    with pytest.raises(PathError, match=message):
        object_at(path)
