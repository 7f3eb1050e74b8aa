"""What ``explain`` tells of input."""

import pytest
from rest_framework import serializers
from rest_framework.settings import DEFAULTS

import fastschema
from fastschema.contrib.django.serializers import FastBulkMixin
from fastschema.doctor import SchemaFinding
from flights.models import Airline, Flight


class OwnText(serializers.CharField):
    def to_internal_value(self, data):
        return super().to_internal_value(data).title()


class OwnRun(serializers.IntegerField):
    def run_validation(self, data=serializers.empty):
        return super().run_validation(data)


class Inner(serializers.Serializer):
    number = serializers.IntegerField()
    own = OwnRun()


class Outer(serializers.Serializer):
    name = serializers.CharField(source="title")
    price = serializers.DecimalField(max_digits=5, decimal_places=2)
    share = serializers.FloatField()
    is_new = serializers.BooleanField()
    born = serializers.DateField()
    email = serializers.EmailField()
    address = serializers.URLField(read_only=True)
    own = OwnText()
    key = serializers.PrimaryKeyRelatedField(queryset=Airline.objects.all())
    inner = Inner()
    several = Inner(many=True)


def loading(serializer):
    return fastschema.compile(serializer).explain().loading


def test_each_field_that_takes_input_is_told():
    unknown = "is not one that fastschema knows"
    own_run = ("the field's run_validation", f"OwnRun.run_validation {unknown}")
    assert {field.key: (field.kind, field.why) for field in loading(Outer)} == {
        "name": ("string", ""),
        "price": ("decimal", ""),
        "share": ("float", ""),
        "is_new": ("boolean", ""),
        "born": ("date", ""),
        "email": ("string", ""),
        "own": ("the field's run_validation", f"OwnText.to_internal_value {unknown}"),
        "key": ("the field's run_validation", f"RelatedField.run_validation {unknown}"),
        "inner": ("nested serializer", ""),
        "inner.number": ("integer", ""),
        "inner.own": own_run,
        "several": ("nested list", ""),
        "several.number": ("integer", ""),
        "several.own": own_run,
    }
    assert loading(Outer).fields[0].source == "title"
    assert [field.compiled for field in loading(Outer)] == [not f.why for f in loading(Outer)]


def test_a_list_serializer_is_told_by_its_child():
    assert str(loading(Outer(many=True))) == str(loading(Outer))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda field: setattr(field, "run_validators", list), "run_validators is set on the"),
        (lambda field: setattr(field, "to_internal_value", str), "to_internal_value is set on the"),
    ],
)
def test_a_method_that_is_set_on_a_field(change, why):
    serializer = Outer()
    change(serializer.fields["name"])
    assert loading(serializer).fields[0].why.startswith(why)


def test_a_field_with_its_own_getattribute():
    class Odd(serializers.CharField):
        def __getattribute__(self, name):
            return super().__getattribute__(name)

    (field,) = loading(type("Some", (serializers.Serializer,), {"odd": Odd()}))
    assert field.why == "__getattribute__ is overridden"


def test_a_class_behind_char_field():
    class Behind(serializers.Field):
        def run_validation(self, data=serializers.empty):
            return super().run_validation(data)

    class Own(serializers.CharField, Behind):
        pass

    (field,) = loading(type("Some", (serializers.Serializer,), {"own": Own()}))
    assert field.why == "run_validation is overridden behind CharField"


def test_serializers_with_their_own_way():
    class OwnRow(Inner):
        def to_internal_value(self, data):
            return super().to_internal_value(data)

    class OwnList(serializers.ListSerializer):
        def run_child_validation(self, data):
            return super().run_child_validation(data)

    class Listed(Inner):
        class Meta:
            list_serializer_class = OwnList

    assert loading(OwnRow).why == "it has its own way to validate a row"
    why = "the list serializer has its own way to validate rows"
    assert loading(Listed(many=True)).why == why
    found = loading(type("Some", (serializers.Serializer,), {"listed": Listed(many=True)}))
    assert [(field.key, field.why) for field in found] == [("listed", why)]


@pytest.mark.skipif(
    "LIST_SERIALIZER_ERRORS_AS_DICT" not in DEFAULTS, reason="a setting of DRF 3.18 and 3.19"
)
def test_with_errors_as_lists_stock_validates_lists(settings):
    assert loading(Inner).why == ""

    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "LIST_SERIALIZER_ERRORS_AS_DICT": False}

    assert loading(Inner).why == "LIST_SERIALIZER_ERRORS_AS_DICT is False"
    [advice] = SchemaFinding.of("here:Inner", Inner).advice()
    assert advice.what == "Set it to True: DRF 3.20 drops the setting."


def test_a_serializer_without_input_has_no_such_table():
    class Output(serializers.Serializer):
        name = serializers.CharField(read_only=True)

    assert loading(Output) is None


class TestBulk:
    """What is asked at once, and how rows are created."""

    def notes(self, **attributes):
        meta = type("Meta", (), {"model": Flight, "fields": ["id", "airline", "number", "plane"]})
        bases = (FastBulkMixin, serializers.ModelSerializer)
        return list(loading(type("Some", bases, {"Meta": meta, **attributes})).notes)[1:]

    def test_rows_that_are_created_by_bulk_create(self):
        assert self.notes() == [
            "In bulk, the database is asked once for all rows of id, airline, plane.",
            "Rows are created by bulk_create.",
        ]

    def test_rows_that_are_created_one_by_one(self):
        assert self.notes(create=lambda self, values: None)[1] == (
            "Rows are created one by one, because Some has its own create."
        )

    def test_nothing_to_ask(self):
        class Plain(FastBulkMixin, serializers.Serializer):
            name = serializers.CharField()

        assert list(loading(Plain).notes)[1:] == [
            "Rows are created one by one, because Plain has its own create."
        ]
