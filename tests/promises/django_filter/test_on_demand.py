"""Filter sets as people write them: what is made, what runs, and what is left to django-filter."""

import copy
import pickle
import threading

import django_filters
import pytest
from django import forms
from django.db import connection
from django.http import QueryDict
from django.test import override_settings
from django.utils import translation
from django_filters.filterset import BaseFilterSet
from django_filters.rest_framework import DjangoFilterBackend, FilterSet

import fastschema
from fastschema.contrib import django as front_end
from flights.models import Airline, Flight
from tests.instruments.core import STATE_KEY, thresholds
from tests.promises.django.differential import assert_equal, assert_returns_as_in_stock, outcome

pytestmark = pytest.mark.usefixtures("flights")


def filter_set(base=FilterSet, fields=("number", "airline", "cancelled"), **content):
    """A filter set class of flights."""
    meta = type("Meta", (), {"model": Flight, "fields": fields})
    return type(base)("Flights", (base,), {"Meta": meta, "__module__": __name__, **content})


def makes_nothing(made):
    """Whether a filter set has neither filters nor a form."""
    return vars(made).keys().isdisjoint({"filters", "_form"})


def rows_of(made):
    return [each.pk for each in made.qs.order_by("pk")]


def sql_of(made):
    return str(made.qs.query)


def assert_same(make, query, *looks, calls=None, **options):
    """Assert that a filter set answers as in stock; return the answers.

    :param make: makes the class
    :param looks: what is called with the filter set, one after the other
    :param calls: what user code appends its calls to
    """
    calls = [] if calls is None else calls
    looks = looks or (lambda made: made.is_valid(), rows_of, lambda made: str(made.qs.query))

    def answers():
        made = make()(QueryDict(query), Flight.objects.all(), **options)
        return [outcome(lambda look=look: look(made), calls) for look in looks]

    with fastschema.disabled():
        expected = answers()
    for actual, wanted in zip(answers(), expected, strict=True):
        assert_equal(actual, wanted)
    return [each.value if each.error is None else each.error for each in expected]


class TestWhatRequestsShare:
    def test_what_one_changes_is_not_there_for_the_next(self):
        cls = filter_set()

        def change(made):
            form, number = made.form, made.filters["number"]
            was = form.fields["number"].max_value, number.field.max_value, number.lookup_expr
            form.fields["number"].max_value = number.field.max_value = 0
            number.lookup_expr = "gt"
            return was, form["number"].field is form.fields["number"], form.cleaned_data

        for query in ("number=1", "number=2&cancelled=true", "number=x"):
            for _ in range(2):
                assert_same(lambda: cls, query, lambda made: made.is_valid(), rows_of, change)

    def test_labels_and_errors_are_in_the_language_of_the_request(self):
        cls = filter_set(fields={"number": ["lt"], "cancelled": ["exact"]})

        def labels(made):
            return [str(field.label) for field in made.form.fields.values()]

        found = []
        for language in ("en", "de", "en"):
            with translation.override(language):
                looks = (lambda made: made.is_valid(), lambda made: made.errors, labels)
                found.append(assert_same(lambda: cls, "number__lt=x&cancelled=true", *looks))
        assert found[0] == found[2] != found[1]


