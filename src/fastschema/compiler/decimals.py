"""Decimals with a fixed number of places: most need not be quantized, only written."""

from __future__ import annotations

import decimal

_DIGIT_AND_EXPONENT = len("1E+1")


def longest(digits: int | None = None) -> int:
    """Return how long a number may be written that surely fits a precision.

    The decimal point makes it one longer than its digits. 0 in a decimal context in which even a
    short number may be out of range.

    :param digits: the precision, or None for that of the active decimal context
    """
    context = decimal.getcontext()
    if context.Emin > -9999 or context.Emax < 9999:
        return 0
    return (context.prec if digits is None else digits) + 1


def active_precision(subject: object = None) -> object:
    """Return what :func:`longest` depends on: the active decimal context."""
    context = decimal.getcontext()
    return context, context.prec, context.Emin, context.Emax


def active_context(subject: object = None) -> object:
    """Return what rounding depends on, too."""
    context = decimal.getcontext()
    return (
        context,
        context.prec,
        context.Emin,
        context.Emax,
        context.rounding,
        context.capitals,
        context.clamp,
    )


def written(places: int | None, longest: str, otherwise: str) -> str:
    """Return a template for a Decimal as text, in which ``text`` and ``size`` are variables to use.

    A value that has its places already is written as it stands, one that has fewer is filled up
    with zeros: ``quantize`` would not do more. The end of the text tells how many places there are,
    where no exponent follows them.

    :param places: the number of places
    :param longest: the name of what :func:`longest` gives
    :param otherwise: the template for other values
    """
    if places is None or places < 1:
        return otherwise
    # So many characters after a point cannot hold a digit and an exponent. A context may write
    # those with a small letter.
    has_no_exponent = (
        "" if places < _DIGIT_AND_EXPONENT else " and 'E' not in text and 'e' not in text"
    )
    forms = [
        f"text if (size := len(text := str({{value}}))) > {places + 1}"
        f" and text[{-places - 1}] == '.' and size <= {longest}{has_no_exponent}"
    ]
    if places > 1:
        forms.append(
            f"text + '0' if size > {places} and text[{-places}] == '.'"
            f" and size < {longest}{has_no_exponent}"
        )
    forms.append(f"text + '.{'0' * places}' if text.isdecimal() and size + {places} < {longest}")
    return " else ".join([*forms, otherwise])
