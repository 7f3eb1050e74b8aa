"""The endpoints of the example project."""

from decimal import Decimal

import pytest
from django.test import Client

from flights.models import Airport, Flight
from tests.example_project.first_flight import FLIGHT, HOUSTON, PLANE, UNITED

pytestmark = [pytest.mark.usefixtures("sample_in_database"), pytest.mark.django_db]

COMPACT = {
    "id": 1,
    "airline": "UA",
    "number": 1545,
    "origin": "EWR",
    "destination": "IAH",
    "plane": "N14228",
    "scheduled_departure": "2013-01-01T10:15:00Z",
    "departure_delay": 2,
    "arrival_delay": 11,
    "cancelled": False,
}
LISTS = ["flights", "flights/compact", "airlines", "airports", "planes"]


class TestOneThing:
    """A flight, an airline, an airport and a plane, each by its key."""

    def test_a_flight_is_written_out_in_full(self, client: Client):
        assert client.get("/api/flights/1/").json() == FLIGHT

    def test_a_cancelled_flight_has_nulls(self, client: Client, id_of):
        flight = client.get(f"/api/flights/{id_of('cancelled')}/").json()
        assert flight["cancelled"] is True
        nullable = ("departure", "departure_delay", "arrival_time", "arrival_delay", "air_time")
        assert [flight[name] for name in nullable] == [None] * 5

    def test_a_destination_and_a_plane_may_be_null(self, client: Client, id_of):
        assert client.get("/api/flights/4/").json()["destination"] is None
        assert client.get(f"/api/flights/{id_of('plane unknown')}/").json()["plane"] is None

    @pytest.mark.parametrize(
        ("path", "expected"),
        [("airlines/UA", UNITED), ("airports/IAH", HOUSTON), ("planes/N14228", PLANE)],
    )
    def test_the_others_have_all_their_fields(self, client: Client, path, expected):
        assert client.get(f"/api/{path}/").json() == expected

    @pytest.mark.parametrize("key", ["0", "x", "9" * 30])
    def test_an_unknown_flight_is_not_found(self, client: Client, key):
        assert client.get(f"/api/flights/{key}/").status_code == 404


class TestPages:
    """The lists that come page by page."""

    def test_a_page_has_fifty_flights(self, client: Client, sample_size):
        page = client.get("/api/flights/").json()
        assert (page["count"], len(page["results"])) == (sample_size, 50)
        assert page["results"][0] == FLIGHT
        assert page["previous"] is None

    def test_a_page_leads_to_the_next(self, client: Client):
        first = client.get("/api/flights/").json()
        second = client.get(first["next"]).json()
        assert [flight["id"] for flight in second["results"]] == list(range(51, 101))

    def test_the_size_of_a_page_can_be_chosen(self, client: Client):
        assert len(client.get("/api/flights/?page_size=7").json()["results"]) == 7

    def test_a_page_has_at_most_a_thousand(self, client: Client):
        assert len(client.get("/api/planes/?page_size=100000").json()["results"]) == 1000

    @pytest.mark.parametrize("page", ["0", "x", "9" * 30])
    def test_a_page_that_is_not_there_is_not_found(self, client: Client, page):
        assert client.get("/api/flights/", {"page": page}).status_code == 404

    @pytest.mark.parametrize(
        ("path", "count"), [("airlines", 16), ("airports", 1458), ("planes", 3322)]
    )
    def test_the_other_lists_have_everything(self, client: Client, path, count):
        assert client.get(f"/api/{path}/").json()["count"] == count

    def test_a_compact_flight_has_keys_only(self, client: Client, sample_size):
        page = client.get("/api/flights/compact/").json()
        assert page["count"] == sample_size
        assert page["results"][0] == COMPACT
        assert page["results"][3]["destination"] is None

    @pytest.mark.parametrize("path", LISTS)
    def test_the_lists_are_read_only(self, client: Client, path):
        assert client.post(f"/api/{path}/").status_code == 405


@pytest.mark.parametrize("path", ["flights/", "flights/bulk/", "flights/compact/"])
class TestFilters:
    """What the lists of flights can be narrowed to."""

    @staticmethod
    def ids(path: str, **query: str | int) -> list[int]:
        """Return the ids of the flights in an answer."""
        answer = Client().get(f"/api/{path}", {"page_size": 1000, **query}).json()
        return [
            flight["id"] for flight in (answer if path == "flights/bulk/" else answer["results"])
        ]

    @staticmethod
    def expected(**conditions: object) -> list[int]:
        """Return the ids of the flights in the database that meet some conditions."""
        ids = list(Flight.objects.filter(**conditions).values_list("pk", flat=True))
        assert ids
        return ids

    def test_by_carrier(self, path):
        assert self.ids(path, carrier="UA") == self.expected(airline="UA")

    def test_by_origin(self, path):
        assert self.ids(path, origin="JFK") == self.expected(origin="JFK")

    def test_by_month(self, path, id_of):
        assert self.ids(path, month=10) == [id_of("first of October")]

    def test_the_month_is_that_of_new_york(self, path, id_of):
        assert id_of("last of January") in self.ids(path, month=1)
        assert self.ids(path, month=2) == []

    def test_by_all_at_once(self, path):
        found = self.ids(path, carrier="UA", origin="EWR", month=1)
        assert found == self.expected(airline="UA", origin="EWR", date__month=1)

    def test_an_unknown_carrier_has_no_flights(self, path):
        assert self.ids(path, carrier="ZZ") == []

    @pytest.mark.parametrize("month", ["0", "13", "1.5", "May"])
    def test_a_month_that_is_none_is_an_error(self, path, month):
        answer = Client().get(f"/api/{path}", {"month": month})
        assert answer.status_code == 400
        assert list(answer.json()) == ["month"]