class TestWhatIsMade:
    @pytest.mark.at_once
    @pytest.mark.parametrize(
        ("query", "rows"),
        [("", [1, 2, 3, 4]), ("number=1", [1]), ("number=3&airline=UA", []), ("x=x", [1, 2, 3, 4])],
    )
    def test_a_valid_request_makes_neither_filters_nor_a_form(self, query, rows):
        made = filter_set()(QueryDict(query), Flight.objects.all())
        assert made.is_valid()
        assert rows_of(made) == rows
        assert makes_nothing(made)

    @pytest.mark.at_once
    def test_the_errors_of_a_wrong_value_need_no_other_filters(self):
        made = filter_set()(QueryDict("number=x"), Flight.objects.all())
        assert not made.is_valid()
        assert made.errors == {"number": ["Enter a number."]}
        assert makes_nothing(made)
        assert list(made.form.fields) == ["number", "airline", "cancelled"]
        assert made.form.errors is made.errors

    @pytest.mark.at_once
    @pytest.mark.parametrize(
        ("query", "rows", "made_filters"),
        [
            ("", [1, 2], ["below"]),
            ("below=2", [1], ["below"]),
            ("number=2&below=9", [2], ["below"]),
        ],
    )
    def test_a_filter_of_ones_own_is_made_and_others_are_not(self, query, rows, made_filters):
        class Own(django_filters.NumberFilter):
            def filter(self, qs, value):
                return qs.filter(number__lt=value or 3)

        made = filter_set(below=Own())(QueryDict(query), Flight.objects.all())
        assert made.is_valid()
        assert rows_of(made) == rows
        assert makes_nothing(made)
        assert sorted(vars(made)[STATE_KEY].filters) == made_filters

    def test_the_first_filter_set_of_a_class_is_stock(self, monkeypatch):
        monkeypatch.setattr(thresholds, "uses_worth_an_exemplar", 2)
        cls = filter_set()
        first, second = (cls(QueryDict(""), Flight.objects.all()) for _ in range(2))
        assert not makes_nothing(first)
        assert makes_nothing(second)

    def test_the_class_has_no_filters(self):
        assert not hasattr(filter_set(), "filters")
        with pytest.raises(AttributeError, match="'Flights' object has no attribute 'filters'"):
            _ = object.__new__(filter_set()).filters


class TestLooks:
    def test_a_filter_that_was_changed_filters_as_changed(self):
        def change(made):
            made.filters["number"].exclude = True

        assert_same(filter_set, "number=1", change, rows_of)

    def test_a_form_after_validation_asks_nothing_again(self):
        def look(made):
            return made.is_valid(), repr(made.form.cleaned_data), made.form.errors

        assert_same(filter_set, "airline=UA", look, rows_of)
        assert_same(filter_set, "airline=XYZ", look, rows_of)

    def test_a_filter_set_that_gets_its_data_later(self):
        def bind(made):
            made.is_bound, made.data = True, QueryDict("airline=UA")

        def look(made):
            return sorted(made.filters), made.is_valid(), sorted(made.form.fields)

        def unbound():
            cls = filter_set()
            return lambda data, queryset: cls(None, queryset)

        assert_same(unbound, "", lambda made: made.is_valid(), bind, look, rows_of)


