"""Models whose instances other code notices: instances are made of them, or users cannot tell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
FROM_ROWS = ["Attached", "Filed", "Managed", "Remembered", "Secret", "Tagged"]
INSTANCES = [
    *("AfterInit", "Animal", "Article", "BeforeInit", "Circle", "Computed", "Dog"),
    *("Monitored", "Pictured", "Priced", "Shape", "ToObserved", "Tracked", "WithDescriptor"),
    *("WithFromDb", "WithGetattr", "WithGetattribute", "WithInit", "WithMetaclass", "WithMixin"),
    *("WithNew", "WithSetattr"),
]


@pytest.fixture(scope="session")
def answers():
    """What comes of a list view of each model."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.promises.django.lists.observed"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.mark.parametrize("model", [*FROM_ROWS, *INSTANCES])
def test_users_cannot_tell(answers, model):
    assert answers[model]["fast"] == answers[model]["stock"]
    assert answers[model]["rows"] == (model in FROM_ROWS)


def test_all_models_are_tested(answers):
    assert sorted(answers) == sorted([*FROM_ROWS, *INSTANCES])
