"""Ordinary serializers of Django REST framework whose objects refer to others.

Imported when Django is set up; adds to the patterns of ``ordinary_drf``. Objects come from a
database in memory. Where relations are not prefetched, both make the same queries.
"""

from __future__ import annotations

import re
from typing import Any

from django.urls import path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from rest_flex_fields import FlexFieldsModelSerializer
from rest_framework import serializers
from rest_framework.generics import ListAPIView, RetrieveAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from fastschema.contrib.django.lists.views import STOCK_LIST
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline, Airport, Flight, Plane
from flights.serializers import FlightSerializer
from ordinary_drf import DRF, articles_in_memory, data_of, model_serializer
from ordinary_models import (
    Article,
    Author,
    Comment,
    Tag,
    articles,
    flight_rows,
    flights_in_database,
)
from ordinary_pattern import Run

PREFETCHED = ("tags", "comments")


def request() -> Any:
    """A request as views see it."""
    return APIRequestFactory().get("/")


def json_renderer() -> Any:
    """The renderer that a project with fastschema names in its settings, or stock's."""
    return JSONRenderer if ListModelMixin.list is STOCK_LIST else FastJSONRenderer


def prefetched(count: int) -> list[Article]:
    """Articles whose tags and comments are there."""
    return list(articles(count).prefetch_related(*PREFETCHED))


def not_prefetched(count: int) -> list[Article]:
    """Articles whose tags and comments are asked for."""
    return list(articles(count))


def article_serializer(*names: str, **own: Any) -> Any:
    """A serializer of articles with these fields."""
    return model_serializer(Article, ("id", "title", *names), **own)


TAGS = {
    "primary keys": lambda: article_serializer("tags"),
    "slugs": lambda: article_serializer(
        "tags", tags=serializers.SlugRelatedField("slug", many=True, read_only=True)
    ),
    "strings": lambda: article_serializer(
        "tags", tags=serializers.StringRelatedField(many=True, read_only=True)
    ),
    "nested": lambda: article_serializer(
        "tags", tags=model_serializer(Tag)(many=True, read_only=True)
    ),
}


def add_tags(kind: str) -> None:
    """Add the two patterns of many-to-many relations in a form."""

    @DRF.add(f"many-to-many as {kind}, prefetched")
    def ready(count: int) -> Run:
        return data_of(TAGS[kind](), prefetched(count))

    @DRF.add(f"many-to-many as {kind}, not prefetched", sizes=(1, 20))
    def asked_for(count: int) -> Run:
        return data_of(TAGS[kind](), not_prefetched(count))


for each in TAGS:
    add_tags(each)


@DRF.add("reverse relation, nested with many=True, prefetched")
def reverse(count: int) -> Run:
    comments = model_serializer(Comment, ("id", "name", "text", "created"))
    serializer = article_serializer("comments", comments=comments(many=True, read_only=True))
    return data_of(serializer, prefetched(count))


@DRF.add("reverse relation, nested with many=True, not prefetched", sizes=(1, 20))
def reverse_not_prefetched(count: int) -> Run:
    comments = model_serializer(Comment, ("id", "name", "text", "created"))
    serializer = article_serializer("comments", comments=comments(many=True, read_only=True))
    return data_of(serializer, not_prefetched(count))


@DRF.add("foreign key as primary key")
def foreign_key(count: int) -> Run:
    return data_of(article_serializer("author"), articles_in_memory(count))


@DRF.add("foreign key as string and slug")
def foreign_key_texts(count: int) -> Run:
    own = {
        "author": serializers.StringRelatedField(),
        "email": serializers.SlugRelatedField("email", source="author", read_only=True),
    }
    return data_of(article_serializer("author", "email", **own), articles_in_memory(count))


@DRF.add("four nested serializers")
def flights(count: int) -> Run:
    return data_of(FlightSerializer, flight_rows(count))


@DRF.add("depth = 1")
def depth(count: int) -> Run:
    names = ("id", "airline", "number", "origin", "destination", "plane", "date")
    meta = type("Meta", (), {"model": Flight, "fields": names, "depth": 1})
    return data_of(type("Deep", (serializers.ModelSerializer,), {"Meta": meta}), flight_rows(count))


@DRF.add("a serializer made inside of a method field")
def made_inside(count: int) -> Run:
    nested = model_serializer(Author)

    class Outer(serializers.ModelSerializer):
        writer = serializers.SerializerMethodField()

        class Meta:
            model = Article
            fields = ("id", "title", "words", "writer")

        def get_writer(self, article: Any) -> Any:
            return nested(article.author, context=self.context).data

    return data_of(Outer, articles_in_memory(count))


