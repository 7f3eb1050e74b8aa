"""The people of the tests of lists."""

from tests.contrib.django.lists.conftest import people, rows_of_people, tables

__all__ = ["people", "rows_of_people", "tables"]
