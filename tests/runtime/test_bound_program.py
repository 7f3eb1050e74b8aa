"""Programs bound to a schema object."""

import gc
import weakref

import pytest
from marshmallow import Schema, fields

from fastschema.compiler.nodes import Form
from fastschema.marshmallow.dump import DUMP, bound_program_of
from fastschema.marshmallow.schema_state import read_once
from tests.marks import counts_references


class Item(Schema):
    name = fields.String()


def bound():
    return bound_program_of(read_once(Item(), DUMP))


@counts_references
def test_a_dispatch_that_waits_is_in_no_reference_cycle():
    bound_program = bound()
    dispatch = bound_program.begin(Form.PYTHON)
    assert dispatch.one_row({"name": 1}) == {"name": "1"}
    dispatch.end()
    reference = weakref.ref(dispatch)
    gc.disable()
    try:
        del bound_program, dispatch
        assert reference() is None
    finally:
        gc.enable()


@counts_references
@pytest.mark.parametrize("many", [False, True])
def test_the_functions_of_few_classes_are_kept(many):
    bound_program, references = bound(), []
    for _ in range(40):
        cls = type("Row", (), {"name": "a"})
        references.append(weakref.ref(cls))
        dispatch = bound_program.begin(Form.PYTHON)
        dispatch.all_rows([cls(), cls()]) if many else dispatch.one_row(cls())
        dispatch.end()
    del cls
    gc.collect()
    assert sum(reference() is not None for reference in references) <= 10
