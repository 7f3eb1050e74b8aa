"""Tables for models that only tests have."""

from contextlib import contextmanager

from django.db import connection


@contextmanager
def tables_of(models, blocker):
    """While it holds, there are tables for some models.

    :param models: each after what it refers to
    :param blocker: pytest-django's, which lets nothing else into the database
    """
    with blocker.unblock():
        with connection.schema_editor() as editor:
            for model in models:
                editor.create_model(model)
        yield
        with connection.schema_editor() as editor:
            for model in reversed(models):
                editor.delete_model(model)
