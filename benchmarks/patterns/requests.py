"""Whole requests to views of Django REST framework, with their queries, by Django's test client.

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
from rest_framework.decorators import api_view
from rest_framework.generics import CreateAPIView, ListAPIView, RetrieveUpdateAPIView
from rest_framework.pagination import CursorPagination, PageNumberPagination
from rest_framework.response import Response
from rest_framework.views import APIView

import config.urls
from flights.models import Airline, Airport, Flight, Plane
from harness.measuring import Run
from patterns import ONE, Collection, is_fast
from patterns.models import (
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
from patterns.serializers import (
    HOUSED,
    PREFETCHED,
    Housed,
    Linked,
    Person,
    article_serializer,
    method,
    model_serializer,
    ordinary_article,
    with_super,
)
from records import PERSON, WRONG

PATTERNS = Collection("DRF")
add = PATTERNS.add
PAGES, LISTS = (20, 50, 100), (20, 240)
SIZES = (*PAGES, 240, 2400)
COLUMNS = ("slug", "status", "words", "price", "featured", "created", "updated")
FILTERED = ["status", "words", "featured", "slug", "author", "published_on"]
RELATIONS = {"airline": Airline, "origin": Airport, "destination": Airport, "plane": Plane}
Rows = Callable[[int], Any]
"""From a number of rows to a queryset of them."""
_client = Client()
_view: Any = None
config.urls.urlpatterns.append(path("patterns/", lambda request: _view(request)))


def asked(view: Any, verb: str = "get", data: Any = None, query: str = "", **arguments: Any) -> Run:
    body = "" if data is None else json.dumps(data)

    def run() -> Any:
        global _view
        _view = functools.partial(view, **arguments)
        response = _client.generic(verb, f"/patterns/{query}", body, "application/json")
        return [response.status_code, response.getvalue()]

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
    return filled(flights_in_database, count).select_related(*RELATIONS)


def plain_articles(count: int) -> Any:
    return filled(articles, count)


def full_articles(count: int) -> Any:
    return plain_articles(count).prefetch_related(*PREFETCHED)


def listed(serializer: Any, rows: Rows, count: int, query: str = "", **attributes: Any) -> Run:
    """A page of a list view, with as many rows after it; or the whole list, if it is long."""
    is_page = count in PAGES and "pagination_class" not in attributes
    pages = type("Pages", (PageNumberPagination,), {"page_size": count}) if is_page else None
    bases = attributes.pop("bases", (ListAPIView,))
    content = {"serializer_class": serializer, "pagination_class": pages, "filter_backends": ()}
    content |= {"queryset": rows(2 * count if is_page else count), **attributes}
    return asked(type("View", bases, content).as_view(), query=query)


def flight_serializer(**own: Any) -> Any:
    nested = {name: model_serializer(model)(read_only=True) for name, model in RELATIONS.items()}
    return model_serializer(Flight, "__all__", **nested, **own)


def columns(**own: Any) -> Any:
    return article_serializer(*COLUMNS, *[name for name in own if "_" not in name], **own)


def with_author() -> Any:
    return columns(author=model_serializer(Author)())


add("plain columns", lambda n: listed(columns(), plain_articles, n), SIZES)
add("joined and nested", lambda n: listed(flight_serializer(), flights, n), (*SIZES, 20_000))


@add("prefetched lists", sizes=SIZES)
def lists(count: int) -> Run:
    comments = model_serializer(Comment, ("id", "name", "text", "created"))(many=True)
    serializer = article_serializer("slug", "created", "tags", "comments", comments=comments)
    return listed(serializer, full_articles, count)


add(
    "nested, prefetched, with methods",
    lambda n: listed(ordinary_article(), full_articles, n),
    SIZES,
)


@add("a method of the model", sizes=LISTS)
def of_model(count: int) -> Run:
    text = serializers.CharField(source="__str__", read_only=True)
    return listed(columns(text=text), plain_articles, count)


@add("rows in memory: nested, prefetched, with methods", sizes=LISTS)
def in_memory(count: int) -> Run:
    rows = list(full_articles(count))
    content = {"get_queryset": lambda self: rows, "pagination_class": None}
    return listed(ordinary_article(), full_articles, count, **content)


@add("a method that follows a relation", sizes=LISTS)
def following(count: int) -> Run:
    own = method("label", lambda self, flight: f"{flight.airline.name} {flight.number}")
    return listed(flight_serializer(**own), flights, count)


@add("a method that makes a serializer", sizes=LISTS)
def made_in_method(count: int) -> Run:
    made = model_serializer(Author)
    own = method("author", lambda self, row: made(row.author, context=self.context).data)
    return listed(columns(**own), plain_articles, count)


@add("own to_representation over three prefetched lists", sizes=(50,))
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


add(
    "to_representation with super()",
    lambda n: listed(with_super(columns()), plain_articles, n),
    LISTS,
)


@add("fields chosen in __init__", sizes=LISTS)
def chosen(count: int) -> Run:
    class Own(columns()):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.fields.pop("words")

    return listed(Own, plain_articles, count)


add("a list with hyperlinks", lambda n: listed(Linked, flights, n), LISTS)


@add("api_view: Response(S(queryset, many=True).data)", sizes=LISTS)
def in_function(count: int) -> Run:
    queryset, serializer = plain_articles(count), with_author()
    view = api_view()(lambda request: Response(serializer(queryset.all(), many=True).data))
    return asked(view)


@add("a page of CursorPagination", sizes=(20, 100))
def cursor(count: int) -> Run:
    pages = type("Pages", (CursorPagination,), {"page_size": count, "ordering": "id"})
    return listed(with_author(), lambda _: plain_articles(200), count, pagination_class=pages)


def filtered(count: int, query: str = "", **filters: Any) -> Run:
    backends = {"filter_backends": (DjangoFilterBackend,)}
    return listed(columns(), plain_articles, count, query, **backends, **filters)


add("six filters, none in use", lambda n: filtered(n, filterset_fields=FILTERED), (20, 100))
add(
    "six filters, two in use",
    lambda n: filtered(n, "?status=2&featured=false", filterset_fields=FILTERED),
    (20, 100),
)


@add("seven filters that are made for each request", sizes=(20,))
def made_filters(count: int) -> Run:
    meta = type("Meta", (), {"model": Article, "fields": [*FILTERED, "tags"]})
    own = {"slug": AllValuesFilter(), "Meta": meta}
    return filtered(count, filterset_class=type("Own", (FilterSet,), own))


@add("a stream", sizes=(240, 2400))
def stream(count: int) -> Run:
    bases: tuple[Any, ...] = (ListAPIView,)
    if is_fast():
        from fastschema.contrib.django.streaming import StreamingListMixin

        bases = (StreamingListMixin, ListAPIView)
    return listed(flight_serializer(), flights, count, bases=bases, pagination_class=None)


def of_first(serializer: Any, verb: str, data: Any = None) -> Run:
    content = {"queryset": full_articles(2), "serializer_class": serializer}
    view = type("View", (RetrieveUpdateAPIView,), content).as_view()
    return rolled_back(asked(view, verb, data, pk=1))


def input_serializer() -> Any:
    """A serializer of articles as they are posted, without the key that the database gives them."""
    names = {*ARTICLE_FIELDS, "created", "updated"} - {"id"}
    return model_serializer(Article, sorted(names))


def posted_article(count: int) -> Run:
    content = {"queryset": plain_articles(2), "serializer_class": input_serializer()}
    return rolled_back(asked(type("View", (CreateAPIView,), content).as_view(), "post", ARTICLE))


def echoed(base: Any, data: Any) -> Run:
    serializer_class = type("Own", (base,), {})

    def post(self: Any, request: Any) -> Response:
        serializer = serializer_class(data=request.data, many=isinstance(data, list))
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data)

    return asked(type("Echo", (APIView,), {"post": post}).as_view(), "post", data)


add(
    "one object: nested, prefetched, with methods",
    lambda n: of_first(ordinary_article(), "get"),
    ONE,
)
add("GET of an article with its author", lambda n: of_first(with_author(), "get"), ONE)
add(
    "PATCH of one column",
    lambda n: of_first(input_serializer(), "patch", {"title": "Another title"}),
    ONE,
)
add("POST that saves an object", posted_article, ONE)
add("POST of ten fields, answered, no database", lambda n: echoed(Person, PERSON), ONE)
add("POST of ten fields, three wrong, no database", lambda n: echoed(Person, WRONG), ONE)
add("POST of a form with a nested object", lambda n: echoed(Housed, HOUSED), ONE)
add("POST of a list with nested objects", lambda n: echoed(Housed, [HOUSED] * n), LISTS)


@add("POST of a list that is saved in bulk", sizes=LISTS)
def bulk(count: int) -> Run:
    rows = filled(flights_in_database, count).all()
    serializer = model_serializer(Flight, fastschema_bulk_input=True)
    sent = [{**model_serializer(Flight)(each).data, "id": each.pk + 10_000_000} for each in rows]
    content = {"queryset": rows, "get_serializer": functools.partial(serializer, many=True)}
    return rolled_back(asked(type("Import", (CreateAPIView,), content).as_view(), "post", sent))
