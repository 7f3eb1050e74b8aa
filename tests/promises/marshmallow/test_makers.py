"""Makers: what users register composes with generated code, and does what their methods do."""

import pytest
from marshmallow import Schema, ValidationError, fields, post_dump, post_load, pre_dump, pre_load
from marshmallow import validate as checks

import fastschema
from tests.promises.marshmallow import load_differential
from tests.promises.marshmallow.differential import assert_same, installed, is_compiled

calls = []


pytestmark = pytest.mark.usefixtures("nothing_stays_registered")


class TrackSchema(Schema):
    title = fields.String(required=True)
    seconds = fields.Integer()


class Hooked(TrackSchema):
    @pre_dump
    def before(self, obj, **kwargs):
        calls.append(("pre_dump", obj, kwargs))
        return obj

    @post_dump(pass_original=True)
    def after(self, data, original, **kwargs):
        calls.append(("post_dump", dict(data), original, kwargs))
        return {**data, "dumped": True}

    @pre_load
    def before_load(self, data, **kwargs):
        calls.append(("pre_load", data, kwargs))
        if data.get("title") == "before":
            raise ValidationError("refused before", "title")
        return {**data, "seconds": data.get("seconds", 0)}

    @post_load(pass_original=True)
    def after_load(self, data, original, **kwargs):
        calls.append(("post_load", dict(data), original, kwargs))
        if data["title"] == "after":
            raise ValidationError("refused after")
        return ("made", data["title"])


class Pairs(fields.Field):
    """A list of pairs, of which each half has a field of its own."""

    def __init__(self, first, second, **kwargs):
        super().__init__(**kwargs)
        self.halves = (first, second)

    def _serialize(self, value, attr, obj, **kwargs):
        if value is None:
            return None
        first, second = self.halves
        if value == "own":
            calls.append(("own _serialize", attr, obj))
            return "written by its own method"
        return [
            [first._serialize(a, None, None), second._serialize(b, None, None)] for a, b in value
        ]

    def _deserialize(self, value, attr, data, **kwargs):
        if not isinstance(value, list):
            calls.append(("own _deserialize", attr, data, kwargs))
            raise ValidationError("Not pairs.")
        loaded, errors = [], {}
        for index, pair in enumerate(value):
            halves = []
            for number, (field, half) in enumerate(zip(self.halves, pair, strict=True)):
                try:
                    halves.append(field.deserialize(half, **kwargs))
                except ValidationError as error:
                    errors.setdefault(index, {})[number] = error.messages
            loaded.append(tuple(halves))
        if errors:
            raise ValidationError(errors, valid_data=loaded)
        return loaded


made = []


def register_pairs():
    """Makers for that field, which note what they were called for."""
    made.clear()

    @fastschema.register(Pairs._serialize)
    def dump_pairs(field, compiled):
        made.append(field)
        first, second = map(compiled, field.halves)

        def dump(value):
            if value == "own":
                raise fastschema.Refused
            return [[first(a), second(b)] for a, b in value]

        return dump

    @fastschema.register(Pairs._deserialize)
    def load_pairs(field, compiled):
        made.append(field)
        loads = list(map(compiled, field.halves))

        def load(value):
            if not isinstance(value, list):
                raise fastschema.Refused
            loaded, errors = [], {}
            for index, pair in enumerate(value):
                halves = []
                for number, (load_half, half) in enumerate(zip(loads, pair, strict=True)):
                    try:
                        halves.append(load_half(half))
                    except ValidationError as error:
                        errors.setdefault(index, {})[number] = error.messages
                loaded.append(tuple(halves))
            if errors:
                raise ValidationError(errors, valid_data=loaded)
            return loaded

        return load


