"""The tables of these tests are small, too."""

from tests.promises.django.lists.conftest import few_rows_are_worth_reading

__all__ = ["few_rows_are_worth_reading"]
