"""Random filter sets and random requests, by django-filter alone and on demand."""

from __future__ import annotations

from typing import Any

import django_filters
import pytest
from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django_filters import filters, rest_framework, widgets
from hypothesis import given
from hypothesis import strategies as st

import fastschema
from flights.models import Airline, Airport, Flight, Plane
from tests.promises.django.differential import assert_equal, outcome
from tests.promises.django.test_properties import examples

pytestmark = pytest.mark.usefixtures("flights")

ORDERS = {"fields": {"number": "number", "airline__name": "name"}}
CODES = [("IAH", "Houston"), ("EWR", "Newark"), ("", "nowhere")]


class NumberInFilter(filters.BaseInFilter, filters.NumberFilter):
    """As django-filter's documentation says."""


class DateRangeInFilter(filters.BaseRangeFilter, filters.DateFilter):
    """The same for ranges."""


CALLS: list[Any] = []
"""The calls of filters of one's own."""


class OwnWidget(forms.TextInput):
    def value_from_datadict(self, data, files, name):
        CALLS.append(("widget", name))
        return super().value_from_datadict(data, files, name) or data.get("other")


class Upper(forms.CharField):
    def clean(self, value):
        CALLS.append(("clean", value))
        return (super().clean(value) or "IAH").upper()


class UpperFilter(django_filters.CharFilter):
    field_class = Upper


class Hidden(filters.BooleanFilter):
    def filter(self, qs, value):
        CALLS.append(("filter", value, self.model, self.parent.data.get("a0")))
        return qs.filter(cancelled=bool(value))


