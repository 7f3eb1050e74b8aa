"""Changes to what is kept of a schema, its fields' classes and its nested schemas among it."""

import pytest
from marshmallow import Schema, fields

from tests.promises.marshmallow.differential import MARSHMALLOW_3, USES, installed, outcome


class World:
    """Classes that no other test has, and a schema of them."""

    def __init__(self):
        self.integer = type("Own", (fields.Integer,), {})
        self.list = type("OwnList", (fields.List,), {})
        self.nested = type("OwnNested", (fields.Nested,), {})
        self.inner_class = Schema.from_dict({"a": fields.Integer()}, name="Inner")
        attributes = {
            "a": self.integer(),
            "items": self.list(self.integer()),
            "n": self.nested(self.inner_class),
            "pair": fields.Tuple((self.nested(self.inner_class),)),
            "dotted": fields.Raw(attribute="deep.er"),
        }
        self.schema_class = type("Outer", (Schema,), attributes)
        self.schema = self.schema_class()

    @property
    def inner(self):
        return self.schema.fields["n"].schema


class Row:
    """An object that may change a schema while it is dumped."""

    a = 1
    deep = {"er": 2}
    change = None

    @property
    def items(self):
        if self.change is not None:
            self.change()
        return [1]


ROW = {"a": 1, "items": [1], "n": {"a": 1}, "pair": [{"a": 1}], "deep": {"er": 2}}
ROWS = [ROW, {"n": [{"a": 1}]}, {"X": 1}, {}]
WRONG = [{"n": {"a": "x"}}, {"n": {"b": 1}}]


def uses(world):
    """What comes of dumping and of loading rows, none of which fails to be dumped."""
    dumped = [outcome(lambda row=row: world.schema.dump(row)) for row in ROWS]
    return [*dumped, *[outcome(lambda row=row: world.schema.load(row)) for row in [*ROWS, *WRONG]]]


def test_an_accessor_of_the_moment_is_not_used_later():
    class Other(Row):
        pass

    def dumps():
        schema = World().schema
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
