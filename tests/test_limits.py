"""A test that takes too much memory, or too long, fails and is named."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import limits

ROOT = Path(__file__).parent.parent
needs_a_limit = pytest.mark.skipif(limits.resource is None, reason="Windows does not tell")

TAKE = """
from tests import limits

limits._LOOK_EVERY = 0.001
with limits.limit_memory("the test", 50):
    for _ in range({times}):
        held = [b"x" * 2**20 for _ in range({megabytes})]
        sum(range(1_000_000))  # enough processor time for a look
"""


def take(megabytes, times=1):
    """Take so much memory in a process of its own, whose peak no test before has raised."""
    command = [sys.executable, "-c", TAKE.format(megabytes=megabytes, times=times)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


@needs_a_limit
def test_a_test_that_takes_too_much_memory_fails_by_name():
    process = take(500)
    assert process.returncode != 0
    assert "the test takes more than 50 MB of memory" in process.stderr


@needs_a_limit
def test_a_test_that_takes_little_memory_passes():
    process = take(10, times=20)
    assert process.returncode == 0, process.stderr


def test_a_test_that_never_ends_fails_by_name(tmp_path, monkeypatch):
    pytest.importorskip("pytest_timeout", reason="pytest-timeout is not installed")
    monkeypatch.delenv("WALKS", raising=False)
    (tmp_path / "conftest.py").write_text(
        f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from tests import limits

def pytest_collection_modifyitems(config, items):
    limits.SECONDS = 0.5
    limits.limit_time(config, items)
"""
    )
    (tmp_path / "test_endless.py").write_text(
        """
def test_that_never_ends():
    while True:
        pass
"""
    )
    pytest_of_its_own = [sys.executable, "-m", "pytest", "-p", "no:django", "--rootdir", tmp_path]
    process = subprocess.run(
        [*pytest_of_its_own, "test_endless.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert process.returncode != 0
    assert "Timeout" in process.stdout + process.stderr
    assert "test_that_never_ends" in process.stdout + process.stderr
