"""What hangs on schemas, and how values are compared."""

import copy
import pickle

from fastschema.runtime.guard import ClassSnapshot, ClassState, State


def test_a_copy_or_pickle_of_a_schema_has_no_state():
    assert copy.deepcopy({"state": State()}) == {"state": None}
    assert pickle.loads(pickle.dumps(State())) is None


def test_what_hangs_on_one_of_several_classes_is_no_change_of_them():
    classes = [type(name, (), {}) for name in ("First", "Second")]
    snapshot = ClassSnapshot(classes)
    ClassState.new(classes[0])
    assert snapshot.is_current()
    ClassState.new(classes[1])
    assert snapshot.is_current()
    classes[0].added = 1
    assert not snapshot.is_current()
    del classes[0].added
    assert snapshot.is_current()
