"""A library: Flask, SQLAlchemy and marshmallow, over a SQLite database in a file."""
