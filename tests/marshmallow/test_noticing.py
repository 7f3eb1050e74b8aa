"""Fields take attributes as they do without fastschema, and tell of it."""

import copy
import pickle

import pytest
from marshmallow import Schema, fields

from fastschema.writes import writes
from tests.marshmallow.differential import USES_UNTIL_KEPT, installed, outcome

LOG = []


class Mixin:
    """Stands behind ``Field`` in the order of bases, and still has its say."""

    def __setattr__(self, name, value):
        LOG.append(("set", name))
        super().__setattr__(name, value)

    def __delattr__(self, name):
        LOG.append(("delete", name))
        super().__delattr__(name)


class Mixed(fields.String, Mixin):
    pass


class Before(Mixin, fields.String):
    pass


class Refusing(fields.String):
    @property
    def fixed(self):
        return 1


class Slotted(fields.String):
    __slots__ = ("slot",)


def deleted(field, name):
    delattr(field, name)
    return vars(field).get(name)


DONE = {
    "set": lambda field: setattr(field, "data_key", "k") or field.data_key,
    "new": lambda field: setattr(field, "own", 1) or [*vars(field)],
    "delete": lambda field: deleted(field, "data_key"),
    "delete nothing": lambda field: deleted(field, "nothing"),
    "fixed": lambda field: setattr(field, "fixed", 2),
    "slot": lambda field: setattr(field, "slot", 2) or "slot" in vars(field),
    "class": lambda field: setattr(field, "__class__", fields.Integer) or type(field),
    "wrong class": lambda field: setattr(field, "__class__", int),
    "dictionary": lambda field: setattr(field, "__dict__", {"a": 1}) or vars(field),
    "wrong dictionary": lambda field: setattr(field, "__dict__", 5),
    "wrong name": lambda field: setattr(field, 5, 5),
    "copy": lambda field: [*vars(copy.copy(field))],
    "deep copy": lambda field: [*vars(copy.deepcopy(field))],
    "pickle": lambda field: [*vars(pickle.loads(pickle.dumps(field)))],
}


@pytest.mark.parametrize("done", DONE)
@pytest.mark.parametrize("cls", [fields.String, Mixed, Before, Refusing, Slotted])
def test_attributes_are_set_and_deleted_as_by_stock(cls, done):
    expected = outcome(lambda: DONE[done](cls(data_key="key")), LOG)
    with installed():
        assert outcome(lambda: DONE[done](cls(data_key="key")), LOG) == expected


def test_only_writes_to_fields_of_kept_schemas_are_told():
    schema = Schema.from_dict({"name": fields.String()})()
    with installed():
        for _ in range(USES_UNTIL_KEPT):
            schema.dump({})
        before = writes.watched
        fields.String().data_key = "other"
        assert writes.watched is before
        schema.fields["name"].data_key = "other"
        assert writes.watched is not before
        for _ in range(USES_UNTIL_KEPT):
            schema.dump({})
        before = writes.watched
        del schema.fields["name"].data_key
        assert writes.watched is not before
