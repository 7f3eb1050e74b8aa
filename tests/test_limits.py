"""A test that takes too much memory, or too long, fails and is named."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import limits

ROOT = Path(__file__).parent.parent
needs_a_limit = pytest.mark.skipif(limits.resource is None, reason="Windows does not tell")


@pytest.fixture
def often(monkeypatch):
    """Looks at the memory that come soon enough for a test that takes little."""
    if limits.resource is None:
        pytest.skip("Windows does not tell how much memory there is")
    monkeypatch.setattr(limits, "_LOOK_EVERY", 0.001)


def take(megabytes):
    """Hold so much memory, for a moment."""
    return len([b"x" * 2**20 for _ in range(megabytes)])


def test_a_test_that_takes_too_much_memory_fails_by_name(often):
    with (
        pytest.raises(pytest.fail.Exception, match="the test takes more than 50 MB of memory"),
        limits.limit_memory("the test", 50),
    ):
        take(500)


def test_a_test_that_takes_little_memory_passes(often):
    with limits.limit_memory("the test", 50):
        for _ in range(100):
            take(10)


def test_a_test_that_never_ends_fails_by_name(tmp_path, monkeypatch):
    pytest.importorskip("pytest_timeout")
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
