"""JSON text is parsed as by stock."""

import json

import pytest
from marshmallow import INCLUDE, Schema, fields

import fastschema
from tests.promises.marshmallow.differential import installed
from tests.promises.marshmallow.load_differential import Comparison
from tests.promises.marshmallow.load_schemas import (
    DOG,
    LOG,
    Dog,
    WithHooks,
    noted,
    observed,
    with_meta,
)

TEXTS = [
    *('{"name": "Rex", "age": 3}', ' \n\t{"name": "Rex", "age": 3}\r\n'),
    *('{"name": "Rex", "name": "Max", "age": 1, "age": 2}', '{"name": "\\ud800", "age": 3}'),
    *('{"name": "\ud800", "age": 3}', '{"name": "é\u2028\U0001f600", "age": 3}'),
    *('{"name": NaN, "age": Infinity}', '{"name": "a", "age": 1e400}'),
    *('{"name": "a", "age": 18446744073709551616}', '{"name": "a", "age": 1.0}'),
    '{"name": "a", "age": 1.00000000000000000000001}',
    *('{"name": "a", "age": ' + "9" * 5000 + "}", '{"name": "a", "age": 01}'),
    *('{"name": "a\tb", "age": 3}', '{"name": "a",}', "[]", "null", "5", "NaN", "", "{"),
    *('{"name": "Rex", "age": 3} more', "\ufeff{}", '{"name": "a", "age": 3, "": 1, "\\u00e9": 2}'),
    '{"name": "a", "age": 0.1, "b": 2.2250738585072011e-308, "c": 5e-324, "d": 1e-400}',
]

BINARY = [
    b'{"name": "\xff", "age": 3}',
    b"\xef\xbb\xbf{}",
    '{"name": "é", "age": 1}'.encode("utf-32-le"),
    b'{"name": "\xed\xa0\x80", "age": 1}',
    bytearray(b'{"name": "a", "age": 1}'),
    memoryview(b'{"name": "a", "age": 1}'),
    None,
    {"name": "a"},
]


@pytest.mark.parametrize("schema", [Dog, lambda: Dog(unknown=INCLUDE), WithHooks])
def test_text_is_parsed_as_by_stock(schema):
    comparison = Comparison(schema, LOG)
    comparison.check_texts(TEXTS)
    comparison.check_texts(TEXTS, many=True)
    comparison.check_texts(text.encode("utf-8", "surrogatepass") for text in TEXTS)
    for data in BINARY:
        for by in (comparison.plan.loads, comparison.schema.loads):
            assert observed(by, data) == observed(comparison.stock.loads, data)


def test_text_of_each_kind_of_number_is_loaded_as_by_stock():
    schema = Schema.from_dict(
        {
            "raw": fields.Raw(),
            "integer": fields.Integer(),
            "float": fields.Float(allow_nan=True),
            "decimal": fields.Decimal(allow_nan=True),
            "text": fields.String(),
        }
    )
    numbers = ["-0", "0.1", "1e5", "1E400", "-1e-400", "NaN", "-Infinity", "9" * 25]
    numbers += ["1.7976931348623159e308", "123456789.123456789", "9007199254740993", "2.5e-05"]
    rows = [
        "{" + ", ".join(f'"{name}": {n}' for name in schema._declared_fields) + "}" for n in numbers
    ]
    Comparison(schema).check_texts(rows)
    Comparison(schema).check_texts([f"[{', '.join(rows)}]"], many=True)


def test_the_render_module_parses_what_an_installed_schema_loads():
    class Renderer:
        @staticmethod
        def loads(text, **kwargs):
            noted("loads", text, kwargs)
            return json.loads(text)

        dumps = json.dumps

    schema = with_meta(Dog, render_module=Renderer)
    text = json.dumps(DOG)
    expected = observed(schema().loads, text, parse_float=str)
    with installed():
        assert observed(schema().loads, text, parse_float=str) == expected
    assert fastschema.compile(schema).loads(text) == {"name": "Rex", "age": 3}