class TestOwnCode:
    def test_own_init(self):
        class Own(FilterSet):
            class Meta:
                model = Flight
                fields = ["number", "airline"]

            def __init__(self, *args, user="ann", **kwargs):
                super().__init__(*args, **kwargs)
                self.user = user

        assert_same(lambda: Own, "number=2", user="ben")
        made = Own(QueryDict("number=2"), Flight.objects.all())
        assert rows_of(made) == [2]
        assert makes_nothing(made)

    def test_filtering_before_validation_raises(self):
        def filter_first(made):
            return made.filter_queryset(made.queryset)

        for query in ("", "number=2"):
            [(error, message)] = assert_same(filter_set, query, filter_first)
            assert error is AttributeError
            assert "FlightsForm" in message

    def test_a_method_is_that_of_its_filter_set(self):
        calls = []

        class Own(FilterSet):
            late = django_filters.BooleanFilter(method="filter_late", field_name="departure_delay")

            class Meta:
                model = Flight
                fields = ["number"]

            def filter_late(self, queryset, name, value):
                calls.append((name, value, self.data.get("number"), self.request))
                return queryset.filter(**{f"{name}__isnull": value})

        for query in ("late=true", "late=false&number=2", "late=x", "number=1"):
            assert_same(lambda: Own, query, calls=calls, request="the request")
        made = Own(QueryDict("late=true"), Flight.objects.all())
        assert rows_of(made) == [1, 2, 3, 4]
        assert makes_nothing(made)

    @pytest.mark.parametrize("what", ["filters", "form"])
    def test_a_method_that_changes_the_filters_after_it(self, what):
        def change(self, queryset, name, value):
            if what == "filters":
                self.filters["number"].exclude = True
                self.filters["airline"].method = lambda queryset, name, value: queryset.none()
            else:
                self.form.cleaned_data["number"] = 2
                self.form.cleaned_data["airline"] = None
            return queryset.filter(plane__isnull=False)

        def make():
            return filter_set(
                fields=(),
                plane=django_filters.CharFilter(method="change"),
                number=django_filters.NumberFilter(),
                airline=django_filters.CharFilter(),
                change=change,
            )

        for query in ("plane=a", "plane=a&number=1", "plane=a&number=1&airline=UA", "number=1"):
            assert_same(make, query, lambda made: made.is_valid(), sql_of, rows_of)

    def test_own_form(self):
        class Form(forms.Form):
            def clean(self):
                if not self.cleaned_data.get("number"):
                    raise forms.ValidationError("Which number?")
                return self.cleaned_data

        class Own(FilterSet):
            class Meta:
                model = Flight
                fields = ["number"]
                form = Form

        assert_same(lambda: Own, "", lambda made: made.is_valid(), lambda made: made.errors)
        assert_same(lambda: Own, "number=1")

    def test_a_queryset_by_request(self):
        class Own(FilterSet):
            airline = django_filters.ModelChoiceFilter(
                queryset=lambda request: Airline.objects.filter(code=request)
            )

        assert_same(lambda: Own, "airline=UA", request="UA")
        assert_same(lambda: Own, "airline=UA", request="DL")

    @pytest.mark.parametrize("query", ["code=UA&miles=x", "code=UA", "code=XX"])
    def test_what_converts_choices_is_called_as_often(self, query):
        calls = []

        def code(value):
            calls.append(value)
            return value

        def make():
            choices = [("UA", "United")]
            return filter_set(
                code=django_filters.TypedChoiceFilter(
                    field_name="airline", choices=choices, coerce=code
                ),
                miles=django_filters.NumberFilter(field_name="distance"),
            )

        assert_same(make, query, calls=calls)

    @pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL compares any integer")
    def test_an_error_that_is_none_of_validation_is_raised_once(self):
        def make():
            flights = django_filters.ModelMultipleChoiceFilter(queryset=Flight.objects.all())
            return filter_set(id=flights)

        looks = (lambda made: made.is_valid(),) * 2
        [error, is_valid, _] = assert_same(make, f"id={10**30}", *looks, rows_of)
        assert error[0] is OverflowError
        assert "True" in is_valid


