"""Pagination classes of DRF are those that ours are written from, or are left alone."""

import inspect
import textwrap

import pytest
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination

from fastschema.contrib.django.lists.pagination import PAGINATE, is_written_from


def test_paginate_queryset_is_that_of_drf_line_by_line():
    assert [cls for cls, *_ in PAGINATE] == [PageNumberPagination, LimitOffsetPagination]


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("if not page_size:", "if page_size is None:"),
        ("self.get_page_size(request)", "self.get_size(request)"),
        ("list(self.page)", "list(self.page)[:1000]"),
        ("paginator.num_pages > 1", "paginator.num_pages > 2"),
    ],
)
def test_what_a_release_of_drf_does_otherwise_is_left_to_it(line, other):
    _, name, stock, written = PAGINATE[0]
    source = textwrap.dedent(inspect.getsource(stock))
    assert line in source
    for text, is_same in ((source, True), (source.replace(line, other), False)):
        functions = {}
        exec(text, functions)
        assert is_written_from(written, functions[name]) is is_same
    assert not is_written_from(written, object())  # a patched method is no function
