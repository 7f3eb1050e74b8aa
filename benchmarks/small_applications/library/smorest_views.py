"""The same books by flask-smorest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask.views import MethodView
from flask_smorest import Blueprint, abort

from . import queries
from .models import Book, session
from .schemas import BookSchema, PageSchema

api = Blueprint("books", __name__, url_prefix="/api/books")


@api.route("/")
class Books(MethodView):
    @api.arguments(PageSchema, location="query")
    @api.response(200, BookSchema(many=True))
    def get(self, page: dict[str, int]) -> Sequence[Book]:
        return queries.books(**page)

    @api.arguments(BookSchema)
    @api.response(201, BookSchema)
    def post(self, data: dict[str, Any]) -> Book:
        return queries.add_book(data)


@api.route("/<int:book_id>")
class BookDetail(MethodView):
    @api.response(200, BookSchema)
    def get(self, book_id: int) -> Book:
        return session.get(Book, book_id) or abort(404)
