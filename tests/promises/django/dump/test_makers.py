"""Makers for fields of DRF do what the methods of those fields do, both ways."""

import copy
import datetime
import decimal
import pickle

import pytest
from django.core.exceptions import ValidationError as DjangoValidationError
from rest_framework import serializers

import fastschema
from tests.instruments.core import registration
from tests.promises.django.differential import (
    assert_as_in_stock,
    assert_equal,
    assert_returns_as_in_stock,
    assert_same,
    outcome,
)

pytestmark = pytest.mark.usefixtures("nothing_stays_registered")
calls = []
made = []


class Thing:
    def __init__(self, **attributes):
        vars(self).update(attributes)


class Pairs(serializers.Field):
    """A list of pairs, of which each half has a field of its own."""

    def __init__(self, first, second, **options):
        super().__init__(**options)
        self.halves = (first, second)
        for half in self.halves:
            half.bind(field_name="", parent=self)

    def to_representation(self, value):
        if value == "own":
            calls.append(("own to_representation", value))
            return "written by its own method"
        first, second = self.halves
        return [[first.to_representation(a), second.to_representation(b)] for a, b in value]

    def to_internal_value(self, data):
        if not isinstance(data, list):
            calls.append(("own to_internal_value", data))
            raise serializers.ValidationError("Not pairs.")
        first, second = self.halves
        return [(first.run_validation(a), second.run_validation(b)) for a, b in data]


def register_pairs():
    made.clear()

    @fastschema.register(Pairs.to_representation)
    def represent_pairs(field, compiled):
        made.append(field)
        first, second = map(compiled, field.halves)

        def represent(value):
            if value == "own":
                raise fastschema.Refused
            return [[first(a), second(b)] for a, b in value]

        return represent

    @fastschema.register(Pairs.to_internal_value)
    def convert_pairs(field, compiled):
        made.append(field)
        first, second = map(compiled, field.halves)

        def convert(data):
            if not isinstance(data, list):
                raise fastschema.Refused
            return [(first(a), second(b)) for a, b in data]

        return convert


class Track(serializers.Serializer):
    title = serializers.CharField(max_length=5)


def no_five(value):
    if len(value) == 5:
        raise DjangoValidationError("no five")


SECONDS = {
    "text": (serializers.CharField, ["a", 5, None, ""]),
    "integer": (lambda: serializers.IntegerField(max_value=5), [5, "6", 6, "x", True, None]),
    "decimal": (
        lambda: serializers.DecimalField(max_digits=4, decimal_places=2),
        [decimal.Decimal("1.5"), "1.50", "x", 12345],
    ),
    "date": (serializers.DateField, [datetime.date(2024, 1, 2), "2024-01-02", "x", None]),
    "key": (lambda: serializers.PrimaryKeyRelatedField(read_only=True), [Thing(pk=1), 5]),
    "list": (lambda: serializers.ListField(child=serializers.IntegerField()), [[1, "2"], ["x"]]),
    "nested": (Track, [{"title": "a"}, {"title": "too long"}, {}, 5]),
    "nested, many": (lambda: Track(many=True), [[{"title": "a"}], [{}], 5]),
    "pairs": (
        lambda: Pairs(serializers.CharField(), serializers.IntegerField()),
        [[["a", 1]], [["a", "x"]], "own"],
    ),
}


def serializer_of(name, **options):
    make, _ = SECONDS[name]
    pairs = Pairs(serializers.CharField(), make(), **options)
    content = {"pairs": pairs, "name": serializers.CharField(required=False)}
    return type("PairsSerializer", (serializers.Serializer,), content)


def validated(cls, data, **options):
    def run():
        serializer = cls(data=copy.deepcopy(data), **options)
        return serializer.is_valid(), serializer.errors, serializer.validated_data

    return run


def assert_validates_same(cls, data, **options):
    calls.clear()
    with fastschema.disabled():
        expected = outcome(validated(cls, data, **options), calls)
    for _ in range(2):
        calls.clear()
        assert_equal(outcome(validated(cls, data, **options), calls), expected)


@pytest.mark.parametrize("name", SECONDS)
def test_made_pairs_are_represented_as_by_stock(name):
    register_pairs()
    cls = serializer_of(name)
    assert fastschema.compile(cls).explain().fields[0].compiled
    for value in SECONDS[name][1]:
        assert_same(cls, Thing(pairs=[("a", value), ("b", value)], name="x"))
        assert_same(cls, {"pairs": [("a", value)], "name": "x"})
    for pairs in (None, "own", 5, lambda: [("a", SECONDS[name][1][0])]):
        assert_same(cls, Thing(pairs=pairs, name="x"))


