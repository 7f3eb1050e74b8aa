"""A list of flights, posted or imported from a file: saved whole, or not at all."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from flights.models import Flight
from flights.serializers import FlightInputSerializer

pytestmark = [pytest.mark.usefixtures("sample_in_database"), pytest.mark.django_db]


@pytest.fixture
def rows() -> list[dict[str, Any]]:
    """Ten flights as the API gives them, with keys that are new."""
    flights = Flight.objects.order_by("pk")[:10]
    rows = json.loads(json.dumps(FlightInputSerializer(flights, many=True).data))
    return [{**row, "id": 10**6 + row["id"]} for row in rows]


def post(client: Client, body: Any) -> Any:
    """Post something to the endpoint."""
    return client.post("/api/flights/import/", body, content_type="application/json")


def run(path: Path | str, **options: Any) -> str:
    """Run the command and return what it printed."""
    output = StringIO()
    call_command("import_flights", str(path), verbosity=0, stdout=output, **options)
    return output.getvalue()


@pytest.fixture
def file(tmp_path: Path, rows: list[dict[str, Any]]) -> Path:
    """The flights in a file."""
    path = tmp_path / "flights.json"
    path.write_text(json.dumps(rows))
    return path


class TestPost:
    """``POST /api/flights/import/``."""

    def test_a_list_is_saved_by_few_queries(self, client: Client, rows, sample_size):
        with CaptureQueriesContext(connection) as queries:
            response = post(client, rows)
        assert response.status_code == 201
        assert response.json() == rows
        assert Flight.objects.count() == sample_size + 10
        asked = [each for each in queries.captured_queries if "POINT" not in each["sql"]]
        assert len(asked) == 6  # the key, four relations, and the flights

    def test_a_wrong_flight_is_named_and_nothing_is_saved(self, client: Client, rows, sample_size):
        rows[3]["airline"] = "??"
        rows[5]["id"] = 1
        rows[7]["id"] = rows[6]["id"]
        response = post(client, rows)
        assert response.status_code == 400
        assert {number: list(errors) for number, errors in response.json().items()} == {
            "3": ["airline"],
            "5": ["id"],
            "7": ["id"],
        }
        assert Flight.objects.count() == sample_size

    @pytest.mark.parametrize("body", ["5", "{}", "[5]", "[" * 10**5, "[NaN]", "", b"\xff"])
    def test_bad_input_is_status_400(self, client: Client, body):
        assert post(client, body).status_code == 400


class TestCommand:
    """``manage.py import_flights``."""

    def test_it_imports_a_file(self, file: Path, sample_size):
        assert run(file, batch=4) == "Imported 10 flights.\n"
        assert Flight.objects.count() == sample_size + 10

    def test_it_reads_standard_input(self, rows, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("sys.stdin", StringIO(json.dumps(rows)))
        assert run("-") == "Imported 10 flights.\n"

    def test_a_wrong_flight_is_named_and_nothing_is_saved(self, file: Path, rows, sample_size):
        rows[5]["airline"] = "??"
        file.write_text(json.dumps(rows))
        with pytest.raises(CommandError) as raised:
            run(file, batch=4)
        assert str(raised.value) == (
            'Nothing was imported: flight 5 of the list: airline: Invalid pk "??" - object does '
            "not exist."
        )
        assert Flight.objects.count() == sample_size

    @pytest.mark.parametrize(
        ("text", "reason"),
        [("{}", "must hold a list of flights, not a dict"), ("[", "cannot be read")],
    )
    def test_a_file_without_a_list_is_refused(self, file: Path, text, reason):
        file.write_text(text)
        with pytest.raises(CommandError, match=reason):
            run(file)

    def test_a_file_that_is_not_there_is_refused(self, tmp_path: Path):
        with pytest.raises(CommandError, match="No such file"):
            run(tmp_path / "none.json")

    def test_rows_that_are_no_flights_are_refused(self, file: Path):
        file.write_text("[5]")
        with pytest.raises(CommandError, match="flight 0 of the list: non_field_errors: Invalid"):
            run(file)
