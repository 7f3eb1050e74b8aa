"""What users give to classes of schemas, to schemas and to calls of them may be lazy."""

import json
from datetime import date, datetime

import pytest
from marshmallow import EXCLUDE, INCLUDE, Schema, fields

import fastschema
from tests.lazy_values import EACH_OR_ALL, TURNS, came_of, cases_of, differing, request_of
from tests.marks import counts_looks
from tests.promises.marshmallow.test_lazy_arguments import Inner, is_b, same

pytestmark = [
    pytest.mark.usefixtures("_installed"),
    pytest.mark.filterwarnings("ignore"),  # as an error, it would end both sides alike
]


class Base(Schema):
    x = fields.Integer()
    y = fields.Integer(required=True)
    day = fields.Date()
    moment = fields.DateTime()
    inner = fields.Nested(Inner)


def name(who):
    return "y" if is_b(who) else "x"


def names(who):
    return [name(who)]


def unknown(who):
    return INCLUDE if is_b(who) else EXCLUDE


def meta(**options):
    """A schema class with options of its own."""
    return type("S", (Base,), {"Meta": type("Meta", (), {"register": False, **options})}), {}, {}


def schema(**arguments):
    """The arguments that each schema of a class gets."""
    return Base, arguments, {}


def call(**arguments):
    """The arguments that each call of a schema gets."""
    return Base, {}, arguments


def nested(**arguments):
    """The options of a schema object that fields nest."""
    inner = Inner(**arguments)
    parts = {"inner": fields.Nested(inner), "many": fields.Nested(inner, many=True)}
    return type("S", (Base,), {**parts, "Meta": type("Meta", (), {"register": False})}), {}, {}


NAMES = ["only", "exclude", "load_only", "dump_only", "partial"]
OPTIONS = {
    "fields": lambda lazy: meta(fields=lazy(names)),
    "a field": lambda lazy: meta(fields=[lazy(name)]),
    "exclude": lambda lazy: meta(exclude=lazy(names)),
    "an excluded field": lambda lazy: meta(exclude=[lazy(name)]),
    "unknown": lambda lazy: meta(unknown=lazy(unknown)),
    "dateformat": lambda lazy: meta(dateformat=lazy(lambda who: "%d" if is_b(who) else "iso")),
    "datetimeformat": lambda lazy: meta(datetimeformat=lazy(same("rfc"))),
    "render_module": lambda lazy: meta(render_module=lazy(same(json))),
    "many": lambda lazy: meta(many=lazy(is_b)),
    "load_only": lambda lazy: meta(load_only=lazy(names)),
    "a load-only field": lambda lazy: meta(load_only=[lazy(name)]),
    "dump_only": lambda lazy: meta(dump_only=lazy(names)),
    "a dump-only field": lambda lazy: meta(dump_only=[lazy(name)]),
    "include": lambda lazy: meta(include=lazy(lambda who: {"z": fields.Integer()})),
    "an included field": lambda lazy: meta(include={"z": lazy(lambda who: fields.Integer())}),
    "index_errors": lambda lazy: meta(index_errors=lazy(is_b)),
    "register": lambda lazy: meta(register=lazy(is_b)),
    "ordered": lambda lazy: meta(ordered=lazy(is_b)),
    **{
        f"{option} of schemas": lambda lazy, option=option: schema(**{option: lazy(names)})
        for option in NAMES
    },
    **{
        f"a name in {option}": lambda lazy, option=option: schema(**{option: [lazy(name)]})
        for option in NAMES
    },
    **{
        f"a name in {option} of a nested schema": lambda lazy, option=option: nested(
            **{option: [lazy(name)]}
        )
        for option in NAMES
    },
    "many of a nested schema": lambda lazy: nested(many=lazy(is_b)),
    "partial of a nested schema": lambda lazy: nested(partial=lazy(is_b)),
    "unknown of a nested schema": lambda lazy: nested(unknown=lazy(unknown)),
    "partial of calls": lambda lazy: call(partial=lazy(names)),
    "a name in partial of calls": lambda lazy: call(partial=[lazy(name)]),
    "nested names": lambda lazy: schema(only=[lazy(lambda who: f"inner.{name(who)}")]),
    "whether partial": lambda lazy: schema(partial=lazy(is_b)),
    "whether a call is partial": lambda lazy: call(partial=lazy(is_b)),
    "many of schemas": lambda lazy: schema(many=lazy(is_b)),
    "many of calls": lambda lazy: call(many=lazy(is_b)),
    "unknown of schemas": lambda lazy: schema(unknown=lazy(unknown)),
    "unknown of calls": lambda lazy: call(unknown=lazy(unknown)),
    "context": lambda lazy: schema(context=lazy(same({"a": 1}))),
}
VALUES = [
    *({}, {"x": 1, "y": 2, "z": 3, "day": date(2020, 1, 2), "moment": datetime(2020, 1, 2)}),
    *({"x": "1", "y": None, "day": "2020-01-02"}, {"y": 2, "inner": {"x": 1, "y": 2}}),
    {"y": 2, "inner": {"x": 1, "z": 2}, "many": [{"x": 1}, {"y": 2}]},
]


def calls(option):
    """What comes of schemas with an option, of new ones and of one that is kept, and the calls."""
    cls, of_schemas, of_calls = option
    outcomes = []
    kept = None
    for who in TURNS:
        with request_of(who):
            kept = kept or cls(**of_schemas)
            for get in (lambda: cls(**of_schemas), lambda: kept):  # noqa: B023  # called at once
                for value in (*VALUES, VALUES):
                    outcomes += uses(get, value, of_calls)
    return outcomes


def uses(get, value, arguments):
    """What comes of a value, dumped and loaded by a schema."""
    many = {"many": True} if type(value) is list else {}
    of_dumps = {key: value for key, value in arguments.items() if key == "many"}
    return [
        came_of(call)
        for call in (
            lambda: get().dump(value, **{**many, **of_dumps}),
            lambda: get().load(value, **{**many, **arguments}),
            lambda: get().dumps(value, **{**many, **of_dumps}),
        )
    ]


@counts_looks
@EACH_OR_ALL
def test_only_stock_looks_at_an_option(choose):
    cases = choose(cases_of(OPTIONS))
    failures, count = differing(cases, calls, fastschema.disabled)
    assert failures == {}
    assert count > len(cases) / 2
