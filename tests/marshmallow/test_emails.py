"""E-mail addresses, accepted and refused as by stock."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError
from marshmallow.validate import Email

from fastschema.marshmallow import validators
from fastschema.marshmallow.validators import is_email
from tests.marshmallow.differential import MARSHMALLOW_3

PARTS = ["a", "Z9", ".", "-", "_", "+", "@", "@", "x.com", "\n", " ", "é", "com", '"', "b" * 60]
LABEL = "c" * 63


def is_email_for_stock(text):
    try:
        Email()(text)
    except ValidationError:
        return False
    return True


def check(text):
    if text.isascii() or not MARSHMALLOW_3:
        assert is_email(text) is is_email_for_stock(text)
    else:  # marshmallow 3 also looks at what IDNA makes of a domain
        assert not is_email(text) or is_email_for_stock(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@",
        "a@b",
        "a@b.c",
        "a@b.co",
        "a@b.co\n",
        "a@b.c-d",
        "a@b.1",
        "a@b.12",
        "a@1.2.3.44",
        "a@-b.co",
        "a@b-.co",
        "a@b--c.co",
        "a@b..co",
        "a@.b.co",
        "a@b.co.",
        "a.@b.co",
        ".a@b.co",
        "a..b@c.co",
        "a-b_c+d.e@f.g-h.museum",
        "a@b@c.co",
        "A@B.CO",
        "a@localhost",
        "é@b.co",
        "a@é.co",
        "a@[127.0.0.1]",
        '"a b"@c.co',
        f"a@{LABEL}.co",
        f"a@{LABEL}c.co",
        f"a@b.{LABEL}",
        f"{LABEL}{LABEL}@b.co",
        f"a@{LABEL}.{LABEL}.co",
        f"a@{'b-' * 31}c.co",
        f"a@{'b-' * 32}c.co",
    ],
)
def test_an_address_is_one_if_stock_says_so(text):
    check(text)


@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join) | st.emails())
def test_random_addresses_are_some_if_stock_says_so(text):
    check(text)


def test_a_usual_address_needs_no_expression_of_stock(monkeypatch):
    monkeypatch.setattr(validators, "_is_user", None)

    assert is_email("given.name+tag@mail.example-company.co.uk")
