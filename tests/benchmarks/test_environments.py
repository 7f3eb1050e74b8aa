"""Environments of peers."""

import pytest


@pytest.fixture
def environments(benchmark_module, monkeypatch, tmp_path):
    module = benchmark_module("environments")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


@pytest.fixture
def without_pip(monkeypatch, environments):
    """Makes environments without installing anything, and notes what pip was told."""
    told = []

    def run(command, **options):
        told.append([str(each) for each in command])
        finished = type("Finished", (), {"returncode": 0, "stderr": ""})()
        if "broken==1" in command:
            finished.returncode = 1
            finished.stderr = "a warning\nERROR: No matching distribution found for broken==1\n"
        elif "venv" in told[-1]:
            command[-1].mkdir(parents=True)
        return finished

    monkeypatch.setattr(environments.subprocess, "run", run)
    return told


def test_an_environment_is_made_once_and_again_when_its_needs_change(environments, without_pip):
    python = environments.Environment("some peer", ("peer==1",), ("orjson",)).python()
    assert python.parts[-3:] == ("peer-some-peer", "bin", "python")
    installed = len(without_pip)
    assert "peer==1" in without_pip[-1]
    assert any(each.startswith("orjson==") for each in without_pip[-1])

    environments.Environment("some peer", ("peer==1",), ("orjson",)).python()
    assert len(without_pip) == installed

    environments.Environment("some peer", ("peer==2",), ("orjson",)).python()
    assert len(without_pip) > installed


def test_an_environment_is_of_the_python_that_is_asked_for(environments, without_pip):
    environments.Environment("peer", interpreter="python3.12").python()
    assert without_pip[-2][0] == "python3.12"
    installed = len(without_pip)

    environments.Environment("peer").python()
    assert len(without_pip) > installed


def test_what_cannot_be_installed_says_why(environments, without_pip):
    broken = environments.Environment("peer", ("broken==1",))

    with pytest.raises(environments.NotInstalledError, match="No matching distribution found"):
        broken.python()


def test_peers_that_cannot_be_installed_are_failures_of_all_measures(
    environments, without_pip, benchmark_module
):
    from rich.console import Console

    peers = benchmark_module("peers")
    peer = peers.Peer("peer", "orders_worker.py", "stock", ("broken==1",))

    started, failures = peers.start([peer], 10, Console(quiet=True))

    assert started == []
    assert [(each.measure, each.outcome) for each in failures] == [(None, "not installed")]
