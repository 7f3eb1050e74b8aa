"""What the race asks the example project for: its page, and views that are timed."""

import html
import re
from decimal import Decimal

import pytest
from django.db import connection
from django.db.models.query import ModelIterable
from django.test import Client
from django.test.utils import CaptureQueriesContext
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

import fastschema
from flights_flask import create_app
from flights_flask.models import Airline, Airport, Plane, Table
from race import stopwatch
from tests.example_project.first_flight import HOUSTON, NEWARK, PLANE, UNITED
from tests.example_project.test_flask_app import flight

BULK = "/api/flights/bulk/"
PAGE = "/api/flights/?carrier=UA&month=1&page_size=20"
FLIGHT = "/api/flights/1/"
LANES = list(stopwatch.LANES)


def lane_of(name: str) -> dict[str, dict[str, str]]:
    """Return the argument by which a test client asks for a lane."""
    return {"headers": {"Race-Lane": name}}


def offered(page: str) -> list[str]:
    """Return the addresses that a front page races."""
    return [html.unescape(each) for each in re.findall(r'name="endpoint" value="([^"]+)"', page)]


def phases(header: str) -> dict[str, float]:
    """Return what a ``Server-Timing`` header says, in milliseconds."""
    assert re.fullmatch(r"(\w+;dur=\d+\.\d{3}(, |$))+", header)
    return {name: float(time) for name, time in re.findall(r"(\w+);dur=([\d.]+)", header)}


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The phases that begin, in order."""
    phases = []
    switch = stopwatch.Stopwatch.switch

    def recorded(self, phase):
        phases.append(phase)
        return switch(self, phase)

    monkeypatch.setattr(stopwatch.Stopwatch, "switch", recorded)
    return phases


def counted(before: fastschema.Statistics) -> set[str]:
    """Return who has dumped rows since: ``stock``, ``fastschema``."""
    after = fastschema.stats()
    counts = {
        "stock": after.stock_rows - before.stock_rows,
        "fastschema": after.compiled_rows - before.compiled_rows,
    }
    return {name for name, rows in counts.items() if rows}


def is_whole(header: str) -> bool:
    """Say whether the phases add up to the total, but for what is lost in rounding."""
    times = phases(header)
    total = times.pop("total")
    return abs(sum(times.values()) - total) < 0.001 * (len(times) + 1)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database with a few flights."""
    url = f"sqlite:///{tmp_path_factory.mktemp('race')}/flights.sqlite3"
    engine = create_engine(url)
    Table.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all([Airline(**UNITED), Plane(**PLANE)])
        for airport in (NEWARK, HOUSTON):
            numbers = {name: Decimal(airport[name]) for name in ("latitude", "longitude")}
            session.add(Airport(**{**airport, **numbers}))
        session.add_all(flight(number, destination_id="IAH") for number in range(1, 10))
        session.commit()
    engine.dispose()
    return url


class TestStopwatch:
    """The phases of a view."""

    @pytest.fixture
    def clock(self, monkeypatch: pytest.MonkeyPatch) -> list[float]:
        """A clock that shows the next of these seconds each time that it is read."""
        seconds: list[float] = []
        monkeypatch.setattr(stopwatch, "perf_counter", lambda: seconds.pop(0))
        return seconds

    def test_a_phase_does_not_count_for_the_phase_around_it(self, clock: list[float]):
        clock += [0, 1, 2, 4, 7, 11]
        with stopwatch.timed_lane("stock") as watch:
            with stopwatch.phase("instances"), stopwatch.phase("database"):
                pass
            header = watch.header()
        assert phases(header) == {
            "serialization": 5000,
            "instances": 4000,
            "database": 2000,
            "total": 11000,
        }

    def test_a_phase_ends_with_an_error(self, clock: list[float]):
        clock += [0, 1, 2, 4]
        with stopwatch.timed_lane("stock") as watch:
            with pytest.raises(LookupError), stopwatch.phase("database"):
                raise LookupError
            header = watch.header()
        assert phases(header) == {"serialization": 3000, "database": 1000, "total": 4000}

    def test_nothing_is_timed_outside_of_a_lane(self, clock: list[float]):
        with stopwatch.phase("database"):
            assert stopwatch.running() is None

    @pytest.mark.parametrize(("lane", "is_disabled"), [("stock", True), ("fastschema", False)])
    def test_a_lane_says_who_answers(self, lane: str, is_disabled: bool):
        with stopwatch.timed_lane(lane):
            assert fastschema.runtime.switch.is_disabled() is is_disabled
        assert not fastschema.runtime.switch.is_disabled()


