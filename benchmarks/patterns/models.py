"""Models for the patterns of Django REST framework, beside those of the example project.

Imported when Django is set up. They have no migrations: :func:`make_tables` makes what they need.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from django.db import connection, models, transaction

from flights.models import Airline, Airport, Flight, Plane


class Author(models.Model):
    name = models.CharField(max_length=100)
    email = models.EmailField()

    class Meta:
        app_label = "flights"

    def __str__(self) -> str:
        return self.name

    @property
    def label(self) -> str:
        return f"{self.name} <{self.email}>"

    def initials(self) -> str:
        return "".join(word[0] for word in self.name.split())


class Tag(models.Model):
    name = models.CharField(max_length=50)
    slug = models.SlugField()

    class Meta:
        app_label = "flights"
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name


class Article(models.Model):
    """An article as in many an application: choices, relations, JSON and a file."""

    class Status(models.IntegerChoices):
        DRAFT = 1, "a draft"
        REVIEW = 2, "in review"
        PUBLISHED = 3, "published"

    title = models.CharField(max_length=200)
    slug = models.SlugField()
    body = models.TextField()
    status = models.IntegerField(choices=Status)
    author = models.ForeignKey(Author, models.CASCADE, related_name="articles")
    tags = models.ManyToManyField(Tag, related_name="articles")
    created = models.DateTimeField()
    updated = models.DateTimeField()
    published_on = models.DateField(null=True)
    words = models.PositiveIntegerField()
    price = models.DecimalField(max_digits=8, decimal_places=2)
    featured = models.BooleanField(default=False)
    extra = models.JSONField(default=dict)
    attachment = models.FileField(upload_to="articles", blank=True)

    class Meta:
        app_label = "flights"

    def __str__(self) -> str:
        return self.title

    @property
    def summary(self) -> str:
        return self.body[:20]

    def reading_time(self) -> int:
        return 1 + self.words // 200


class Comment(models.Model):
    article = models.ForeignKey(Article, models.CASCADE, related_name="comments")
    name = models.CharField(max_length=100)
    text = models.TextField()
    created = models.DateTimeField()

    class Meta:
        app_label = "flights"


KINDS = [
    (lambda: models.CharField(max_length=100), lambda n: f"text {n}"),
    (models.IntegerField, lambda n: n * 3),
    (models.BooleanField, lambda n: n % 2 == 0),
    (models.DateTimeField, lambda n: MOMENT + datetime.timedelta(minutes=n)),
    (lambda: models.CharField(max_length=100, null=True), lambda n: None if n % 3 else "note"),
    (lambda: models.DecimalField(max_digits=8, decimal_places=2), lambda n: Decimal(n) / 4),
    (models.FloatField, lambda n: n / 8),
    (models.DateField, lambda n: (MOMENT + datetime.timedelta(days=n)).date()),
]
"""Kinds of columns, and their values by number."""
MOMENT = datetime.datetime(2024, 1, 1, 8, 30, tzinfo=datetime.UTC)
ARTICLE_FIELDS = (
    *("id", "title", "slug", "body", "status", "author", "words", "price", "featured", "extra"),
)
ARTICLE = {
    "title": "A title",
    "slug": "a-title",
    "body": "Once upon a time.",
    "status": 2,
    "author": 1,
    "words": 4,
    "price": "12.50",
    "featured": True,
    "extra": {"labels": ["a", "b"]},
    "created": "2024-01-01T10:00:00Z",
    "updated": "2024-01-01T10:00:00Z",
}
"""An article, as it is posted."""


Wide = type(
    "Wide",
    (models.Model,),
    {
        "__module__": __name__,
        "Meta": type("Meta", (), {"app_label": "flights"}),
        **{f"column_{n}": KINDS[n % len(KINDS)][0]() for n in range(13)},
    },
)
"""A model with a primary key and 13 columns."""


def wide_rows(count: int) -> list[Any]:
    makers = {f"column_{n}": KINDS[n % len(KINDS)][1] for n in range(13)}
    return [
        Wide(id=row, **{name: make(row + n) for n, (name, make) in enumerate(makers.items())})
        for row in range(1, count + 1)
    ]


def flight_rows(count: int) -> list[Flight]:
    airlines = [Airline(code=f"A{n}", name=f"Airline {n}") for n in range(3)]
    place = {"utc_offset": -5, "daylight_saving": "A", "time_zone": "America/New_York"}
    degrees = {"latitude": Decimal("40.1234567"), "longitude": Decimal("-73.1234567")}
    airports = [
        Airport(code=f"AP{n}", name=f"Airport {n}", altitude=n * 10, **place, **degrees)
        for n in range(5)
    ]
    kind = {"type": "Fixed wing multi engine", "manufacturer": "BOEING", "model": "737-824"}
    kind |= {"engines": 2, "seats": 149, "speed": None, "engine": "Turbo-fan"}
    planes = [Plane(tail_number=f"N{n}", year=1990 + n, **kind) for n in range(7)]
    return [
        Flight(
            id=n,
            airline=airlines[n % 3],
            number=n,
            origin=airports[n % 5],
            destination=None if n % 11 == 0 else airports[(n + 1) % 5],
            destination_code=f"AP{(n + 1) % 5}",
            plane=planes[n % 7],
            tail_number=f"N{n % 7}",
            date=datetime.date(2013, 1, 1 + n % 28),
            scheduled_departure=MOMENT + datetime.timedelta(minutes=n),
            departure=None if n % 13 == 0 else MOMENT + datetime.timedelta(minutes=n + 5),
            departure_delay=5,
            scheduled_arrival_time=datetime.time(12, n % 60),
            arrival_time=datetime.time(12, (n + 7) % 60),
            arrival_delay=n % 40,
            air_time=120 + n % 50,
            distance=700 + n,
            cancelled=n % 13 == 0,
        )
        for n in range(1, count + 1)
    ]


def make_tables() -> None:
    """Make the tables of all models here, and of the example project's."""
    with connection.schema_editor() as editor:
        for model in (Airline, Airport, Plane, Flight, Author, Tag, Article, Comment):
            editor.create_model(model)


