"""Tables for the models of these tests, and rows in them."""

import pytest
from django.core.management.color import no_style
from django.db import connection

from tests.promises.django.input.models import MODELS, Author, Book, Label
from tests.promises.django.tables import tables_of


@pytest.fixture(scope="session")
def tables(django_db_setup, django_db_blocker):
    """The tables, as long as tests run."""
    with tables_of(MODELS, django_db_blocker):
        yield


@pytest.fixture
def books(tables, db):
    """Three authors, three labels and two books."""
    for number, name in enumerate(("Ann", "Ben", "Ann"), 1):
        Author.objects.create(pk=number, name=name, handle=f"a{number}")
    for slug in ("old", "new", "rare"):
        Label.objects.create(slug=slug)
    for number in (1, 2):
        Book.objects.create(pk=number, isbn=f"isbn {number}", number=number, author_id=number)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), MODELS):
            cursor.execute(statement)
