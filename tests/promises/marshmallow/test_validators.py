"""Validators of every kind on fields of every sort, through stock and through fastschema."""

import collections
import enum
import re
from decimal import Decimal
from functools import partial

import pytest
from marshmallow import Schema, ValidationError, fields, validate

from tests.promises.marshmallow.differential import MARSHMALLOW_3
from tests.promises.marshmallow.load_differential import Comparison, assert_loads_same

LOG = []


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Text(str):
    __slots__ = ()

    def __format__(self, specification):
        LOG.append(("format", specification))
        return f"<{str.__str__(self)}>"


class Uncertain:
    """Compares with nothing, has no length and no text."""

    def __eq__(self, other):
        raise LookupError("no equality")

    __hash__ = None

    def __lt__(self, other):
        raise LookupError("no order")

    __gt__ = __le__ = __ge__ = __lt__

    def __len__(self):
        raise LookupError("no length")

    def __repr__(self):
        return "uncertain"


class Sized:
    """Logs what is asked of it.

    :param log: where
    """

    def __init__(self, log=LOG):
        self.log = log

    def __len__(self):
        self.log.append("len")
        return 3

    def __eq__(self, other):
        self.log.append(("eq", other))
        return other == 3

    def __ne__(self, other):
        self.log.append(("ne", other))
        return other != 4

    def __hash__(self):
        self.log.append("hash")
        return hash(3)

    def __lt__(self, other):
        self.log.append(("lt", other))
        return other == 1

    def __gt__(self, other):
        self.log.append(("gt", other))
        return ""

    __le__ = __lt__
    __ge__ = __gt__

    def __iter__(self):
        self.log.append("iter")
        return iter((1, 2, 3))

    def __repr__(self):
        return "sized"

    def __contains__(self, item):
        self.log.append(("contains", item))
        return item in (1, "a")


class Pattern:
    """Stands in for a compiled pattern, as that of another module does."""

    pattern = "own pattern"

    def match(self, value):
        LOG.append(("match", value))
        return 0 if value == "zero" else value if value == "" else None


def numbers():
    yield from (1, 2)


VALUES = [
    *("", "a", "ab", "abc", "abcd", "A", "abc\n", "12", "zero", "\ud800", "{input}", Text("ab")),
    *(b"ab", 0, 1, 2, 3, 5, True, False, 2**70, 10**4400, 1.0, 2.5, float("nan"), float("inf")),
    *(Decimal("1"), Decimal("sNaN"), None, [], [1], [1, 2], ["a", "b"], [1, "a", None], (1, 2)),
    *({"a"}, {}, {"a": 1}, Colour.RED, Uncertain(), Sized(), "a@example.com", "a@EXAMPLE.com"),
    *("a@localhost", "a@b", '"quoted"@b.com', "a@[127.0.0.1]", "é@exämple.com"),
    *("a@" + "b" * 64 + ".com", "a@b.com\n", "http://example.com", "https://example.com:80/a?b#c"),
    *("HTTPS://EXAMPLE.COM", "http://localhost", "http://[::1]", "http://host"),
    *("http://exämple.com/", "file:///a", "FILE:///a", "file://host/a", "custom://example.com"),
    *("example.com", "/relative", "http://example.com/ b", "a\nhttp://example.com"),
]

TEMPLATES = [
    "{input}",
    "{input!r:>10} {min} {max} {equal} {other} {regex} {method} {choices} {labels} {values}",
    "{",
    "{}",
    "{input.nothing}",
    "plain",
    "",
    "é \u2028",
]