def flights_in_database(count: int) -> Any:
    """A queryset of so many saved flights, and of nothing that they refer to."""
    rows = flight_rows(count)
    for model in (Flight, Plane, Airport, Airline):
        model.objects.all().delete()
    related = {getattr(row, name) for row in rows for name in ("airline", "origin", "plane")}
    related |= {row.destination for row in rows if row.destination}
    for each in related:
        each.save(force_insert=True)
    Flight.objects.bulk_create(rows)
    return Flight.objects.order_by("pk")


def article_rows(count: int) -> list[Article]:
    """Articles that are not saved, of five authors."""
    authors = [
        Author(id=n, name=f"Ann Author {n}", email=f"ann{n}@example.com") for n in range(1, 6)
    ]
    return [
        Article(
            id=n,
            title=f"Article number {n}",
            slug=f"article-{n}",
            body="Once upon a time, there was a text. " * 3,
            status=1 + n % 3,
            author=authors[n % 5],
            created=MOMENT + datetime.timedelta(minutes=n),
            updated=MOMENT + datetime.timedelta(hours=n),
            published_on=None if n % 4 == 0 else datetime.date(2024, 1, 1 + n % 28),
            words=n * 37 % 5000,
            price=Decimal(n) / 4,
            featured=n % 5 == 0,
            extra={"source": "import", "rank": n, "labels": ["a", "b"]},
            attachment="" if n % 3 == 0 else f"articles/{n}.pdf",
        )
        for n in range(1, count + 1)
    ]


def articles(count: int) -> Any:
    """A queryset of so many saved articles with their authors; three tags and comments each."""
    for model in (Comment, Article, Tag, Author):
        model.objects.all().delete()
    rows = article_rows(max(count, 5))
    Author.objects.bulk_create(sorted({row.author for row in rows}, key=lambda author: author.pk))
    tags = Tag.objects.bulk_create(
        Tag(id=n, name=f"Tag {n}", slug=f"tag-{n}") for n in range(1, 10)
    )
    made = Article.objects.bulk_create(rows[:count])
    through = Article.tags.through
    through.objects.bulk_create(
        through(article=each, tag=tags[(each.id + n) % 9]) for each in made for n in range(3)
    )
    Comment.objects.bulk_create(
        Comment(id=each.id * 3 + n, article=each, name=f"Reader {n}", text="Yes!", created=MOMENT)
        for each in made
        for n in range(3)
    )
    return Article.objects.select_related("author").order_by("id")


def rolled_back(run: Callable[[], Any]) -> Callable[[], Any]:
    def run_and_roll_back() -> Any:
        with transaction.atomic():
            found = run()
            transaction.set_rollback(True)
        return found

    return run_and_roll_back
