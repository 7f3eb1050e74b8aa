"""The models by which frameworks with pydantic express the benchmark of single objects."""

import datetime
import decimal
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, EmailStr, Field, PlainSerializer

Name = Annotated[str, Field(min_length=1, max_length=50)]
Price = Annotated[decimal.Decimal, Field(max_digits=8, decimal_places=2)]


class Person(BaseModel):
    """Ten fields of all usual classes."""

    name: Name
    age: Annotated[int, Field(ge=0, le=150)]
    points: int
    height: float
    is_active: bool
    born: datetime.date
    balance: Price
    role: Literal["admin", "member"]
    seen: datetime.datetime
    email: EmailStr


class ArticleIn(BaseModel):
    """An article, as it is posted."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    slug: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]+$", max_length=50)]
    body: Annotated[str, Field(min_length=1)]
    status: Literal[1, 2, 3]
    author: int
    words: Annotated[int, Field(ge=0)]
    price: Price
    featured: bool = False
    extra: Any
    created: datetime.datetime
    updated: datetime.datetime


class AuthorOut(BaseModel):
    """An author."""

    model_config = ConfigDict(from_attributes=True)
    id: int
    name: str
    email: str


class ArticleOut(BaseModel):
    """An article with its author."""

    model_config = ConfigDict(from_attributes=True)
    id: int
    title: str
    slug: str
    body: str
    status: int
    author: AuthorOut
    words: int
    price: decimal.Decimal
    featured: bool
    extra: Any


class SavedArticle(ArticleOut):
    """An article with the key of its author, and its times."""

    # In the base it is an object of another class.
    author: Annotated[Any, PlainSerializer(lambda author: author.pk)]
    created: datetime.datetime
    updated: datetime.datetime


def saved(article: ArticleIn) -> Any:
    """Save an article whose author there is."""
    from ordinary_models import Article, Author

    values = {**article.model_dump(), "author": Author.objects.get(pk=article.author)}
    return Article.objects.create(**values)


def found(pk: int) -> Any:
    """An article with its author."""
    from ordinary_models import Article

    return Article.objects.select_related("author").get(pk=pk)
