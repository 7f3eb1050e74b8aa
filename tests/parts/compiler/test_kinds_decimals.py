"""Decimals that need not be quantized."""

import decimal
import random

import pytest

from fastschema.compiler import kinds
from fastschema.compiler.nodes import fill

QUANTIZED = object()


def written(value, places, context=None):
    """What the template makes of a value; QUANTIZED if it leaves it to the rest."""
    template = kinds.decimal_text(places, "longest", "QUANTIZED")
    with decimal.localcontext(context):
        names = {"value": value, "longest": kinds.longest_decimal(), "QUANTIZED": QUANTIZED}
        return eval(fill(template, value="value"), names)


def quantized(value, places):
    return str(value.quantize(decimal.Decimal((0, (1,), -places))))


@pytest.mark.parametrize("places", [1, 2, 3, 6])
def test_what_is_written_is_what_quantize_gives(places):
    numbers = random.Random(7)
    for _ in range(3000):
        digits = tuple(numbers.randrange(10) for _ in range(numbers.randrange(1, 31)))
        value = decimal.Decimal((numbers.randrange(2), digits, numbers.randrange(-9, 5)))
        text = written(value, places)
        if text is not QUANTIZED:
            assert text == quantized(value, places)


@pytest.mark.parametrize("text", ["123.45", "123.4", "1234"])
def test_a_value_too_long_for_the_precision_is_left_to_quantize(text):
    short = decimal.Context(prec=4)
    assert written(decimal.Decimal(text), 2, short) is QUANTIZED


def test_a_context_of_few_exponents_writes_nothing_itself():
    narrow = decimal.Context(prec=28, Emax=1, Emin=-1)
    assert written(decimal.Decimal("1.25"), 2, narrow) is QUANTIZED


@pytest.mark.parametrize("places", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("text", ["1.5E+3", "1E+5", "1.25E+9", "1E-9", "1.234E+10", "0E+3"])
def test_an_exponent_is_seen_however_it_is_written(text, places):
    small = decimal.Context(capitals=0)

    assert written(decimal.Decimal(text), places, small) is QUANTIZED
    assert written(decimal.Decimal(text), places) is QUANTIZED
