"""Serializers of Django REST framework: what they represent, and what they validate.

Imported when Django is set up.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.test import APIRequestFactory

from flights.models import Flight
from flights.serializers import FlightSerializer
from harness.measuring import Run
from patterns import ONE, Collection, among_others
from patterns.models import (
    Article,
    Author,
    Comment,
    Tag,
    Wide,
    article_rows,
    articles,
    flight_rows,
    wide_rows,
)
from records import PERSON, WRONG, Record

PATTERNS = Collection("DRF")
add = PATTERNS.add
LISTS = (20, 240)
PREFETCHED = ("tags", "comments")


def data_of(serializer: Any, rows: list[Any], **options: Any) -> Run:
    """A serializer made for each call, as views make it: of one object, or of a list."""
    if len(rows) == 1:
        [row] = rows
        return lambda: serializer(row, **options).data
    return lambda: serializer(rows, many=True, **options).data


def model_serializer(model_class: Any, names: Any = "__all__", **content: Any) -> Any:
    meta = type("Meta", (), {"model": model_class, "fields": names})
    content = {"__module__": __name__, "Meta": meta, **content}
    return type("Serializer", (serializers.ModelSerializer,), content)


def article_serializer(*names: str, **own: Any) -> Any:
    return model_serializer(Article, ("id", "title", *names), **own)


def method(name: str, function: Any) -> dict[str, Any]:
    return {name: serializers.SerializerMethodField(), f"get_{name}": function}


def plain_serializer(count: int) -> Any:
    """A Serializer class with so many declared fields, named as the columns of a wide model."""
    kinds = [
        *(serializers.CharField, serializers.IntegerField, serializers.BooleanField),
        *(serializers.DateTimeField, serializers.CharField),
        lambda: serializers.DecimalField(max_digits=8, decimal_places=2),
        *(serializers.FloatField, serializers.DateField),
    ]
    declared = {f"column_{n}": kinds[n % len(kinds)]() for n in range(count - 1)}
    content = {"__module__": __name__, "id": serializers.IntegerField(), **declared}
    return type("Plain", (serializers.Serializer,), content)


def wide(count: int, base: Any = None, **options: Any) -> Run:
    """Fourteen columns, by a ModelSerializer class or by another one."""
    return data_of(base or model_serializer(Wide), wide_rows(count), **options)


def of_articles(count: int, *names: str, context: Any = None, **own: Any) -> Run:
    options = {"context": context} if context else {}
    return data_of(article_serializer(*names, **own), article_rows(count), **options)


def prefetched(count: int) -> list[Article]:
    return list(articles(count).prefetch_related(*PREFETCHED))


def request(**query: Any) -> Any:
    return APIRequestFactory().get("/", query)


add("Serializer, 14 fields", lambda n: wide(n, plain_serializer(14)))
add("ModelSerializer, 14 fields", wide)
add(
    "ModelSerializer, 10,000 other objects in between",
    lambda n: among_others(wide(n)),
)


@add("two method fields")
def methods(count: int) -> Run:
    own = method("first", lambda self, row: f"1-{row.pk}")
    own |= method("second", lambda self, row: f"2-{row.pk}")
    return wide(count, model_serializer(Wide, **own))


def with_super(base: Any) -> Any:
    """A subclass whose ``to_representation`` calls ``super()`` and adds a key."""

    class Adding(base):
        def to_representation(self, instance: Any) -> Any:
            shown = super().to_representation(instance)
            shown["kind"] = "row"
            return shown

    return Adding


class Looping(serializers.ListSerializer):
    def to_representation(self, data: Any) -> Any:
        return [self.child.to_representation(each) for each in data]


add(
    "to_representation with super(), 14 fields",
    lambda n: wide(n, with_super(model_serializer(Wide))),
)
add(
    "to_representation with super() on a nested child",
    lambda n: of_articles(n, "author", "words", author=with_super(model_serializer(Author))()),
)


@add("ListSerializer that loops over self.child.to_representation", sizes=LISTS)
def list_loop(count: int) -> Run:
    meta = type("Meta", (), {"list_serializer_class": Looping})
    return wide(count, type("Listed", (plain_serializer(14),), {"Meta": meta}))


@add("Serializer(obj).data in a loop", sizes=LISTS)
def one_by_one(count: int) -> Run:
    serializer, rows = model_serializer(Wide), wide_rows(count)
    return lambda: [serializer(row).data for row in rows]


class Pair(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class Longer(Pair):
    title = serializers.CharField(source="name")


class Polymorphic(serializers.Serializer):
    def to_representation(self, instance: Any) -> Any:
        made = (Pair, Longer)[instance.id % 2]
        return made(instance, context=self.context).data


def pairs(count: int) -> list[Record]:
    inner = [Record(id=n, name=f"Inner {n}") for n in range(2)]
    return [Record(id=n, name=f"Outer {n}", all=inner) for n in range(count)]


@add("a method field that makes a serializer")
def made_inside(count: int) -> Run:
    nested = model_serializer(Author)
    own = method("writer", lambda self, row: nested(row.author, context=self.context).data)
    return of_articles(count, "words", "writer", **own)


add(
    "to_representation that makes a serializer by the class of the row",
    lambda n: data_of(Polymorphic, pairs(n)),
)


def popping(base: Any) -> Any:
    class Popping(base):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            names = kwargs.pop("fields", None)
            super().__init__(*args, **kwargs)
            for name in set(self.fields) - set(names or self.fields):
                self.fields.pop(name)

    return Popping


add(
    "ModelSerializer with fields chosen in __init__",
    lambda n: wide(
        n, popping(model_serializer(Wide)), fields=("id", "column_0", "column_1", "column_3")
    ),
)


@add("fields from get_fields")
def from_get_fields(count: int) -> Run:
    class Chosen(model_serializer(Wide)):
        def get_fields(self) -> Any:
            made = super().get_fields()
            made.pop("column_2")
            made["extra"] = serializers.CharField(source="column_0")
            return made

    return wide(count, Chosen)


@add("a ModelSerializer class made for each call")
def class_made(count: int) -> Run:
    rows = wide_rows(count)
    return lambda: data_of(model_serializer(Wide), rows)()


@add("custom fields, own __init__ and super()")
def documents(count: int) -> Run:
    class Upper(serializers.Field):
        def to_representation(self, value: Any) -> str:
            return str(value).upper()

    class Document(model_serializer(Wide, column_0=Upper(), column_4=Upper(allow_null=True))):
        def __init__(self, *args: Any, user: Any = None, **kwargs: Any) -> None:
            self.user = user
            super().__init__(*args, **kwargs)

        def to_representation(self, instance: Any) -> Any:
            shown = super().to_representation(instance)
            shown["owned"] = self.user == instance.pk
            return shown

    return wide(count, Document, user=1)


add(
    "choices, JSON and a file",
    lambda n: of_articles(n, "status", "extra", "attachment", "published_on", "price"),
)


def tags_as(field: Any) -> Any:
    return article_serializer("tags", tags=field)


add(
    "many-to-many as primary keys, prefetched",
    lambda n: data_of(article_serializer("tags"), prefetched(n)),
)
add(
    "many-to-many as nested, not prefetched",
    lambda n: data_of(tags_as(model_serializer(Tag)(many=True, read_only=True)), list(articles(n))),
    (1, 20),
)
add("foreign key as primary key", lambda n: of_articles(n, "author"))
add("four nested serializers", lambda n: data_of(FlightSerializer, flight_rows(n)))


class Linked(serializers.HyperlinkedModelSerializer):
    class Meta:
        model = Flight
        fields = ("url", "airline", "number", "origin", "plane", "date")


add("hyperlinks", lambda n: data_of(Linked, flight_rows(n), context={"request": request()}))


class OwnLink(serializers.HyperlinkedIdentityField):
    def get_url(self, obj: Any, view_name: str, request: Any, format: Any) -> str:
        return request.build_absolute_uri(f"/planes/{obj.pk}/")


add(
    "hyperlink with an own get_url",
    lambda n: of_articles(
        n, "url", url=OwnLink(view_name="plane-detail"), context={"request": request()}
    ),
)


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


add(
    "an ordinary ModelSerializer: nested, many-to-many, methods",
    lambda n: data_of(ordinary_article(), prefetched(n)),
)


class Person(serializers.Serializer):
    """Ten fields of all usual classes."""

    name = serializers.CharField(max_length=50)
    age = serializers.IntegerField(min_value=0, max_value=150)
    points = serializers.IntegerField()
    height = serializers.FloatField()
    is_active = serializers.BooleanField()
    born = serializers.DateField()
    seen = serializers.DateTimeField()
    balance = serializers.DecimalField(max_digits=8, decimal_places=2)
    role = serializers.ChoiceField(["admin", "member"])
    email = serializers.EmailField()


class Checked(Person):
    def validate_name(self, name: str) -> str:
        return name.title()

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["points"] < 0 and values["is_active"]:
            raise serializers.ValidationError("active, with a debt")
        return values


class House(serializers.Serializer):
    street = serializers.CharField(max_length=80)
    number = serializers.IntegerField(min_value=1)


class Housed(Person):
    house = House()


class LookedAt(Person):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].required = True


PLAIN = type(
    "Plain",
    (serializers.Serializer,),
    {
        f"field_{n}": serializers.CharField(max_length=50) if n % 2 else serializers.IntegerField()
        for n in range(10)
    },
)
PLAIN_ROW = {f"field_{n}": f"text {n}" if n % 2 else n for n in range(10)}
HOUSED = {**PERSON, "house": {"street": "Main Street", "number": 5}}


def validated(serializer_class: Any, rows: list[dict[str, Any]]) -> Run:
    """What a serializer made for each call says of its input, as views make it."""
    many = {"many": True} if len(rows) > 1 else {}
    data = rows if many else rows[0]

    def run() -> Any:
        serializer = serializer_class(data=data, **many)
        return [serializer.is_valid(), serializer.validated_data, serializer.errors]

    return run


add("input: ten plain fields", lambda n: validated(PLAIN, [PLAIN_ROW] * n))
add("input: ten fields of all usual classes", lambda n: validated(Person, [PERSON] * n))
add("input: the same, wrong", lambda n: validated(Person, [WRONG] * n), ONE)
add(
    "input: the same, every second one wrong",
    lambda n: validated(Person, [PERSON, WRONG] * (n // 2)),
    LISTS,
)
add("input: ten fields and methods of the serializer", lambda n: validated(Checked, [PERSON] * n))
add("input: ten fields and a nested object", lambda n: validated(Housed, [HOUSED] * n))
add("input: fields that __init__ has looked at", lambda n: validated(LookedAt, [PERSON] * n))


@add("input: a ModelSerializer of 14 fields")
def model_input(count: int) -> Run:
    serializer_class = model_serializer(Wide)
    shown = [dict(serializer_class(row).data) for row in wide_rows(count)]
    return validated(serializer_class, shown)
