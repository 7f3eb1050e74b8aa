"""A plan is found once for each shape of a queryset, kept, and never serves another shape."""

import gc
import random
import weakref

import pytest
from django import VERSION
from django.db import models
from django.db.models import Count, F, Prefetch
from rest_framework import serializers

import fastschema
from fastschema.contrib.django.lists import prefetching
from fastschema.contrib.django.lists.query_plan import plan_of
from tests.promises.django.list_views import FlightList, assert_same_outcome, get, view_of
from tests.promises.django.lists.models import City, Country, Language, Person, Pet, Profile
from tests.promises.django.lists.random_views import pick, random_queryset, random_serializer
from tests.promises.django.lists.reading import reads_rows
from tests.promises.django.serializers import LanguageSerializer, Named

pytestmark = pytest.mark.usefixtures("people")

PEOPLE = Person.objects.order_by("pk")
WITH_LANGUAGES = PEOPLE.prefetch_related("languages")


class CitySerializer(serializers.ModelSerializer):
    class Meta:
        model = City
        fields = ("name", "country")


class PersonSerializer(serializers.ModelSerializer):
    city = CitySerializer()
    birthplace = CitySerializer()
    languages = LanguageSerializer(many=True)

    class Meta:
        model = Person
        fields = ("name", "age", "city", "birthplace", "languages")


SHAPES = {
    "plain": PEOPLE,
    "one joined": PEOPLE.select_related("city"),
    "another joined": PEOPLE.select_related("birthplace"),
    "both joined": PEOPLE.select_related("city", "birthplace"),
    "both joined, in the other order": PEOPLE.select_related("birthplace", "city"),
    "deeper": PEOPLE.select_related("city__country", "birthplace"),
    "fewer columns": PEOPLE.only("name", "age"),
    "other columns": PEOPLE.only("age", "city"),
    "fewer columns of what is joined": PEOPLE.select_related("city").only("name", "city__name"),
    "deferred": PEOPLE.defer("age"),
    "annotated": PEOPLE.annotate(n=Count("pets")),
    "annotated otherwise": PEOPLE.annotate(m=F("age"), n=Count("pets")),
    "an alias": PEOPLE.alias(n=F("age")),
    "extra": PEOPLE.extra(select={"more": "1"}),
    "prefetched": WITH_LANGUAGES,
    "prefetched what is joined": PEOPLE.select_related("city").prefetch_related("birthplace"),
    "a given queryset": PEOPLE.prefetch_related(
        Prefetch("languages", Language.objects.only("name"))
    ),
    "a given queryset, annotated": PEOPLE.prefetch_related(
        Prefetch("languages", Language.objects.annotate(n=Count("speakers")))
    ),
    "an attribute of its own": PEOPLE.prefetch_related(
        Prefetch("languages", Language.objects.all(), "spoken")
    ),
    "prefetched within": PEOPLE.prefetch_related(
        Prefetch("city", City.objects.prefetch_related("people")), "languages"
    ),
}
if VERSION >= (6, 1):
    SHAPES["fetching peers"] = PEOPLE.fetch_mode(models.FETCH_PEERS)
    SHAPES["raising"] = PEOPLE.prefetch_related("languages").fetch_mode(models.FETCH_RAISE)


def list_of(get_queryset, serializer=PersonSerializer):
    return view_of(
        FlightList, serializer_class=serializer, get_queryset=lambda self: get_queryset().all()
    )


@pytest.mark.parametrize("seed", range(2))
def test_requests_of_different_shapes_are_answered_as_in_stock(seed):
    chance = random.Random(seed)
    names = [*SHAPES, *SHAPES]
    chance.shuffle(names)
    current = []
    view_class = list_of(lambda: SHAPES[current[0]])
    for name in names:
        current[:] = [name]
        assert_same_outcome(view_class)


