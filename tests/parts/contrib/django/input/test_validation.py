"""Which way serializers validate."""

from unittest.mock import Mock

from fastschema.contrib.django.input import validation
from fastschema.runtime import thresholds
from tests.promises.django.input.test_validation import Changing, assert_same_input


def test_made_fields_are_compared_for_long_lists_only(monkeypatch):
    monkeypatch.setattr(thresholds, "few_for_django", 3)
    compare = Mock(wraps=validation._find_of_made)
    monkeypatch.setattr(validation, "_find_of_made", compare)
    row = {"name": "x", "age": 5, "role": "x"}
    for rows in (row, [row], [row] * 2, [row] * 3):
        assert_same_input(lambda: Changing(data=rows, drop=("note",), many=rows is not row))
        assert compare.called == (len(rows) == 3 and rows is not row)