VALIDATORS = {
    "Length min": partial(validate.Length, min=2),
    "Length max": partial(validate.Length, max=2),
    "Length both": partial(validate.Length, 1, 3),
    "Length of nothing": validate.Length,
    "Length equal": partial(validate.Length, equal=2),
    "Length equal 0": partial(validate.Length, equal=0),
    "Length of text": partial(validate.Length, "1"),
    "Range min": partial(validate.Range, min=1),
    "Range max": partial(validate.Range, max=2),
    "Range both": partial(validate.Range, 1, 2),
    "Range min exclusive": partial(validate.Range, 1, min_inclusive=False),
    "Range max exclusive": partial(validate.Range, max=2, max_inclusive=False),
    "Range half exclusive": partial(validate.Range, 1, 2.5, max_inclusive=0),
    "Range of 0": partial(validate.Range, 0, 0),
    "Range of floats": partial(validate.Range, 0.5, float("inf")),
    "Range of NaN": partial(validate.Range, float("nan")),
    "Range of Decimals": partial(validate.Range, Decimal("0.5"), Decimal("2.5")),
    "Range of text": partial(validate.Range, "a", "b"),
    "Equal text": partial(validate.Equal, "a"),
    "Equal number": partial(validate.Equal, 1),
    "Equal None": partial(validate.Equal, None),
    "Equal NaN": partial(validate.Equal, float("nan")),
    "Equal with calls": partial(validate.Equal, Sized([])),
    "Equal with error": partial(validate.Equal, Uncertain()),
    "Regexp": partial(validate.Regexp, "[a-c]+"),
    "Regexp with flags": partial(validate.Regexp, "^a$", re.IGNORECASE),
    "Regexp of bytes": partial(validate.Regexp, b"ab"),
    "Regexp compiled": partial(validate.Regexp, re.compile("(?s)^.b")),
    "Regexp of another kind": partial(validate.Regexp, Pattern()),
    "Predicate": partial(validate.Predicate, "isalpha"),
    "Predicate with arguments": partial(validate.Predicate, "encode", encoding="ascii"),
    "NoneOf list": partial(validate.NoneOf, [1, "a", None]),
    "NoneOf dict": partial(validate.NoneOf, {"a": 1}),
    "NoneOf with calls": partial(validate.NoneOf, Sized()),
    "NoneOf with error": partial(validate.NoneOf, [Uncertain()]),
    "OneOf list": partial(validate.OneOf, [1, "a", None, 2.5]),
    "OneOf labels": partial(validate.OneOf, ["a", "ab"], ["first", "second"]),
    "OneOf set": partial(validate.OneOf, {1}),
    "OneOf text": partial(validate.OneOf, "abc"),
    "OneOf range": partial(validate.OneOf, range(3)),
    "OneOf nothing": partial(validate.OneOf, []),
    "OneOf lists": partial(validate.OneOf, [[1], ["a", "b"]]),
    "OneOf enum": partial(validate.OneOf, Colour),
    "OneOf with calls": partial(validate.OneOf, Sized()),
    "OneOf among calls": partial(validate.OneOf, [Sized([]), "ab"]),
    "OneOf with error": partial(validate.OneOf, [Uncertain(), 1]),
    "ContainsOnly": partial(validate.ContainsOnly, [1, "a", "b", "c"]),
    "ContainsOnly set": partial(validate.ContainsOnly, {1, 2}),
    "ContainsOnly labels": partial(validate.ContainsOnly, [1], ["one"]),
    "ContainsOnly numbers": lambda **error: validate.ContainsOnly(numbers(), **error),
    "ContainsNoneOf": partial(validate.ContainsNoneOf, [1, "a"]),
    "ContainsNoneOf set": partial(validate.ContainsNoneOf, {1, "b"}),
    "Email": validate.Email,
    "URL": validate.URL,
    "URL relative": partial(validate.URL, relative=True),
    "URL of schemes": partial(validate.URL, schemes={"custom", "file"}),
}


def schema_of(make_field, *validators, **options):
    """A schema class with one field, and another after it."""
    return Schema.from_dict(
        {"value": make_field(validate=list(validators), **options), "after": fields.Integer()}
    )


def check_values(schema, values):
    comparison = Comparison(schema, LOG)
    for value in values:
        comparison.check_plan(lambda value=value: {"value": value, "after": "x"})


