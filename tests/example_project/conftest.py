"""A small part of the data set, on disk and in the database."""

import shutil
import zipfile
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction

from flights import dataset

# The sample is the first rows of the data set, and after them, in this order, a few others.
FIRST_ROWS = 150
ROW_OF = {
    "arrival delay unknown": 472,
    "arrival unknown": 755,
    "arrived at midnight": 818,
    "cancelled": 839,
    "plane unknown": 1783,
    "last of January": 26077,
    "first of October": 27005,
}


@pytest.fixture(scope="session")
def sample_size() -> int:
    """The number of flights in the sample."""
    return FIRST_ROWS + len(ROW_OF)


@pytest.fixture(scope="session")
def id_of() -> Callable[[str], int]:
    """A function from the name of a flight in ``ROW_OF`` to its id in the sample."""
    return lambda name: FIRST_ROWS + 1 + list(ROW_OF).index(name)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like the data set's, with all its tables but a few of its flights."""
    try:
        installed = dataset.find_folder()
    except dataset.DataSetError as error:
        pytest.skip(str(error))  # it says that the data set is not installed
    folder = tmp_path_factory.mktemp("sample")
    for table in ("airlines", "airports", "planes"):
        shutil.copy(installed / f"{table}.csv", folder)
    with (
        zipfile.ZipFile(installed / "flights.csv.zip") as archive,
        archive.open("flights.csv") as file,
    ):
        lines = list(islice(file, max(ROW_OF.values()) + 1))
    chosen = lines[: FIRST_ROWS + 1] + [lines[row] for row in ROW_OF.values()]
    with zipfile.ZipFile(folder / "flights.csv.zip", "w") as archive:
        archive.writestr("flights.csv", b"".join(chosen))
    return folder


@pytest.fixture(scope="module")
def sample_in_database(sample: Path, django_db_setup: None, django_db_blocker) -> Iterator[None]:
    """The sample in the database, for all tests of a module and for none after it."""
    with django_db_blocker.unblock(), transaction.atomic():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dataset, "find_folder", lambda: sample)
            call_command("load_flights", "--verbosity=0", stdout=StringIO())
        yield
        transaction.set_rollback(True)
