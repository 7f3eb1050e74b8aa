"""What is known of schemas: which are read, which are found, and when a reading is made anew."""

import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Event

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema.marshmallow import states
from fastschema.runtime import thresholds

pytestmark = pytest.mark.usefixtures("_installed")


@pytest.fixture
def readings(monkeypatch):
    """The names of schemas that were read for dumping, one after the other."""
    read = []
    stock_read = states.read

    def counted(schema, fields, side, *nested):
        if side.name == "dump":
            read.append(type(schema).__name__)
        return stock_read(schema, fields, side, *nested)

    monkeypatch.setattr(states, "read", counted)
    return read


@pytest.fixture
def _real_policy(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 8)


class Item(Schema):
    name = fields.String()
    price = fields.Decimal(places=2, as_string=True)


ROW = {"name": "n", "price": Decimal("1.5"), "pair": (1, "a")}


@pytest.mark.instruments
def test_a_schema_that_is_changed_before_each_dump_is_not_read_each_time(readings, monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 8)
    schema = Item()
    for number in range(40):
        schema.fields["name"].data_key = f"key {number}"
        assert schema.dump(ROW) == {f"key {number}": "n", "price": "1.50"}
    assert len(readings) == 4


@pytest.mark.usefixtures("users_thresholds")
def test_stock_dumps_one_object_by_a_schema_that_users_have_looked_at():
    for _ in range(3):
        Item().dump([ROW] * 30, many=True)
    schema = Item()
    assert schema.fields
    before = fastschema.stats().compiled_rows
    schema.dump(ROW)
    assert fastschema.stats().compiled_rows == before


@pytest.mark.parametrize("make", [lambda schema: schema, lambda schema: None, type])
def test_what_was_patched_is_seen_after_forgetting(make, monkeypatch):
    class Shouting(fields.String):
        def _serialize(self, value, attr, obj, **kwargs):
            return super()._serialize(value, attr, obj, **kwargs).upper()

    schema = Item()
    schema.dump([ROW] * 3, many=True)
    schema.fields["name"].__class__ = Shouting
    fastschema.forget(make(schema))
    assert schema.dump(ROW)["name"] == "N"


def shout(self, value, attr, obj, **kwargs):
    return value.upper()


@pytest.mark.parametrize("has_own_fields", [False, True])
def test_a_patched_method_of_stock_is_seen_after_forgetting(has_own_fields, monkeypatch):
    schema = Item()
    key = "name"
    if has_own_fields:
        schema.fields["name"].data_key = key = "other"
    assert schema.dump([ROW] * 3, many=True)[0][key] == "n"
    monkeypatch.setattr(fields.String, "_serialize", shout)
    fastschema.forget()
    assert schema.dump([ROW] * 3, many=True)[0][key] == "N"


@pytest.mark.instruments
def test_what_is_forgotten_while_it_is_read_is_read_anew(monkeypatch):
    stock_read = states.read
    schema, other = Item(), Item()

    def read(*args):
        compiled = stock_read(*args)
        monkeypatch.setattr(states, "read", stock_read)
        monkeypatch.setattr(fields.String, "_serialize", shout)
        fastschema.forget()
        other.dump(ROW)  # as another thread may do
        return compiled

    monkeypatch.setattr(states, "read", read)
    schema.dump([ROW] * 3, many=True)  # by what it was when the dump began
    assert schema.dump([ROW] * 3, many=True)[0]["name"] == "N"


@pytest.mark.instruments
@pytest.mark.usefixtures("_real_policy")
def test_one_thread_reads_a_schema_and_others_go_on(monkeypatch):
    is_read, may_end, stock_read = Event(), Event(), states.read
    readings = []

    def read(*args):
        readings.append(1)
        is_read.set()
        assert may_end.wait(20)
        return stock_read(*args)

    monkeypatch.setattr(states, "read", read)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(Item(many=True).dump, [ROW] * 8)
        assert is_read.wait(20)
        try:
            assert [Item().dump(ROW)["name"] for _ in range(7)] == ["n"] * 7
        finally:
            may_end.set()
        assert reading.result()[0]["name"] == "n"
    before = fastschema.stats().compiled_rows
    Item().dump(ROW)
    assert readings == [1]
    assert fastschema.stats().compiled_rows == before + 1


@pytest.mark.parametrize("wrong", [5, object(), int])
def test_what_is_no_schema_cannot_be_forgotten(wrong):
    with pytest.raises(TypeError, match="schema"):
        fastschema.forget(wrong)


def test_schemas_are_shared_by_threads():
    shared = Item()
    expected = [{"name": "n", "price": "1.50"}] * 5
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def work(number):
        results = []
        for index in range(200):
            if number == 0 and index % 10 == 0:
                fastschema.forget()
            results.append(shared.dump([ROW] * 5, many=True))
            results.append(Item().dump([ROW] * 5, many=True))
        return results

    try:
        with ThreadPoolExecutor(16) as threads:
            for results in threads.map(work, range(16)):
                assert all(result == expected for result in results)
    finally:
        sys.setswitchinterval(interval)
