"""Plans, as far as they are the same for every framework."""

import contextlib
import copy
import json
import pickle

import pytest
from marshmallow import Schema, fields, post_dump, pre_dump

import fastschema
from tests.at_once import at_once


class Dog(Schema):
    name = fields.String()


class Hooked(Dog):
    @post_dump
    def hook(self, data, **kwargs):
        return {**data, "hooked": True}


ROWS = [{"name": number} for number in range(7)]


@pytest.mark.parametrize("name", ["dump", "dumps"])
@pytest.mark.parametrize("rows", [ROWS, (), set(), (row for row in ROWS)])
def test_several_objects_are_refused_where_one_is_dumped(name, rows):
    method = getattr(fastschema.compile(Dog), name)
    with pytest.raises(TypeError, match=r"^Dog dumps one object here, not a .*: pass many=True"):
        method(rows)
    assert method([], many=False) == method({})


class ReadsRows(Dog):
    def get_attribute(self, obj, attr, default):
        return len(obj)


class TakesRows(Dog):
    @pre_dump
    def hook(self, data, **kwargs):
        return data[0]


@pytest.mark.parametrize("cls", [ReadsRows, TakesRows])
def test_users_code_may_make_one_object_of_several(cls):
    assert fastschema.compile(cls).dump(ROWS) == cls().dump(ROWS) != {}


def test_a_plan_says_that_it_cannot_be_pickled():
    with pytest.raises(
        TypeError, match=r"^A plan cannot be pickled: .* fastschema\.compile\(Dog\)"
    ):
        pickle.dumps(fastschema.compile(Dog))


def test_a_copy_of_a_plan_is_the_plan():
    plan = fastschema.compile(Dog)
    assert copy.copy(plan) is copy.deepcopy([plan])[0] is plan


def test_a_stream_may_reuse_one_object_for_all_rows():
    def rows():
        row = {}
        for number in range(5):
            row["name"] = number
            yield row

    streamed = b"".join(fastschema.compile(Dog).stream(rows(), chunk_size=2))

    assert [row["name"] for row in json.loads(streamed)] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("chunk_size", [0, -5])
@pytest.mark.parametrize("schema", [Dog, Hooked])
def test_a_chunk_of_no_rows_is_refused_at_once(schema, chunk_size):
    with pytest.raises(ValueError, match="chunk_size must be at least 1"):
        fastschema.compile(schema).stream(ROWS, chunk_size)


def test_a_plan_is_safe_to_share_between_threads():
    plan = fastschema.compile(Dog)

    def work(number):
        rows = [{"name": f"{number} {row}"} for row in range(300)]
        dumped = plan.dump(rows, many=True)
        return dumped == rows == json.loads(b"".join(plan.stream(rows, chunk_size=7)))

    assert all(at_once(work, 8))


@pytest.mark.parametrize("no_schema", [None, 5, object(), dict, "Dog", fields.String()])
def test_compiling_what_is_no_schema_is_refused(no_schema):
    with pytest.raises(TypeError, match="not a schema that fastschema can read"):
        fastschema.compile(no_schema)


class Asked:
    """Something true or false that counts how often it is asked."""

    def __init__(self, answer):
        self.answer = answer
        self.count = 0

    def __bool__(self):
        self.count += 1
        return self.answer


@pytest.mark.parametrize("schema", [Dog, Hooked])
@pytest.mark.parametrize("is_disabled", [False, True])
@pytest.mark.parametrize("answer", [False, True])
def test_it_is_asked_once_whether_there_are_many(schema, is_disabled, answer):
    many = Asked(answer)
    rows = ROWS if answer else ROWS[0]
    with fastschema.disabled() if is_disabled else contextlib.nullcontext():
        fastschema.compile(schema).dumps(rows, many=many)

    assert many.count == 1
