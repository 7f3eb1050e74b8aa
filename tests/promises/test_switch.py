"""Running stock: for a while, or for a whole process."""

import asyncio
import os
import subprocess
import sys
import threading

import pytest
from marshmallow import Schema, fields

import fastschema
from tests.instruments.core import VARIABLE, is_disabled


class Dog(Schema):
    name = fields.String()


DUMP = """
import fastschema
from fastschema.runtime import thresholds
from marshmallow import Schema, fields
thresholds.rows_worth_reading = thresholds.uses_worth_an_exemplar = 1
thresholds.few_for_marshmallow = 0
thresholds.rows_worth_reading_at_once = 1
class Dog(Schema):
    name = fields.String()

fastschema.install()
Dog().dump({"name": 1})
fastschema.compile(Dog).dump({"name": 1})
print(fastschema.compile(Dog).dumps([{"name": 1}], many=True).decode().replace(" ", ""))
print(fastschema.stats().compiled_rows, fastschema.stats().stock_rows)
"""


def test_enabled_goes_before_the_disabled_around_it():
    with fastschema.disabled():
        with fastschema.enabled():
            assert not is_disabled()
            with fastschema.disabled():
                assert is_disabled()
        assert is_disabled()


def test_a_disabled_plan_dumps_by_stock():
    plan = fastschema.compile(Dog)
    compiled = fastschema.stats().compiled_rows

    with fastschema.disabled():
        assert plan.dump({"name": 1}) == {"name": "1"}
        assert plan.dumps({"name": 1}).replace(b" ", b"") == b'{"name":"1"}'
        assert b"".join(plan.stream([{"name": 1}])).replace(b" ", b"") == b'[{"name":"1"}]'

    assert fastschema.stats().compiled_rows == compiled


def test_other_threads_are_not_disabled():
    seen = []
    with fastschema.disabled():
        thread = threading.Thread(target=lambda: seen.append(is_disabled()))
        thread.start()
        thread.join()

    assert seen == [False]


def test_other_tasks_are_not_disabled():
    async def switched(begun, done):
        with fastschema.disabled():
            begun.set()
            await done.wait()
            return is_disabled()

    async def main():
        begun, done = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(switched(begun, done))
        await begun.wait()
        meanwhile = is_disabled()
        done.set()
        return meanwhile, await task

    assert asyncio.run(main()) == (False, True)


@pytest.mark.at_once
@pytest.mark.parametrize(
    ("value", "counts"),
    [
        (None, "3 0"),
        ("", "3 0"),
        ("No", "3 0"),
        (" off ", "3 0"),
        ("anything", "0 3"),
    ],
)
def test_the_environment_variable_disables_the_whole_process(value, counts):
    environment = {name: text for name, text in os.environ.items() if name != VARIABLE}
    if value is not None:
        environment[VARIABLE] = value

    done = subprocess.run(
        [sys.executable, "-c", DUMP], env=environment, capture_output=True, text=True, check=True
    )

    written, counted = done.stdout.splitlines()
    assert written == '[{"name":"1"}]'
    assert counted == counts


@pytest.mark.at_once
def test_enabled_goes_before_the_environment_variable():
    source = DUMP.replace("Dog().dump(", "with fastschema.enabled(): Dog().dump(")
    assert source != DUMP
    done = subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, VARIABLE: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[1] == "1 2"