@pytest.mark.usefixtures("sample_in_database")
@pytest.mark.django_db
class TestDjango:
    """The endpoints that are raced, and the front page."""

    def test_the_front_page_races_a_page_a_flight_and_lists(self, client: Client):
        answer = client.get("/")
        assert answer.status_code == 200
        assert offered(answer.text) == [
            PAGE,
            FLIGHT,
            f"{BULK}?limit=1000",
            f"{BULK}?limit=20000",
        ]
        assert "switched off" not in answer.text

    def test_the_front_page_says_that_fastschema_is_off(self, client: Client, settings):
        settings.WITH_FASTSCHEMA = False
        assert "fastschema is switched off" in client.get("/").text

    def test_the_front_page_says_that_fastschema_is_disabled(self, client: Client):
        with fastschema.disabled():
            assert "fastschema is switched off" in client.get("/").text

    @pytest.mark.parametrize("path", [PAGE, FLIGHT, f"{BULK}?limit=100"])
    @pytest.mark.parametrize("lane", LANES)
    def test_a_lane_has_the_same_bytes(self, client: Client, path: str, lane: str):
        expected = client.get(path)
        answer = client.get(path, **lane_of(lane))
        assert answer.status_code == 200
        assert (answer.content, answer["Content-Type"]) == (
            expected.content,
            expected["Content-Type"],
        )

    @pytest.mark.parametrize("lane", ["", "other"])
    def test_without_a_lane_nothing_is_timed(self, client: Client, lane: str):
        assert "Server-Timing" not in client.get(FLIGHT)
        assert "Server-Timing" not in client.get(FLIGHT, **lane_of(lane))

    @pytest.mark.parametrize("lane", LANES)
    def test_a_lane_takes_one_query(self, client: Client, lane: str):
        with CaptureQueriesContext(connection) as queries:
            client.get(BULK, {"limit": 100}, **lane_of(lane))
        assert len(queries) == 1

    def test_the_phases_of_stock_add_up(self, client: Client):
        header = client.get(BULK, {"limit": 100}, **lane_of("stock"))["Server-Timing"]
        assert set(phases(header)) == {"database", "instances", "serialization", "total"}
        assert is_whole(header)

    def test_the_phases_of_fastschema_have_no_instances(self, client: Client):
        header = client.get(BULK, {"limit": 100}, **lane_of("fastschema"))["Server-Timing"]
        assert set(phases(header)) == {"database", "serialization", "total"}
        assert is_whole(header)

    @pytest.mark.parametrize("lane", LANES)
    def test_a_lane_is_answered_by_its_name(self, client: Client, lane: str):
        before = fastschema.stats()
        client.get(BULK, {"limit": 9}, **lane_of(lane))
        assert counted(before) == {lane}

    @pytest.mark.parametrize("lane", LANES)
    def test_rows_are_fetched_in_the_phase_of_the_database(self, client: Client, begun, lane):
        client.get(BULK, {"limit": 150}, **lane_of(lane))
        # The query, two times some rows (100 and 50), and that there are no more.
        assert begun.count("database") == 4

    def test_an_error_is_answered_as_without_a_lane(self, client: Client):
        answer = client.get(BULK, {"limit": 0}, **lane_of("stock"))
        assert (answer.status_code, answer.json()) == (
            400,
            {"limit": ["Ensure this value is greater than or equal to 1."]},
        )

    def test_stock_makes_its_instances_by_itself(self, client: Client, monkeypatch):
        made = []
        iterate = ModelIterable.__iter__
        monkeypatch.setattr(ModelIterable, "__iter__", lambda self: made.append(1) or iterate(self))
        client.get(BULK, {"limit": 9}, **lane_of("stock"))
        assert made == [1]


