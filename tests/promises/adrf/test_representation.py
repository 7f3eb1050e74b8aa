"""Serializers of adrf give what they give without fastschema, in one step where they can."""

import asyncio
from functools import partial
from types import SimpleNamespace

import pytest
from adrf import fields, serializers
from asgiref.sync import async_to_sync, sync_to_async
from django.test.utils import isolate_apps
from rest_framework import serializers as drf

import fastschema
from flights.models import Airline, Airport, Flight
from tests.promises.django.differential import assert_as_in_stock, outcome
from tests.promises.django.requests_in_turns import IN_TURNS, visitor_of

calls = []


async def adata(make):
    serializer = await sync_to_async(make)()  # it may ask the database
    return await serializer.adata


def assert_same(make, *args, **kwargs):
    """Compare what serializers represent, two after the other, and return what it was."""
    make = partial(make, *args, **kwargs)
    return assert_as_in_stock(lambda: async_to_sync(adata)(make), calls)


class AirlineSerializer(serializers.ModelSerializer):
    class Meta:
        model = Airline
        fields = ("code", "name")


class FlightSerializer(serializers.ModelSerializer):
    airline = AirlineSerializer()
    number = fields.IntegerField()
    to_code = fields.CharField(source="destination.code", default=None)

    class Meta:
        model = Flight
        fields = ("id", "number", "airline", "to_code", "date", "scheduled_departure", "plane")


class NumberSerializer(serializers.ModelSerializer):
    class Meta:
        model = Flight
        fields = ("id", "number", "airline", "plane")


class FleetSerializer(serializers.ModelSerializer):
    flights = FlightSerializer(many=True)

    class Meta:
        model = Airline
        fields = ("code", "flights")


class PlainSerializer(serializers.Serializer):
    name = fields.CharField()
    size = fields.IntegerField(required=False)
    sizes = fields.ListField(child=fields.IntegerField(), required=False)


def all_flights():
    return Flight.objects.select_related("airline", "destination").order_by("id")


