"""Whole requests to views of DRF, by Django's test client: see ``parts.py``.

Imported when Django is set up. What is saved is rolled back.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any

from django.core.management.color import no_style
from django.db import connection
from django.test import Client
from django.urls import path
from django_filters.rest_framework import AllValuesFilter, DjangoFilterBackend, FilterSet
from rest_framework import serializers
from rest_framework.generics import CreateAPIView, ListAPIView, RetrieveUpdateAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.pagination import CursorPagination, PageNumberPagination
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

import config.urls
from fastschema.contrib.django.lists.views import STOCK_LIST
from fastschema.contrib.django.parsers import FastJSONParser
from fastschema.contrib.django.views import StreamingListMixin
from flights.models import Airline, Airport, Flight, Plane
from ordinary_drf import model_serializer
from ordinary_drf_filters import COLUMNS, FILTERED
from ordinary_drf_input import HOUSED, Housed
from ordinary_drf_relations import PREFETCHED, article_serializer, json_renderer, ordinary_article
from ordinary_models import (
    ARTICLE,
    ARTICLE_FIELDS,
    Article,
    Author,
    Comment,
    Tag,
    articles,
    flights_in_database,
    rolled_back,
)
from ordinary_pattern import Collection, Run

DRF = Collection("DRF")
PAGES, ONE = (20, 50, 100), (1,)
SIZES = (*PAGES, 240, 2400)
RELATIONS = {"airline": Airline, "origin": Airport, "destination": Airport, "plane": Plane}
Rows = Callable[[int], Any]
"""From a number of rows to a queryset of them."""
_client = Client()
_view: Any = None
config.urls.urlpatterns.append(path("parts/", lambda request: _view(request)))


def asked(
    view_class: Any, method: str = "get", data: Any = None, query: str = "", **arguments: Any
) -> Run:
    """What a view answers to a request, by the renderer and the parser of stock or of ours."""
    is_stock = ListModelMixin.list is STOCK_LIST
    parser = JSONParser if is_stock else FastJSONParser
    view = view_class.as_view(renderer_classes=[json_renderer()], parser_classes=[parser])
    body = "" if data is None else json.dumps(data)

    def run() -> Any:
        global _view
        _view = functools.partial(view, **arguments)
        response = _client.generic(method, f"/parts/{query}", body, "application/json")
        return response.status_code, response.getvalue()

    return run


@functools.lru_cache(maxsize=1)
def filled(rows: Rows, count: int) -> Any:
    """A queryset of so many rows, which are all that the database has."""
    queryset = rows(count)
    resets = connection.ops.sequence_reset_sql(no_style(), [Article, Author, Tag, Comment])
    with connection.cursor() as cursor:
        for statement in [*resets, "ANALYZE"]:
            cursor.execute(statement)
    return queryset


def flights(count: int) -> Any:
    """Flights with all that they refer to."""
    return filled(flights_in_database, count).select_related(*RELATIONS)


def plain_articles(count: int) -> Any:
    """Articles with their authors."""
    return filled(articles, count)


def full_articles(count: int) -> Any:
    """Articles with their authors, tags and comments."""
    return plain_articles(count).prefetch_related(*PREFETCHED)


def listed(serializer: Any, rows: Rows, count: int, query: str = "", **attributes: Any) -> Run:
    """A page of a list view, with as many rows after it; or the whole list, if it is long."""
    is_page = count in PAGES and "pagination_class" not in attributes
    pages = type("Pages", (PageNumberPagination,), {"page_size": count}) if is_page else None
    bases = attributes.pop("bases", (ListAPIView,))
    content = {"serializer_class": serializer, "pagination_class": pages, "filter_backends": ()}
    content |= {"queryset": rows(2 * count if is_page else count), **attributes}
    return asked(type("View", bases, content), query=query)


def flight_serializer(**own: Any) -> Any:
    """A serializer of flights with all that they refer to."""
    nested = {name: model_serializer(model)(read_only=True) for name, model in RELATIONS.items()}
    return model_serializer(Flight, "__all__", **nested, **own)


def columns(**own: Any) -> Any:
    """A serializer of articles that reads columns."""
    return model_serializer(Article, (*COLUMNS, *[name for name in own if "_" not in name]), **own)


def method(name: str, function: Any) -> dict[str, Any]:
    """A method field."""
    return {name: serializers.SerializerMethodField(), f"get_{name}": function}


@DRF.add("plain columns", sizes=SIZES)
def plain(count: int) -> Run:
    return listed(columns(), plain_articles, count)


@DRF.add("joined and nested", sizes=(*SIZES, 20_000))
def nested(count: int) -> Run:
    return listed(flight_serializer(), flights, count)


@DRF.add("prefetched lists", sizes=SIZES)
def lists(count: int) -> Run:
    comments = model_serializer(Comment, ("id", "name", "text", "created"))(many=True)
    serializer = article_serializer("slug", "created", "tags", "comments", comments=comments)
    return listed(serializer, full_articles, count)


@DRF.add("nested, prefetched, with methods", sizes=SIZES)
def methods(count: int) -> Run:
    return listed(ordinary_article(), full_articles, count)


@DRF.add("a method of the model", sizes=(20, 240))
def of_model(count: int) -> Run:
    text = serializers.CharField(source="__str__", read_only=True)
    return listed(columns(text=text), plain_articles, count)


@DRF.add("rows in memory: nested, prefetched, with methods", sizes=(20, 240))
def in_memory(count: int) -> Run:
    rows = list(full_articles(count))
    content = {"get_queryset": lambda self: rows, "pagination_class": None}
    return listed(ordinary_article(), full_articles, count, **content)


@DRF.add("a method that follows a relation", sizes=(20, 240))
def following(count: int) -> Run:
    own = method("label", lambda self, flight: f"{flight.airline.name} {flight.number}")
    return listed(flight_serializer(**own), flights, count)


@DRF.add("a method that makes a serializer", sizes=(20, 240))
def made_in_method(count: int) -> Run:
    made = model_serializer(Author)
    own = method("author", lambda self, row: made(row.author, context=self.context).data)
    return listed(columns(**own), plain_articles, count)


@DRF.add("own to_representation over three prefetched lists", sizes=(50,))
def own_representation(count: int) -> Run:
    class Own(serializers.ModelSerializer):
        tags = model_serializer(Tag)(many=True)
        names = model_serializer(Tag, ("name",))(many=True, source="tags")
        comments = model_serializer(Comment, ("id", "name", "text"))(many=True)

        class Meta:
            model = Article
            fields = ("id", "title", "words", "tags", "names", "comments")

        def to_representation(self, article: Any) -> Any:
            return {
                field.field_name: field.to_representation(field.get_attribute(article))
                for field in self._readable_fields
            }

    return listed(Own, full_articles, count)


@DRF.add("to_representation with super()", sizes=(20, 240))
def with_super(count: int) -> Run:
    class Own(columns()):
        def to_representation(self, article: Any) -> Any:
            return {**super().to_representation(article), "kind": "article"}

    return listed(Own, plain_articles, count)


@DRF.add("fields chosen in __init__", sizes=(20, 240))
def chosen(count: int) -> Run:
    class Own(columns()):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.fields.pop("words")

    return listed(Own, plain_articles, count)


@DRF.add("hyperlinks", sizes=(20, 240))
def hyperlinks(count: int) -> Run:
    meta = {"model": Flight, "fields": ("url", "airline", "number", "origin", "plane", "date")}
    content = {"Meta": type("Meta", (), meta)}
    linked = type("Linked", (serializers.HyperlinkedModelSerializer,), content)
    return listed(linked, flights, count)


@DRF.add("a page of CursorPagination", sizes=(20, 100))
def cursor(count: int) -> Run:
    content = {"page_size": count, "ordering": "id"}
    pages = type("Pages", (CursorPagination,), content)
    serializer = columns(author=model_serializer(Author)())
    return listed(serializer, lambda _: plain_articles(200), count, pagination_class=pages)


def filtered(count: int, query: str = "", **filters: Any) -> Run:
    """A list view with django-filter."""
    backends = {"filter_backends": (DjangoFilterBackend,)}
    return listed(columns(), plain_articles, count, query, **backends, **filters)


@DRF.add("six filters, none in use", sizes=(20, 100))
def filters(count: int) -> Run:
    return filtered(count, filterset_fields=FILTERED)


@DRF.add("six filters, two in use", sizes=(20, 100))
def two_filters(count: int) -> Run:
    return filtered(count, "?status=2&featured=false", filterset_fields=FILTERED)


@DRF.add("seven filters that are made for each request", sizes=(20,))
def made_filters(count: int) -> Run:
    meta = type("Meta", (), {"model": Article, "fields": [*FILTERED, "tags"]})
    own = {"slug": AllValuesFilter(), "Meta": meta}
    return filtered(count, filterset_class=type("Own", (FilterSet,), own))


@DRF.add("a stream", sizes=(240, 2400))
def stream(count: int) -> Run:
    is_stock = ListModelMixin.list is STOCK_LIST
    bases = (ListAPIView,) if is_stock else (StreamingListMixin, ListAPIView)
    return listed(flight_serializer(), flights, count, bases=bases, pagination_class=None)


def of_first(serializer: Any, method: str, data: Any = None) -> Run:
    """A view of the first article."""
    content = {"queryset": full_articles(2), "serializer_class": serializer}
    view = type("View", (RetrieveUpdateAPIView,), content)
    return rolled_back(asked(view, method, data, pk=1))


def input_serializer() -> Any:
    """A serializer of articles as they are posted, without the key that the database gives them."""
    names = {*ARTICLE_FIELDS, "created", "updated"} - {"id"}
    return model_serializer(Article, sorted(names))


@DRF.add("one object: nested, prefetched, with methods", sizes=ONE)
def detail(count: int) -> Run:
    return of_first(ordinary_article(), "get")


@DRF.add("PATCH of one column", sizes=ONE)
def patched(count: int) -> Run:
    return of_first(input_serializer(), "patch", {"title": "Another title"})


@DRF.add("POST that saves an object", sizes=ONE)
def created(count: int) -> Run:
    content = {"queryset": plain_articles(2), "serializer_class": input_serializer()}
    return rolled_back(asked(type("View", (CreateAPIView,), content), "post", ARTICLE))


def echoed(data: Any) -> Run:
    """A view that answers with what it was sent, validated."""
    serializer_class = type("Own", (Housed,), {})

    def post(self: Any, request: Any) -> Response:
        serializer = serializer_class(data=request.data, many=isinstance(data, list))
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data)

    return asked(type("Echo", (CreateAPIView,), {"post": post}), "post", data)


@DRF.add("POST of a form with a nested object", sizes=ONE)
def form(count: int) -> Run:
    return echoed(HOUSED)


@DRF.add("POST of a list with nested objects", sizes=(20, 240))
def form_list(count: int) -> Run:
    return echoed([HOUSED] * count)


@DRF.add("POST of a list that is saved in bulk", sizes=(20, 240))
def bulk(count: int) -> Run:
    rows = filled(flights_in_database, count).all()
    serializer = model_serializer(Flight, fastschema_bulk_input=True)
    sent = [{**model_serializer(Flight)(each).data, "id": each.pk + 10_000_000} for each in rows]
    content = {"queryset": rows, "get_serializer": functools.partial(serializer, many=True)}
    return rolled_back(asked(type("Import", (CreateAPIView,), content), "post", sent))