class TestBulk:
    """The whole selection at once."""

    def test_all_flights_come_in_one_list(self, client: Client, sample_size):
        flights = client.get("/api/flights/bulk/").json()
        assert [flight["id"] for flight in flights] == list(range(1, sample_size + 1))
        assert flights[0] == FLIGHT

    def test_a_limit_cuts_the_list(self, client: Client):
        flights = client.get("/api/flights/bulk/?limit=3").json()
        assert [flight["id"] for flight in flights] == [1, 2, 3]

    def test_a_limit_comes_after_the_filters(self, client: Client):
        query = {"limit": 3, "carrier": "UA", "origin": "EWR", "month": 1}
        flights = client.get("/api/flights/bulk/", query).json()
        chosen = Flight.objects.filter(airline="UA", origin="EWR", date__month=1)
        assert [flight["id"] for flight in flights] == [flight.pk for flight in chosen[:3]]

    def test_a_limit_may_exceed_the_number_of_flights(self, client: Client, sample_size):
        assert len(client.get("/api/flights/bulk/?limit=1000000").json()) == sample_size

    @pytest.mark.parametrize(
        ("limit", "complaint"),
        [
            ("0", "Ensure this value is greater than or equal to 1."),
            ("-1", "Ensure this value is greater than or equal to 1."),
            ("1.5", "Enter a whole number."),
            ("many", "Enter a whole number."),
            ("9" * 30, "Ensure this value is less than or equal to 2147483647."),
        ],
    )
    def test_a_limit_must_be_a_positive_whole_number(self, client: Client, limit, complaint):
        answer = client.get("/api/flights/bulk/", {"limit": limit})
        assert (answer.status_code, answer.json()) == (400, {"limit": [complaint]})


class TestQueries:
    """However many flights there are, the queries are the same."""

    @pytest.mark.parametrize("size", [1, 100])
    @pytest.mark.parametrize("path", LISTS)
    def test_a_page_takes_two_queries(self, client: Client, django_assert_num_queries, path, size):
        with django_assert_num_queries(2):  # The count, and the page itself.
            client.get(f"/api/{path}/", {"page_size": size})

    @pytest.mark.parametrize("limit", [1, 100])
    def test_the_bulk_takes_one_query(self, client: Client, django_assert_num_queries, limit):
        with django_assert_num_queries(1):
            client.get("/api/flights/bulk/", {"limit": limit})

    def test_a_flight_takes_one_query(self, client: Client, django_assert_num_queries):
        with django_assert_num_queries(1):
            client.get("/api/flights/1/")


class TestBrowsableApi:
    """The endpoints of the API in a browser."""

    @pytest.mark.parametrize("path", ["", "flights/1/", *(f"{name}/" for name in LISTS)])
    def test_every_page_renders(self, client: Client, path):
        answer = client.get(f"/api/{path}", headers={"accept": "text/html"})
        assert answer.status_code == 200
        assert answer["Content-Type"].startswith("text/html")
        assert "Django REST framework" in answer.text

    def test_the_bulk_renders_with_its_flights(self, client: Client):
        answer = client.get("/api/flights/bulk/?limit=2", headers={"accept": "text/html"})
        assert "United Air Lines Inc." in answer.text

    def test_the_filters_are_offered_as_a_form(self, client: Client):
        answer = client.get("/api/flights/bulk/?limit=2", headers={"accept": "text/html"})
        for name in ("carrier", "origin", "month", "limit"):
            assert f'name="{name}"' in answer.text

    def test_an_error_renders_too(self, client: Client):
        answer = client.get("/api/flights/bulk/?limit=0", headers={"accept": "text/html"})
        assert answer.status_code == 400
        assert "Ensure this value is greater than or equal to 1." in answer.text

    def test_the_front_page_leads_to_the_api(self, client: Client):
        assert 'href="/api/"' in client.get("/").text


def test_a_latitude_in_the_database_is_the_same_in_the_answer(client: Client):
    answer = client.get("/api/airports/?page_size=1000").json()["results"]
    latitudes = {airport["code"]: Decimal(airport["latitude"]) for airport in answer}
    assert latitudes == dict(Airport.objects.values_list("pk", "latitude")[:1000])
