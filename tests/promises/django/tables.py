"""Tables for models that only tests have."""

from contextlib import contextmanager

from django.db import connection, models


class Base(models.Model):
    class Meta:
        abstract = True
        app_label = "flights"


class NamedBase(Base):
    name = models.CharField(max_length=10)

    class Meta(Base.Meta):
        abstract = True


@contextmanager
def tables_of(created_from, blocker):
    """While it holds, there are tables for some models, also where there are some already.

    :param created_from: each after what it refers to
    :param blocker: pytest-django's, which lets nothing else into the database
    """
    with blocker.unblock():
        existing = connection.introspection.table_names()
        created = [model for model in created_from if model._meta.db_table not in existing]
        with connection.schema_editor() as editor:
            for model in created:
                editor.create_model(model)
        yield
        with connection.schema_editor() as editor:
            for model in reversed(created):
                editor.delete_model(model)