class TestFlask:
    """The endpoints that are raced, and the front page."""

    @pytest.fixture
    def make_client(self, url: str):
        """A function that makes a client, of fastschema or of stock."""
        engines = []

        def make(fast: bool = True):
            app = create_app({"DATABASE_URL": url, "FASTSCHEMA": fast})
            engines.append(app.extensions["engine"])
            return app.test_client()

        yield make
        fastschema.uninstall()
        for engine in engines:
            engine.dispose()

    @pytest.fixture
    def client(self, make_client):
        return make_client()

    def test_the_front_page_races_objects_and_rows(self, client):
        answer = client.get("/")
        assert answer.status_code == 200
        assert offered(answer.text) == [
            "/flights?carrier=UA&month=1&limit=20",
            "/flights/1",
            "/flights?limit=1000",
            "/flights?limit=20000",
            "/flights/select?limit=20000",
        ]
        assert "switched off" not in answer.text

    def test_the_front_page_says_that_fastschema_is_off(self, make_client):
        page = make_client(fast=False).get("/").text
        assert not any(each.startswith("/flights/select") for each in offered(page))
        assert "fastschema is switched off" in page

    @pytest.mark.parametrize("name", ["race.js", "race.css"])
    def test_the_page_finds_its_files(self, client, name):
        path = re.search(rf'"([^"]+/{name})"', client.get("/").text)[1]
        with client.get(path) as answer:
            assert answer.status_code == 200

    @pytest.mark.parametrize("path", ["/flights", "/flights/select"])
    @pytest.mark.parametrize("lane", LANES)
    def test_a_lane_has_the_same_bytes(self, client, path, lane):
        expected = client.get(f"{path}?limit=7")
        answer = client.get(f"{path}?limit=7", **lane_of(lane))
        assert (answer.data, answer.mimetype) == (expected.data, expected.mimetype)
        assert len(answer.json) == 7

    @pytest.mark.parametrize("lane", LANES)
    def test_a_lane_has_the_same_flight(self, client, lane):
        answer = client.get("/flights/3", **lane_of(lane))
        assert answer.json["id"] == 3
        assert answer.data == client.get("/flights/3").data

    def test_there_is_no_flight_of_another_number(self, client):
        assert client.get("/flights/99").status_code == 404

    def test_without_a_lane_nothing_is_timed(self, client):
        for more in ({}, lane_of("other")):
            assert "Server-Timing" not in client.get("/flights", **more).headers

    @pytest.mark.parametrize("lane", LANES)
    def test_objects_are_made_before_they_are_serialized(self, client, lane):
        header = client.get("/flights", **lane_of(lane)).headers["Server-Timing"]
        assert set(phases(header)) == {"database", "instances", "serialization", "total"}
        assert is_whole(header)

    @pytest.mark.parametrize("lane", LANES)
    def test_rows_become_no_objects_before_they_are_serialized(self, client, lane):
        header = client.get("/flights/select", **lane_of(lane)).headers["Server-Timing"]
        assert set(phases(header)) == {"database", "serialization", "total"}
        assert is_whole(header)

    @pytest.mark.parametrize("lane", LANES)
    @pytest.mark.parametrize("path", ["/flights", "/flights/select"])
    def test_rows_are_fetched_in_the_phase_of_the_database(self, client, begun, path, lane):
        client.get(path, **lane_of(lane))
        assert begun.count("database") >= 2  # the query, and its rows

    @pytest.mark.parametrize("lane", LANES)
    @pytest.mark.parametrize("path", ["/flights", "/flights/select"])
    def test_a_lane_is_answered_by_its_name(self, client, path, lane):
        before = fastschema.stats()
        assert len(client.get(path, **lane_of(lane)).json) == 9
        assert counted(before) == {lane}
