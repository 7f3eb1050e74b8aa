"""Others replace methods of DRF and Django that generated code and lists of rows bypass."""

import datetime
import decimal
import uuid
from functools import partial

import pytest
from django.urls import path
from rest_framework import fields, relations, serializers
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.front_end import bypassed
from flights.models import Airline, Airport, Flight
from tests.promises.django.differential import Thing, outcome

urlpatterns = [path("things/<str:pk>/", lambda request, pk: None, name="thing")]
pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]


class InnerSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    slug = serializers.SlugField()  # which the outer one has none of


class EverySerializer(serializers.Serializer):
    text = serializers.CharField()
    number = serializers.IntegerField()
    real = serializers.FloatField()
    price = serializers.DecimalField(max_digits=5, decimal_places=2)
    flag = serializers.BooleanField()
    key = serializers.UUIDField()
    day = serializers.DateField()
    hour = serializers.TimeField()
    moment = serializers.DateTimeField()
    span = serializers.DurationField()
    color = serializers.ChoiceField(["r", "g"])
    colors = serializers.MultipleChoiceField(choices=["r", "g"])
    numbers = serializers.ListField(child=serializers.IntegerField())
    reals = serializers.DictField(child=serializers.FloatField())
    json = serializers.JSONField()
    same = serializers.ReadOnlyField(source="text")
    method = serializers.SerializerMethodField()
    inner = InnerSerializer()
    many = InnerSerializer(many=True)

    def get_method(self, obj):
        return 7


ROW = {
    "text": "a",
    "number": 1,
    "real": 1.5,
    "price": decimal.Decimal("1.50"),
    "flag": True,
    "key": uuid.UUID(int=5),
    "day": datetime.date(2020, 1, 2),
    "hour": datetime.time(1, 2),
    "moment": datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC),
    "span": datetime.timedelta(5),
    "color": "r",
    "colors": ["r", "g"],
    "numbers": [1, 2],
    "reals": {"a": 1.5},
    "json": {"a": [1]},
    "inner": {"number": 1, "slug": "a"},
    "many": [{"number": 2, "slug": "b"}, {"number": 3, "slug": "c"}],
}
DATA = {**ROW, "price": "1.50", "key": str(ROW["key"]), "moment": "2020-01-02T00:00:00Z"}
DATA |= {"day": "2020-01-02", "hour": "01:02:00", "span": "5 00:00:00"}


class PlaceSerializer(serializers.ModelSerializer):
    class Meta:
        model = Airport
        fields = ("code", "name")


class FlightSerializer(serializers.ModelSerializer):
    origin = PlaceSerializer()
    named = serializers.SlugRelatedField("name", source="origin", read_only=True)
    link = serializers.HyperlinkedRelatedField("thing", source="airline", read_only=True)
    url = serializers.HyperlinkedIdentityField("thing")

    class Meta:
        model = Flight
        fields = ("id", "airline", "origin", "named", "link", "url")


class AirlineSerializer(serializers.ModelSerializer):
    flights = FlightSerializer(many=True)
    numbers = serializers.PrimaryKeyRelatedField(source="flights", many=True, read_only=True)

    class Meta:
        model = Airline
        fields = ("code", "flights", "numbers")


def wrapped(owner, name, calls):
    """What counts the calls of a method, or the reads of a property, and passes them on."""
    stock = getattr(owner, name)
    note = partial(calls.append, name)
    if isinstance(stock, property):
        return property(lambda self: note() or stock.fget(self), stock.fset)
    if not callable(stock):  # a cached property
        wrapper = type(stock)(lambda self: note() or stock.func(self))
        wrapper.__set_name__(owner, name)
        return wrapper

    def wrapper(*args, **kwargs):
        note()
        return stock(*args, **kwargs)

    return wrapper


def assert_called_as_in_stock(owner, name, use, monkeypatch):
    """Assert that whoever replaces a method is asked as often as in stock, now and then."""
    calls = []
    with fastschema.disabled():
        use()  # what is made once is made
        before = outcome(use, calls)
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, wrapped(owner, name, calls))
            expected = outcome(use, calls)
    for _ in range(3):
        assert outcome(use, calls) == before
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, wrapped(owner, name, calls))
        for _ in range(3):
            assert outcome(use, calls) == expected
    for _ in range(3):
        assert outcome(use, calls) == before