SOURCES = {
    "a queryset": all_flights,
    "a manager": lambda: Flight.objects,
    "no rows": lambda: all_flights().none(),
    "no rows in the table": lambda: all_flights().filter(number=99),
    "a list": lambda: list(all_flights()),
    "a tuple": lambda: tuple(all_flights()),
    "a generator": lambda: (flight for flight in list(all_flights())),
    "an iterator": lambda: iter(list(all_flights())),
    "no list": lambda: 7,
    "rows that are none": lambda: [None],
    "an evaluated queryset": lambda: (rows := all_flights(), len(rows))[0],
    "a combined queryset": lambda: all_flights() | all_flights(),
    "what is not loaded": lambda: Flight.objects.order_by("id"),
    "a list of what is not loaded": lambda: list(Flight.objects.order_by("id")),
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_lists_are_represented_alike(flights, source):
    assert_same(lambda: FlightSerializer(source(), many=True))
    assert_same(lambda: NumberSerializer(source(), many=True))


def test_lists_are_represented_alike_before_and_after_they_are_compiled(flights, users_thresholds):
    for _ in range(20):
        assert_same(lambda: FlightSerializer(all_flights(), many=True))
        assert_same(lambda: FlightSerializer(all_flights()[0]))


@pytest.mark.parametrize("number", range(4))
def test_objects_are_represented_alike(flights, number):
    assert assert_same(lambda: FlightSerializer(all_flights()[number])).error is None
    assert_same(lambda: FlightSerializer(Flight.objects.order_by("id")[number]))
    assert_same(lambda: AirlineSerializer(Airline.objects.order_by("code").first()))


@pytest.mark.parametrize(
    "lookups", [[], ["flights"], ["flights__airline"], ["flights__destination"]], ids=str
)
def test_nested_lists_are_represented_alike(flights, lookups):
    def fleets():
        return Airline.objects.order_by("code").prefetch_related(*lookups)

    assert assert_same(lambda: FleetSerializer(fleets(), many=True)).error is None
    assert assert_same(lambda: FleetSerializer(fleets()[0])).error is None


@pytest.mark.parametrize(
    "obj",
    [
        SimpleNamespace(name="a", size=1, sizes=[1, "2"]),
        SimpleNamespace(name=None),
        SimpleNamespace(size=1),
        {"name": "a"},
        {"size": 1},
        {"name": "a", "size": "x"},
        None,
    ],
    ids=str,
)
def test_plain_objects_are_represented_alike(obj):
    assert_same(lambda: PlainSerializer(obj))
    assert_same(lambda: PlainSerializer([obj, obj], many=True))
    assert_same(lambda: PlainSerializer([obj], many=True, context={"request": None}))


class ArrivalsSerializer(serializers.ModelSerializer):
    """With nested lists, in which adrf does not let its users load an object."""

    flights = FlightSerializer(many=True, source="arrivals")

    class Meta:
        model = Airport
        fields = ("flights",)


def test_what_is_not_loaded_is_loaded_after_the_first_row_and_in_nested_lists(flights):
    def represented(rows, cls):
        return outcome(lambda: async_to_sync(adata)(lambda: cls(rows(), many=True)), []).value

    def first_loaded():
        return [all_flights()[0], *Flight.objects.order_by("id")[1:]]

    def arrivals(*lookups):
        return Airport.objects.order_by("code").prefetch_related(*lookups)

    for cls, some, all_of_them in (
        (FlightSerializer, first_loaded, all_flights),
        (ArrivalsSerializer, arrivals, lambda: arrivals("arrivals__airline")),
    ):
        with fastschema.disabled():
            assert represented(some, cls) is None
            expected = represented(all_of_them, cls)
        assert expected
        assert represented(some, cls) == expected


class Log(list):
    def __iter__(self):
        calls.append("rows")
        return super().__iter__()


class Note(str):
    def __str__(self):
        calls.append("text")
        return "note"


def airline(**attributes):
    return SimpleNamespace(code="AA", name="American", **attributes)


class WithMethods(serializers.Serializer):
    name = fields.CharField()
    sync = drf.SerializerMethodField()
    later = fields.SerializerMethodField()

    def get_sync(self, obj):
        calls.append("sync")
        return obj.name

    async def get_later(self, obj):
        calls.append("later")
        await asyncio.sleep(0)
        return obj.name


class WithSyncMethod(serializers.Serializer):
    sync = drf.SerializerMethodField()
    name = fields.CharField()

    def get_sync(self, obj):
        calls.append("sync")
        return Airline.objects.count()


class OwnField(fields.CharField):
    """adrf does not call its method."""

    def to_representation(self, value):
        calls.append("own field")
        return "own"


class OwnPlainField(drf.CharField):
    """adrf calls its method."""

    def to_representation(self, value):
        calls.append("own plain field")
        return "own"


class OwnAsyncField(fields.CharField):
    async def ato_representation(self, value):
        calls.append("own coroutine")
        return f"{value}!"


class OwnReadingField(drf.CharField):
    async def aget_attribute(self, instance):
        calls.append("own reading")
        return instance.name


def with_field(name, field):
    return type(name, (serializers.Serializer,), {"name": field, "code": fields.CharField()})


class OwnRepresentation(serializers.Serializer):
    """adrf does not call its method."""

    name = fields.CharField()

    def to_representation(self, instance):
        calls.append("own representation")
        return {"own": 1}


class OwnAsyncRepresentation(serializers.Serializer):
    name = fields.CharField()

    async def ato_representation(self, instance):
        calls.append("own coroutine")
        return {**await super().ato_representation(instance), "more": 1}


class OwnList(serializers.ListSerializer):
    async def ato_representation(self, data):
        calls.append("own list")
        return (await super().ato_representation(data))[:1]


class OwnSyncList(serializers.ListSerializer):
    """adrf does not call its method."""

    def to_representation(self, data):
        calls.append("own list")
        return []


def in_list(cls):
    class Listed(serializers.Serializer):
        name = fields.CharField()

        class Meta:
            list_serializer_class = cls

    return Listed


class OwnFields(serializers.Serializer):
    name = fields.CharField()
    code = fields.CharField()

    def get_fields(self):
        calls.append("fields")
        made = super().get_fields()
        if visitor_of(self) == "admin":
            del made["code"]
        return made


class Outer(serializers.Serializer):
    inner = OwnFields(allow_null=True)


OWN = {
    "methods": WithMethods,
    "a sync method that queries": WithSyncMethod,
    "an own field": with_field("A", OwnField()),
    "an own field of DRF's": with_field("B", OwnPlainField()),
    "an own field with a coroutine": with_field("C", OwnAsyncField()),
    "an own field that reads by a coroutine": with_field("D", OwnReadingField()),
    "an own representation": OwnRepresentation,
    "an own coroutine": OwnAsyncRepresentation,
    "an own list": in_list(OwnList),
    "an own sync list": in_list(OwnSyncList),
    "a list of DRF's": in_list(drf.ListSerializer),
}


@pytest.mark.django_db
@pytest.mark.parametrize("cls", OWN.values(), ids=OWN)
def test_code_of_users_is_called_alike(cls):
    obj = airline()
    assert_same(lambda: cls(obj))
    assert_same(lambda: cls([obj, obj], many=True))
    assert_same(lambda: with_field("Around", cls())(SimpleNamespace(name=obj, code=1)))
    assert_same(lambda: with_field("Around", cls(many=True))(SimpleNamespace(name=[obj], code=1)))


@pytest.mark.parametrize("rows", [[], [airline()], [airline(), airline()]], ids=len)
def test_fields_are_made_when_there_is_an_object(rows):
    for visitor in IN_TURNS:
        context = {"request": visitor.request()}
        assert_same(OwnFields, rows, many=True, context=context)
        assert_same(OwnFields, Log(rows), many=True, context=context)
        outer = SimpleNamespace(inner=rows[0] if rows else None)
        assert_same(Outer, outer, context=context)


def test_values_of_users_are_read_alike():
    assert_same(lambda: PlainSerializer(SimpleNamespace(name=Note("a"))))


class OwnBase(serializers.BaseSerializer):
    async def ato_representation(self, instance):
        calls.append("own base")
        return instance.name


class OwnReading(PlainSerializer):
    async def aget_attribute(self, instance):
        calls.append("own reading")
        return instance.airline


def in_model(model, **nested):
    """A model serializer of relations."""
    meta = type("Meta", (), {"model": model, "fields": ("pk", *nested)})
    return type("Around", (serializers.ModelSerializer,), {"Meta": meta, **nested})


@pytest.mark.parametrize("cls", [*OWN.values(), OwnFields, OwnBase, OwnReading])
def test_code_of_users_is_called_alike_for_related_objects(flights, cls):
    around = in_model(Flight, airline=cls())
    assert assert_same(lambda: around(all_flights()[0])).error is None
    assert assert_same(lambda: around(all_flights(), many=True)).error is None


def test_a_model_is_asked_alike_for_an_object_that_is_not_there():
    def ask(self, name):
        calls.append(name)
        raise AttributeError(name)

    meta = type("Meta", (), {"proxy": True, "app_label": "flights"})
    with isolate_apps("flights"):
        content = {"__module__": __name__, "Meta": meta, "__getattr__": ask}
        model = type("AskedFlight", (Flight,), content)
        around = in_model(model, airline=AirlineSerializer(default=None))
    assert assert_same(lambda: around([model(), model()], many=True)).calls


class Counted:
    @property
    def inner(self):
        calls.append("inner")
        return airline()

    async def later(self):
        calls.append("later")
        return airline()


@pytest.mark.parametrize("source", ["inner", "later"])
def test_what_adrf_reads_twice_is_read_twice(source):
    class Around(serializers.Serializer):
        value = AirlineSerializer(source=source)

    assert_same(lambda: Around(Counted()))
    assert_same(lambda: Around([Counted(), Counted()], many=True))


class OwnFlight(Flight):
    class Meta:
        proxy = True
        app_label = "flights"

    async def carrier(self):
        calls.append("carrier")
        return await Airline.objects.aget(code="UA")


def test_adrf_is_left_to_fail_at_a_coroutine_of_a_model(flights):
    class WithCarrier(serializers.ModelSerializer):
        carrier = AirlineSerializer()

        class Meta:
            model = OwnFlight
            fields = ("id", "carrier")

    assert_same(lambda: WithCarrier(OwnFlight.objects.order_by("id"), many=True))
    assert_same(lambda: WithCarrier(OwnFlight.objects.order_by("id")[0]))


# Input


async def valid(make):
    serializer = make()
    await sync_to_async(serializer.is_valid)()
    return await serializer.adata


async def saved(make):
    serializer = make()
    await sync_to_async(serializer.is_valid)(raise_exception=True)
    await serializer.asave()
    return await serializer.adata


@pytest.mark.django_db
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("code", ["BB", "", None], ids=repr)
@pytest.mark.parametrize("use", [valid, saved, adata], ids=lambda use: use.__name__)
def test_input_is_represented_alike(use, code, many):
    data = {"code": code, "name": "British"}

    def make():
        return AirlineSerializer(data=[data, {**data, "code": "CC"}] if many else data, many=many)

    with fastschema.disabled():
        expected = outcome(lambda: async_to_sync(use)(make), calls)
        Airline.objects.all().delete()
    actual = outcome(lambda: async_to_sync(use)(make), calls)
    assert actual.error == expected.error
    assert actual.value == expected.value


@pytest.mark.parametrize("many", [False, True])
def test_rows_are_compiled(flights, many):
    rows = list(all_flights())
    before = fastschema.stats().compiled_rows
    async_to_sync(adata)(lambda: FlightSerializer(rows if many else rows[0], many=many))
    assert fastschema.stats().compiled_rows == before + (len(rows) if many else 1)
