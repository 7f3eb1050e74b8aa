"""Relationships of SQLAlchemy's objects, loaded before they are dumped."""
