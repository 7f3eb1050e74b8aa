"""The references that need nothing but orjson write what marshmallow writes."""

import json

import pytest


@pytest.mark.parametrize("workload", ["orders", "flat", "deep"])
@pytest.mark.parametrize("module", ["by_hand", "floor"])
def test_a_reference_writes_the_values_of_marshmallow_in_their_order(
    benchmark_module, module, workload
):
    records, workloads = benchmark_module("records"), benchmark_module("workloads")
    rows, schema = {
        "orders": (records.orders(20), workloads.OrderSchema()),
        "flat": (records.flat_rows(20), workloads.FlatSchema()),
        "deep": (records.plants(20), workloads.PlantSchema()),
    }[workload]
    reference = benchmark_module(f"references.{module}")
    prepared = getattr(reference, "PREPARE", lambda _, rows: rows)(workload, rows)

    written = json.loads(reference.WRITERS[workload](prepared))

    assert json.dumps(written) == json.dumps(schema.dump(rows, many=True))
