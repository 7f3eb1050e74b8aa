"""Marks for tests that ask more of the interpreter than fastschema does."""

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


def seeds(*numbers):
    """Return numbers for random tests, of which every other one is for a test that is `long`."""
    return [
        pytest.param(number, marks=pytest.mark.long if number % 2 else ()) for number in numbers
    ]
