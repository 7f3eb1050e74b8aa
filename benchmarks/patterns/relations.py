"""Whole requests whose rows forget their relations, with ``LOAD_RELATIONS``.

Imported when Django is set up. Adds Flask's ``FASTSCHEMA_LOAD_RELATIONS`` to them.
"""

from __future__ import annotations

import datetime
from typing import Any

from flask import Flask, jsonify
from rest_framework.generics import RetrieveAPIView
from rest_framework.pagination import PageNumberPagination
from rest_framework.response import Response
from rest_framework.viewsets import ModelViewSet
from sqlalchemy import select
from sqlalchemy.orm import Session

from flights.models import Airline, Airport, Flight, Plane
from harness.measuring import Run
from patterns import Collection, flask_requests, is_fast
from patterns.models import Author, Comment, Tag, articles, flights_in_database
from patterns.requests import COLUMNS, asked, filled, listed
from patterns.serializers import article_serializer, model_serializer
from small_applications.library import models as library
from small_applications.library.schemas import BookSchema

PATTERNS = Collection("relations")
add = PATTERNS.add
FIFTY = (50,)
LOADED: dict[str, Any] = {"fastschema_load_relations": True}
ALL_LOADED: dict[str, Any] = {"fastschema_load_relations": "all"}


def serializer(**more: Any) -> Any:
    own = {"author": model_serializer(Author)(), "tags": model_serializer(Tag)(many=True)}
    return article_serializer(*COLUMNS, *own, *more, **own, **more)


def forgetful(count: int) -> Any:
    return filled(articles, count).select_related(None)


@add("50 rows that forget three foreign keys", sizes=FIFTY)
def foreign_keys(count: int) -> Run:
    nested = {"airline": Airline, "origin": Airport, "plane": Plane}
    names = ("id", "number", "date", "distance", *nested)
    own = {name: model_serializer(model)() for name, model in nested.items()}
    rows = lambda n: filled(flights_in_database, n)  # noqa: E731  # it is the queryset's function
    return listed(model_serializer(Flight, names, **own), rows, count, **LOADED)


add(
    "50 rows that forget a foreign key and a many-to-many",
    lambda n: listed(serializer(), forgetful, n, **LOADED),
    FIFTY,
)


@add("the same with an own paginator", sizes=FIFTY)
def own_pages(count: int) -> Run:
    class Pages(PageNumberPagination):
        page_size = count

        def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
            return list(super().paginate_queryset(queryset, request, view))

    rows = lambda n: forgetful(2 * n)  # noqa: E731  # as many rows after the page
    return listed(serializer(), rows, count, pagination_class=Pages, **LOADED)


@add("the same in an action: Response(S(rows, many=True).data)", sizes=FIFTY)
def action(count: int) -> Run:
    queryset = forgetful(count)

    def recent(self: Any, request: Any) -> Response:
        return Response(self.get_serializer(self.get_queryset(), many=True).data)

    content = {"queryset": queryset, "serializer_class": serializer(), "recent": recent, **LOADED}
    return asked(type("Articles", (ModelViewSet,), content).as_view({"get": "recent"}))


def with_comments() -> Any:
    return serializer(comments=model_serializer(Comment)(many=True))


add(
    "50 rows that forget three relations, one of them a list in no order",
    lambda n: listed(with_comments(), forgetful, n, **LOADED),
    FIFTY,
)
add(
    'the same with LOAD_RELATIONS = "all"',
    lambda n: listed(with_comments(), forgetful, n, **ALL_LOADED),
    FIFTY,
)


@add("a detail whose list of 13 forgets two relations", sizes=(13,))
def detail(count: int) -> Run:
    nested = {"origin": model_serializer(Airport)(), "plane": model_serializer(Plane)()}
    own = model_serializer(Flight, ("id", "number", "date", *nested), **nested)
    with_flights = model_serializer(Airline, ("name", "flights"), flights=own(many=True))
    key = filled(flights_in_database, 3 * count)[0].airline_id
    content = {"queryset": Airline.objects.all(), "serializer_class": with_flights, **LOADED}
    return asked(type("View", (RetrieveAPIView,), content).as_view(), pk=key)


def of_sqlalchemy(count: int, setting: Any) -> Run:
    engine, app = flask_requests.engine(), Flask("library")
    library.Base.metadata.drop_all(engine)
    library.Base.metadata.create_all(engine)
    added = datetime.datetime(2024, 1, 1)
    with Session(engine) as session:
        for each in range(count):
            copies = [library.Copy(shelf=f"shelf {number}", is_lent=False) for number in range(3)]
            common = {"title": f"book {each}", "pages": each, "price": each, "added": added}
            author = library.Author(name=f"author {each}", country="AT")
            session.add(library.Book(author=author, copies=copies, **common))
        session.commit()
    if is_fast():
        from fastschema.contrib.flask import FastSchema

        app.config["FASTSCHEMA_LOAD_RELATIONS"] = setting
        FastSchema(app)

    @app.get("/")
    def books() -> Any:
        with Session(engine) as session:
            rows = session.scalars(select(library.Book).order_by(library.Book.id)).all()
            return jsonify(BookSchema(many=True).dump(rows))

    return flask_requests.asked(app)


HUNDRED = (100,)
add(
    "100 SQLAlchemy objects with two lazy relationships",
    lambda n: of_sqlalchemy(n, True),
    HUNDRED,
)
add(
    'the same with FASTSCHEMA_LOAD_RELATIONS = "all"',
    lambda n: of_sqlalchemy(n, "all"),
    HUNDRED,
)
