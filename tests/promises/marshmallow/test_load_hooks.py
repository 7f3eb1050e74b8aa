"""Hooks and validators of schemas are called as by stock, and may do as they like."""

import copy

import pytest
from marshmallow import (
    EXCLUDE,
    INCLUDE,
    Schema,
    ValidationError,
    fields,
    post_load,
    pre_load,
    validate,
    validates,
    validates_schema,
)

from tests.promises.marshmallow.differential import MARSHMALLOW_3
from tests.promises.marshmallow.load_differential import (
    Comparison,
    assert_sequence_loads_same,
)
from tests.promises.marshmallow.load_schemas import (
    DOG,
    LOG,
    UNKNOWN,
    Dog,
    WithHooks,
    check_rows,
    noted,
)

PEOPLE = [
    {"name": "a", "Age": 1},
    {"name": " b ", "strip": 1},
    {"name": "bad", "Age": "2"},
    {"name": "c", "Age": 13},
    {"name": 5, "Age": 13},
    {"Age": "x"},
    {},
    {"name": "d", "age": 1},
    None,
    5,
]


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_hooks_are_called_as_by_stock(unknown):
    check_rows(WithHooks, PEOPLE[:8], unknown=unknown)
    check_rows(WithHooks, PEOPLE, unknown=unknown, partial=True)


def test_hooks_of_nested_schemas_are_called_as_by_stock():
    class Team(Schema):
        lead = fields.Nested(WithHooks)
        members = fields.Nested(WithHooks, many=True)
        listed = fields.List(fields.Nested(WithHooks, unknown=EXCLUDE))
        by_name = fields.Dict(values=fields.Nested(WithHooks(partial=True)))

        @pre_load
        def before(self, data, **kwargs):
            noted("team pre_load", kwargs)
            return data

        @post_load
        def after(self, data, **kwargs):
            noted("team post_load", data, kwargs)
            return data

    people = PEOPLE[:4]
    rows = [
        {"lead": people[0], "members": people[:2], "listed": people[:2], "by_name": {"a": {}}},
        {"lead": people[2], "members": people, "listed": people, "by_name": {"a": people[3]}},
        {"members": [people[0], {}], "lead": {}},
    ]
    check_rows(Team, rows)
    check_rows(Team, rows, partial=("lead.name", "members.name"))


def hooked(tag, act=None, **options):
    """A schema with one hook that notes how it was called, and then acts."""
    option = {"pass_many" if MARSHMALLOW_3 else "pass_collection": options.pop("whole", False)}

    def hook(self, data, *original, **kwargs):
        noted(tag.__name__, copy.deepcopy((data, original)), kwargs)
        return data if act is None else act(data)

    body = {
        "a": fields.Integer(required=True),
        "b": fields.List(fields.Integer()),
        "hook": tag(**option, **options)(hook),
    }
    return type("Hooked", (Schema,), body)


def raising(error):
    def act(data):
        raise error

    return act


def edit(data):
    if isinstance(data, dict):
        data["a"] = 5
        data.pop("b", None)
    elif isinstance(data, list):
        data.append({"a": 6})
    return data


ACTIONS = {
    "nothing": lambda data: data,
    "None": lambda data: None,
    "list": lambda data: [data, data],
    "edit": edit,
    "list error": raising(ValidationError(["refused", "again"])),
    "dict error": raising(ValidationError({"a": ["refused"], "c": [{"d": 1}], 0: "e"})),
    "field error": raising(ValidationError("refused", field_name="a")),
    "unknown field error": raising(ValidationError("refused", field_name="no such")),
    "valid error": raising(ValidationError("refused", valid_data={"x": 1}, data=5, code=6)),
    "other error": raising(ZeroDivisionError("other")),
}

ROWS = [{"a": "1", "b": [1, "2"]}, {"a": 2}, {"a": "x", "b": [1, "x"]}, {}, {"a": 1, "z": 2}, 5]


WAYS_TO_BE_CALLED = [
    {"whole": whole, "pass_original": original}
    for whole in (False, True)
    for original in (False, True)
]


WAYS = [
    *[(pre_load, {"whole": whole}) for whole in (False, True)],
    *[(post_load, options) for options in WAYS_TO_BE_CALLED],
    *[
        (validates_schema, {**options, "skip_on_field_errors": skip})
        for options in WAYS_TO_BE_CALLED
        for skip in (False, True)
    ],
]


@pytest.mark.parametrize(("tag", "options"), WAYS)
@pytest.mark.parametrize("action", ACTIONS)
def test_a_hook_may_do_as_it_likes(action, tag, options):
    check_rows(hooked(tag, ACTIONS[action], **options), ROWS)