@pytest.mark.parametrize("name", VALIDATORS)
def test_a_validator_of_any_value_is_as_by_stock(name):
    check_values(schema_of(fields.Raw, VALIDATORS[name]()), VALUES)


@pytest.mark.parametrize("template", TEMPLATES)
def test_messages_with_any_template_are_as_by_stock(template):
    for make in VALIDATORS.values():
        schema = schema_of(fields.Raw, make(error=template))
        check_values(schema, ["a", "zzz", Text("x"), 7, [1], [], "http://a.bc", "a@b.cd"])


FIELDS = {
    "String": (fields.String, ["", "a", "ab", b"ab", 1, None, "http://a.bc", "a@b.cd", Text("ab")]),
    "Integer": (fields.Integer, [0, "1", 2.5, True, None, 2**70, 3, "a"]),
    "Decimal": (partial(fields.Decimal, allow_nan=True), ["1", 2.5, "sNaN", "Infinity", None]),
    "Boolean": (fields.Boolean, [True, "no", 1, None, "x"]),
    "Enum": (partial(fields.Enum, Colour), ["RED", "GREEN", "BLUE", Colour.RED]),
    "List": (partial(fields.List, fields.Raw()), [[], [1], ["a", "b"], [[1]], "ab", None, ("a",)]),
    "List of Integer": (partial(fields.List, fields.Integer()), [["1"], [1, 2], ["x"], [1, 2, 3]]),
    "Nested": (partial(fields.Nested, {"a": fields.Integer()}), [{}, {"a": 1}, {"a": "x"}, 5]),
    "Email": (fields.Email, ["a@b.cd", "ab", "", None, 1]),
    "Url": (fields.Url, ["http://a.bc", "ab", "", None, 1]),
}


@pytest.mark.parametrize("name", FIELDS)
def test_any_validator_on_any_field_is_as_by_stock(name):
    make, values = FIELDS[name]
    for make_validator in VALIDATORS.values():
        check_values(schema_of(make, make_validator()), [*values, "zz"])
        if None in values:
            check_values(schema_of(make, make_validator(), allow_none=True), [None])


@pytest.mark.parametrize("name", VALIDATORS)
def test_a_validator_of_what_is_inside_is_as_by_stock(name):
    def make_inner():
        return fields.Raw(validate=VALIDATORS[name](), allow_none=True)

    values = ["a", "zz", 1, 7, None, [1], [9]]
    check_values(schema_of(partial(fields.List, make_inner())), [values, [["a"]], ["zz"]])
    check_values(schema_of(partial(fields.Tuple, [make_inner(), make_inner()])), [("a", "zz")])
    keyed = [{"a": "zz", "zz": "a"}, {"a": 1, 7: 2}, {"zz": [9]}]
    check_values(schema_of(partial(fields.Dict, make_inner(), make_inner())), keyed)


# Subclasses and changed instances


class ShortMessages(validate.Length):
    message_min = "short {min}"
    message_max = "long {input}"
    message_all = "{min} to {max}"
    message_equal = "not {equal}"


class OtherRange(validate.Range):
    message_min = "{min_op} than {{min}}!"
    message_gte = "no less"


class OtherFormat(validate.Regexp):
    def _format_error(self, value):
        LOG.append(("format error", value))
        return {"pattern": self.regex.pattern, "value": value}


class OtherCall(validate.Length):
    def __call__(self, value):
        LOG.append(("call", value))
        if value == "let me pass":
            return value
        return super().__call__(value)


class OtherEmail(validate.Email):
    DOMAIN_WHITELIST = ("b",)
    USER_REGEX = re.compile("a")


class Own(validate.Validator):
    def __call__(self, value):
        LOG.append(("own", value))
        if value != "a":
            raise ValidationError("own", field_name="other", code=1)
        return False


