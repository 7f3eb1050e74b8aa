"""Answer requests whose rows forget their relations, in stock or with LOAD_RELATIONS, as JSON.

python benchmarks/relations_worker.py stock|fast ROUNDS [DATABASE_URL]
"""

from __future__ import annotations

import datetime
import gc
import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from applications.postgresql import address

HOW, ROUNDS, *URL = sys.argv[1:]
IS_FAST = HOW == "fast"
PRODUCTS = 200


def django_databases() -> dict[str, Any]:
    if not URL:
        return {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
    at = address(URL[0])
    found = {"ENGINE": "django.db.backends.postgresql", "NAME": at.database, "HOST": at.host}
    return {"default": {**found, "PORT": at.port or "", "USER": at.user, "PASSWORD": at.password}}


Ask = Callable[[], tuple[bytes, int]]
"""Answers a request: its body, and how many queries that took."""


def django_requests() -> Iterator[tuple[str, Ask]]:
    """Yield the requests of a shop in Django REST framework."""
    import django
    from django.conf import settings

    app = ["fastschema.contrib.django"] if IS_FAST else []
    settings.configure(
        DATABASES=django_databases(),
        ALLOWED_HOSTS=["testserver"],
        INSTALLED_APPS=["rest_framework", "small_applications.forgetful", *app],
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        FASTSCHEMA={"LOAD_RELATIONS": True},
        REST_FRAMEWORK={
            "DEFAULT_AUTHENTICATION_CLASSES": [],
            "UNAUTHENTICATED_USER": None,
            "DEFAULT_RENDERER_CLASSES": [
                "fastschema.contrib.django.renderers.FastJSONRenderer"
                if IS_FAST
                else "rest_framework.renderers.JSONRenderer"
            ],
        },
        USE_TZ=True,
    )
    django.setup()
    from django.db import connection
    from rest_framework import pagination, serializers, viewsets
    from rest_framework.decorators import action
    from rest_framework.response import Response
    from rest_framework.test import APIRequestFactory

    from small_applications.forgetful.models import Category, Maker, Product, Tag

    made = (Maker, Category, Tag, Product)
    with connection.schema_editor() as editor:
        for model in made:
            editor.create_model(model)
    for number in range(40):
        Maker.objects.create(name=f"maker {number}", country="Österreich")
        Category.objects.create(name=f"category {number}", about="what it is about " * 3)
        Tag.objects.create(name=f"tag {number}")
    for number in range(PRODUCTS):
        product = Product.objects.create(
            name=f"product {number}",
            price="12.50",
            stock=number,
            added=f"2024-01-01T10:00:{number % 60:02}Z",
            maker_id=number % 4 * 10 + 1 + number // 50,
            category_id=number % 40 + 1,
            other_id=(number + 7) % 40 + 1,
        )
        product.tags.add(*[(number + each) % 40 + 1 for each in range(3)])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")

    def of(model: Any, *names: str, **fields: Any) -> Any:
        meta = type("Meta", (), {"model": model, "fields": ("id", *names, *fields)})
        return type(
            f"{model.__name__}Serializer", (serializers.ModelSerializer,), {"Meta": meta, **fields}
        )

    makers, categories = of(Maker, "name", "country"), of(Category, "name", "about")
    columns = ("name", "price", "stock", "added")
    single = of(Product, *columns, maker=makers(), category=categories(), other=categories())
    several = of(
        Product, *columns, maker=makers(), category=categories(), tags=of(Tag, "name")(many=True)
    )

    class Pages(pagination.PageNumberPagination):
        page_size = 50

    class OwnPages(Pages):
        def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
            return list(super().paginate_queryset(queryset, request, view))

    class Products(viewsets.ReadOnlyModelViewSet[Any]):
        queryset = Product.objects.all()
        serializer_class = several
        pagination_class = Pages
        filter_backends = ()

        @action(detail=False)
        def recent(self, request: Any) -> Response:
            return Response(self.get_serializer(self.get_queryset()[:50], many=True).data)

    class ThreeRelations(Products):
        serializer_class = single

    class WithOwnPages(Products):
        pagination_class = OwnPages

    class WithOwnList(Products):
        def list(self, request: Any, *args: Any, **kwargs: Any) -> Response:
            page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
            return self.get_paginated_response(self.get_serializer(page, many=True).data)

    class ByHand(viewsets.ViewSet):
        def list(self, request: Any) -> Response:
            return Response(several(Product.objects.all()[:50], many=True).data)

    class Makers(viewsets.ReadOnlyModelViewSet[Any]):
        queryset = Maker.objects.all()
        serializer_class = of(
            Maker, "name", products=of(Product, *columns, category=categories())(many=True)
        )

    def asking(view_class: Any, action: str = "list", **kwargs: Any) -> Ask:
        view = view_class.as_view({"get": action})
        factory = APIRequestFactory()

        def ask() -> tuple[bytes, int]:
            queries = 0

            def count(execute: Any, *args: Any) -> Any:
                nonlocal queries
                queries += 1
                return execute(*args)

            with connection.execute_wrapper(count):
                return view(factory.get("/"), **kwargs).render().content, queries

        return ask

    yield "50 rows that forget three foreign keys", asking(ThreeRelations)
    yield "50 rows that forget two foreign keys and a many-to-many", asking(Products)
    yield "the same with an own paginator", asking(WithOwnPages)
    yield "the same with an own list", asking(WithOwnList)
    yield "the same as Response(S(rows, many=True).data)", asking(ByHand)
    yield "the same in an action", asking(Products, "recent")
    yield "a detail whose list of 13 forgets a relation", asking(Makers, "retrieve", pk=11)


def flask_requests() -> Iterator[tuple[str, Ask]]:
    """Yield the requests of a library in Flask, with SQLAlchemy and marshmallow."""
    from flask import Flask, jsonify
    from sqlalchemy import create_engine, event, select
    from sqlalchemy.orm import Session

    from small_applications.library.models import Author, Base, Book, Copy
    from small_applications.library.schemas import BookSchema

    engine = create_engine("sqlite:///:memory:" if not URL else _sqlalchemy_url())
    Base.metadata.create_all(engine)
    numbers = range(1, PRODUCTS + 1)
    added = datetime.datetime(2024, 1, 1)
    with Session(engine) as session:
        session.add_all([Author(id=each, name=f"author {each}", country="AT") for each in numbers])
        session.flush()
        for each in numbers:
            common = {"title": f"book {each}", "pages": each, "price": each, "added": added}
            session.add(Book(id=each, author_id=each, **common))
        session.flush()
        for each in [number for number in numbers for _ in range(3)]:
            session.add(Copy(shelf=f"shelf {each}", book_id=each, is_lent=False))
        session.commit()
    app = Flask("library")
    if IS_FAST:
        from fastschema.contrib.flask import FastSchema

        app.config["FASTSCHEMA_LOAD_RELATIONS"] = True
        FastSchema(app)

    @app.get("/books")
    def books() -> Any:
        with Session(engine) as session:
            rows = session.scalars(select(Book).order_by(Book.id).limit(100)).all()
            return jsonify(BookSchema(many=True).dump(rows))

    queries = 0

    def count(*arguments: Any) -> None:
        nonlocal queries
        queries += 1

    event.listen(engine, "before_cursor_execute", count)
    client = app.test_client()

    def ask() -> tuple[bytes, int]:
        nonlocal queries
        queries = 0
        return client.get("/books").data, queries

    yield "100 SQLAlchemy objects with two lazy relationships", ask


def _sqlalchemy_url() -> Any:
    import sqlalchemy

    at = address(URL[0])
    where = at.user, at.password, at.host, at.port, at.database
    return sqlalchemy.URL.create("postgresql+psycopg", *where)


def measured(ask: Ask) -> dict[str, Any]:
    for _ in range(5):  # programs are warm
        body, queries = ask()
    seconds = []
    gc.collect()
    for _ in range(int(ROUNDS)):
        started = perf_counter()
        ask()
        seconds.append(perf_counter() - started)
    return {
        "queries": queries,
        "milliseconds": min(seconds) * 1000,
        "body": hashlib.sha256(body).hexdigest(),
    }


def main() -> None:
    requests = chain(django_requests(), flask_requests())
    print(json.dumps({name: measured(ask) for name, ask in requests}))


if __name__ == "__main__":
    main()
