"""Programs for rows are derived from those for instances."""

import pytest
from rest_framework import serializers

from fastschema.contrib.django.front_end.pending import reading_of_pending
from fastschema.runtime.programs import MOST_DERIVED
from tests.promises.django.differential import serializer_of
from tests.promises.django.list_views import list_of
from tests.promises.django.lists.reading import reads_rows
from tests.promises.django.lists.test_columns import PEOPLE

pytestmark = pytest.mark.usefixtures("people")


def test_programs_for_rows_are_few():
    """Each set of columns makes a program, and there may be many sets."""
    serializer_class = serializer_of(city_id=serializers.ReadOnlyField())
    names = ["age", "wealth", "height", "is_active", "born", "seen"]
    for number in range(2 * MOST_DERIVED):
        chosen = [name for bit, name in enumerate(names) if number >> bit & 1]
        view_class = list_of(PEOPLE.only("city", *chosen), serializer_class)
        assert reads_rows(view_class)
    program = reading_of_pending(serializer_class()).compiled.program
    assert 0 < len(program._derived) <= MOST_DERIVED
