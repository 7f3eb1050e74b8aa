"""What ``explain`` tells of input."""

import pytest
from rest_framework import serializers

import fastschema
from flights.models import Airline


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
    unknown = "fastschema cannot compile"
    own_run = ("the field's run_validation", f"{unknown} OwnRun.run_validation")
    assert {field.key: (field.kind, field.why) for field in loading(Outer)} == {
        "name": ("string", ""),
        "price": ("decimal", ""),
        "share": ("float", ""),
        "is_new": ("boolean", ""),
        "born": ("date", ""),
        "email": ("string", ""),
        "own": ("the field's to_internal_value", f"{unknown} OwnText.to_internal_value"),
        "key": ("the field's to_internal_value", ""),
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

    report = loading(type("Some", (serializers.Serializer,), {"odd": Odd()}))
    assert report.why == "Odd computes its attributes"


def test_a_class_behind_char_field():
    class Behind(serializers.Field):
        def run_validation(self, data=serializers.empty):
            return super().run_validation(data)

    class Own(serializers.CharField, Behind):
        pass

    (field,) = loading(type("Some", (serializers.Serializer,), {"own": Own()}))
    assert field.why == "fastschema cannot compile CharField.run_validation"


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

    assert list(loading(OwnRow).notes) == [
        "OwnRow has its own to_internal_value, which is called as in stock."
    ]
    odd = type("Odd", (Inner,), {"_writable_fields": property(lambda self: [])})
    assert loading(odd).why == "it overrides how a row is validated"
    why = "the list serializer has its own way to validate rows"
    assert loading(Listed(many=True)).why == why
    found = loading(type("Some", (serializers.Serializer,), {"listed": Listed(many=True)}))
    assert [(field.key, field.why) for field in found] == [("listed", why)]