SUBCLASSES = {
    "messages of Length": lambda: ShortMessages(2, 3),
    "messages of Range": lambda: OtherRange(2),
    "format of Regexp": lambda: OtherFormat("a"),
    "call of Length": lambda: OtherCall(2, 3),
    "Email": OtherEmail,
    "own": Own,
    "nothing overridden": lambda: type("Same", (validate.Length,), {})(2),
}


@pytest.mark.parametrize("name", SUBCLASSES)
def test_subclasses_of_validators_are_as_by_stock(name):
    check_values(schema_of(fields.Raw, SUBCLASSES[name]()), VALUES)
    check_values(
        schema_of(fields.String, validate.Length(2), SUBCLASSES[name](), validate.Length(max=0)),
        ["", "a", "ab", "abcd", "let me pass", "a@b"],
    )


CHANGES = {
    "error": (lambda: validate.Length(2), {"error": "changed {input}"}),
    "message": (lambda: validate.Length(2), {"message_min": "changed"}),
    "choices": (lambda: validate.OneOf(["a"]), {"choices": ["b"]}),
    "iterable": (lambda: validate.NoneOf(["a"]), {"iterable": {"b"}, "values_text": "x"}),
    "comparable": (lambda: validate.Equal("a"), {"comparable": "b"}),
    "method": (lambda: validate.Predicate("isalpha"), {"method": "isdigit"}),
    "schemes": (validate.URL, {"schemes": {"custom"}}),
    "whitelist": (validate.Email, {"DOMAIN_WHITELIST": ("b",)}),
    "format": (lambda: validate.Length(2), {"_format_error": lambda value, message: "formatted"}),
    "inner validators": (lambda: validate.And(validate.Length(2)), {"validators": (Own(),)}),
}

CHANGED_VALUES = ["", "a", "b", "bc", "abc", "abcd", "12", "a@b", "http://a", "custom://a.bc", "/a"]


@pytest.mark.parametrize("change", CHANGES)
def test_what_a_validator_says_after_a_change_is_as_by_stock(change):
    make, attributes = CHANGES[change]
    validators = [make(), make()]
    remaining = iter(validators)
    comparison = Comparison(lambda: schema_of(fields.String, next(remaining))(), LOG)
    for value in CHANGED_VALUES:
        comparison.check({"value": value})
    for validator in validators:
        for name, value in attributes.items():
            setattr(validator, name, value)
    comparison.compile_again()
    for value in CHANGED_VALUES:
        comparison.check({"value": value})


@pytest.mark.parametrize(
    "choices", [["a"], {"a"}, {"a": 1}, collections.UserList("a"), collections.deque("a")]
)
@pytest.mark.parametrize(
    "make", [validate.OneOf, validate.NoneOf, validate.ContainsOnly, validate.ContainsNoneOf]
)
def test_choices_edited_in_place_after_the_first_use_are_seen(make, choices):
    comparison = Comparison(schema_of(fields.Raw, make(choices)), LOG)
    values = ["a", "b", ["a"], ["b"], [], [["b"]]]

    def check():
        for value in values:
            comparison.check({"value": value})

    check()
    if isinstance(choices, set):
        choices.add("b")
    elif isinstance(choices, dict):
        choices["b"] = 1
    else:
        choices.append("b")
    check()
    choices.clear()
    check()
    if isinstance(choices, list):
        choices.append(["b"])
        check()


EDITS = {
    "append": lambda validators: validators.append(validate.Equal("b")),
    "clear": lambda validators: validators.clear(),
    "replace": lambda validators: validators.__setitem__(0, validate.Length(3)),
    "slice": lambda validators: validators.__setitem__(slice(None), [Own()]),
}


@pytest.mark.parametrize("edit", EDITS)
def test_validators_of_a_field_edited_after_its_first_use_are_seen(edit):
    comparison = Comparison(
        schema_of(fields.String, validate.Length(2), validate.Regexp("^a")), LOG
    )
    for value in CHANGED_VALUES:
        comparison.check({"value": value})
    shared = comparison.stock.fields["value"].validators  # stock copies fields, but not these
    assert comparison.schema.fields["value"].validators is shared
    EDITS[edit](shared)
    comparison.compile_again()
    for value in CHANGED_VALUES:
        comparison.check({"value": value})
    for schema in (comparison.stock, comparison.schema):
        schema.fields["value"].validators = (validate.Length(max=1), Own())
    comparison.compile_again()
    for value in CHANGED_VALUES:
        comparison.check({"value": value})


