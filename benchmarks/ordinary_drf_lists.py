"""Whole requests for lists that views build by hand, with their queries.

Imported when Django is set up; adds to the patterns of ``ordinary_drf``.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.generics import ListAPIView
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination
from rest_framework.response import Response

from flights.serializers import FlightSerializer
from ordinary_drf import DRF, model_serializer
from ordinary_drf_relations import PREFETCHED, article_serializer, json_renderer, request
from ordinary_models import Article, Author, Comment, articles, flights_in_database
from ordinary_pattern import Run

COLUMNS = ("slug", "words", "created", "price", "featured")
SIZES = (20, 240)


def flights(count: int) -> Any:
    """So many flights, with what they refer to."""
    related = ("airline", "origin", "destination", "plane")
    return flights_in_database(count).select_related(*related)


def article_and_author() -> Any:
    """A serializer of articles with their authors nested."""
    return article_serializer(*COLUMNS, "author", author=model_serializer(Author)())


def in_function(serializer: Any, queryset: Any) -> Run:
    """A function that answers with all rows of a queryset."""

    @api_view()
    @renderer_classes([json_renderer()])
    def view(request: Any) -> Response:
        return Response(serializer(queryset.all(), many=True).data)

    asked = request()
    return lambda: view(asked).render().content


def in_class(**attributes: Any) -> Run:
    """A list view with its own way to do something."""
    attributes = {"renderer_classes": [json_renderer()], "filter_backends": [], **attributes}
    view = type("View", (ListAPIView,), attributes).as_view()
    asked = request()
    return lambda: view(asked).render().content


@DRF.add("api_view: Response(S(queryset, many=True).data), four relations", sizes=(20, 240, 20_000))
def of_flights(count: int) -> Run:
    return in_function(FlightSerializer, flights(count))


@DRF.add("api_view: Response(S(queryset, many=True).data), plain columns", sizes=SIZES)
def of_articles(count: int) -> Run:
    return in_function(article_serializer(*COLUMNS), articles(count))


@DRF.add("api_view: the same with get_FOO_display", sizes=SIZES)
def displayed(count: int) -> Run:
    shown = serializers.CharField(source="get_status_display")
    return in_function(article_serializer(*COLUMNS, "shown", shown=shown), articles(count))


@DRF.add("api_view: the same with tags and comments prefetched", sizes=SIZES)
def with_prefetched(count: int) -> Run:
    comments = model_serializer(Comment, ("id", "name", "text", "created"))
    own = {"comments": comments(many=True, read_only=True)}
    serializer = article_serializer("slug", "created", "tags", "comments", **own)
    return in_function(serializer, articles(count).prefetch_related(*PREFETCHED))


@DRF.add("api_view: comments with their articles joined, and the tags of these", sizes=SIZES)
def with_prefetched_for_joined(count: int) -> Run:
    nested = article_serializer("slug", "tags")()
    serializer = model_serializer(Comment, ("id", "name", "text", "article"), article=nested)
    articles(count)  # which have the comments
    comments = Comment.objects.select_related("article").prefetch_related("article__tags")
    return in_function(serializer, comments.order_by("pk")[:count])


@DRF.add("a page by hand in an envelope of its own, one relation", sizes=SIZES)
def by_hand(count: int) -> Run:
    serializer = article_and_author()

    def get(self: Any, request: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        found = self.get_serializer(page, many=True).data
        return Response({"status": "ok", "total": self.paginator.count, "items": found})

    return in_class(
        get=get,
        queryset=articles(2 * count).select_related("author"),
        serializer_class=serializer,
        pagination_class=type("Pages", (LimitOffsetPagination,), {"default_limit": count}),
    )


@DRF.add("a list view with a get_paginated_response of its own, one relation", sizes=SIZES)
def enveloped(count: int) -> Run:
    class Pages(PageNumberPagination):
        page_size = count

        def get_paginated_response(self, data: Any) -> Response:
            return Response({"total": self.page.paginator.count, "items": data})

    return in_class(
        queryset=articles(2 * count).select_related("author"),
        serializer_class=article_and_author(),
        pagination_class=Pages,
    )


@DRF.add("a list() that calls super() and adds a key, one relation", sizes=SIZES)
def by_super(count: int) -> Run:
    def list(self: Any, request: Any, *args: Any, **kwargs: Any) -> Response:
        response = ListAPIView.list(self, request, *args, **kwargs)
        response.data = {"items": response.data, "model": Article.__name__}
        return response

    return in_class(
        list=list,
        queryset=articles(count).select_related("author"),
        serializer_class=article_and_author(),
        pagination_class=None,
    )
