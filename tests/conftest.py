"""What all tests have in common; HYPOTHESIS_PROFILE chooses how many random examples they try."""

import asyncio
import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import fastschema
from fastschema.runtime import json_engine, registration, thresholds
from tests.limits import limit_memory, limit_time
from tests.marks import share
from tests.tripwire import is_watched, tripwire, watching

# Of these, other folders' tests make use, too.
pytest.register_assert_rewrite(
    "tests.promises.django.differential",
    "tests.promises.flask.differential",
    "tests.promises.marshmallow.differential",
    "tests.promises.marshmallow.load_differential",
)

# Random schemas with their rows are large, and a busy machine takes its time to make them.
_SLOW_TO_MAKE = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "ci",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=share(60),
    suppress_health_check=_SLOW_TO_MAKE,  # random schemas with their rows are large
)
settings.register_profile(
    "thorough",
    deadline=None,
    max_examples=3000,
    suppress_health_check=_SLOW_TO_MAKE,  # random schemas with their rows are large
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

_PROMISES = Path(__file__).parent / "promises"
_BY_THOSE_OF_USERS = os.environ.get("THRESHOLDS") == "users"
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
    thresholds.rows_worth_reading = thresholds.rows_worth_reading_at_once = 1
    thresholds.few_for_marshmallow, thresholds.few_for_django = 0, 2
    thresholds.uses_worth_an_exemplar = 1


@pytest.fixture
def users_thresholds(monkeypatch):
    """The numbers that users have, for tests that cross the moment when a class is compiled."""
    for name, number in _OF_USERS.items():
        monkeypatch.setattr(thresholds, name, number)


@pytest.fixture(autouse=True)
def _promises_hold_for_users(request):
    """With THRESHOLDS=users, promises are tested by the numbers that users have."""
    is_promise = request.path.is_relative_to(_PROMISES)
    if _BY_THOSE_OF_USERS and is_promise and request.node.get_closest_marker("at_once") is None:
        request.getfixturevalue("users_thresholds")


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
    """Databases without connections when they are dropped."""
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


_NOT_WATCHED = ("parts/compiler", "parts/runtime")
"""Where tests have no code of users, or call it themselves: see tests/tripwire.py."""


@pytest.fixture(autouse=True, scope="session")
def _watch_calls():
    with watching():
        yield


@pytest.fixture(autouse=True)
def _code_of_users_runs_where_stock_runs_it(request):
    """Fail where fastschema runs code of users only to find something out."""
    where = request.path.relative_to(Path(__file__).parent).as_posix()
    node = request.node
    is_exempt = node.get_closest_marker("instruments") is not None
    if (
        not where.startswith(("promises/", "parts/"))
        or where.startswith(_NOT_WATCHED)
        or is_exempt
        or not is_watched(request.path.stem, node.nodeid)
    ):
        yield
        return
    with tripwire():
        yield


@pytest.fixture(autouse=True, scope="module")
def _collect_no_more_than_this_module_makes():
    """Collections of garbage are fast: they leave out what was there before a module's tests."""
    if hasattr(gc, "freeze"):  # not in PyPy
        gc.freeze()