@DRF.add("a serializer of many=True made inside of a method field")
def list_made_inside(count: int) -> Run:
    nested = model_serializer(Comment, ("id", "name", "text"))

    class Outer(serializers.ModelSerializer):
        comments = serializers.SerializerMethodField()

        class Meta:
            model = Article
            fields = ("id", "title", "comments")

        def get_comments(self, article: Any) -> Any:
            return nested(article.comments.all(), many=True, context=self.context).data

    return data_of(Outer, prefetched(count))


@DRF.add("hyperlinks")
def hyperlinks(count: int) -> Run:
    class Linked(serializers.HyperlinkedModelSerializer):
        class Meta:
            model = Flight
            fields = ("url", "airline", "number", "origin", "plane", "date")

    return data_of(Linked, flight_rows(count), context={"request": request()})


@DRF.add("hyperlink with an own get_url")
def own_links(count: int) -> Run:
    class Link(serializers.HyperlinkedIdentityField):
        def get_url(self, obj: Any, view_name: str, request: Any, format: Any) -> str:
            return request.build_absolute_uri(f"/planes/{obj.pk}/")

    serializer = article_serializer("url", "words", url=Link(view_name="plane-detail"))
    return data_of(serializer, articles_in_memory(count), context={"request": request()})


@DRF.add("hyperlinks with a get_url that calls reverse")
def reversed_links(count: int) -> Run:
    class Link(serializers.HyperlinkedIdentityField):
        def get_url(self, obj: Any, view_name: str, request: Any, format: Any) -> str:
            keys = {self.lookup_url_kwarg: getattr(obj, self.lookup_field)}
            view_name = f"{obj._meta.model_name}-{view_name}"
            return self.reverse(view_name, kwargs=keys, request=request, format=format)

    serializer = model_serializer(Airline, ("url", "name"), url=Link(view_name="detail"))
    rows = [Airline(code=f"A{n}", name=f"Airline {n}") for n in range(count)]
    return data_of(serializer, rows, context={"request": request()})


@DRF.add("files with a request")
def files(count: int) -> Run:
    serializer = article_serializer("attachment")
    return data_of(serializer, articles_in_memory(count), context={"request": request()})


def ordinary_article() -> Any:
    """What a ModelSerializer often is: nested objects, relations, methods, choices."""

    class Ordinary(serializers.ModelSerializer):
        author = model_serializer(Author)(read_only=True)
        tags = serializers.SlugRelatedField("slug", many=True, read_only=True)
        comments = model_serializer(Comment, ("id", "name", "text"))(many=True, read_only=True)
        status_name = serializers.CharField(source="get_status_display", read_only=True)
        minutes = serializers.SerializerMethodField()
        is_new = serializers.SerializerMethodField()

        class Meta:
            model = Article
            exclude = ("attachment",)

        def get_minutes(self, article: Any) -> int:
            return article.reading_time()

        def get_is_new(self, article: Any) -> bool:
            return article.words < 1000

    return Ordinary


@DRF.add("an ordinary ModelSerializer: nested, many-to-many, methods")
def ordinary(count: int) -> Run:
    return data_of(ordinary_article(), prefetched(count))


@DRF.add("the same, a page by a list view with its queries", sizes=(20,))
def page(count: int) -> Run:
    class Articles(ListAPIView):
        queryset = articles(2 * count).prefetch_related(*PREFETCHED)
        serializer_class = ordinary_article()
        pagination_class = type("Pages", (LimitOffsetPagination,), {"default_limit": count})
        filter_backends = ()
        renderer_classes = (json_renderer(),)

    view, asked = Articles.as_view(), request()
    return lambda: view(asked).render().content


def whole_list(serializer: Any, rows: Any) -> Run:
    """A list view without pages, asked for its answer.

    :param rows: a queryset, or rows in memory
    """

    class Rows(ListAPIView):
        serializer_class = serializer
        pagination_class = None
        filter_backends = ()
        renderer_classes = (json_renderer(),)

        def get_queryset(self) -> Any:
            return rows if isinstance(rows, list) else rows.all()

    view, asked = Rows.as_view(), request()
    return lambda: view(asked).render().content


@DRF.add("a list view of plain columns with its query", sizes=(20, 240))
def columns(count: int) -> Run:
    names = ("slug", "words", "created", "price", "featured")
    return whole_list(article_serializer(*names), articles(count))