@pytest.mark.parametrize("name", SECONDS)
def test_made_pairs_are_validated_as_by_stock(name):
    register_pairs()
    cls = serializer_of(name, validators=[no_five], allow_null=True)
    for value in SECONDS[name][1]:
        pairs = [["a", value], ["b", value]]
        assert_validates_same(cls, {"pairs": pairs})
        assert_validates_same(cls, [{"pairs": pairs}, {"pairs": 5}, {}, {"pairs": []}], many=True)
    for pairs in (None, "own", "", " ", 5, [["a", SECONDS[name][1][0]]] * 5):
        assert_validates_same(cls, {"pairs": pairs})
        assert_validates_same(cls, [{"pairs": pairs}] * 2, many=True, partial=True)
    assert_validates_same(cls, [{}] * 2, many=True)


class Code(serializers.CharField):
    """A text that stock looks at before this does."""

    def to_internal_value(self, data):
        calls.append(("code", data))
        return super().to_internal_value(data).upper()


@pytest.mark.parametrize("allow_blank", [True, False])
def test_texts_are_stripped_and_looked_at_before_a_maker_converts_them(allow_blank):
    class CodeSerializer(serializers.Serializer):
        code = Code(allow_blank=allow_blank, max_length=5)
        codes = serializers.ListField(child=Code(), required=False)

    @fastschema.register(Code.to_internal_value)
    def convert_code(field, compiled):
        def convert(data):
            if type(data) is not str:
                raise fastschema.Refused
            calls.append(("code", data))
            return data.strip().upper()

        return convert

    for code in ("a", " a ", "", "  ", 5, True, None, [], "too long"):
        rows = [{"code": code, "codes": [code, "b"]}] * 2
        assert_validates_same(CodeSerializer, rows, many=True)


class Amount(serializers.Field):
    def to_representation(self, value):
        return value / 100

    def to_internal_value(self, data):
        return data * 100


class Invoice(serializers.Serializer):
    amount = Amount()
    amounts = serializers.ListField(child=Amount(), required=False)


@pytest.mark.parametrize(
    "copied", [lambda value: pickle.loads(pickle.dumps(value)), copy.copy, copy.deepcopy]
)
def test_a_serializer_that_has_used_a_maker_can_be_copied(copied):
    fastschema.register(Amount.to_representation)(lambda field, compiled: lambda value: value / 100)
    fastschema.register(Amount.to_internal_value)(lambda field, compiled: lambda data: data * 100)
    row = {"amount": 500, "amounts": [100, 200]}

    def use():
        dumped, loaded = Invoice(row), Invoice(data=row)
        answers = [dumped.data, loaded.is_valid()]
        dumped, loaded = copied(dumped), copied(loaded)
        answers += [dumped.to_representation(row), loaded.run_validation(row)]
        return [*answers, copied(dumped.fields["amount"]).to_representation(500)]

    assert_as_in_stock(use, calls)


@pytest.mark.at_once
def test_a_maker_is_called_once_for_a_field_and_for_each_serializer_object():
    register_pairs()
    cls = serializer_of("text")
    rows = [Thing(pairs=[("a", "b")], name="x")] * 30
    for number in (1, 2):
        serializer = cls(rows, many=True)
        assert len(serializer.data) == 30
        assert len(made) == number
    made.clear()
    serializer = cls(data=[{"pairs": [["a", "b"]]}] * 30, many=True)

    assert serializer.is_valid()
    assert len(made) == 1


def test_a_change_inside_of_a_field_is_seen_by_what_is_made_for_it():
    register_pairs()
    row, data = Thing(pairs=[("a", 1)], name="x"), [{"pairs": [["a", 1]]}]

    def use():
        cls = serializer_of("integer")
        dumping, loading = cls(), cls(data=data, many=True)
        answers = []
        for second in (serializers.IntegerField, serializers.CharField) * 3:
            for fields in (dumping.fields, loading.child.fields):
                fields["pairs"].halves = (serializers.CharField(), second())
            answers += [dumping.to_representation(row) for _ in range(2)]
            answers.append(loading.run_validation(data))
        return answers

    assert_returns_as_in_stock(use)


def test_a_change_of_a_child_is_seen_by_what_is_made_for_it():
    class Prefixed(serializers.Field):
        prefix = ""

        def to_representation(self, value):
            return self.prefix + value

    def maker(field, compiled):
        prefix = field.prefix
        return lambda value: prefix + value

    fastschema.register(Prefixed.to_representation)(maker)
    cls = type(
        "Listing", (serializers.Serializer,), {"all": serializers.ListField(child=Prefixed())}
    )

    def use():
        serializer = cls()
        answers = []
        for prefix in "abc":
            serializer.fields["all"].child.prefix = prefix
            answers += [serializer.to_representation({"all": ["x"]}) for _ in range(3)]
        return answers

    assert_returns_as_in_stock(use)


