"""Schemas of the mapped classes."""

from marshmallow import Schema, fields

from tests.promises.sqlalchemy.models import Color


class CountrySchema(Schema):
    code = fields.String()
    name = fields.String(data_key="the name")


class MottoSchema(CountrySchema):
    motto = fields.String()


class AuthorSchema(Schema):
    id = fields.Integer()
    name = fields.String()


class AuthorWithCountrySchema(AuthorSchema):
    country = fields.Nested(CountrySchema)


class ShelfSchema(Schema):
    room = fields.String()
    number = fields.Integer()
    label = fields.String()


class ColumnsSchema(Schema):
    id = fields.Integer()
    title = fields.String()
    price = fields.Decimal(places=2, as_string=True)
    weight = fields.Float()
    published = fields.Date()
    changed = fields.DateTime()
    opens = fields.Time()
    is_sold = fields.Boolean()
    key = fields.UUID()
    color = fields.Enum(Color)
    tags = fields.Raw()
    loud = fields.String()
    room = fields.String(dump_default="nowhere")
    author_id = fields.Integer(data_key="author id")
    doubled = fields.Float()


class BookSchema(ColumnsSchema):
    author = fields.Nested(AuthorWithCountrySchema)
    editor = fields.Nested(AuthorSchema)
    shelf = fields.Nested(ShelfSchema)
    country_name = fields.String(attribute="author.country.name")
    written_by = fields.Nested(CountrySchema, attribute="author.country")
    sequel_of = fields.Nested(ColumnsSchema(only=["id", "title"]))
