"""Why relations are not loaded on demand."""

from fastschema.contrib.django.relations.plain import why_not_on_demand
from tests.promises.django.relations.test_all import library

__all__ = ["library"]


def test_each_reason_says_whether_all_loads_it(library):
    assert why_not_on_demand(library.Book, "tags") == ("the ordering of Tag is not total", True)
    assert why_not_on_demand(library.Role, "author") is None
    assert why_not_on_demand(library.Role, "author__books") is None