class Upper(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        calls.append(("upper", value, attr, obj))
        return None if value is None else value.upper()

    def _deserialize(self, value, attr, data, **kwargs):
        calls.append(("lower", value, attr, data))
        return super()._deserialize(value, attr, data, **kwargs).lower()


SECONDS = {
    "number": (lambda: fields.Integer(strict=True, allow_none=True), [5, "6", 6.5, True, None]),
    "validated by users": (lambda: fields.Integer(validate=lambda value: value < 5), [1, 6]),
    "validated number": (lambda: fields.Integer(validate=checks.Range(0, 5)), [5, 6, "x"]),
    "decimal": (lambda: fields.Decimal(places=2, as_string=True), ["1.234", 5, "x"]),
    "list": (lambda: fields.List(fields.Integer()), [[1, "2"], [1, "x"], "x", None]),
    "own": (Upper, ["a", None, 5]),
    "nested": (lambda: fields.Nested(TrackSchema), [{"title": "a"}, {"title": 5}, {}, "x", None]),
    "nested, with hooks": (
        lambda: fields.Nested(Hooked),
        [{"title": "a"}, {"title": "before"}, {"title": "after"}, {"title": 5}, {}],
    ),
    "pairs": (lambda: Pairs(fields.String(), fields.Integer()), [[["a", 1]], [[1, "x"]], "x"]),
}


def schema_of(name, **options):
    make, _ = SECONDS[name]
    pairs = {"pairs": Pairs(fields.String(), make(), **options)}
    return type("PairsSchema", (Schema,), {**pairs, "name": fields.String()})


@pytest.mark.parametrize("name", SECONDS)
def test_made_pairs_are_loaded_as_by_stock(name):
    register_pairs()
    schema = schema_of(name, validate=lambda value: len(value) < 4)
    assert is_loaded_compiled(schema, "pairs")
    _, values = SECONDS[name]
    comparison = load_differential.Comparison(schema, calls)
    for value in values:
        comparison.check({"pairs": [["a", value], ["b", value]], "name": "x"})
    comparison.check([{"pairs": [[1, values[0]]] * 3}, {"pairs": None}, {}], many=True)
    comparison.check([{"pairs": [["a", values[0]]]}, {"pairs": 5, "name": 1}], many=True)
    comparison.check({"pairs": [["a", values[0]]] * 5})


DUMPED = {
    "decimal": [1, "2.5", None],
    "nested": [{"title": "a", "seconds": 5}, None],
    "nested, with hooks": [{"title": "a", "seconds": 5}, None],
    "pairs": [[["a", 1]], None, "own"],
}


@pytest.mark.parametrize("name", SECONDS)
def test_made_pairs_are_dumped_as_by_stock(name):
    register_pairs()
    schema = schema_of(name)
    assert is_compiled(schema, "pairs")
    for value in DUMPED.get(name, SECONDS[name][1]):
        assert_same(schema, {"pairs": [("a", value), ("b", value)], "name": "x"}, calls=calls)
    assert_same(schema, {"pairs": None}, calls=calls)
    assert_same(schema, {}, calls=calls)
    assert_same(schema, {"pairs": "own"}, calls=calls)


def is_loaded_compiled(schema, key):
    loading = fastschema.compile(schema).explain().loading
    (report,) = [field for field in loading if field.key == key]
    return report.compiled


@pytest.mark.parametrize("partial", [True, False, ("pairs",), ("title",)])
def test_with_partial_the_method_itself_is_called(partial):
    register_pairs()
    comparison = load_differential.Comparison(schema_of("nested"), calls)

    comparison.check({"pairs": [["a", {}]]}, partial=partial)


def test_a_maker_is_called_once_for_a_field_whatever_comes():
    register_pairs()
    schema = schema_of("nested")()
    rows = [{"pairs": [("a", {"title": "b"})] * 3}] * 30
    with installed():
        for _ in range(5):
            schema.dump(rows, many=True)
            schema.load([{"pairs": [["a", {"title": "b"}]]}] * 30, many=True)

    assert len(made) == 2


def test_a_maker_that_refuses_leaves_its_field_to_the_method():
    @fastschema.register(Pairs._serialize)
    def dump(field, compiled):
        raise fastschema.Refused

    @fastschema.register(Pairs._deserialize)
    def load(field, compiled):
        raise fastschema.Refused

    assert_same(schema_of("number"), {"pairs": [("a", "b")]}, calls=calls)
    load_differential.Comparison(schema_of("number"), calls).check(
        {"pairs": [["a", "b"], ["a", 5]]}
    )


@pytest.mark.parametrize("operation", ["dump", "load"])
def test_a_maker_that_makes_no_function_is_named(operation):
    for method in (Pairs._serialize, Pairs._deserialize):
        fastschema.register(method)(lambda field, compiled: None)
    plan = fastschema.compile(schema_of("number"))

    with pytest.raises(TypeError, match=r"the maker registered for Pairs\._\w+ made None"):
        getattr(plan, operation)({"pairs": [("a", "b")]})


@pytest.mark.parametrize("inner", [5, None, "name", object])
def test_what_is_neither_field_nor_schema_is_not_compiled(inner):
    fastschema.register(Pairs._serialize)(lambda field, compiled: compiled(inner))

    with pytest.raises(TypeError, match="takes a field or a schema, not"):
        fastschema.compile(schema_of("number")).dump({"pairs": [("a", "b")]})


class Half(fields.Field):
    """A field that loads by a function, or by an expression."""

    def _deserialize(self, value, attr, data, **kwargs):
        if not isinstance(value, int):
            raise ValidationError(f"{value!r} cannot be halved")
        return value / 2


@pytest.mark.parametrize(
    "how",
    [
        {"expression": "{value} / 2", "common": int},
        {"expression": "{value} / two", "names": {"two": 2}},
        {"function": lambda value: value / 2, "common": int},
    ],
)
def test_what_loads_by_a_function_is_loaded_as_by_stock(how):
    fastschema.register(Half._deserialize, **how)
    schema = Schema.from_dict(
        {
            "one": Half(allow_none=True, validate=checks.Range(0, 10)),
            "listed": fields.List(Half()),
            "mapped": fields.Dict(values=Half()),
        }
    )
    assert is_loaded_compiled(schema, "one")
    comparison = load_differential.Comparison(schema, calls)
    for value in (4, 5, 100, "x", None, [1]):
        comparison.check({"one": value, "listed": [value, 2], "mapped": {"a": value}})


class Fractional(fields.Float):
    """A number that overrides no more than how its text is read."""

    def _format_num(self, value):
        if isinstance(value, str) and "/" in value:
            over, under = value.split("/")
            return float(over) / float(under)
        return super()._format_num(value)


def test_how_a_number_is_read_may_be_registered():
    fastschema.register(Fractional._format_num, expression="{value}", common=float)
    schema = Schema.from_dict({"one": Fractional(validate=checks.Range(0, 10))})
    assert is_loaded_compiled(schema, "one")
    comparison = load_differential.Comparison(schema, calls)
    for value in (1.5, 2, "3/2", "3/0", "x", None, True, 20.5):
        comparison.check({"one": value})


class Whole(fields.Field):
    """A field that reads no attribute."""

    _CHECK_ATTRIBUTE = False

    def _serialize(self, value, attr, obj, **kwargs):
        calls.append(("whole", value, attr, obj))
        return obj["a"] + obj["b"]


def test_the_maker_of_a_field_that_reads_no_attribute_is_given_the_object():
    @fastschema.register(Whole._serialize)
    def dump_whole(field, compiled):
        def dump(obj):
            if obj["a"] == 0:
                raise fastschema.Refused
            calls.append(("whole", None, field.name, obj))
            return obj["a"] + obj["b"]

        return dump

    schema = Schema.from_dict({"whole": Whole()})
    assert is_compiled(schema, "whole")
    for a in (1, 0):
        assert_same(schema, {"a": a, "b": 2}, calls=calls)


class Animal(Schema):
    """A schema that chooses another one by a key."""

    name = fields.String()
    kinds = {}

    def dump(self, obj, **kwargs):
        kind = self.kinds.get(obj.get("kind"))
        calls.append(("dump", type(self).__name__, obj))
        if type(self) is Animal and kind:
            return kind().dump(obj, **kwargs)
        return {**super().dump(obj, **kwargs), "kind": type(self).__name__}

    def load(self, data, **kwargs):
        calls.append(("load", type(self).__name__, data, sorted(kwargs)))
        if type(self) is Animal and "kind" in data:
            data = dict(data)
            kind = self.kinds.get(data.pop("kind"))
            if kind is None:
                raise ValidationError("no such kind", "kind")
            return kind().load(data, **kwargs)
        return super().load(data, **kwargs)

    @post_load
    def make(self, data, **kwargs):
        return (type(self).__name__, data)


class Cat(Animal):
    lives = fields.Integer()


class Dog(Animal):
    owner = fields.Nested(Animal)


Animal.kinds = {"Cat": Cat, "Dog": Dog}


def register_animals():
    @fastschema.register(Animal.dump)
    def dump_by_kind(schema, compiled):
        own, name = compiled(schema), type(schema).__name__
        kinds = schema.kinds if name == "Animal" else {}
        dumps = {kind: compiled(cls) for kind, cls in kinds.items()}

        def dump(obj):
            calls.append(("dump", name, obj))
            found = dumps.get(obj.get("kind"))
            return {**own(obj), "kind": name} if found is None else found(obj)

        return dump

    @fastschema.register(Animal.load)
    def load_by_kind(schema, compiled):
        own, name = compiled(schema), type(schema).__name__
        kinds = schema.kinds if name == "Animal" else {}
        loads = {kind: compiled(cls) for kind, cls in kinds.items()}

        def load(data):
            if name == "Animal" and "kind" in data:
                if data["kind"] not in loads:
                    raise fastschema.Refused
                calls.append(("load", name, data, sorted(KEYWORDS)))
                data = dict(data)
                return loads[data.pop("kind")](data)
            calls.append(("load", name, data, sorted(KEYWORDS)))
            return own(data)

        return load

    @fastschema.register(Animal.make)
    def make_animal(schema, compiled):
        name = type(schema).__name__
        return lambda data: (name, data)


KEYWORDS = ("partial", "unknown")
"""What ``Nested`` passes."""


class Farm(Schema):
    first = fields.Nested(Animal)
    animals = fields.List(fields.Nested(Animal))


ANIMALS = [
    {"kind": "Cat", "name": "a", "lives": 9},
    {"kind": "Dog", "name": "b", "owner": {"kind": "Cat", "lives": 5}},
    {"name": "c"},
]
WRONG_ANIMALS = [
    {"kind": "Cow"},
    {"kind": "Cat", "lives": "x"},
    {"kind": "Dog", "owner": {"kind": "Cat", "lives": "x"}},
    {"kind": "Dog", "owner": 5},
    None,
]


def test_schemas_that_dump_by_a_kind_are_dumped_as_by_stock():
    register_animals()
    for animal in ANIMALS:
        assert_same(Farm, {"first": animal, "animals": ANIMALS}, calls=calls)


def test_schemas_that_load_by_a_kind_are_loaded_as_by_stock():
    register_animals()
    comparison = load_differential.Comparison(Farm)
    for animal in (*ANIMALS, *WRONG_ANIMALS):
        comparison.check({"first": animal, "animals": [*ANIMALS, animal]})
    comparison.check({"first": ANIMALS[1], "animals": ANIMALS * 5}, partial=True)


def test_what_is_registered_for_schemas_does_the_work():
    register_animals()
    calls.clear()
    fastschema.compile(Farm).load({"first": ANIMALS[0]})

    assert [call for call in calls if call[0] == "load"] == [
        ("load", "Animal", ANIMALS[0], list(KEYWORDS)),
        ("load", "Cat", {"name": "a", "lives": 9}, list(KEYWORDS)),
    ]


def test_registered_hooks_are_called_in_the_place_of_the_methods():
    names = ("before", "after", "before_load", "after_load")

    def by_method(name):
        method = getattr(Hooked, name)

        @fastschema.register(method)
        def maker(schema, compiled):
            if name == "before":
                return lambda obj: method(schema, obj, many=False)
            if name == "after":
                return lambda data, original: method(schema, data, original, many=False)
            raise fastschema.Refused

    for name in names:
        by_method(name)
    schema = Schema.from_dict({"one": fields.Nested(Hooked)})

    assert_same(schema, {"one": {"title": "a"}}, calls=calls)
    comparison = load_differential.Comparison(schema, calls)
    for title in ("a", "before", "after", 5):
        comparison.check({"one": {"title": title}})


def test_reports_name_what_is_registered_for_schemas():
    register_animals()
    report = str(fastschema.compile(Farm).explain())

    assert "registered for Animal.dump" in report
    assert "registered for Animal.load" in report
    assert "registered for Animal.make" in report


class Prefixed(fields.String):
    def __init__(self, prefix, **kwargs):
        super().__init__(**kwargs)
        self.prefix = prefix

    def _serialize(self, value, attr, obj, **kwargs):
        return self.prefix + value

    def _deserialize(self, value, attr, data, **kwargs):
        return self.prefix + value


@pytest.mark.at_once
@pytest.mark.parametrize("is_made", [False, True])
@pytest.mark.parametrize("option", ["prefix", "metadata", "load_default", "dump_default"])
def test_what_a_maker_has_read_of_a_field_may_change(option, is_made):
    def maker(field, compiled):
        read = getattr(field, option)
        prefix = read if option == "prefix" else read["prefix"]
        return lambda value: prefix + value

    fastschema.register(Prefixed._serialize)(maker)
    fastschema.register(Prefixed._deserialize)(maker)
    with installed():
        schema = Schema.from_dict({"name": Prefixed("-"), "other": fields.List(fields.String())})()
        if is_made:
            schema.fields["other"].data_key = "others"
        for prefix in "abc":
            value = prefix if option == "prefix" else {"prefix": prefix}
            setattr(schema.fields["name"], option, value)
            for _ in range(3):
                assert schema.dump({"name": "Ann"}) == {"name": f"{prefix}Ann"}
                assert schema.load({"name": "Ann"}) == {"name": f"{prefix}Ann"}
