"""E-mail addresses, accepted and refused as by stock."""

from hypothesis import example, given
from hypothesis import strategies as st
from marshmallow import ValidationError
from marshmallow.validate import Email

from fastschema.marshmallow.validators import is_email
from tests.promises.marshmallow.differential import MARSHMALLOW_3

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


@example("a@b.co\n")
@example(f"a@{LABEL}c.co")
@given(st.lists(st.sampled_from(PARTS), max_size=12).map("".join) | st.emails())
def test_random_addresses_are_some_if_stock_says_so(text):
    check(text)
