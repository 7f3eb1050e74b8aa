"""The benchmark of single objects by django-ninja."""

from typing import Any

from django.http import HttpRequest
from ninja import NinjaAPI

from single_pydantic import ArticleIn, ArticleOut, Person, SavedArticle, found, saved

API = NinjaAPI()


@API.post("/people/", response=Person)
def people(request: HttpRequest, person: Person) -> Any:
    """Answer with a person."""
    return person


@API.post("/articles/", response={201: SavedArticle})
def create(request: HttpRequest, article: ArticleIn) -> Any:
    """Save an article."""
    return 201, saved(article)


@API.get("/articles/{pk}/", response=ArticleOut)
def detail(request: HttpRequest, pk: int) -> Any:
    """Answer with an article and its author."""
    return found(pk)


def routes() -> Any:
    """Its addresses."""
    return list(API.urls[0])
