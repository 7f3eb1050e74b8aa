"""Views as Flask's documentation has them."""

from __future__ import annotations

from flask import Blueprint, Response, abort, jsonify, request
from marshmallow import ValidationError

from . import queries
from .models import Book, session
from .schemas import AuthorSchema, BookSchema

views = Blueprint("views", __name__)


def requested_page() -> tuple[int, int]:
    """Return the page that the query string asks for, and its size."""
    return request.args.get("page", 1, int), min(request.args.get("page_size", 20, int), 240)


@views.get("/authors")
def author_list() -> Response:
    return jsonify(AuthorSchema(many=True).dump(queries.authors(*requested_page())))


@views.get("/books")
def book_list() -> Response:
    return jsonify(BookSchema(many=True).dump(queries.books(*requested_page())))


@views.get("/books/<int:book_id>")
def book_detail(book_id: int) -> Response:
    book = session.get(Book, book_id)
    if book is None:
        abort(404)
    return jsonify(BookSchema().dump(book))


@views.post("/books")
def new_book() -> tuple[Response, int]:
    schema = BookSchema()
    try:
        data = schema.load(request.get_json())
    except ValidationError as error:
        return jsonify(errors=error.messages), 422
    return jsonify(schema.dump(queries.add_book(data))), 201
