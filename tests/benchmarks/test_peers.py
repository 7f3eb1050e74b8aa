"""Environments of peers, and the references that need nothing but orjson."""

import json
import subprocess

import pytest


@pytest.fixture
def peers(benchmark_module, monkeypatch, tmp_path):
    """Makes environments without installing anything; what was told to run is in ``peers.told``."""
    module = benchmark_module("peers")
    module.told = []

    def run(command, **how):
        module.told.append(command)
        is_broken = any(str(each).startswith("broken") for each in command)
        error = "ERROR: No matching distribution found for broken" if is_broken else ""
        if "venv" in command:
            command[-1].mkdir(parents=True)
        return subprocess.CompletedProcess(command, int(is_broken), stderr=error)

    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module.subprocess, "run", run)
    return module


def test_an_environment_is_made_once_and_again_when_its_needs_change(peers):
    python = peers.Peer("some peer", ("peer==1",), ("orjson",)).python()
    assert python.parts[-3:] == ("peer-some-peer", "bin", "python")
    assert "peer==1" in peers.told[-1]
    assert any(str(each).startswith("orjson==") for each in peers.told[-1])
    installed = len(peers.told)

    peers.Peer("some peer", ("peer==1",), ("orjson",)).python()
    assert len(peers.told) == installed
    peers.Peer("some peer", ("peer==2",), ("orjson",)).python()
    assert len(peers.told) > installed


def test_an_environment_is_of_the_python_that_is_asked_for(peers):
    peers.Peer("peer", interpreter="python3.12").python()
    assert peers.told[-1][0] == "python3.12"


def test_peers_that_cannot_be_installed_are_failures_of_all_measures(peers):
    started, failures = peers.start([peers.Peer("peer", ("broken==1",))], "orders")

    assert started == []
    [failure] = failures
    assert (failure["measure"], failure["outcome"]) == (None, "not installed")
    assert "No matching distribution found" in failure["reason"]


def test_stock_is_not_left_out(peers):
    stock = peers.Peer("stock", ("broken==1",), is_peer=False)
    with pytest.raises(peers.NotInstalledError):
        peers.start([stock])


@pytest.mark.parametrize("name", ["by hand", "orjson only"])
def test_a_reference_writes_the_values_of_marshmallow_in_their_order(benchmark_module, name):
    records, schemas = benchmark_module("records"), benchmark_module("patterns.orders")
    write_orders, write_flat = benchmark_module("patterns.references").REFERENCES[name]()

    for rows, schema, write in (
        (records.orders(20), schemas.OrderSchema(), write_orders),
        (records.flat_rows(20), schemas.FlatSchema(), write_flat),
    ):
        assert json.dumps(json.loads(write(rows))) == json.dumps(schema.dump(rows, many=True))
