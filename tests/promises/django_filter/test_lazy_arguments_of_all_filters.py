"""Every argument of every filter, as a lazy object of each kind: who looks at it, and how often."""

import django_filters
import pytest
from django_filters.filters import Filter

import fastschema
from flights.models import Airline
from tests.lazy_values import SOME_OR_ALL, TURNS, differing, lazy_cases
from tests.promises.django_filter.test_lazy_arguments import Base, requests

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore"),  # as an error, it would end both sides alike
]

NEEDED = {
    **dict.fromkeys(
        ["ChoiceFilter", "MultipleChoiceFilter", "TypedChoiceFilter", "TypedMultipleChoiceFilter"],
        lambda: {"choices": [("UA", "x")]},
    ),
    **dict.fromkeys(
        ["ModelChoiceFilter", "ModelMultipleChoiceFilter"],
        lambda: {"queryset": Airline.objects.all()},
    ),
    "LookupChoiceFilter": lambda: {"field_class": django_filters.filters.forms.CharField},
}


def needed(name):
    """Return what gives the arguments that a class of filters needs."""
    others = NEEDED.get(name, dict)
    return lambda: {"field_name": "airline_id", **others()}


CLASSES = {
    cls: needed(name)
    for name, cls in vars(django_filters.filters).items()
    if isinstance(cls, type) and issubclass(cls, Filter) and "Base" not in name
}


def calls(filter_):
    """What comes of a filter set with a filter, and the calls of code of users."""
    return requests(type("Set", (Base,), {"field": filter_}), TURNS)


@SOME_OR_ALL
def test_only_stock_looks_at_an_argument(choose, flights):
    cases = choose(lazy_cases(CLASSES, Filter))
    failures, count = differing(cases, calls, fastschema.disabled)
    # Stock asks whether there is a text, which is not done where the filter is not needed.
    assert failures.keys() <= {"OrderingFilter(help_text=lazystr)"}
    assert count > len(cases) / 2
