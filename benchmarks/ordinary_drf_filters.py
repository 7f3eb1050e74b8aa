"""Whole requests of an ordinary ModelViewSet that filters with django-filter.

Imported when Django is set up; adds to the patterns of ``ordinary_drf``.
"""

from __future__ import annotations

from typing import Any

from django_filters.rest_framework import DjangoFilterBackend, FilterSet
from rest_framework.pagination import PageNumberPagination
from rest_framework.test import APIRequestFactory
from rest_framework.viewsets import ModelViewSet

from ordinary_drf import DRF, model_serializer
from ordinary_drf_relations import json_renderer
from ordinary_models import Article, articles
from ordinary_pattern import Run

COLUMNS = ("id", "title", "slug", "status", "words", "price", "featured", "created", "updated")
FILTERED = ["status", "words", "featured", "slug", "author", "published_on"]


class ArticleFilter(FilterSet):
    """The same filters, named in a class."""

    class Meta:
        model = Article
        fields = FILTERED


def request(count: int, query: str = "", pk: int | None = None, **content: Any) -> Run:
    """A request to a viewset of nine plain columns.

    :param count: how many rows a page has
    :param query: the query string
    :param pk: of a detail; None: a page
    :param content: what names the filters
    """
    bases = {
        "queryset": articles(2 * count),
        "serializer_class": model_serializer(Article, COLUMNS),
        "pagination_class": type("Pages", (PageNumberPagination,), {"page_size": count}),
        "filter_backends": (DjangoFilterBackend,),
        "renderer_classes": (json_renderer(),),
    }
    viewset = type("Articles", (ModelViewSet,), {**bases, **content})
    actions = {"get": "list" if pk is None else "retrieve"}
    view, kwargs = viewset.as_view(actions), {} if pk is None else {"pk": pk}
    asked = APIRequestFactory().get(f"/?{query}")
    return lambda: view(asked, **kwargs).render().content


@DRF.add("a page of a ModelViewSet with filterset_fields, no parameter", sizes=(20,))
def no_parameter(count: int) -> Run:
    return request(count, filterset_fields=FILTERED)


@DRF.add("the same page with two parameters", sizes=(20,))
def two_parameters(count: int) -> Run:
    return request(count, "status=2&featured=false", filterset_fields=FILTERED)


@DRF.add("the same page with a parameter that asks the database", sizes=(20,))
def by_relation(count: int) -> Run:
    return request(count, "author=1", filterset_fields=FILTERED)


@DRF.add("the same page with a filterset_class, no parameter", sizes=(20,))
def by_class(count: int) -> Run:
    return request(count, filterset_class=ArticleFilter)


@DRF.add("the same page with a filterset_class and a wrong parameter", sizes=(20,))
def wrong_parameter(count: int) -> Run:
    return request(count, "words=many", filterset_class=ArticleFilter)


@DRF.add("a detail of that ModelViewSet", sizes=(1,))
def detail(count: int) -> Run:
    return request(count, pk=1, filterset_fields=FILTERED)
