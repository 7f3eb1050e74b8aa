"""LOAD_RELATIONS = "all": lists that the database may return in any order are loaded, too."""

import logging

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, models
from django.db.models import Count
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps
from rest_framework import serializers

import fastschema
from tests.promises.django.differential import serializer_of as of
from tests.promises.django.serializers import Named
from tests.promises.django.tables import NamedBase, tables_of

pytestmark = pytest.mark.django_db
COUNT = 6


@pytest.fixture(scope="module")
def library(django_db_setup, django_db_blocker):
    """Models whose lists have no order, one that is not total, and one with a model in between."""
    with isolate_apps("flights"):

        class Tag(NamedBase):
            pass

        class Author(NamedBase):
            class Meta:
                app_label = "flights"
                db_table = "flights_author_of_lists"
                ordering = ("name",)

        class Book(NamedBase):
            tags = models.ManyToManyField(Tag, related_name="books")
            authors = models.ManyToManyField(Author, through="Role", related_name="books")

            class Meta:
                app_label = "flights"
                db_table = "flights_book_of_lists"
                ordering = ("pk",)

        class Role(NamedBase):
            book = models.ForeignKey(Book, models.CASCADE, related_name="roles")
            author = models.ForeignKey(Author, models.CASCADE, related_name="roles")

        class Copy(NamedBase):
            book = models.ForeignKey(Book, models.CASCADE, related_name="copies")

    created = [Tag, Author, Book, Role, Copy]
    with tables_of(created, django_db_blocker):
        yield type("Models", (), {cls.__name__: cls for cls in created})


@pytest.fixture
def books(library):
    tags = [library.Tag.objects.create(name=f"t{number}") for number in range(4)]
    authors = [library.Author.objects.create(name=f"a{number % 2}") for number in range(4)]
    for number in range(COUNT):
        book = library.Book.objects.create(name=f"b{number}")
        book.tags.set(tags[number % 3 :])
        for author in authors[number % 2 :]:
            library.Role.objects.create(name="writes", book=book, author=author)
        for nth in range(3):
            library.Copy.objects.create(name=f"c{nth}", book=book)
    return library.Book.objects.all()


def represented(serializer, rows, setting):
    loading = override_settings(FASTSCHEMA={"LOAD_RELATIONS": setting})
    with loading, CaptureQueriesContext(connection) as captured:
        data = serializer(rows.all(), many=True).data
    return data, [query["sql"] for query in captured]


LISTS = {
    "no ordering, many to many": (of(tags=Named(many=True)), ("tags",)),
    "no ordering, backwards": (of(copies=Named(many=True)), ("copies",)),
    "an order that is not total": (of(authors=Named(many=True)), ("authors",)),
    "the model in between": (of(roles=of(author=Named())(many=True)), ("roles__author",)),
    "keys": (of(tags=serializers.PrimaryKeyRelatedField(many=True, read_only=True)), ("tags",)),
}
CHANGES = {
    "all": lambda rows: rows,
    "sliced": lambda rows: rows[1:4],
    "annotated": lambda rows: rows.annotate(count=Count("copies")),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", LISTS)
def test_what_is_loaded_is_what_prefetch_related_loads(books, name, change):
    serializer, lookups = LISTS[name]
    rows = CHANGES[change](books)
    with fastschema.disabled():
        prefetched = CHANGES[change](books.prefetch_related(*lookups))
        expected, expected_queries = represented(serializer, prefetched, False)
    data, queries = represented(serializer, rows, "all")
    assert data == expected
    assert len(queries) == len(expected_queries) == 1 + len(lookups[0].split("__"))


@pytest.mark.parametrize("name", LISTS)
def test_true_leaves_them_at_a_query_a_row(books, name):
    serializer, _ = LISTS[name]
    with fastschema.disabled():
        expected, stock = represented(serializer, books, False)
    data, queries = represented(serializer, books, True)
    assert data == expected
    assert COUNT < len(queries) <= len(stock)


def test_a_view_says_so_for_itself(books):
    class View:
        fastschema_load_relations = "all"

    serializer, _ = LISTS["no ordering, many to many"]
    with CaptureQueriesContext(connection) as captured:
        serializer(books.all(), many=True, context={"view": View()}).data  # noqa: B018  # it represents
    assert len(captured) == 2


def test_the_log_names_what_true_leaves_and_why(books, library, caplog):
    class Rows(serializers.Serializer):
        tags = Named(many=True)

    caplog.set_level(logging.WARNING, "fastschema")
    with override_settings(DEBUG=True, FASTSCHEMA={"LOAD_RELATIONS": True}):
        Rows(books.all(), many=True).data  # noqa: B018  # it represents
    assert caplog.messages == [
        "Rows asks the database again for each row (fields tags). Add prefetch_related('tags') to "
        "its queryset; LOAD_RELATIONS = True leaves tags (the ordering of Tag is not total, "
        '"all" loads it).'
    ]
    caplog.clear()

    class Others(Rows):
        pass

    with override_settings(DEBUG=True, FASTSCHEMA={"LOAD_RELATIONS": "all"}):
        Others(books.all(), many=True).data  # noqa: B018  # it represents
    assert caplog.messages == []


@pytest.mark.parametrize("value", ["some", "True", 2])
def test_another_value_is_an_error(value):
    setting = override_settings(FASTSCHEMA={"LOAD_RELATIONS": value})
    with pytest.raises(ImproperlyConfigured, match=r"must be of type bool or 'all', not"), setting:
        pass
