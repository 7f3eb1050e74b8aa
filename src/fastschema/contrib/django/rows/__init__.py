"""Rows of the database to JSON, without model instances that nobody looks at."""
