"""What reads the fields, where there is no room to read them."""

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.runtime.programs import method_of


@pytest.mark.instruments
@pytest.mark.parametrize("error", [RecursionError, MemoryError])
def test_a_field_that_cannot_be_read_for_want_of_room_is_read_the_next_time(error, monkeypatch):
    class Roomy(Schema):
        number = fields.Decimal(places=1, as_string=True)

    def cramped(field, name):
        if name == "_format_num":
            raise error
        return method_of(field, name)

    schema = Roomy()
    monkeypatch.setattr("fastschema.marshmallow.fields.method_of", cramped)
    for _ in range(3):
        report = fastschema.compile(schema).explain()
        assert report.why == "it cannot be read: "
    monkeypatch.undo()
    assert fastschema.compile(schema).dump({"number": 5}) == {"number": "5.0"}
    report = fastschema.compile(schema).explain()
    assert all(each.compiled for each in (*report, *report.loading))
