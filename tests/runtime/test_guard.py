"""What hangs on schemas."""

import copy
import pickle

from fastschema.runtime.guard import State


def test_a_copy_or_pickle_of_a_schema_has_no_state():
    assert copy.deepcopy({"state": State()}) == {"state": None}
    assert pickle.loads(pickle.dumps(State())) is None