FIELDS = sorted(bypassed._FIELDS, key=lambda cls: cls.__qualname__)
DUMPED = (
    *("get_attribute", "to_representation", "quantize", "enforce_timezone", "default_timezone"),
    *("_lower_if_str", "use_pk_only_optimization", "get_url", "context"),
    *("fields", "get_fields", "_readable_fields", "data"),
)
VALIDATED = (
    *("run_validation", "validate_empty_values", "get_default", "run_validators"),
    *("to_internal_value", "validate_precision", "quantize", "enforce_timezone"),
    *("default_timezone", "_lower_if_str", "run_child_validation"),
    *("fields", "get_fields", "_writable_fields", "_read_only_defaults", "get_value"),
    *("set_value", "validate", "validators", "get_validators"),
)


def methods(names):
    return [
        pytest.param(owner, name, id=f"{owner.__name__}.{name}")
        for owner in FIELDS
        for name in names
        if hasattr(owner, name)
    ]


def dump_some():
    many = EverySerializer([ROW, Thing(**ROW)], many=True)
    return [EverySerializer(ROW).data, EverySerializer(Thing(**ROW)).data, many.data]


def validate_some():
    def validated(serializer):
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    rows = [DATA, DATA]
    return [validated(EverySerializer(data=DATA)), validated(EverySerializer(data=rows, many=True))]


@pytest.mark.parametrize(("owner", "name"), methods(DUMPED))
def test_a_method_of_a_field_that_is_replaced_represents(owner, name, monkeypatch):
    assert_called_as_in_stock(owner, name, dump_some, monkeypatch)


# Fields are clones that have their validators already.
OF_SERIALIZERS = ("validators", "get_validators")


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        method
        for method in methods(VALIDATED)
        if method.values[1] not in OF_SERIALIZERS
        or issubclass(method.values[0], serializers.BaseSerializer)
    ],
)
def test_a_method_of_a_field_that_is_replaced_validates(owner, name, monkeypatch):
    assert_called_as_in_stock(owner, name, validate_some, monkeypatch)


@pytest.mark.parametrize("module", [fields, relations])
@pytest.mark.parametrize("name", ["get_attribute", "is_simple_callable"])
def test_a_function_that_reads_values_is_called(module, name, monkeypatch, flights):
    def use():
        return [dump_some(), dump_rows()]

    assert_called_as_in_stock(module, name, use, monkeypatch)


def context():
    return {"request": Request(APIRequestFactory().get("/"))}


def dump_rows():
    """Lists of instances, of rows, and of what is prefetched for rows; and single objects."""
    found = []
    loaded = Flight.objects.select_related("origin").order_by("pk")
    for rows in (list(loaded), loaded.all(), list(Flight.objects.order_by("pk"))):
        found.append(FlightSerializer(rows, many=True, context=context()).data)
    found.append(FlightSerializer(loaded.first(), context=context()).data)
    airlines = Airline.objects.prefetch_related("flights__origin").order_by("pk")
    for rows in (airlines.all(), list(airlines)):
        found.append(AirlineSerializer(rows, many=True, context=context()).data)
    found.append(PlaceSerializer(Airport.objects.order_by("pk"), many=True).data)
    return found


ROWS = sorted(
    {
        (owner, name)
        for group in (bypassed.ROWS, bypassed.ADDRESSES)
        for owner, name in zip(group._owners, group._names, strict=True)
        if name not in ("__new__", "__getattribute__")  # which Python does not take back
    },
    key=lambda method: (method[0].__name__, method[1]),
)


@pytest.mark.parametrize(("owner", "name"), ROWS)
def test_a_method_that_reads_or_makes_instances_is_called(owner, name, monkeypatch, flights):
    assert_called_as_in_stock(owner, name, dump_rows, monkeypatch)


def test_a_reason_names_what_is_replaced(monkeypatch):
    stock = fields.DecimalField.quantize
    monkeypatch.setattr(fields.DecimalField, "quantize", lambda self, value: stock(self, value))
    reasons = {field.key: field.why for field in fastschema.compile(EverySerializer).explain()}
    assert reasons["price"] == "DecimalField.quantize is replaced"
    assert reasons["text"] == ""
