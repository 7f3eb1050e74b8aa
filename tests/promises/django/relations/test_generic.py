"""LOAD_RELATIONS and generic foreign keys, in a process that has content types."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
QUERIES = {
    "two classes": 5,  # the notes, two types, two classes
    "nobody": 3,
    "a stale type": None,
    "no key": None,
    "a manager of its own": 5,
    "a generic relation": 4,  # it is left to stock
}


@pytest.fixture(scope="module")
def answers():
    command = [sys.executable, "-m", "tests.promises.django.relations.generic"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.mark.parametrize("case", QUERIES)
def test_the_answer_is_stocks_by_fewer_queries(answers, case):
    stock, fast = answers[case]["stock"], answers[case]["fast"]
    assert fast["found"] == stock["found"]
    if QUERIES[case] is not None:
        assert fast["queries"] == QUERIES[case]
        assert fast["queries"] <= stock["queries"]