class OwnField(filters.ModelChoiceFilter):
    """A filter that makes its form field by code of its own, and looks at all the others."""

    def __init__(self, *args, looks=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.looks = looks

    @property
    def field(self):
        CALLS.append(("field", self.parent.is_bound))
        if self.looks == "field":
            CALLS.append(sorted(self.parent.filters))
        return super().field

    def filter(self, qs, value):
        CALLS.append(("filter", repr(value)))
        if self.looks == "filter":
            CALLS.append(list(self.parent.form.cleaned_data))
        return super().filter(qs, value)


class Choosing(filters.NumberFilter):
    def filter(self, qs, value):
        CALLS.append(("choosing", value))
        if value is not None and value > 1:
            list(self.parent.filters.values())[-1].exclude = True
        return super().filter(qs, value)


def by_method(self, queryset, name, value):
    """A method of a filter set, which looks at the form."""
    other = self.form.cleaned_data.get("a0")
    return queryset.filter(**{name: value}) if other is None else queryset.exclude(pk=1)


# What a filter takes is drawn; its field of the model, and the parameters that may fit it.
KINDS: list[tuple[Any, dict[str, Any], list[str]]] = [
    (filters.CharFilter, {"field_name": "tail_number"}, ["N1", "", "\0"]),
    (filters.CharFilter, {"field_name": "tail_number", "max_length": 2}, ["N1", "N123"]),
    (filters.CharFilter, {"field_name": "tail_number", "empty_value": "N1"}, ["", "N2"]),
    (filters.CharFilter, {"field_name": "airline__name", "lookup_expr": "icontains"}, ["u"]),
    (filters.CharFilter, {"field_name": "airline", "required": True}, ["UA", ""]),
    (filters.NumberFilter, {"field_name": "number"}, ["1", "x", "1e60", " 2 "]),
    (filters.NumberFilter, {"field_name": "number", "min_value": 2}, ["1", "2"]),
    (filters.NumberFilter, {"field_name": "distance", "lookup_expr": "gte"}, ["1400", "nan"]),
    (filters.BooleanFilter, {"field_name": "cancelled"}, ["true", "False", "2", "x"]),
    (rest_framework.BooleanFilter, {"field_name": "cancelled"}, ["true", "0", "x"]),
    (
        filters.BooleanFilter,
        {"field_name": "cancelled", "widget": forms.CheckboxInput},
        ["on", "false"],
    ),
    (filters.BooleanFilter, {"field_name": "plane", "lookup_expr": "isnull"}, ["true", "false"]),
    (filters.ChoiceFilter, {"field_name": "destination_code", "choices": CODES}, ["IAH", "x"]),
    (
        filters.ChoiceFilter,
        {"field_name": "destination", "choices": CODES, "null_label": "none"},
        ["IAH", "null"],
    ),
    (
        filters.TypedChoiceFilter,
        {"field_name": "number", "choices": [("1", "one"), ("x", "?")], "coerce": int},
        ["1", "x", "3"],
    ),
    (filters.MultipleChoiceFilter, {"field_name": "origin", "choices": CODES}, ["EWR", "x"]),
    (
        filters.MultipleChoiceFilter,
        {"field_name": "origin", "choices": CODES, "conjoined": True},
        ["EWR", "IAH"],
    ),
    (
        filters.MultipleChoiceFilter,
        {"field_name": "origin", "choices": CODES, "widget": widgets.QueryArrayWidget},
        ["EWR,IAH", "x", ""],
    ),
    (
        filters.TypedMultipleChoiceFilter,
        {"field_name": "number", "choices": [("1", "one"), ("2", "two")], "coerce": int},
        ["1", "2", "3"],
    ),
    (filters.DateFilter, {"field_name": "date"}, ["2013-01-02", "x", "2013-02-30"]),
    (filters.DateTimeFilter, {"field_name": "departure", "lookup_expr": "lt"}, ["2013-01-02 1:00"]),
    (filters.IsoDateTimeFilter, {"field_name": "departure"}, ["2013-01-02T10:00:00Z", "x"]),
    (filters.TimeFilter, {"field_name": "arrival_time"}, ["10:00", "25:00"]),
    (filters.DurationFilter, {"field_name": "number"}, ["3 days", "x"]),
    (filters.UUIDFilter, {"field_name": "tail_number"}, ["0" * 32, "x"]),
    (filters.RangeFilter, {"field_name": "number"}, ["1", "x"]),
    (filters.NumericRangeFilter, {"field_name": "distance"}, ["1", "x"]),
    (filters.DateFromToRangeFilter, {"field_name": "date"}, ["2013-01-02", "x"]),
    (filters.DateTimeFromToRangeFilter, {"field_name": "departure"}, ["2013-01-02 10:00"]),
    (filters.IsoDateTimeFromToRangeFilter, {"field_name": "departure"}, ["2013-01-02T10:00:00"]),
    (filters.TimeRangeFilter, {"field_name": "arrival_time"}, ["10:00", "x"]),
    (filters.DateRangeFilter, {"field_name": "date"}, ["today", "year", "x"]),
    (
        filters.DateRangeFilter,
        {
            "field_name": "date",
            "choices": [("first", "the first")],
            "filters": {"first": lambda qs, name: qs.filter(**{f"{name}__day": 1})},
        },
        ["first", "x"],
    ),
    (filters.AllValuesFilter, {"field_name": "tail_number"}, ["N1", "x"]),
    (filters.AllValuesMultipleFilter, {"field_name": "tail_number"}, ["N1", "x"]),
    (filters.BaseInFilter, {"field_name": "tail_number"}, ["N1,N2", ""]),
    (NumberInFilter, {"field_name": "number"}, ["1,2", "1,x", ","]),
    (DateRangeInFilter, {"field_name": "date"}, ["2013-01-01,2013-01-02", "2013-01-01"]),
    (
        filters.LookupChoiceFilter,
        {"field_name": "number", "field_class": forms.DecimalField, "lookup_choices": ["gt", "lt"]},
        ["1", "x", "gt"],
    ),
    (filters.LookupChoiceFilter, {"field_name": "tail_number"}, ["N1", "exact"]),
    (filters.OrderingFilter, ORDERS, ["number", "-name", "number,-name", "x", "number,"]),
    (filters.ModelChoiceFilter, {"queryset": Airline.objects.all()}, ["UA", "x", ""]),
    (
        filters.ModelChoiceFilter,
        {
            "field_name": "destination",
            "queryset": Airport.objects.filter(code="IAH"),
            "null_label": "none",
            "to_field_name": "code",
        },
        ["IAH", "EWR", "null"],
    ),
    (
        filters.ModelMultipleChoiceFilter,
        {"field_name": "airline", "queryset": Airline.objects.all()},
        ["UA", "DL", "x"],
    ),
    (
        filters.ModelMultipleChoiceFilter,
        {"field_name": "plane", "queryset": Plane.objects.all(), "null_label": "none"},
        ["N1", "null"],
    ),
    (
        filters.ModelChoiceFilter,
        {"field_name": "airline", "queryset": lambda request: Airline.objects.filter(code="UA")},
        ["UA", "DL"],
    ),
    *(
        OWN := [
            (UpperFilter, {"field_name": "destination_code"}, ["iah"]),
            (Hidden, {}, ["true"]),
            (filters.CharFilter, {"field_name": "tail_number", "widget": OwnWidget}, ["N1", ""]),
            (Choosing, {"field_name": "number"}, ["1", "2", "x"]),
            *(
                (OwnField, {"queryset": Airline.objects.all(), "looks": looks}, ["UA", "x"])
                for looks in (None, "field", "filter")
            ),
        ]
    ),
]
GENERATED = [
    ["number"],
    ["airline", "cancelled"],
    {"number": ["exact", "in", "range", "lt"], "date": ["year__gte"]},
    {"plane": ["exact", "isnull"], "tail_number": ["icontains", "in"], "departure": ["exact"]},
]
WRONG = ["", "-1", "null"]


def suffixes(cls: Any) -> list[str]:
    """What the names of the parameters of a filter end in."""
    if cls is filters.LookupChoiceFilter:
        return ["", "_lookup"]
    found = getattr(cls.field_class.widget, "suffixes", [])
    return [f"_{suffix}" for suffix in found] or [""]


@st.composite
def filter_sets(draw, has_own: bool) -> tuple[Any, list[tuple[str, list[str]]]]:
    """What makes a class, and its parameters with values that may fit."""
    declared: dict[str, tuple[Any, dict[str, Any]]] = {}
    parameters = []
    kinds = draw(st.lists(st.sampled_from(KINDS), max_size=5))
    if has_own:
        kinds.insert(draw(st.integers(0, len(kinds))), draw(st.sampled_from(OWN)))
    for number, kind in enumerate(kinds):
        cls, arguments, values = kind
        arguments = dict(arguments)
        if cls not in (filters.OrderingFilter, Hidden):
            options = st.sampled_from([{}, {}, {"exclude": True}, {"distinct": True}])
            arguments |= draw(options)
        name = f"a{number}"
        if cls is not filters.OrderingFilter and draw(st.integers(0, 4)) == 0:
            arguments["method"] = draw(st.sampled_from(["by_method", own_function]))
        if issubclass(cls, filters.ModelChoiceFilter):
            arguments.setdefault("field_name", "airline")
        declared[name] = cls, arguments
        parameters += [(name + suffix, values) for suffix in suffixes(cls)]
    generated = draw(st.sampled_from(GENERATED))
    base = draw(st.sampled_from([django_filters.FilterSet, rest_framework.FilterSet]))

    def make() -> Any:
        meta = type("Meta", (), {"model": Flight, "fields": generated})
        made = {name: cls(**arguments) for name, (cls, arguments) in declared.items()}
        return type(base)("Random", (base,), {"Meta": meta, "by_method": by_method, **made})

    of_model = [name for name in make().base_filters if name not in declared]
    return make, [*parameters, *[(name, ["1", "1,2", "true"]) for name in of_model]]


def own_function(queryset, name, value):
    """A method that is no method of a filter set."""
    return queryset.filter(pk__gt=2)


@st.composite
def requests(draw, parameters: list[tuple[str, list[str]]]) -> tuple[Any, str | None]:
    """Data, and the prefix of the form."""
    prefix = draw(st.sampled_from([None, None, None, "form"]))
    start = "" if prefix is None else draw(st.sampled_from([f"{prefix}-", f"{prefix}-", ""]))
    sent: list[tuple[str, str]] = []
    for name, values in draw(st.lists(st.sampled_from(parameters), max_size=3)):
        pool = st.sampled_from([*values * 4, *WRONG])
        sent += [(start + name, value) for value in draw(st.lists(pool, min_size=1, max_size=2))]
    kind = draw(st.sampled_from([QueryDict, QueryDict, MultiValueDict, dict]))
    if kind is dict:
        return dict(sent), prefix
    data = kind("", mutable=True) if kind is QueryDict else kind()
    for name, value in sent:
        data.appendlist(name, value)
    return data, prefix


LOOKS = {
    "valid": lambda made: made.is_valid(),
    "sql": lambda made: str(made.qs.query),
    "errors": lambda made: made.errors.get_json_data(),
    "cleaned": lambda made: {name: repr(value) for name, value in made.form.cleaned_data.items()},
    "html": lambda made: str(made.form),
    "filters": lambda made: [
        (name, type(each), each.lookup_expr, each.label, each.parent is made)
        for name, each in made.filters.items()
    ],
}


@examples(150)
@pytest.mark.parametrize("has_own", [False, True])
@given(
    data=st.data(),
    looks=st.lists(st.sampled_from([*LOOKS, "valid", "sql", "sql"]), min_size=1, max_size=4),
)
def test_a_random_filter_set_answers_as_in_stock(has_own, data, looks):
    make, parameters = data.draw(filter_sets(has_own))
    both = [data.draw(requests(parameters)) for _ in range(2)]

    def answers(cls: Any) -> list[Any]:
        made = [
            cls(given_data, Flight.objects.all(), request=None, prefix=prefix)
            for given_data, prefix in both
        ]
        return [
            outcome(lambda look=look, each=each: LOOKS[look](each), CALLS)
            for look in looks
            for each in made
        ]

    with fastschema.disabled():
        expected = answers(make())
    for actual, wanted in zip(answers(make()), expected, strict=True):
        assert_equal(actual, wanted)
