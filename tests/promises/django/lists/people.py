"""People, in tables of their own, for the tests of lists and of relations on demand."""

import datetime
import uuid
from decimal import Decimal

import pytest
from django.core.management.color import no_style
from django.db import connection, transaction

from tests.promises.django.lists.models import (
    MODELS,
    City,
    Country,
    Language,
    Person,
    Pet,
    Profile,
    Worker,
)
from tests.promises.django.tables import tables_of


@pytest.fixture(scope="session")
def tables_of_people(django_db_setup, django_db_blocker):
    """The tables, as long as tests run."""
    with tables_of(MODELS, django_db_blocker):
        yield


@pytest.fixture
def people(rows_of_people, db):
    """Nine people, in whom each column is null at times; two are workers."""
    with connection.cursor() as cursor:
        for statement, rows in rows_of_people.items():
            cursor.executemany(statement, rows)
        for statement in connection.ops.sequence_reset_sql(no_style(), MODELS):
            cursor.execute(statement)


@pytest.fixture
def more_people(people):
    """More of them than Django makes instances of in less time than we need to read rows."""
    cities = list(City.objects.all())
    Person.objects.bulk_create(
        Person(name=f"Other {number}", city=cities[number % 3]) for number in range(15)
    )


@pytest.fixture(scope="session")
def rows_of_people(tables_of_people, django_db_blocker):
    """The rows of all tables, by the statements that insert them: creating people takes longer."""
    many = [field.remote_field.through for model in MODELS for field in model._meta.many_to_many]
    found = {}
    with django_db_blocker.unblock(), transaction.atomic(), connection.cursor() as cursor:
        create_people()
        for table in dict.fromkeys(model._meta.db_table for model in [*MODELS, *many]):
            cursor.execute(f"SELECT * FROM {table}")
            adapted = connection.ops.adapt_unknown_value
            if rows := [list(map(adapted, row)) for row in cursor.fetchall()]:
                columns = ", ".join([column[0] for column in cursor.description])
                places = ", ".join(["%s"] * len(cursor.description))
                found[f"INSERT INTO {table} ({columns}) VALUES ({places})"] = rows
        transaction.set_rollback(True)
    return found


def create_people():
    """Create the people, and what belongs to them."""
    countries = [
        Country.objects.create(code=code, name=name, area=area)
        for code, name, area in (("NO", "Norway", -0.0), ("SE", "Sveríge \u2028", None))
    ]
    cities = [
        City.objects.create(name="Oslo", country=countries[0], founded=datetime.date(1048, 1, 1)),
        City.objects.create(name="Malmö", country=countries[1]),
        City.objects.create(name="Atlantis"),
    ]
    City.objects.filter(name="Oslo").update(twin="Malmö")
    for number in range(9):

        def some(value, number=number, **found):
            """The value, but for one person in three."""
            found["turn"] = some.turn = getattr(some, "turn", 0) + 1
            return None if (number + found["turn"]) % 3 == 0 else value

        attributes = {
            "key": uuid.UUID(int=number + 1),
            "name": f"Person {number}",
            "age": some(30 + number),
            "wealth": some(Decimal("-0.00") if number == 1 else Decimal(number) / 4),
            "height": some([1.0, 1e300, -0.0, 1.5e-7][number % 4]),
            "is_active": some(number % 2 == 0),
            "born": some(datetime.date(1990, 1, number + 1)),
            "seen": some(datetime.datetime(2020, 7, 1, 12, number, 0, number, datetime.UTC)),
            "wakes": some(datetime.time(6, number)),
            "sleeps": some(datetime.timedelta(hours=number, microseconds=number)),
            "notes": some([{"a": [1, None]}, "text", 5, []][number % 4]),
            "token": some(uuid.UUID(int=number)),
            "rank": some(number % 3),
            "city": cities[number % 3],
            "birthplace": some(cities[(number + 1) % 3]),
        }
        if number < 2:
            Worker.objects.create(**attributes, salary=number)
        else:
            Person.objects.create(**attributes)
    languages = [Language.objects.create(name=name) for name in ("Norsk", "Svenska", "Latin")]
    for number, person in enumerate(Person.objects.order_by("key")[:6]):
        person.languages.set(languages[: number % 4])
        Pet.objects.create(name=f"Pet {number}", is_tame=number != 3, owner=person)
        person.friends.set(Person.objects.filter(age__lt=30 + number))
        if number % 2:
            country = countries[0] if number % 4 == 1 else None
            Profile.objects.create(person=person, motto=f"Motto {number}", country=country)