@pytest.mark.parametrize("seed", range(15))
def test_random_shapes_on_warm_plans(seed):
    chance = random.Random(seed).random
    model = pick(chance, [Person, Person, City, Profile, Country])
    serializer_class = random_serializer(chance, model, is_plain=chance() < 0.7)
    seeds = [int(chance() * 1000) for _ in range(5)]
    for number in [*seeds, *seeds]:
        view_class = view_of(
            FlightList,
            serializer_class=serializer_class,
            get_queryset=lambda self, number=number: random_queryset(
                random.Random(number).random, model
            ),
        )
        assert_same_outcome(view_class)


@pytest.mark.parametrize(
    ("planned", "asked"),
    [
        (PEOPLE, PEOPLE.only("name", "age")),
        (
            PEOPLE.prefetch_related(Prefetch("city", City.objects.all())),
            PEOPLE.prefetch_related(Prefetch("city", City.objects.only("country"))),
        ),
    ],
    ids=["fewer columns", "fewer columns of what is prefetched"],
)
def test_a_plan_reads_no_rows_of_a_query_that_selects_otherwise(monkeypatch, planned, asked):
    monkeypatch.setattr(prefetching, "shape_of", lambda queryset: "as if all were alike")
    fastschema.forget()
    for queryset in (planned, asked):
        view_class = list_of(lambda queryset=queryset: queryset)
        with fastschema.disabled():
            expected = get(view_class).content
        assert get(view_class).content == expected


def test_a_list_without_related_objects_and_one_with_them_take_turns():
    names = []
    people = PEOPLE.prefetch_related("languages", "birthplace")
    view_class = list_of(lambda: people.filter(name__in=names))
    for names[:] in (["?"], ["Person 4"], [f"Person {n}" for n in range(9)], ["?"], ["Person 4"]):
        assert_same_outcome(view_class)


