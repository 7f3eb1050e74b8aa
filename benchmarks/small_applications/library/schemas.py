"""What the API shows and accepts."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from .models import Book


class AuthorSchema(Schema):
    id = fields.Integer(dump_only=True)
    name = fields.String(required=True, validate=validate.Length(1, 80))
    born = fields.Date(allow_none=True)
    country = fields.String(required=True)
    website = fields.Url(allow_none=True)


class CopySchema(Schema):
    id = fields.Integer(dump_only=True)
    shelf = fields.String(required=True)
    is_lent = fields.Boolean(load_default=False)


class BookSchema(Schema):
    id = fields.Integer(dump_only=True)
    title = fields.String(required=True, validate=validate.Length(1, 200))
    pages = fields.Integer(required=True, validate=validate.Range(1, 5000))
    price = fields.Decimal(as_string=True, places=2, required=True)
    rating = fields.Float(allow_none=True, load_default=None)
    added = fields.DateTime(required=True)
    author_id = fields.Integer(load_only=True, required=True)
    author = fields.Nested(AuthorSchema, dump_only=True)
    copies = fields.List(fields.Nested(CopySchema), load_default=list)
    label = fields.Method("get_label", dump_only=True)

    def get_label(self, book: Book) -> str:
        return f"{book.title} ({book.pages} pages)"


class PageSchema(Schema):
    """The query string of a list."""

    page = fields.Integer(load_default=1, validate=validate.Range(1))
    page_size = fields.Integer(load_default=20, validate=validate.Range(1, 240))