def test_a_validator_class_changed_after_its_first_use_is_seen(monkeypatch):
    comparison = Comparison(
        schema_of(fields.String, validate.Length(2), validate.Email(), validate.Range("b")), LOG
    )

    def check():
        comparison.compile_again()
        for value in CHANGED_VALUES:
            comparison.check({"value": value})

    check()
    monkeypatch.setattr(validate.Length, "message_min", "changed {min}")
    check()
    monkeypatch.setattr(validate.Length, "_format_error", lambda self, value, message: ["other"])
    check()
    monkeypatch.setattr(validate.Length, "__call__", lambda self, value: LOG.append(value))
    check()
    monkeypatch.setattr(validate.Email, "DOMAIN_REGEX", re.compile("b"))
    check()
    monkeypatch.setattr(validate.Range, "__call__", Own.__call__)
    check()


# Validators of a user's own


def passing(value):
    LOG.append(("passing", value))


def false(value):
    LOG.append(("false", value))
    return False


def refusing(name, *arguments, error=ValidationError, **options):
    """A validator that notes that it was called, and raises an error."""

    def validator(value):
        LOG.append((name, value))
        raise error(*arguments, **options)

    return validator


with_text = refusing("text", "text")
with_list = refusing("list", ["a", {"b": ["c"]}, "d"])
with_dict = refusing("dict", {"a": ["b"], 0: "c", "_schema": ["d"]})
with_arguments = refusing("arguments", "arguments", code=5, data={"a": 1}, valid_data={"b": 2})


class Callable:
    def __call__(self, value):
        LOG.append(("callable", value))
        raise ValidationError("callable")

    def method(self, value):
        LOG.append(("method", value))
        raise ValidationError("method")


class SpecialError(ValidationError):
    def normalized_messages(self):
        return {"special": ["normalized"]}


OWN = {
    "passing": passing,
    "false": false,
    "text": with_text,
    "list": with_list,
    "empty list": refusing("empty", []),
    "dict": with_dict,
    "field_name": refusing("name", "elsewhere", field_name="other"),
    "arguments": with_arguments,
    "other arguments": refusing("others", "arguments", code=6, more=[1]),
    "another error": refusing("error", "another error", error=ZeroDivisionError),
    "callable": Callable(),
    "builtin": bool,
    "subclass": refusing("subclass", "subclass", error=SpecialError),
    "And": validate.And(validate.Length(2), with_dict, with_list),
    "And of And": validate.And(validate.And(passing, with_text), with_arguments, false),
    "And of none": validate.And(),
}
if MARSHMALLOW_3:
    OWN["And with an error"] = validate.And(false, validate.Length(2), error="wrong {input}")

OWN_VALUES = ["a", "ab", 1, ["a"], {"a": 1}, None]


def check_own(schema):
    comparison = Comparison(schema, LOG)
    for value in OWN_VALUES:
        comparison.check({"value": value, "after": "x"})
    comparison.check([{"value": value} for value in OWN_VALUES], many=True)


@pytest.mark.parametrize("name", OWN)
def test_a_validator_of_a_users_own_is_as_by_stock(name):
    check_own(schema_of(fields.Raw, OWN[name]))
    check_own(schema_of(fields.String, OWN[name], allow_none=True))
    check_own(Schema.from_dict({"value": fields.Integer(validate=OWN[name])}))


@pytest.mark.parametrize("second", OWN)
def test_several_validators_are_called_and_their_errors_merged_as_by_stock(second):
    for first in ("text", "dict", "arguments"):
        check_own(schema_of(fields.Raw, OWN[first], OWN[second], with_list))
    check_own(schema_of(fields.Raw, validate.Equal("a"), OWN["text"], OWN[second]))


