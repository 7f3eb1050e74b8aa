"""Why rows are created one by one."""

import pytest
from django.db import connection, models
from django.test.utils import isolate_apps
from rest_framework import serializers

from fastschema.contrib.django.bulk.create import why_one_by_one
from tests.promises.django.bulk.test_create import serializer_of
from tests.promises.django.input.models import Author, Book, Label

pytestmark = pytest.mark.usefixtures("books")


class Numbering(models.IntegerField):
    def pre_save(self, instance, add):
        return type(instance).objects.count() + 1


def check(serializer_class):
    return why_one_by_one(serializer_class())


class TestReasons:
    def test_a_create_of_ones_own(self):
        assert (
            check(serializer_of(Book, create=lambda self, row: None)) == "Made has its own create"
        )

    def test_fields_of_related_objects(self):
        author = serializers.CharField(source="author.name")
        assert check(serializer_of(Book, names=["name"], name=author)) == (
            "name is written to a related object"
        )
        author = serializer_of(Author)()
        assert check(serializer_of(Book, author=author)) == "author is written to a related object"

    @isolate_apps("flights")
    def test_models(self):
        class Meta:
            app_label = "flights"

        def model_of(name, *bases, **attributes):
            attributes = {"__module__": __name__, "Meta": Meta, **attributes}
            return type(name, bases or (models.Model,), attributes)

        class Saving(models.Model):
            class Meta:
                app_label = "flights"

            def save(self, *args, **kwargs):
                super().save(*args, **kwargs)

        class Owned(models.Manager):
            def create(self, **kwargs):
                return super().create(**kwargs)

        class OwnQuerySet(models.QuerySet):
            def bulk_create(self, objs, **kwargs):
                return super().bulk_create(objs, **kwargs)

        parent = model_of("Parent")
        ordered = type("Meta", (), {"app_label": "flights", "order_with_respect_to": "parent"})
        parent_key = models.ForeignKey(parent, models.CASCADE, related_name="+")
        in_its_own_way = "creates in its own way"
        for model, reason in (
            (Saving, "Saving has its own save"),
            (model_of("ByManager", objects=Owned()), in_its_own_way),
            (model_of("ByQuerySet", objects=OwnQuerySet.as_manager()), in_its_own_way),
            (model_of("Child", parent), "has the table of a parent"),
            (model_of("Ordered", parent=parent_key, Meta=ordered), "are numbered"),
            (model_of("WithFile", file=models.FileField()), "has files"),
            (model_of("Numbered", number=Numbering()), "makes its value when it is saved"),
            (
                model_of("Counted", number=models.IntegerField(default=Book.objects.count)),
                "the default of number of Counted may ask the database",
            ),
        ):
            assert reason in check(serializer_of(model))

    def test_a_database_that_does_not_tell_keys(self, monkeypatch):
        features = type(connection.features)
        monkeypatch.setattr(features, "can_return_rows_from_bulk_insert", False)
        assert (
            check(serializer_of(Book)) == "the database does not tell the keys of new rows of Book"
        )
        assert check(serializer_of(Label)) is None
