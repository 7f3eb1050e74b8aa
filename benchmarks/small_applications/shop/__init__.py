"""A shop: Django REST framework, over a SQLite database in a file."""