@pytest.mark.parametrize("name", OWN)
def test_validators_inside_and_outside_are_as_by_stock(name):
    inner = partial(fields.Raw, validate=OWN[name])
    both = [OWN[name], validate.Length(2)]
    nested = {"a": inner(), "b": fields.Integer()}
    kinds = {
        "list": (fields.List(inner(), validate=both), [["a", 1], [], ["a"], [["a"]], "a"]),
        "dict": (fields.Dict(inner(), inner(), validate=both), [{"a": 1}, {}, {1: ["a"], "b": {}}]),
        "tuple": (fields.Tuple([inner(), inner()], validate=both), [("a", "b"), [1]]),
        "nested": (fields.Nested(nested, validate=both), [{"a": 1}, {"a": "a", "b": "x"}, {}]),
        "many": (fields.Nested(nested, many=True, validate=both), [[{"a": 1}, {"b": 2}, 5], []]),
    }
    for field, values in kinds.values():
        comparison = Comparison(Schema.from_dict({"value": field, "after": fields.Raw()}), LOG)
        for value in values:
            comparison.check({"value": value, "after": 1})


def test_validators_are_not_called_where_the_value_is_missing_none_or_wrong():
    schema = Schema.from_dict(
        {
            "a": fields.Integer(validate=with_text),
            "b": fields.Integer(validate=with_text, allow_none=True),
            "c": fields.Integer(validate=with_text, load_default="default"),
            "d": fields.Integer(validate=with_text, load_default=None),
        }
    )
    rows = [{}, dict.fromkeys("abcd"), dict.fromkeys("abcd", "x"), dict.fromkeys("abcd", 1)]
    assert_loads_same(schema, *rows, calls=LOG)
    assert_loads_same(schema, rows, calls=LOG, many=True)


def test_all_fields_are_validated_in_order_even_if_some_fail():
    def noting(name):
        def note(value):
            LOG.append((name, value))
            if value in (2, "2"):
                raise ValidationError(f"{name} of {value}")

        return note

    schema = Schema.from_dict(
        {
            "a": fields.Integer(validate=noting("a")),
            "b": fields.String(validate=[noting("b1"), validate.Length(1), noting("b2")]),
            "c": fields.List(fields.Integer(validate=noting("each")), validate=noting("all")),
            "d": fields.Raw(validate=noting("d"), required=True),
        }
    )
    rows = [
        {"a": 1, "b": "1", "c": [1, 2, "x"], "d": 2},
        {"a": 2, "b": "", "c": [1, 3], "d": 1},
        {"d": 1, "c": [2], "b": "2", "a": "x"},
        5,
        {"a": 2},
    ]
    assert_loads_same(schema, *rows, calls=LOG)
    assert_loads_same(schema, rows, rows * 3, calls=LOG, many=True)


def logging(name, result):
    def method(self, *others):
        LOG.append(name)
        return result if result is not None else self is others[0]

    return method


class Mode(enum.Enum):
    """Its members tell of being looked at."""

    FAST = 1
    __len__, __lt__, __gt__ = logging("len", 3), logging("lt", False), logging("gt", False)
    __eq__ = logging("eq", None)

    def __hash__(self):
        return 1


@pytest.mark.parametrize(
    "make_validator",
    [
        lambda: validate.Length(5),
        lambda: validate.Range(1, 2),
        lambda: validate.OneOf([1, 2]),
        lambda: validate.Equal(1),
    ],
)
def test_a_member_of_an_enum_is_looked_at_as_often_as_by_stock(make_validator):
    schema = Schema.from_dict(
        {
            "a": fields.Enum(Mode, validate=make_validator()),
            "b": fields.List(fields.Enum(Mode, validate=make_validator())),
        }
    )
    assert_loads_same(schema, {"a": "FAST"}, {"b": ["FAST", "FAST"]}, calls=LOG)
