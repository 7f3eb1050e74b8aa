"""``manage.py import_flights``: adds the flights of a file, checked by the serializer."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error, transaction
from tqdm import tqdm

from flights.management.commands.load_flights import first_line, positive_number, require_tables
from flights.serializers import FlightInputSerializer

BATCH = 1000


class Command(BaseCommand):
    """Add the flights of a JSON file, in the form that ``/api/flights/import/`` takes.

    All or nothing: whatever goes wrong, the database stays as it was.
    """

    help = "Adds the flights of a JSON file, which holds a list of them; - is standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the file and ``--batch``."""
        parser.add_argument("file", help="a JSON file; - for standard input")
        parser.add_argument(
            "--batch",
            type=positive_number,
            default=BATCH,
            metavar="N",
            help=f"check and save N flights at a time (by default {BATCH:,})",
        )

    def handle(self, *, file: str, batch: int, verbosity: int, **options: Any) -> str:
        """Import the flights and return the line that says what was done."""
        require_tables()
        rows = read(file)
        try:
            # The bar is in the way of a test, and of whoever asks for silence.
            with (
                tqdm(
                    total=len(rows), unit=" flights", file=sys.stderr, disable=not verbosity
                ) as bar,
                transaction.atomic(),
            ):
                for start in range(0, len(rows), batch):
                    some = rows[start : start + batch]
                    save(some, start)
                    bar.update(len(some))
        except Error as error:
            raise CommandError(f"Nothing was imported: {first_line(error)}") from error
        return f"Imported {len(rows):,} flights."


def read(file: str) -> list[Any]:
    """Return the list in a JSON file; a CommandError if there is none."""
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        rows = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
    if not isinstance(rows, list):
        raise CommandError(f"{file} must hold a list of flights, not a {type(rows).__name__}.")
    return rows


def save(rows: list[Any], start: int) -> None:
    """Save some rows; a CommandError that names the first wrong one.

    :param start: the number of rows before them
    """
    serializer = FlightInputSerializer(data=rows, many=True)
    if not serializer.is_valid():
        number, reason = next(wrong(serializer.errors))
        raise CommandError(f"Nothing was imported: flight {start + number} of the list: {reason}")
    serializer.save()


def wrong(errors: Any) -> Iterator[tuple[int, str]]:
    """The numbers of wrong rows, counted from 0, and what is wrong with each."""
    each = errors.items() if isinstance(errors, dict) else enumerate(errors)
    for number, found in each:
        if found:
            messages = (f"{field}: {' '.join(map(str, texts))}" for field, texts in found.items())
            yield number, "; ".join(messages)
