"""What all tests have in common."""

import asyncio
import gc
from pathlib import Path

import pytest

import fastschema
from fastschema.runtime import json_engine, registration, thresholds
from tests.limits import limit_memory, limit_time
from tests.tripwire import is_watched, tripwire, watching

# Of these, other folders' tests make use, too.
pytest.register_assert_rewrite(
    "tests.marshmallow.differential", "tests.marshmallow.load_differential"
)

_OF_USERS = {name: value for name, value in vars(thresholds).items() if type(value) is int}


def pytest_collection_modifyitems(config, items):
    """Limit how long each test may take."""
    limit_time(config, items)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Limit how much memory each test may take."""
    with limit_memory(item.nodeid):
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def _read_at_once():
    """Compile schemas from the first row on; tests of the policy itself set their own number."""
    thresholds.rows_worth_reading, thresholds.rows_worth_comparing = 1, 2
    thresholds.rows_worth_binding, thresholds.fields_worth_asking = 1, 0
    thresholds.values_worth_a_look = 0
    thresholds.rows_worth_reading_once = 1
    thresholds.uses_worth_an_exemplar = 1


@pytest.fixture
def users_thresholds(monkeypatch):
    """The numbers that users have, for tests that cross the moment when a class is compiled."""
    for name, number in _OF_USERS.items():
        monkeypatch.setattr(thresholds, name, number)


@pytest.fixture(params=["at once", "users'"])
def each_thresholds(request):
    """The thresholds of tests, by which the first row is compiled; then those of users."""
    if request.param == "users'":
        request.getfixturevalue("users_thresholds")


@pytest.fixture(params=["warm", "cold"])
def visits(request):
    """Requests of two visitors in turns, to what users have used before and to what is new."""
    from tests.lazy_values import COLD, WARM

    if request.param == "warm":
        request.getfixturevalue("users_thresholds")
        return WARM
    return COLD


@pytest.fixture(autouse=True, scope="session")
def _say_nothing_of_orjson():
    """Reports read alike without orjson; the tests of that run in processes of their own."""
    json_engine._notes = ()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup):
    """Databases that nobody uses any more when they are dropped."""
    from asgiref.sync import sync_to_async
    from django.db import connections

    yield
    gc.collect()  # connections of threads that have ended
    # That of the thread in which asynchronous views run what is not.
    asyncio.run(sync_to_async(connections.close_all)())


@pytest.fixture
def nothing_stays_registered():
    """For tests that register methods."""
    before = dict(registration.registered)
    yield
    registration.registered.clear()
    registration.registered.update(before)
    fastschema.forget()


_WATCHED = ("marshmallow", "contrib", "doctor", "shadow", "test_plan.py")
"""Where tests have code of users, and what is tested calls it: see tests/tripwire.py."""


@pytest.fixture(autouse=True, scope="session")
def _watch_calls():
    with watching():
        yield


@pytest.fixture(autouse=True)
def _code_of_users_runs_where_stock_runs_it(request):
    """Fail where fastschema runs code of users only to find something out."""
    where = request.path.relative_to(Path(__file__).parent).parts[0]
    node = request.node
    is_exempt = node.get_closest_marker("instruments") is not None
    if where not in _WATCHED or is_exempt or not is_watched(request.path.stem, node.nodeid):
        yield
        return
    with tripwire():
        yield


@pytest.fixture(autouse=True, scope="module")
def _collect_no_more_than_this_module_makes():
    """Collections of garbage are fast: they leave out what was there before a module's tests."""
    if hasattr(gc, "freeze"):  # not in PyPy
        gc.freeze()
