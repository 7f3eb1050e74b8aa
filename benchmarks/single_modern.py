"""The benchmark of single objects by django-modern-rest."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.urls import path
from pydantic import BaseModel

settings.DMR_SETTINGS = {"validate_responses": False}  # as in production

from dmr import Body, Controller, Path, modify  # noqa: E402  # it reads the settings
from dmr.plugins.pydantic import PydanticFastSerializer  # noqa: E402  # likewise

from single_pydantic import (  # noqa: E402  # it comes after them
    ArticleIn,
    ArticleOut,
    Person,
    SavedArticle,
    found,
    saved,
)


class Key(BaseModel):
    """The key in an address."""

    pk: int


class People(Controller[PydanticFastSerializer]):
    """Answers with a person."""

    @modify(status_code=HTTPStatus.OK)
    def post(self, parsed_body: Body[Person]) -> Person:
        return parsed_body


class Articles(Controller[PydanticFastSerializer]):
    """Saves an article."""

    def post(self, parsed_body: Body[ArticleIn]) -> SavedArticle:
        return SavedArticle.model_validate(saved(parsed_body))


class Article(Controller[PydanticFastSerializer]):
    """Answers with an article and its author."""

    def get(self, parsed_path: Path[Key]) -> ArticleOut:
        return ArticleOut.model_validate(found(parsed_path.pk))


def routes() -> list[Any]:
    """Its addresses."""
    return [
        path("people/", People.as_view()),
        path("articles/", Articles.as_view()),
        path("articles/<int:pk>/", Article.as_view()),
    ]