class TestChanges:
    def test_filters_that_are_added_and_replaced(self):
        cls = filter_set()
        for _ in range(2):
            assert rows_of(cls(QueryDict("number=1&tail_number=x"), Flight.objects.all())) == [1]
            cls.base_filters["tail_number"] = django_filters.CharFilter(field_name="tail_number")
            assert rows_of(cls(QueryDict("number=1&tail_number=x"), Flight.objects.all())) == []
            del cls.base_filters["tail_number"]

    def test_filters_that_each_request_changes(self):
        class Own(FilterSet):
            class Meta:
                model = Flight
                fields = ["airline"]

            def __init__(self, *args, code, **kwargs):
                self.base_filters["airline"].queryset = Airline.objects.filter(code=code)
                super().__init__(*args, **kwargs)

        for code in ("UA", "UA", "DL", "UA", "DL"):
            [is_valid, *_] = assert_same(lambda: Own, "airline=UA", code=code)
            assert ("True" in is_valid) is (code == "UA")

    def test_what_a_filter_has_in_place_of_something_else_is_not_compared(self):
        calls = []

        class Hint:
            def __eq__(self, other):
                calls.append("compared")
                return True

            __hash__ = None

        number = django_filters.NumberFilter(field_name="number")
        cls = filter_set(number=number)
        for _ in range(3):
            number.hint = Hint()
            assert rows_of(cls(QueryDict("number=1"), Flight.objects.all())) == [1]
        assert calls == []

    def test_choices_that_change(self):
        choices = [("UA", "United"), ("DL", "Delta")]
        code = django_filters.ChoiceFilter(field_name="airline", choices=choices)
        cls = filter_set(code=code)
        assert_same(lambda: cls, "code=DL")
        del choices[1]
        assert_same(lambda: cls, "code=DL")
        assert not cls(QueryDict("code=DL"), Flight.objects.all()).is_valid()

    @pytest.mark.parametrize("how", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
    def test_copies_of_a_filter_set(self, how, monkeypatch):
        cls = filter_set(fields=["number"])
        cls.__qualname__ = "Flights"
        monkeypatch.setitem(globals(), "Flights", cls)

        def look(made):
            copied = how(made)
            parents = {each.parent is copied for each in copied.filters.values()}
            return copied.is_valid(), rows_of(copied), list(copied.filters), parents

        assert_same(lambda: cls, "number=1", look)

    def test_hooks_that_are_added(self):
        cls = filter_set()
        assert cls(QueryDict(""), Flight.objects.all()).is_valid()
        cls.get_form_class = lambda self: type("Form", (forms.Form,), {"x": forms.CharField()})
        assert not cls(QueryDict(""), Flight.objects.all()).is_valid()

    def test_settings(self):
        cls = filter_set(plane=django_filters.ChoiceFilter(choices=[("N1", "N1")], null_label="-"))
        assert cls(QueryDict("plane=null"), Flight.objects.all()).is_valid()
        with override_settings(FILTERS_NULL_CHOICE_VALUE="nothing"):
            assert not cls(QueryDict("plane=null"), Flight.objects.all()).is_valid()

    def test_a_range_leaves_nothing_behind_for_the_next_request(self):
        cls = filter_set(distance=django_filters.NumericRangeFilter())

        def sql(query):
            return str(cls(QueryDict(query), Flight.objects.all()).qs.query)

        def both():
            queries = ("distance_max=3", "distance_min=1&distance_max=3")
            return [outcome(lambda query=query: sql(query), []) for query in queries]

        assert_returns_as_in_stock(both)

    def test_threads_share_nothing(self):
        cls = filter_set()
        found = {}

        def ask(number):
            found[number] = [
                cls(QueryDict(f"number={number}"), Flight.objects.all()).qs.query.__str__()
                for _ in range(50)
            ]

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, queries in found.items():
            assert all(f'"number" = {number}' in query for query in queries)


class TestSwitches:
    def test_disabled(self):
        with fastschema.disabled():
            assert not makes_nothing(filter_set()(QueryDict(""), Flight.objects.all()))

    @pytest.mark.at_once
    def test_the_setting(self):
        with override_settings(FASTSCHEMA={"FILTERS": False}):
            assert BaseFilterSet.is_valid.__module__ == "django_filters.filterset"
            assert not makes_nothing(filter_set()(QueryDict(""), Flight.objects.all()))
        assert makes_nothing(filter_set()(QueryDict(""), Flight.objects.all()))

    def test_uninstalling_gives_the_methods_back_and_filter_sets_go_on(self):
        made = filter_set()(QueryDict("number=1&airline=UA"), Flight.objects.all())
        front_end.uninstall()
        try:
            for name in ("__init__", "is_valid", "filter_queryset"):
                method = getattr(BaseFilterSet, name)
                assert method.__code__.co_filename.endswith("filterset.py")
            assert DjangoFilterBackend.get_filterset_class.__module__.startswith("django_filters")
            assert made.is_valid()
            assert rows_of(made) == [1]
        finally:
            front_end.install()

    def test_a_method_that_a_package_has_replaced_stays(self, monkeypatch):
        calls = []
        front_end.uninstall()
        try:
            stock = BaseFilterSet.is_valid
            monkeypatch.setattr(
                BaseFilterSet, "is_valid", lambda self: calls.append("is_valid") or stock(self)
            )
            front_end.install()
            made = filter_set()(QueryDict("number=1"), Flight.objects.all())
            assert made.is_valid()
            assert rows_of(made) == [1]
            assert calls == ["is_valid"]
            front_end.uninstall()
        finally:
            monkeypatch.undo()
            front_end.install()
