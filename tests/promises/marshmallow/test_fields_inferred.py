"""Names in ``Meta`` without a field, which marshmallow 3 dumps by the classes of their values."""

import datetime
import decimal
import enum
import uuid

import pytest
from marshmallow import Schema, fields

from tests.promises.marshmallow.differential import (
    MARSHMALLOW_3,
    assert_same,
    installed,
    is_compiled,
)

pytestmark = pytest.mark.skipif(not MARSHMALLOW_3, reason="marshmallow 4 has no inferred fields")


class Inferring(Schema):
    class Meta:
        fields = ("name", "value")
        datetimeformat = "%Y/%m"


class Additional(Schema):
    name = fields.String()

    class Meta:
        additional = ("value",)


class Text(str):
    """A string of the user's."""


class Number(enum.IntEnum):
    """An integer that is not one."""

    ONE = 1


class Doubled(fields.Field):
    """A field for a class of values."""

    def _serialize(self, value, attr, obj, **kwargs):
        return value * 2


class Mapped(Inferring):
    TYPE_MAPPING = {**Schema.TYPE_MAPPING, str: Doubled, Text: Doubled}


VALUES = [
    "text",
    Text("own"),
    b"bytes",
    5,
    True,
    1.5,
    None,
    Number.ONE,
    decimal.Decimal("1.50"),
    uuid.UUID(int=5),
    datetime.datetime(2020, 1, 2, 3, 4),
    datetime.date(2020, 1, 2),
    datetime.time(3, 4),
    datetime.timedelta(seconds=5),
    [1, "a", None],
    {"a": 1},
    object(),
]


@pytest.mark.parametrize("schema", [Inferring, Additional, Mapped])
@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_dumped_by_its_class(schema, value):
    assert_same(schema, {"name": "a", "value": value})


def test_values_of_many_classes_take_turns():
    rows = [{"name": "a", "value": value} for value in VALUES if value != b"\xff"]
    assert_same(Inferring, rows + rows[::-1], many=True)


def test_inferred_fields_are_compiled():
    assert is_compiled(Inferring(), "value")
    assert not is_compiled(Mapped(), "value")


def test_another_mapping_is_noticed():
    class Changing(Inferring):
        pass

    schema = Changing()
    rows = [{"name": "a", "value": "b"}] * 30
    with installed():
        assert schema.dump(rows, many=True) == rows
        Changing.TYPE_MAPPING = Mapped.TYPE_MAPPING
        fresh = [{"name": "aa", "value": "bb"}] * 30
        assert Changing().dump(rows, many=True) == fresh


def test_a_schema_keeps_the_fields_that_were_found_for_its_values():
    with installed():
        schemas = [Inferring(), Inferring()]
        for _ in range(2):
            schemas[0].dump({"name": "a", "value": 1})
            schemas[1].dump({"name": "a", "value": True})
    found = [list(schema.fields["value"]._field_cache) for schema in schemas]
    assert found == [[fields.Integer], [fields.Boolean]]
