"""Two querysets have one shape only if code of users takes part in the rows of both, or of none."""

import inspect

import pytest
from django.db import connection, models
from django.db.models import ExpressionWrapper, F, Max
from django.db.models.sql.compiler import SQLCompiler
from rest_framework import serializers

import fastschema
from fastschema.contrib.django.internals.shapes import converts_as_django, shape_of
from tests.promises.django.differential import serializer_of
from tests.promises.django.list_views import assert_same_outcome, view_of
from tests.promises.django.lists.models import City, Person

pytest.importorskip("psycopg", reason="django.contrib.postgres needs it")
from django.contrib.postgres import fields as postgres
from django.contrib.postgres.aggregates import ArrayAgg

pytestmark = pytest.mark.usefixtures("people")

CALLS = []


class Loud(str):
    def __str__(self):
        CALLS.append(str.__str__(self))
        raise ValueError(str.__str__(self))


class Shouting(models.CharField):
    def from_db_value(self, value, expression, connection):
        return Loud(value)


TEXTS = serializer_of(added=serializers.ListField(child=serializers.CharField()))
PEOPLE = Person.objects.order_by("pk")


def list_of(get_queryset):
    return view_of(serializer_class=TEXTS, get_queryset=lambda self: get_queryset())


def of_each_class():
    """All classes of fields that Django has."""
    modules = (models, postgres)
    values = {id(value): value for module in modules for value in vars(module).values()}
    return [
        value
        for value in values.values()
        if isinstance(value, type) and issubclass(value, models.Field)
    ]


def fields_inside(field_class):
    """The arguments and attributes by which a class of fields has others inside."""
    return {"base_field", "output_field"} & {
        *inspect.signature(field_class.__init__).parameters,
        *vars(field_class),
    }


WITH_FIELDS_INSIDE = {
    postgres.ArrayField: lambda inner: postgres.ArrayField(inner),
    models.GeneratedField: lambda inner: models.GeneratedField(
        expression=F("name"), output_field=inner, db_persist=True
    ),
}
"""Classes of fields that are given others."""


def test_it_is_known_which_fields_have_others_inside():
    given = {cls for cls in of_each_class() if fields_inside(cls)}
    ranges = {cls for cls in given if issubclass(cls, postgres.RangeField)}
    assert given - ranges == WITH_FIELDS_INSIDE.keys()
    # Their class says which it is.
    assert all(cls.base_field.__module__.startswith("django.") for cls in ranges)


def converters_of(queryset):
    """The functions that make the values of the last column of a query."""
    compiler = queryset.query.chain().get_compiler(using=queryset.db)
    compiler.pre_sql_setup()
    expressions = [compiler.select[-1][0]]
    return SQLCompiler.get_converters(compiler, expressions).get(0, ([], None))[0]


@pytest.mark.parametrize("outer", [*WITH_FIELDS_INSIDE.values(), lambda inner: inner])
@pytest.mark.parametrize("wrap", [lambda inner: inner, postgres.ArrayField], ids=["", "in a list"])
def test_expressions_have_one_shape_only_if_they_are_converted_alike(outer, wrap):
    querysets = [
        PEOPLE.annotate(added=ExpressionWrapper(F("name"), output_field=outer(wrap(inner))))
        for inner in (models.CharField(), Shouting())
    ]
    plain, shouting = (bool(converters_of(queryset)) for queryset in querysets)
    assert not plain
    shapes = [shape_of(queryset) for queryset in querysets]
    assert (shapes[0] == shapes[1]) is (not shouting)
    added = [queryset.query.annotations["added"] for queryset in querysets]
    assert list(map(converts_as_django, added)) == [True, not shouting]


def test_expressions_of_one_class_whose_fields_differ_inside():
    current = []
    view_class = list_of(lambda: PEOPLE.annotate(added=current[0]))
    expressions = [
        Max("name", output_field=postgres.ArrayField(field))
        for field in (models.CharField(), Shouting(), postgres.ArrayField(Shouting()))
    ]
    for number in (0, 1, 2, 1, 0, 2):
        current[:] = [expressions[number]]
        assert_same_outcome(view_class, calls=CALLS)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="other databases have no lists")
def test_lists_of_a_column_with_and_without_a_converter_of_users(monkeypatch):
    column = City._meta.get_field("name")
    current = []
    view_class = list_of(lambda: PEOPLE.annotate(added=ArrayAgg(current[0])))
    monkeypatch.setattr(column, "from_db_value", lambda *args: Loud(args[0]), raising=False)
    fastschema.forget()  # what a field object has of its own is not noticed
    for name in ("languages__name", "city__name", "languages__name", "city__name"):
        current[:] = [name]
        assert_same_outcome(view_class, calls=CALLS)
    fastschema.forget()
