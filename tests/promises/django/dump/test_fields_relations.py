"""Fields that take objects: files, with and without a request."""

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from django.db.models.fields.files import FieldFile, FileField, ImageFieldFile
from django.test import override_settings
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

import fastschema
from tests.promises.django.differential import Thing, assert_same, serializer_of


class Stored:
    def __init__(self, calls, name="a b.txt", error=None):
        self.calls = calls
        self.name = name
        self.error = error

    def __bool__(self):
        self.calls.append("bool")
        return bool(self.name)

    @property
    def url(self):
        self.calls.append("url")
        if self.error is not None:
            raise self.error
        return f"/media/{self.name}"


def field_file(name, cls=FieldFile):
    storage = InMemoryStorage(base_url="/media/")
    if name:
        storage.save(name, ContentFile(b"x"))
    return cls(Thing(), FileField(storage=storage, name="file"), name)


CONTEXTS = [
    {},
    {"request": None},
    {"request": Request(APIRequestFactory().get("/", HTTP_HOST="localhost:8000"))},
    {"request": APIRequestFactory().get("/", secure=True)},
]
FIELDS = [
    serializers.FileField,
    serializers.ImageField,
    lambda: serializers.FileField(use_url=False),
    lambda: serializers.FileField(use_url=True),
]


@pytest.mark.parametrize("context", CONTEXTS, ids=["no", "none", "of DRF", "secure"])
@pytest.mark.parametrize("field", FIELDS, ids=["file", "image", "name", "url"])
class TestFiles:
    @pytest.mark.parametrize("cls", [FieldFile, ImageFieldFile])
    @pytest.mark.parametrize("name", ["a.txt", "é b.png", "", None])
    def test_files_of_models(self, field, context, cls, name):
        serializer = serializer_of(file=field())
        for use_url in (True, False):
            with override_settings(REST_FRAMEWORK={"UPLOADED_FILES_USE_URL": use_url}):
                assert_same(serializer, Thing(file=field_file(name, cls)), context=context)
        assert all(report.compiled for report in fastschema.compile(serializer).explain())

    @pytest.mark.parametrize("error", [None, AttributeError("x"), ValueError("no file")])
    @pytest.mark.parametrize("name", ["a", ""])
    def test_a_file_is_asked_as_often_as_in_stock(self, field, context, error, name):
        calls = []
        serializer = serializer_of(file=field(), files=serializers.ListField(child=field()))
        stored = Stored(calls, name, error)
        instance = Thing(file=stored, files=[stored, None])
        assert_same(serializer, instance, calls=calls, context=context)
        assert_same(serializer, [instance] * 2, many=True, calls=calls, context=context)

    @pytest.mark.parametrize("value", [None, "", "text", 5, lambda: Stored([])])
    def test_values_that_are_no_files(self, field, context, value):
        assert_same(serializer_of(file=field()), Thing(file=value), context=context)


def test_an_own_context_is_asked_for_each_file():
    calls = []

    class Own(serializers.FileField):
        @property
        def context(self):
            calls.append("context")
            return {}

    serializer = serializer_of(file=Own())
    rows = [Thing(file=field_file("a"))] * 2
    assert_same(serializer, rows, many=True, calls=calls)
    (report,) = fastschema.compile(serializer).explain()
    assert report.why == "context is overridden"


def test_a_context_that_is_no_dictionary():
    serializer = serializer_of(file=serializers.FileField())
    for name in ("a", ""):
        assert_same(serializer, Thing(file=field_file(name)), context=None)
