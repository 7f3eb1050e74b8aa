"""Programs bound to a schema object."""

import gc
import weakref

from marshmallow import Schema, fields

from fastschema.compiler.nodes import Form
from fastschema.marshmallow.dump import DUMP, binding_of
from fastschema.marshmallow.schema_state import read_once
from tests.marks import counts_references


class Item(Schema):
    name = fields.String()


def bound():
    return binding_of(read_once(Item(), DUMP))


def test_a_dispatch_serves_one_dump_after_the_other():
    binding = bound()
    first = binding.begin(Form.PYTHON)
    first.end()
    assert binding.begin(Form.PYTHON) is first


def test_dumps_at_the_same_time_have_dispatches_of_their_own():
    binding = bound()
    assert binding.begin(Form.PYTHON) is not binding.begin(Form.PYTHON)


def test_python_and_json_have_dispatches_of_their_own():
    binding = bound()
    binding.begin(Form.PYTHON).end()
    assert binding.begin(Form.JSON).form is Form.JSON


@counts_references
def test_a_dispatch_that_waits_is_in_no_reference_cycle():
    binding = bound()
    dispatch = binding.begin(Form.PYTHON)
    assert dispatch.one_row({"name": 1}) == {"name": "1"}
    dispatch.end()
    reference = weakref.ref(dispatch)
    gc.disable()
    try:
        del binding, dispatch
        assert reference() is None
    finally:
        gc.enable()
