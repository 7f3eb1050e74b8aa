"""Whole requests for one object: JSON in, validated and perhaps saved, and JSON out.

Imported when Django is set up; adds to the patterns of ``ordinary_drf``. Stock parses and renders
by DRF's classes, fastschema by its own. What is saved is rolled back.
"""

from __future__ import annotations

import json
from typing import Any

from rest_framework.generics import CreateAPIView, RetrieveUpdateAPIView
from rest_framework.mixins import ListModelMixin
from rest_framework.parsers import JSONParser
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from fastschema.contrib.django.lists.views import STOCK_LIST
from fastschema.contrib.django.parsers import FastJSONParser
from ordinary_drf import DRF, model_serializer
from ordinary_drf_input import ADDRESSED, Addressed
from ordinary_drf_relations import json_renderer
from ordinary_models import ARTICLE, ARTICLE_FIELDS, Article, Author, articles, rolled_back
from ordinary_pattern import Run

ONE = (1,)


def answered(view_class: Any, method: str, data: Any = None, **arguments: Any) -> Run:
    """What a view answers to a request."""
    is_stock = ListModelMixin.list is STOCK_LIST
    view = view_class.as_view(
        renderer_classes=[json_renderer()],
        parser_classes=[JSONParser if is_stock else FastJSONParser],
        authentication_classes=[],
        permission_classes=[],
    )
    make_request = getattr(APIRequestFactory(), method)
    body = None if data is None else json.dumps(data)

    def run() -> Any:
        request = make_request("/", body, content_type="application/json")
        response = view(request, **arguments).render()
        return response.status_code, response.content

    return run


class Echo(APIView):
    """Answers with what it was sent, validated."""

    def post(self, request: Any) -> Response:
        serializer = Addressed(data=request.data)
        serializer.is_valid(raise_exception=True)
        return Response(serializer.data)


@DRF.add("request: POST of ten fields, answered, no database", sizes=ONE)
def echoed(count: int) -> Run:
    return answered(Echo, "post", ADDRESSED)


@DRF.add("request: POST of ten fields, wrong, no database", sizes=ONE)
def refused(count: int) -> Run:
    return answered(Echo, "post", {**ADDRESSED, "age": -1, "born": "yesterday", "name": ""})


@DRF.add("request: POST that saves an article", sizes=ONE)
def created(count: int) -> Run:
    list(articles(2))

    class Create(CreateAPIView):
        queryset = Article.objects.all()
        serializer_class = model_serializer(Article, (*ARTICLE_FIELDS, "created", "updated"))

    return rolled_back(answered(Create, "post", ARTICLE))


@DRF.add("request: PATCH of one column of an article", sizes=ONE)
def patched(count: int) -> Run:
    list(articles(2))

    class Update(RetrieveUpdateAPIView):
        queryset = Article.objects.all()
        serializer_class = model_serializer(Article, (*ARTICLE_FIELDS, "created", "updated"))

    return rolled_back(answered(Update, "patch", {"title": "Another title"}, pk=1))


@DRF.add("request: GET of an article with its author", sizes=ONE)
def retrieved(count: int) -> Run:
    list(articles(2))

    class Retrieve(RetrieveUpdateAPIView):
        queryset = Article.objects.select_related("author")
        serializer_class = model_serializer(
            Article, ARTICLE_FIELDS, author=model_serializer(Author)(read_only=True)
        )

    return answered(Retrieve, "get", pk=1)
