"""Serializers that many tests use."""

from rest_framework import serializers

from tests.promises.django.lists.models import City, Country, Language


class Named(serializers.Serializer):
    name = serializers.CharField()


class CountrySerializer(serializers.ModelSerializer):
    class Meta:
        model = Country
        fields = "__all__"


class CitySerializer(serializers.ModelSerializer):
    country = CountrySerializer()

    class Meta:
        model = City
        fields = ("name", "country", "founded")


class LanguageSerializer(serializers.ModelSerializer):
    class Meta:
        model = Language
        fields = ("name",)
