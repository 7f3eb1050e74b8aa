"""Values as the database has them become values as instances have them: by stock's converters."""

import json
from decimal import Decimal

import pytest
from django.db import connection, models
from django.test.utils import isolate_apps
from rest_framework.serializers import ReadOnlyField, Serializer

from tests.promises.django.lists.hand_built import assert_built_as_in_stock, of_data
from tests.promises.django.lists.models import Person

pytestmark = pytest.mark.usefixtures("people")

CALLS = []


class Noting(models.CharField):
    def from_db_value(self, value, expression, connection):
        CALLS.append((self.name, value))
        return f"<{value}>"


class Refusing(models.CharField):
    def from_db_value(self, value, expression, connection):
        CALLS.append((self.name, value))
        if value == "Person 3":
            raise ValueError(value)
        return value


class DecoderOfOnesOwn(json.JSONDecoder):
    def decode(self, text):
        CALLS.append(text)
        return super().decode(text)


def model_of(**fields):
    """A model of the people's table with other classes of fields."""
    with isolate_apps("flights"):
        meta = type("Meta", (), {"app_label": "flights", "db_table": Person._meta.db_table})
        key = models.UUIDField(primary_key=True)
        attributes = {"__module__": __name__, "Meta": meta, "key": key, **fields}
        return type("Same", (models.Model,), attributes)


def assert_same(queryset):
    """Assert that the values of rows are those of stock, and return them."""
    names = [field.attname for field in queryset.model._meta.concrete_fields]
    fields = {name: ReadOnlyField() for name in [*names, *queryset.query.annotations]}
    values = type("Values", (Serializer,), fields)
    return assert_built_as_in_stock(of_data, queryset.all, values, CALLS)


def test_columns_of_each_class():
    assert assert_same(Person.objects.order_by("pk")).error is None


@pytest.mark.parametrize("use_tz", [False, True])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
def test_the_time_zone_of_the_connection(settings, monkeypatch, use_tz, zone):
    settings.USE_TZ = use_tz
    if connection.vendor == "sqlite":
        monkeypatch.setitem(connection.settings_dict, "TIME_ZONE", zone)
    connection.__dict__.pop("timezone", None)
    try:
        assert_same(Person.objects.order_by("pk"))
    finally:
        connection.__dict__.pop("timezone", None)


def test_expressions_of_each_class():
    added = {
        "wealthier": models.F("wealth") * 2,
        "elder": models.ExpressionWrapper(models.F("age") + 1, models.DecimalField()),
        "latest": models.Max("seen"),
        "is_old": models.Case(
            models.When(age__gt=33, then=True), output_field=models.BooleanField()
        ),
    }
    assert_same(Person.objects.annotate(**added).order_by("pk"))


def test_converters_of_users_are_called_in_the_order_of_stock():
    noting = model_of(
        age=models.IntegerField(), name=Noting(max_length=9), token=models.UUIDField()
    )
    rows = assert_same(noting.objects.order_by("pk"))
    assert len(rows.calls) == 9


def test_an_error_of_a_converter_comes_when_it_does_in_stock():
    refusing = model_of(token=models.UUIDField(), name=Refusing(max_length=9))
    found = assert_same(refusing.objects.order_by("pk"))
    assert found.error == (ValueError, "Person 3")
    assert len(found.calls) == 4


def test_an_error_of_djangos_own_converter():
    wrong = model_of(born=models.UUIDField(db_column="name"))
    found = assert_same(wrong.objects.order_by("pk"))
    assert (found.error is None) == (connection.vendor != "sqlite")


def test_json_with_a_decoder_of_ones_own():
    decoding = model_of(notes=models.JSONField(decoder=DecoderOfOnesOwn))
    rows = assert_same(decoding.objects.order_by("pk"))
    assert rows.calls


def test_negative_zero_is_not_zero():
    people = Person.objects.filter(name__in=["Person 0", "Person 1", "Person 2"])
    for name, wealth in (("Person 0", "0"), ("Person 1", "-0.0"), ("Person 2", "0")):
        Person.objects.filter(name=name).update(wealth=Decimal(wealth))
    floats = people.annotate(
        zero=models.Case(
            models.When(name="Person 1", then=models.Value(-0.0)),
            default=models.Value(0.0),
            output_field=models.DecimalField(),
        )
    )
    assert_same(floats.order_by("pk"))


def test_no_rows():
    assert assert_same(Person.objects.filter(name="?")).error is None
