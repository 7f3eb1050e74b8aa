"""Which lists are written from rows, and which need instances; the answers are stock's."""

import gc
from types import TracebackType

import pytest
from django.db import models
from django.db.models import Count, F, FilteredRelation, Q, Value
from django.db.models.functions import Upper
from django.test import override_settings
from django.test.utils import isolate_apps
from django.urls import path
from rest_framework import serializers

from tests.promises.django.differential import serializer_of
from tests.promises.django.list_views import FlightList, assert_same_outcome, get, list_of, view_of
from tests.promises.django.lists.models import City, Person, Profile, Worker
from tests.promises.django.lists.reading import reads_rows
from tests.promises.django.lists.test_row_layout import model_of
from tests.promises.django.serializers import CitySerializer

pytestmark = [
    pytest.mark.usefixtures("people"),
    pytest.mark.urls("tests.promises.django.lists.test_columns"),
]
urlpatterns = [path("of/<pk>/", lambda request, pk: None, name="of")]

PEOPLE = Person.objects.order_by("pk")
WITH_ALL = PEOPLE.select_related("city__country", "birthplace__country", "profile__country")


def all_columns(model):
    """A serializer for all columns of a model."""
    others = [field.name for field in model._meta.many_to_many]
    meta = type("Meta", (), {"model": model, "exclude": others})
    return type("All", (serializers.ModelSerializer,), {"Meta": meta})


FROM_ROWS = {
    "columns": (PEOPLE, all_columns(Person)),
    "columns of a parent's table": (Worker.objects.order_by("pk"), all_columns(Worker)),
    "nested objects, some of them null": (
        WITH_ALL,
        serializer_of(city=CitySerializer(), birthplace=CitySerializer()),
    ),
    "a reverse relation to one": (
        WITH_ALL,
        serializer_of(profile=serializer_of(motto=serializers.CharField())()),
    ),
    "the columns of the object itself, nested": (
        PEOPLE,
        serializer_of(inner=serializer_of(name=serializers.CharField())(source="*")),
    ),
    "a dotted source": (WITH_ALL, serializer_of(c=serializers.CharField(source="city.name"))),
    "a dotted source through null, with a default": (
        WITH_ALL,
        serializer_of(c=serializers.CharField(source="birthplace.name", default="nowhere")),
    ),
    "a dotted source through null, an error": (
        WITH_ALL,
        serializer_of(c=serializers.CharField(source="birthplace.name")),
    ),
    "a slug of a related object": (
        WITH_ALL,
        serializer_of(
            city=serializers.SlugRelatedField("name", read_only=True),
            birthplace=serializers.SlugRelatedField("founded", read_only=True),
        ),
    ),
    "a key that is not the primary one": (
        City.objects.order_by("pk"),
        serializer_of(twin=serializers.PrimaryKeyRelatedField(read_only=True)),
    ),
    "addresses": (
        PEOPLE,
        serializer_of(
            city=serializers.HyperlinkedRelatedField("of", read_only=True),
            birthplace=serializers.HyperlinkedRelatedField("of", read_only=True),
        ),
    ),
    "annotations": (
        PEOPLE.annotate(big=Upper("name"), many=Count("profile"), at=F("city__name")),
        serializer_of(
            **{name: serializers.ReadOnlyField() for name in ("big", "many", "at", "name", "pk")}
        ),
    ),
    "none": (PEOPLE.filter(name="?"), all_columns(Person)),
    "rows that are locked": (PEOPLE.select_for_update(), all_columns(Person)),
}


@pytest.mark.at_once
@pytest.mark.parametrize("name", FROM_ROWS)
def test_a_list_is_written_from_rows(name):
    view_class = list_of(*FROM_ROWS[name])
    assert_same_outcome(view_class)
    if name not in ("none", "a dotted source through null, an error"):
        assert reads_rows(view_class)


class Loud(serializers.CharField):
    calls = []

    def to_representation(self, value):
        self.calls.append(value)
        return super().to_representation(value).upper()


INSTANCES = {
    "a method field": (PEOPLE, all_columns(Person), {"f": serializers.SerializerMethodField()}),
    "a method of the model": (PEOPLE, None, {"shout": serializers.CharField()}),
    "the text of a related object": (WITH_ALL, None, {"city": serializers.StringRelatedField()}),
    "a relation that is not loaded": (PEOPLE, None, {"city": CitySerializer()}),
    "a column that is not loaded": (PEOPLE.only("pk"), None, {"name": serializers.CharField()}),
    "an annotation that is an attribute, too": (
        PEOPLE.annotate(shout=Value("!")),
        None,
        {"shout": serializers.CharField()},
    ),
    "a filtered relation": (
        PEOPLE.annotate(
            home=FilteredRelation("city", condition=Q(city__name="Oslo"))
        ).select_related("home"),
        None,
        {"name": serializers.CharField()},
    ),
    "extra columns": (
        PEOPLE.extra(select={"more": "1 + 1"}),
        None,
        {"more": serializers.IntegerField()},
    ),
    "a union": (
        Person.objects.order_by().union(Person.objects.order_by()).order_by("name"),
        None,
        {"name": serializers.CharField()},
    ),
    "a child's table by way of its parent": (
        PEOPLE.select_related("worker"),
        None,
        {"name": serializers.CharField()},
    ),
    "dictionaries": (PEOPLE.values("name"), None, {"name": serializers.CharField()}),
}


