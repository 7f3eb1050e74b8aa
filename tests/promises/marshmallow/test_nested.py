"""Accessors that a dump replaces, and schemas that nest themselves."""

import pytest
from marshmallow import Schema, fields

from tests.promises.marshmallow.differential import MARSHMALLOW_3, USES, installed, outcome


class Row:
    """An object that may change a schema while it is dumped."""

    change = None

    @property
    def items(self):
        if self.change is not None:
            self.change()
        return [1]


def test_an_accessor_of_the_moment_is_not_used_later():
    class Other(Row):
        pass

    def dumps():
        schema = Schema.from_dict({"items": fields.List(fields.Integer())})()
        row = Row()
        for _ in range(USES):
            schema.dump([row, row], many=True)
        row.change = lambda: setattr(schema, "get_attribute", lambda *given: "odd")
        outcome(lambda: schema.dump([row, Other()], many=True))
        row.change = None
        del schema.get_attribute
        return [outcome(lambda: schema.dump(Other())) for _ in range(3)]

    expected = dumps()
    with installed():
        assert dumps() == expected


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.filterwarnings("ignore:Passing 'self'")  # marshmallow 3
@pytest.mark.parametrize("by_self", [False, True] if MARSHMALLOW_3 else [False])
def test_a_schema_that_nests_itself_is_made_by_its_own_init_when_stock_makes_it(by_self, many):
    user, calls = ["ann"], []

    def uses(name):
        user[0] = "ann"

        def init(self, **kwargs):
            calls.append(user[0])
            exclude = ("secret",) if user[0] == "bob" else ()
            Schema.__init__(self, **{**kwargs, "exclude": exclude})

        child = fields.Nested("self" if by_self else name, many=many)
        attributes = {"secret": fields.Integer(), "child": child, "__init__": init}
        tree = type(name, (Schema,), attributes)()
        row = {"secret": 1, "child": {"secret": 2}}
        if many:
            row["child"] = [row["child"]]
        found = [tree.dump(row)]
        user[0] = "bob"
        found += [tree.dump([row] * 30, many=True), tree.dump(row)]
        return found, list(calls)

    expected = uses(f"StockTree{by_self}{many}")
    calls.clear()
    with installed():
        assert uses(f"Tree{by_self}{many}") == expected
