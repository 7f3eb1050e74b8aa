"""``manage.py load_flights``: fills the database with the real flights of 2013."""

import argparse
import sys
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error, connection, reset_queries, transaction
from tqdm import tqdm

from flights import dataset
from flights.models import Airline, Airport, Flight, Plane

BATCH = 5000


class Command(BaseCommand):
    """Replace all airlines, airports, planes and flights by those of the data set.

    All or nothing: whatever goes wrong, the database stays as it was.
    """

    help = (
        "Loads the flights that left New York City in 2013, with their airlines, airports and "
        "planes, in place of those the database holds."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare ``--rows`` and ``--if-empty``."""
        parser.add_argument(
            "--rows",
            type=positive_number,
            metavar="N",
            help="load the first N flights only (by default all 336,776)",
        )
        parser.add_argument(
            "--if-empty",
            action="store_true",
            help="do nothing if the database holds flights already",
        )

    def handle(self, *, rows: int | None, if_empty: bool, verbosity: int, **options: Any) -> str:
        """Load the flights and return the line that says what was done."""
        require_tables()
        if if_empty and (held := Flight.objects.count()):
            return f"The database holds {held:,} flights already: nothing was loaded."
        try:
            folder = dataset.find_folder()
            wanted = dataset.count_flights(folder, at_most=rows)
            # The bar is in the way of a test, and of whoever asks for silence.
            with (
                tqdm(total=wanted, unit=" flights", file=sys.stderr, disable=not verbosity) as bar,
                transaction.atomic(),
            ):
                replaced = replace_all(folder, wanted, bar)
        except dataset.DataSetError as error:
            raise CommandError(str(error)) from error
        except Error as error:
            raise CommandError(f"Nothing was loaded: {first_line(error)}") from error
        return (
            f"Loaded {wanted:,} flights, {Airline.objects.count():,} airlines, "
            f"{Airport.objects.count():,} airports and {Plane.objects.count():,} planes"
            + (f", in place of the {replaced:,} flights there were." if replaced else ".")
        )


def positive_number(text: str) -> int:
    """Return the value of ``--rows``; an argparse error unless it is 1, 2, 3..."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"must be a positive whole number, not {text!r}")
    return int(text)


def require_tables() -> None:
    """Raise a CommandError unless the database answers and has been migrated."""
    try:
        tables = connection.introspection.table_names()
    except Error as error:
        raise CommandError(
            f"The database cannot be reached ({first_line(error)}): check DATABASE_URL, "
            "and run 'manage.py migrate' first."
        ) from error
    if not {model._meta.db_table for model in (Airline, Airport, Plane, Flight)} <= set(tables):
        raise CommandError("The database has no tables yet: run 'manage.py migrate' first.")


def replace_all(folder: Path, wanted: int, bar: tqdm) -> int:
    """Replace the rows of all tables by those in a folder, but only its first flights.

    ``bar`` advances with the flights. Returns how many flights there were before.
    """
    replaced: int = Flight.objects.count()
    # Flights first: they protect what they refer to.
    for model in (Flight, Plane, Airport, Airline):
        model.objects.all().delete()

    Airline.objects.bulk_create(dataset.read_airlines(folder))
    airports = Airport.objects.bulk_create(dataset.read_airports(folder))
    planes = Plane.objects.bulk_create(dataset.read_planes(folder))

    flights = dataset.read_flights(
        folder,
        airports={airport.code for airport in airports},
        planes={plane.tail_number for plane in planes},
    )
    for start in range(0, wanted, BATCH):
        batch = list(islice(flights, min(BATCH, wanted - start)))
        Flight.objects.bulk_create(batch)
        bar.update(len(batch))
        reset_queries()  # Django keeps them all in memory while DEBUG is on.
    return replaced


def first_line(error: Exception) -> str:
    """Return the first line of an error's message: that of a database may have several."""
    return str(error).partition("\n")[0]