@pytest.mark.parametrize(
    ("owner", "name", "patched"),
    [
        (Person, "__getattr__", lambda self, name: 1),
        (Person, "name", property(lambda self: "patched", lambda self, value: None)),
        (models.Model, "from_db", classmethod(lambda cls, *args: cls(pk=args[2][0]))),
        (Language, "__init__", lambda self, *args: models.Model.__init__(self, name="patched")),
        (models.CharField, "from_db_value", lambda self, *args: "patched"),
        (models.CharField, "get_db_converters", lambda self, connection: [lambda *args: "patched"]),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_what_a_user_patches_later_is_noticed(monkeypatch, owner, name, patched):
    view_class = list_of(lambda: WITH_LANGUAGES, Named)
    assert reads_rows(view_class)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, patched, raising=False)
        assert_same_outcome(view_class)
    assert_same_outcome(view_class)
    assert reads_rows(view_class)


def test_a_managers_own_queryset_is_noticed_later(monkeypatch):
    pets = list_of(
        lambda: PEOPLE.prefetch_related("pets"),
        type(
            "Owner",
            (serializers.Serializer,),
            {"pets": serializers.SlugRelatedField(slug_field="name", many=True, read_only=True)},
        ),
    )
    assert_same_outcome(pets)
    monkeypatch.setattr(
        type(Pet.objects), "get_queryset", lambda self: models.Manager.get_queryset(self).none()
    )
    assert_same_outcome(pets)


@pytest.mark.parametrize("model", [Person, Language])
def test_a_receiver_that_comes_later_is_noticed(model):
    view_class = list_of(lambda: WITH_LANGUAGES, Named)
    assert reads_rows(view_class)
    calls = []

    def receive(sender, instance, **kwargs):
        calls.append(instance)

    models.signals.post_init.connect(receive, sender=model)
    try:
        assert_same_outcome(view_class, calls=calls)
        assert calls
    finally:
        models.signals.post_init.disconnect(receive, sender=model)
    assert reads_rows(view_class)


def test_a_plan_keeps_no_queryset():
    given = Language.objects.filter(name="Norwegian")
    queryset = PEOPLE.filter(age__gt=3).prefetch_related(Prefetch("languages", given))
    assert plan_of(queryset) is plan_of(queryset)
    list(Named(queryset, many=True).data)
    references = [weakref.ref(each) for each in (given.query, queryset.query)]
    del given, queryset
    gc.collect()
    assert [reference() for reference in references] == [None, None]


class Aimed(models.Func):
    """Has a value of a request, by the name that columns have for their field."""

    function = "UPPER"
    output_field = models.CharField()
    compiled = []

    def as_sql(self, *args, **kwargs):
        self.compiled.append(self.target)
        return super().as_sql(*args, **kwargs)


class Shouting(models.CharField):
    def from_db_value(self, value, expression, connection):
        return Loud(value)


class Loud(str):
    def __str__(self):
        CALLS.append(str.__str__(self))
        raise ValueError(str.__str__(self))


CALLS = []


@pytest.mark.instruments
def test_an_expression_keeps_its_values_to_itself():
    class Value:
        def __eq__(self, other):
            raise AssertionError

        __hash__ = None

    references = []
    for _ in range(3):
        aimed = Aimed("name")
        aimed.target = Value()
        references.append(weakref.ref(aimed.target))
        assert reads_rows(
            list_of(lambda aimed=aimed: PEOPLE.annotate(n=aimed), NamesOnlySerializer)
        )
        del aimed
        Aimed.compiled.clear()
    gc.collect()
    assert [reference() for reference in references] == [None, None, None]


class NamesOnlySerializer(serializers.Serializer):
    name = serializers.CharField()


@pytest.mark.instruments
@pytest.mark.parametrize(
    "asked",
    [
        lambda aimed: PEOPLE.annotate(n=aimed),
        lambda aimed: PEOPLE.prefetch_related(
            Prefetch("languages", Language.objects.annotate(n=aimed))
        ),
        lambda aimed: PEOPLE.prefetch_related(
            Prefetch("languages", Language.objects.order_by(aimed))
        ),
    ],
    ids=["of the list", "of what is prefetched", "of its order"],
)
def test_an_expression_of_ones_own_is_compiled_as_often_as_in_stock(asked):
    aimed = Aimed("name")
    aimed.target = "once"
    fastschema.forget()
    assert_same_outcome(list_of(lambda: asked(aimed), Named), calls=Aimed.compiled)


@pytest.mark.instruments
@pytest.mark.parametrize("method", ["select_format", "get_col"])
def test_a_field_of_ones_own_is_selected_as_often_as_in_stock(monkeypatch, method):
    calls = []
    field = Language._meta.get_field("name")
    stock = getattr(field, method)

    def noted(*args, **kwargs):
        calls.append(method)
        return stock(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(field, method, noted)
        fastschema.forget()
        assert_same_outcome(list_of(lambda: WITH_LANGUAGES, Named), calls=calls)
    fastschema.forget()  # what a field object has of its own is not noticed


def test_expressions_of_one_class_convert_in_their_own_ways():
    added = type("Added", (serializers.Serializer,), {"added": serializers.CharField()})
    expressions = [
        models.Max("name"),
        models.Max("name", output_field=Shouting()),
        models.Max("age"),
        models.Max("name", output_field=models.TextField()),
    ]
    current = []
    view_class = list_of(lambda: PEOPLE.annotate(added=current[0]), added)
    for number in (0, 1, 2, 1, 3, 0, 1):
        current[:] = [expressions[number]]
        assert_same_outcome(view_class, calls=CALLS)


def test_a_plan_keeps_no_serializer_class_alive():
    serializer_class = type("Once", (Named,), {})
    list(serializer_class(WITH_LANGUAGES.all(), many=True).data)
    reference = weakref.ref(serializer_class)
    del serializer_class
    gc.collect()
    assert reference() is None


def test_a_model_keeps_a_bounded_number_of_plans():
    plans = [plan_of(PEOPLE.annotate(**{f"n{n}": F("age")})) for n in range(100)]
    gc.collect()
    kept = {id(plan_of(PEOPLE.annotate(**{f"n{n}": F("age")}))) for n in range(99, 80, -1)}
    assert len(kept & set(map(id, plans))) > 1
    references = [weakref.ref(plan) for plan in plans]
    del plans
    gc.collect()
    assert sum(reference() is not None for reference in references) <= 40
