"""Copies of filters."""

import copy
from collections import OrderedDict

from django_filters import filters

from fastschema.contrib.django.filters.recipes import copied_filters
from flights.models import Airline


class Shared:
    """What two filters have in common."""


class Counting(filters.CharFilter):
    """Copies itself by code of its own."""

    def __deepcopy__(self, memo):
        made = type(self)(field_name=f"{self.field_name}_copied")
        memo[id(self)] = made
        return made


class Annotated(filters.CharFilter):
    """A filter of one's own with what it refers to."""

    def __init__(self, *args, shared, **kwargs):
        super().__init__(*args, method="find", **kwargs)
        self.shared = shared


def test_copies_of_filters_are_those_of_deepcopy():
    shared, queryset = Shared(), Airline.objects.all()
    annotated = Annotated(shared=shared, help_text="x", widget=Shared)
    base = OrderedDict(
        first=annotated,
        again=annotated,
        other=Annotated(shared=shared),
        counting=Counting(field_name="x"),
        airline=filters.ModelChoiceFilter(queryset=queryset, field_name="airline"),
    )

    def facts(made):
        first, other, airline = made["first"], made["other"], made["airline"]
        return [
            type(made),
            list(made),
            made["again"] is first,
            first is annotated,
            first.shared is other.shared,
            first.shared is shared,
            first.filter.f is first,
            first.extra == annotated.extra,
            first.extra is annotated.extra,
            vars(first).keys() == vars(annotated).keys(),
            made["counting"].field_name,
            airline.queryset is airline.extra["queryset"],
            airline.queryset is queryset,
            [each.__class__ for each in made.values()],
        ]

    assert facts(copied_filters(base, {})) == facts(copy.deepcopy(base))