@pytest.mark.parametrize("name", INSTANCES)
def test_a_list_needs_instances(name):
    queryset, base, fields = INSTANCES[name]
    methods = {"get_f": lambda self, person: person.name}
    serializer_class = type("Rows", (base or serializers.Serializer,), {**fields, **methods})
    if base is not None:
        serializer_class.Meta = type("Meta", (), {"model": Person, "fields": ["name", "f"]})
    view_class = list_of(queryset, serializer_class)
    assert_same_outcome(view_class)
    assert not reads_rows(view_class)


@override_settings(FASTSCHEMA={"ROWS": False})
def test_a_setting_turns_it_off():
    view_class = list_of(PEOPLE, all_columns(Person))
    assert_same_outcome(view_class)
    assert not reads_rows(view_class)


class Elsewhere:
    def allow_relation(self, one, other, **hints):
        return None


@override_settings(DATABASE_ROUTERS=[Elsewhere()])
def test_routers_are_told_of_instances():
    view_class = list_of(WITH_ALL, serializer_of(city=CitySerializer()))
    assert_same_outcome(view_class)
    assert not reads_rows(view_class)


@pytest.mark.at_once
def test_objects_of_a_related_manager():
    for fields in ({"name": serializers.CharField()}, {"city": CitySerializer()}):
        view_class = view_of(
            FlightList,
            serializer_class=serializer_of(**fields),
            get_queryset=lambda self: City.objects.get(name="Oslo").people.order_by("pk"),
        )
        assert_same_outcome(view_class)
        assert reads_rows(view_class) == ("name" in fields)


@pytest.mark.parametrize(
    "change",
    [
        {"__iter__": lambda self: iter([])},
        {"_fetch_all": lambda self: models.QuerySet._fetch_all(self)},
        {"iterator": lambda self, chunk_size=None: iter([])},
        {"_clone": lambda self: models.QuerySet._clone(self)},
        {"__getitem__": lambda self, key: models.QuerySet.__getitem__(self, key)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_queryset_class_that_changes_what_its_rows_are(change):
    people = type("People", (models.QuerySet,), change)(Person).order_by("pk")
    view_class = list_of(people, serializer_of(name=serializers.CharField()))
    assert_same_outcome(view_class)
    assert not reads_rows(view_class)


@pytest.mark.at_once
def test_a_queryset_class_with_methods_of_its_own():
    own = {"adults": lambda self: self.filter(age__gt=30)}
    people = type("People", (models.QuerySet,), own)(Person).order_by("pk").adults()
    view_class = list_of(people, serializer_of(name=serializers.CharField()))
    assert_same_outcome(view_class)
    assert reads_rows(view_class)


class Worded:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        Loud.calls.append(self.value)
        return f"<{self.value}>"


class Wording(models.CharField):
    def from_db_value(self, value, expression, connection):
        return Worded(value)


def test_values_of_classes_of_ones_own_are_used_once():
    worded = model_of(name=Wording(max_length=9))
    view_class = list_of(worded.objects.order_by("pk"), serializer_of(name=serializers.CharField()))
    assert_same_outcome(view_class, calls=Loud.calls)
    assert reads_rows(view_class)


def test_a_relation_that_loading_a_column_forgets():
    with isolate_apps("flights"):
        meta = type("Meta", (), {"app_label": "flights", "db_table": Profile._meta.db_table})
        owner = models.OneToOneField(Person, models.CASCADE, primary_key=True, related_name="+")
        owner.db_column = "person_id"
        attributes = {"__module__": __name__, "Meta": meta, "person": owner}
        attributes["motto"] = models.CharField(max_length=20)
        keyed = type("Keyed", (models.Model,), attributes)
    fields = {"motto": serializers.CharField(), "person": serializer_of(name=Loud())()}
    queryset = keyed.objects.order_by("pk").select_related("person").defer("motto")
    assert_same_outcome(list_of(queryset, serializer_of(**fields)), calls=Loud.calls)


def test_relations_that_are_null_leave_nothing_behind():
    queryset, serializer_class = FROM_ROWS["a dotted source through null, with a default"]
    view_class = list_of(queryset, serializer_class)
    get(view_class)
    gc.collect()
    before = sum(isinstance(each, TracebackType) for each in gc.get_objects())
    for _ in range(5):
        get(view_class)
    gc.collect()
    assert sum(isinstance(each, TracebackType) for each in gc.get_objects()) <= before
