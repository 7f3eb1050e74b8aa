"""What subclasses and instances of schemas override is called as by stock."""

import collections

import pytest
from marshmallow import EXCLUDE, INCLUDE, Schema, fields, post_load

from tests.promises.marshmallow.differential import MARSHMALLOW_3
from tests.promises.marshmallow.load_differential import Comparison
from tests.promises.marshmallow.load_schemas import DOG, LOG, Dog, WithHooks, check_rows, noted


def overriding(name, base=Dog, **more):
    """A class with a method that notes how it was called, and calls the one of its base."""

    def method(self, *args, **kwargs):
        noted(name, args, sorted(kwargs), kwargs.get("partial"), kwargs.get("unknown"))
        return getattr(base, name)(self, *args, **kwargs)

    return type(f"Overrides {name}", (base,), {name: method, **more})


class OverridesDeserialize(Dog):
    def _deserialize(self, data, **kwargs):
        noted("_deserialize", data, sorted(kwargs))
        return super()._deserialize(data, **kwargs)


class ReplacesDeserialize(Dog):
    def _deserialize(self, data, *, error_store, many=False, **kwargs):
        error_store.store_error(["replaced"], "name", None)
        return {"many": many}


class OverridesCallAndStore(Dog):
    @staticmethod
    def _call_and_store(getter_func, data, *, field_name, error_store, index=None):
        noted("call", data, field_name, index)
        return Schema._call_and_store(
            getter_func, data, field_name=field_name, error_store=error_store, index=index
        )


class LoggedDict(dict):
    def __setitem__(self, key, value):
        if not isinstance(value, fields.Field):  # of the schema, when it is made
            noted("set", key, value)
        super().__setitem__(key, value)


class OtherDict(Dog):
    dict_class = LoggedDict
    tag = fields.Integer(attribute="a.b")


class Binding(Dog):
    extra = fields.Integer()

    def on_bind_field(self, field_name, field_obj):
        field_obj.required = False
        field_obj.load_default = f"default of {field_name}"
        if field_name == "extra":
            field_obj.data_key = "Extra"


OVERRIDES = [
    *[overriding(name) for name in ("load", "_do_load", "validate")],
    overriding("_invoke_load_processors", after=post_load(lambda self, data, **kwargs: data)),
    overriding("_invoke_schema_validators", WithHooks),
    OverridesDeserialize,
    ReplacesDeserialize,
    OverridesCallAndStore,
    OtherDict,
    Binding,
]


@pytest.mark.parametrize("schema", OVERRIDES)
def test_overrides_of_a_schema_are_called_as_by_stock(schema):
    rows = [{"name": "Rex", "age": 3}, {"name": 1, "Age": 2, "tag": "5"}, {}, {"z": 1}, 5]
    check_rows(schema, rows)
    check_rows(schema, rows, partial=("name",), unknown=INCLUDE)
    nesting = {
        "one": fields.Nested(schema),
        "many": fields.Nested(schema, many=True),
        "list": fields.List(fields.Nested(schema)),
        "pluck": fields.Pluck(schema, "name"),
        "dict": fields.Dict(values=fields.Nested(schema)),
    }
    nested = [{"one": row, "many": [row, row], "list": [row], "dict": {1: row}} for row in rows]
    check_rows(Schema.from_dict(nesting), [*nested, {"pluck": "Rex"}, {"pluck": 5}])


INSTANCE_OVERRIDES = {
    "load": lambda self: lambda data, **kwargs: ("load", data, sorted(kwargs.items())),
    "_deserialize": lambda self: lambda data, **kwargs: ("_deserialize", data, sorted(kwargs)),
    "dict_class": lambda self: collections.OrderedDict,
    "handle_error": lambda self: lambda error, data, **kwargs: noted("handled", kwargs),
    "_call_and_store": lambda self: lambda getter_func, data, **kwargs: noted("call", data),
    "many": lambda self: True,
    "load_fields": lambda self: {"other": fields.Integer()},
    "_hooks": lambda self: WithHooks._hooks,
}
if MARSHMALLOW_3:  # where the class of the result is a property
    del INSTANCE_OVERRIDES["dict_class"]


@pytest.mark.parametrize("attribute", INSTANCE_OVERRIDES)
def test_what_is_set_on_a_schema_after_its_first_use_is_seen(attribute):
    comparison = Comparison(Dog, LOG)
    nesting = Comparison(Schema.from_dict({"dog": fields.Nested(Dog)}), LOG)
    rows = [DOG, {}, {**DOG, "other": "x"}, {"other": 5}, [DOG]]

    def check():
        comparison.compile_again()
        nesting.compile_again()
        for row in rows:
            comparison.check(row)
            comparison.check_text(row)
            nesting.check({"dog": row})
        comparison.check(rows, many=True)
        comparison.check(rows, many=False, unknown=EXCLUDE, partial=True)

    check()
    dogs = [nesting.stock.fields["dog"].schema, nesting.schema.fields["dog"].schema]
    for schema in (comparison.stock, comparison.schema, *dogs):
        setattr(schema, attribute, INSTANCE_OVERRIDES[attribute](schema))
    check()
