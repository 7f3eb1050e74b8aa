"""Attributes of classes by which fields are chosen, computed for whoever asks."""

import pytest
from rest_framework import serializers

from flights.models import Airline
from tests.promises.django.differential import assert_as_in_stock, exactly
from tests.promises.django.requests_in_turns import FLAGS, IN_TURNS

CALLS = []


class Loud(serializers.CharField):
    def to_representation(self, value):
        return value.upper()


class FieldMapping(serializers.ModelSerializer):
    class Meta:
        model = Airline
        fields = ["code", "name"]

    @property
    def serializer_field_mapping(self):
        CALLS.append("serializer_field_mapping")
        found = serializers.ModelSerializer.serializer_field_mapping
        return dict.fromkeys(found, Loud) if FLAGS["is_on"] else found


class UrlName(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Airline
        fields = ["code", "name"]

    @property
    def url_field_name(self):
        CALLS.append("url_field_name")
        return "link" if FLAGS["is_on"] else "url"

    @url_field_name.setter
    def url_field_name(self, name):
        pass


class Options(serializers.ModelSerializer):
    @property
    def Meta(self):  # noqa: N802  # as DRF calls it
        fields = ["code"] if FLAGS["is_on"] else ["code", "name"]
        return type("Meta", (), {"model": Airline, "fields": fields})


class Nesting(serializers.Serializer):
    inner = FieldMapping(source="*")


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("serializer_class", [FieldMapping, UrlName, Options, Nesting])
def test_what_a_class_computes_is_asked_for_each_serializer(serializer_class, many):
    airline = Airline(code="UA", name="United")
    for visitor in IN_TURNS:

        def data():
            rows = [airline] * 3 if many else airline
            return exactly(serializer_class(rows, many=many).data)

        with visitor.visiting():
            assert_as_in_stock(data, CALLS)


class Placed(serializers.CharField):
    source_attrs = property(
        lambda self: ["secret" if FLAGS["is_on"] else "title"], lambda self, names: None
    )


class Placing(serializers.Serializer):
    text = Placed()


def test_where_a_value_is_put_may_be_computed():
    for visitor in IN_TURNS:
        with visitor.visiting():
            serializer = Placing(data={"text": "x"})
            assert serializer.is_valid()
            assert serializer.validated_data == {"secret" if visitor.flag else "title": "x"}


class Refusing(serializers.Serializer):
    def get_fields(self):
        raise PermissionError("stock does not ask")


@pytest.mark.parametrize("options", [{"max_length": 2}, {"min_length": 4}], ids=str)
def test_a_list_that_is_too_long_or_short_makes_no_fields(options):
    for _ in range(3):
        serializer = Refusing(data=[{}] * 3, many=True, **options)
        assert not serializer.is_valid()
        assert len(serializer.errors) == 1
