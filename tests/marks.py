"""Marks for tests that ask more of the interpreter than fastschema does."""

import os
import sys

import pytest

from fastschema.runtime.json_engine import orjson

needs_orjson = pytest.mark.skipif(orjson is None, reason="orjson is not installed")
counts_references = pytest.mark.skipif(
    sys.implementation.name == "pypy",
    reason="PyPy frees objects at a time of its own, and the code of its JIT may hold them",
)
counts_looks = pytest.mark.skipif(
    sys.implementation.name == "pypy",
    reason="PyPy's isinstance() asks a proxy more or less often from time to time, in stock, too",
)
needs_cpython = pytest.mark.skipif(
    sys.implementation.name == "pypy", reason="PyPy's limits and messages are its own"
)


_ONE_SEED_OF = int(os.environ.get("ONE_SEED_OF", "2"))
"""Of so many random tests one is not `long`: of more where those of `make test` run again."""


def seeds(*numbers):
    """Return numbers for random tests, of which most are for tests that are `long`."""
    return [
        pytest.param(number, marks=pytest.mark.long if number % _ONE_SEED_OF else ())
        for number in numbers
    ]


def share(number):
    """Return how many random examples a test tries that tries so many in `make test`."""
    return max(1, number * 2 // _ONE_SEED_OF)