def test_what_is_made_sees_the_context_of_its_own_request():
    class Greeting(serializers.Field):
        def to_representation(self, value):
            return f"{self.context['greeting']} {value}"

        def to_internal_value(self, data):
            return f"{self.context['greeting']} {data}"

    def maker(field, compiled):
        greeting = field.context["greeting"]
        return lambda value: f"{greeting} {value}"

    fastschema.register(Greeting.to_representation)(maker)
    fastschema.register(Greeting.to_internal_value)(maker)
    cls = type("Greeted", (serializers.Serializer,), {"name": Greeting()})
    for greeting in ("hello", "bye", "hello"):
        context = {"greeting": greeting}
        expected = {"name": f"{greeting} Ann"}
        for _ in range(3):
            assert cls(Thing(name="Ann"), context=context).data == expected
            assert cls([Thing(name="Ann")] * 3, many=True, context=context).data == [expected] * 3
            serializer = cls(data={"name": "Ann"}, context=context)
            assert serializer.is_valid()
            assert serializer.validated_data == expected


def test_subclasses_that_do_not_override_are_made_too():
    register_pairs()

    class More(Pairs):
        pass

    class Other(Pairs):
        def to_representation(self, value):
            return "other"

    halves = serializers.CharField, serializers.IntegerField
    content = {"more": More(*[half() for half in halves]), "other": Other(*[x() for x in halves])}
    cls = type("Both", (serializers.Serializer,), content)
    more, other = fastschema.compile(cls).explain().fields

    assert (more.compiled, other.compiled) == (True, False)
    assert_same(cls, Thing(more=[("a", 1)], other=1))


@pytest.mark.at_once
def test_what_is_registered_after_the_first_use_is_used():
    cls = serializer_of("text")
    rows, data = [Thing(pairs=[("a", "b")], name="x")] * 30, [{"pairs": [["a", "b"]]}] * 2
    for _ in range(3):
        assert cls(rows, many=True).data[0]["pairs"] == [["a", "b"]]
        assert validated(cls, data, many=True)()[2][0] == {"pairs": [("a", "b")]}
    fastschema.register(Pairs.to_representation, function=lambda value: "registered")
    fastschema.register(Pairs.to_internal_value, function=lambda value: "registered")

    assert cls(rows, many=True).data[0]["pairs"] == "registered"
    assert validated(cls, data, many=True)()[2][0] == {"pairs": "registered"}


@pytest.mark.parametrize("method", [Pairs.to_representation, Pairs.to_internal_value])
def test_a_maker_that_refuses_leaves_its_field_to_the_method(method):
    @fastschema.register(method)
    def maker(field, compiled):
        raise fastschema.Refused

    cls = serializer_of("integer")
    assert_same(cls, Thing(pairs=[("a", 1)], name="x"))
    assert_validates_same(cls, [{"pairs": [["a", "x"]]}] * 2, many=True)


@pytest.mark.at_once
@pytest.mark.parametrize("inner", [5, None, serializers.CharField])
def test_what_is_no_field_is_not_compiled(inner):
    for method in (Pairs.to_representation, Pairs.to_internal_value):
        fastschema.register(method)(lambda field, compiled: compiled(inner))
    cls = serializer_of("text")

    with pytest.raises(TypeError, match="takes a field or a serializer, not"):
        fastschema.compile(cls).dump(Thing(pairs=[("a", "b")], name="x"))
    with pytest.raises(TypeError, match="takes a field or a serializer, not"):
        validated(cls, [{"pairs": []}] * 2, many=True)()


@pytest.mark.parametrize(
    "method", [serializers.CharField.to_representation, serializers.CharField.to_internal_value]
)
def test_a_method_of_drf_itself_cannot_be_registered(method):
    with pytest.raises(ValueError, match="is a method of rest_framework"):
        fastschema.register(method)


def test_an_expression_cannot_stand_for_to_internal_value():
    with pytest.raises(TypeError, match="takes a function or a maker"):
        fastschema.register(Pairs.to_internal_value, expression="{value}")


def test_reports_name_what_is_registered():
    register_pairs()
    plan = fastschema.compile(serializer_of("text"))

    assert plan.explain().fields[0].kind == "registered for Pairs.to_representation"


@pytest.mark.usefixtures("users_thresholds")
def test_a_maker_that_does_something_else_is_found():
    cls = serializer_of("text")
    rows, data = [Thing(pairs=[("a", "b")], name="x")], [{"pairs": [["a", "b"]]}]
    register_pairs()
    fastschema.assert_same(cls, rows)
    fastschema.assert_loads_same(cls, data)
    for method in (Pairs.to_representation, Pairs.to_internal_value):
        registration.registered.pop(method)
        fastschema.register(method, function=lambda value: "other")

    with pytest.raises(AssertionError, match="'other'"):
        fastschema.assert_same(cls, rows)
    with pytest.raises(AssertionError, match="'other'"):
        fastschema.assert_loads_same(cls, data)