@pytest.mark.parametrize("options", [{}, {"data_key": "A"}, {"attribute": "other"}])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_field_validator_may_do_as_it_likes(action, options):
    class Checked(Schema):
        a = fields.Integer(required=True, **options)
        b = fields.List(fields.Integer())
        c = fields.Raw(load_default=3)

        @validates("a")
        def check_a(self, value, **kwargs):
            noted("a", value, kwargs)
            return ACTIONS[action](value)

        @validates("b")
        def check_b(self, value, **kwargs):
            noted("b", value, kwargs)
            if len(value) < 2:
                raise ValidationError({0: ["too few"]}, valid_data=[5])

        @validates("c")
        def check_c(self, value, **kwargs):
            noted("c", value, kwargs)

    rows = [*ROWS, {"A": 1, "b": []}, {"A": "x", "b": ["x"]}, {"a": 1, "b": [1], "c": 5}]
    check_rows(Checked, rows)
    check_rows(Checked, rows, partial=True, unknown=EXCLUDE)


def test_validates_of_several_and_of_other_fields_is_as_by_stock():
    several = ("a", "b") if not MARSHMALLOW_3 else ("a",)

    class Checked(Schema):
        a = fields.Integer(attribute="x.y")
        b = fields.Integer(data_key="B", attribute="z")
        c = fields.Integer(dump_only=True)
        d = fields.Nested(Dog)

        @validates(*several)
        def check(self, value, **kwargs):
            noted("check", value, kwargs)
            raise ValidationError(["refused", f"{value}"])

        @validates("c")
        def check_c(self, value, **kwargs):
            noted("c", value)

        @validates("d")
        def check_d(self, value, **kwargs):
            noted("d", value)
            value["added"] = True

    class Unknown(Checked):
        @validates("no such field")
        def check_nothing(self, value, **kwargs):
            raise AssertionError("there is nothing to validate")

    rows = [{"a": 1, "B": 2}, {"a": "x", "B": 2, "d": DOG}, {}, {"d": {"name": 1}}, 5]
    check_rows(Checked, rows)
    check_rows(lambda: Checked(only=("b", "d")), rows)
    check_rows(lambda: Checked(exclude=("b",)), rows, unknown=INCLUDE)
    check_rows(Unknown, rows)


def test_several_hooks_of_each_kind_are_called_in_the_order_of_stock():
    class Hooks(WithHooks):
        @pre_load
        def before_that(self, data, **kwargs):
            noted("before that")
            return data

        @post_load(pass_original=True)
        def made(self, data, original, **kwargs):
            noted("made", data, original)
            return data

        @validates("age")
        def another(self, value, **kwargs):
            noted("another", value)
            raise ValidationError({"age": ["x"]})

        @validates_schema(skip_on_field_errors=False, pass_original=True)
        def all_of_it(self, data, original, **kwargs):
            noted("all", data, original)
            if "age" not in data:
                raise ValidationError({"age": "missing", "_schema": ["incomplete"]})

        @validates_schema(skip_on_field_errors=False)
        def some_of_it(self, data, **kwargs):
            noted("some", data)
            raise ValidationError(["never right"], "Age" if len(data) > 1 else "no such")

    check_rows(Hooks, PEOPLE)
    check_rows(lambda: Hooks(exclude=("age",)), PEOPLE)


def test_hooks_on_an_instance_and_changed_on_a_class_are_seen(monkeypatch):
    comparison = Comparison(WithHooks, LOG)

    def check():
        for row in (PEOPLE[0], PEOPLE[2], PEOPLE[3], {}):
            comparison.check(row)
        comparison.check([PEOPLE[0], {}, PEOPLE[3]], many=True)

    check()
    monkeypatch.setattr(WithHooks, "after", lambda self, data, **kwargs: data)
    check()
    for schema in (comparison.stock, comparison.schema):
        schema.check_name = lambda value, **kwargs: noted("of the instance", value)
    check()
    monkeypatch.setattr(WithHooks, "_hooks", Dog._hooks)
    check()


def test_a_hook_may_load_by_its_own_schema():
    class Reentrant(Schema):
        a = fields.Integer()
        b = fields.Raw()

        @post_load
        def again(self, data, **kwargs):
            noted("again", data)
            return self.load(data["b"]) if isinstance(data.get("b"), dict) else data

        @validates("a")
        def check(self, value, **kwargs):
            if value == 0:
                raise ValidationError(str(self.validate({"a": "x"})))

    check_rows(Reentrant, [{"a": 1, "b": {"a": 2, "b": {"a": "x"}}}, {"a": 0}, {"b": {"a": "3"}}])


def test_hooks_may_change_the_schema_while_it_loads():
    class Changing(Schema):
        kind = fields.String()
        value = fields.Integer()
        more = fields.Integer()

        @pre_load
        def choose(self, data, **kwargs):
            self.fields["value"].validators[:] = [validate.Range(max=data.get("limit", 3))]
            self.unknown = EXCLUDE
            if "text" in data:
                self.load_fields = {"value": fields.String()}
            return data

    rows = [{"value": 5, "limit": 9}, {"value": 5}, {"value": 5, "text": 1}, {"value": "5"}]
    assert_sequence_loads_same(Changing, [*rows, *rows])
    assert_sequence_loads_same(lambda: Changing(many=True), [rows, rows])