@DRF.add("a list view with prefetched tags and comments, with its queries", sizes=(20, 240))
def with_prefetched(count: int) -> Run:
    comments = model_serializer(Comment, ("id", "name", "text", "created"))
    own = {"comments": comments(many=True, read_only=True)}
    serializer = article_serializer("slug", "created", "tags", "comments", **own)
    return whole_list(serializer, articles(count).prefetch_related(*PREFETCHED))


@DRF.add("a list view of flights with a method field, rows in memory", sizes=(20, 240))
def list_with_method(count: int) -> Run:
    rows = flight_rows(count)

    class Labelled(FlightSerializer):
        label = serializers.SerializerMethodField()

        def get_label(self, flight: Flight) -> str:
            return f"{flight.number} of {flight.date}"

    return whole_list(Labelled, rows)


@DRF.add("a list that forgets three relations, LOAD_RELATIONS, with its queries", sizes=(50,))
def forgotten(count: int) -> Run:
    class Own(serializers.ModelSerializer):
        airline = model_serializer(Airline)()
        origin = model_serializer(Airport)()
        plane = model_serializer(Plane)()

        class Meta:
            model = Flight
            fields = ("id", "airline", "number", "origin", "plane", "date", "distance")

    class Forgetful(ListAPIView):
        queryset = flights_in_database(2 * count)
        serializer_class = Own
        pagination_class = type("Pages", (LimitOffsetPagination,), {"default_limit": count})
        filter_backends = ()
        renderer_classes = (json_renderer(),)
        fastschema_load_relations = True

    view, asked = Forgetful.as_view(), request()
    return lambda: view(asked).render().content


@DRF.add("a detail whose list forgets two relations, LOAD_RELATIONS, with its queries", sizes=(1,))
def forgotten_detail(count: int) -> Run:
    flights = flights_in_database(40)

    class Own(serializers.ModelSerializer):
        origin = model_serializer(Airport)()
        plane = model_serializer(Plane)()

        class Meta:
            model = Flight
            fields = ("id", "number", "origin", "plane", "date", "distance")

    class WithFlights(serializers.ModelSerializer):
        flights = Own(many=True)

        class Meta:
            model = Airline
            fields = ("code", "name", "flights")

    class Forgetful(RetrieveAPIView):
        queryset = Airline.objects.all()
        serializer_class = WithFlights
        filter_backends = ()
        renderer_classes = (json_renderer(),)
        fastschema_load_relations = True

    view, asked, key = Forgetful.as_view(), request(), flights[0].airline_id
    return lambda: view(asked, pk=key).render().content


@DRF.add("ModelSerializers of three models, one after the other")
def three(count: int) -> Run:
    flights = flight_rows(count)
    by_model = {
        model: [getattr(flight, name) for flight in flights]
        for name, model in (("airline", Airline), ("origin", Airport), ("plane", Plane))
    }
    runs = [data_of(model_serializer(model), rows) for model, rows in by_model.items()]
    return lambda: [run() for run in runs]


@DRF.add("drf-flex-fields: fields named in the query string")
def flex_fields(count: int) -> Run:
    class Flexible(FlexFieldsModelSerializer):
        class Meta:
            model = Flight
            exclude = ("airline", "origin", "destination", "plane")

    asked = Request(APIRequestFactory().get("/", {"fields": "id,number,date,distance"}))
    return data_of(Flexible, flight_rows(count), context={"request": asked})


@DRF.add("the page of a list view in the browsable API", sizes=(1, 20))
def browsable(count: int) -> Run:
    class Planes(ListAPIView):
        queryset = Plane.objects.order_by("pk")[:count]
        serializer_class = model_serializer(Plane)
        renderer_classes = (BrowsableAPIRenderer,)

        def paginate_queryset(self, queryset: Any) -> Any:
            return None

    flight_rows(count)
    view, asked = Planes.as_view(), request()
    # The token is another one each time.
    return lambda: re.sub(rb'"csrfToken": "\w+"', b"", view(asked).render().content)


@DRF.add("the OpenAPI schema of drf-spectacular", sizes=(20,))
def openapi(count: int) -> Run:
    class Flights(ListAPIView):
        queryset = Flight.objects.none()
        serializer_class = FlightSerializer
        schema = AutoSchema()

    patterns = [path(f"flights/{n}/", Flights.as_view()) for n in range(count)]
    return lambda: SchemaGenerator(patterns=patterns).get_schema(public=True)
