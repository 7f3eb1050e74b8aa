"""The models and rows of the tests of input."""

from tests.promises.django.input.conftest import books, tables

__all__ = ["books", "tables"]
