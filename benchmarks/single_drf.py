"""What each contender of the benchmark of single objects puts in the place of DRF's classes.

Each is switched on as its own documentation says. Imported when Django is set up; a contender's
package is only imported where it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import path
from django.utils.module_loading import import_string
from rest_framework import generics, serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from ordinary_drf_input import Addressed
from ordinary_models import ARTICLE_FIELDS, Article, Author
from ordinary_pattern import Run


@dataclass(frozen=True)
class Classes:
    """The base classes of serializers and views, the renderer and the parser."""

    serializer: Any
    model_serializer: Any
    api_view: Any
    create_view: Any
    detail_view: Any
    renderer: Any
    parser: Any

    def like(self, serializer_class: Any, **declared: Any) -> Any:
        """A serializer with the fields of another one, and further ones."""
        fields = {**serializer_class._declared_fields, **declared}
        return type(serializer_class.__name__, (self.serializer,), fields)

    def of_model(self, model_class: Any, names: Any, **declared: Any) -> Any:
        """The serializer of a model."""
        meta = type("Meta", (), {"model": model_class, "fields": names})
        content = {"__module__": __name__, "Meta": meta, **declared}
        return type("OfModel", (self.model_serializer,), content)

    def routes(self) -> list[Any]:
        """The views: a person that is echoed, and articles."""
        person = self.like(Addressed)
        names = (*ARTICLE_FIELDS, "created", "updated")

        class Echo(self.api_view):
            def post(self, request: Any) -> Response:
                serializer = person(data=request.data)
                serializer.is_valid(raise_exception=True)
                return Response(serializer.data)

        class Create(self.create_view):
            queryset = Article.objects.all()
            serializer_class = self.of_model(Article, names)

        class Detail(self.detail_view):
            queryset = Article.objects.select_related("author")

            def get_serializer_class(self) -> Any:
                return shown if self.request.method == "GET" else changed

        author = self.of_model(Author, "__all__")(read_only=True)
        shown = self.of_model(Article, ARTICLE_FIELDS, author=author)
        changed = self.of_model(Article, names)
        how = {"renderer_classes": [self.renderer], "parser_classes": [self.parser]}
        return [
            path("people/", Echo.as_view(**how)),
            path("articles/", Create.as_view(**how)),
            path("articles/<int:pk>/", Detail.as_view(**how)),
        ]


def as_configured() -> Classes:
    """DRF's classes, with the renderer and the parser of the settings."""
    [renderer, _] = settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"]
    [parser] = settings.REST_FRAMEWORK["DEFAULT_PARSER_CLASSES"]
    return Classes(
        serializers.Serializer,
        serializers.ModelSerializer,
        APIView,
        generics.CreateAPIView,
        generics.RetrieveUpdateAPIView,
        import_string(renderer),
        import_string(parser),
    )


def django_fastdrf() -> Classes:
    """Base classes, mixins, a backend, a renderer and a parser of its own."""
    settings.FASTDRF = {
        "SERIALIZER_BACKEND": "msgspec",
        "CACHE_SERIALIZER_FIELDS": True,
        "FIELD_COPY_MODE": "compiled",
    }
    from fastdrf import mixins, views
    from fastdrf import serializers as fast
    from fastdrf.orjson.parsers import ORJSONParser
    from fastdrf.orjson.renderers import ORJSONRenderer

    dispatch = views.DispatchOptimizationMixin
    detail = (dispatch, mixins.UpdateModelMixin, generics.RetrieveUpdateAPIView)
    return Classes(
        fast.Serializer,
        fast.ModelSerializer,
        type("View", (dispatch, APIView), {}),
        type("CreateView", (dispatch, mixins.CreateModelMixin, generics.CreateAPIView), {}),
        type("DetailView", detail, {}),
        ORJSONRenderer,
        ORJSONParser,
    )


CLASSES: dict[str, Callable[[], Classes]] = {
    "stock": as_configured,
    "fastschema": as_configured,
    "drf-oxide": as_configured,  # it has put its classes in the place of DRF's
    "django-fastdrf": django_fastdrf,
}


def validated(serializer_class: Any, data: Any) -> Run:
    """What a serializer that is made for each call says of its input."""
    many = {"many": True} if isinstance(data, list) else {}

    def run() -> Any:
        serializer = serializer_class(data=data, **many)
        return [serializer.is_valid(), serializer.validated_data, serializer.errors]

    return run
