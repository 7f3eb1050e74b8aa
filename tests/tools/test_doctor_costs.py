"""Which fields cost most."""

import pytest
from marshmallow import Schema, fields

from fastschema import Plan
from fastschema.tools.doctor import Cost, PathError, profiles_of, slowest, write_pictures
from tests.profiles import FakeProfile, FakeTime, profile_by_length

ROWS = [{"name": "a"}, {"name": "b"}]
NO_ROWS = 3


class ShipSchema(Schema):
    name = fields.String()


def rows():
    return iter(ROWS)


def broken_rows():
    raise LookupError("no database")


@pytest.fixture
def _profiling(monkeypatch):
    monkeypatch.setattr(Plan, "profile", profile_by_length)


def test_the_three_slowest_of_all_runs_are_told():
    profiles = {
        "first": FakeProfile([FakeTime("a", 5.0), FakeTime("b", 1.0)]),
        "second": FakeProfile([FakeTime("c", 3.0, 2.0, False, "odd"), FakeTime("d", 2.0)]),
    }

    assert slowest(profiles) == [
        Cost("first", "a", 5.0, 0.0, True, ""),
        Cost("second", "c", 3.0, 2.0, False, "odd"),
        Cost("second", "d", 2.0, 0.0, True, ""),
    ]


@pytest.mark.usefixtures("_profiling")
@pytest.mark.parametrize("name", ["ROWS", "rows"])
def test_rows_are_those_that_stand_there_or_that_a_function_returns(name):
    [made] = profiles_of({"ShipSchema": ShipSchema}, f"{__name__}:{name}").values()

    assert made.times[0].seconds == len(ROWS)


@pytest.mark.usefixtures("_profiling")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken_rows", "broken_rows gives no rows: LookupError: no database"),
        ("NO_ROWS", "NO_ROWS gives no rows: TypeError: 'int' object is not iterable"),
        ("NOBODY", "has no attribute 'NOBODY'"),
    ],
)
def test_rows_that_there_are_not_are_a_clear_error(name, message):
    with pytest.raises(PathError, match=message):
        profiles_of({"ShipSchema": ShipSchema}, f"{__name__}:{name}")


def test_rows_that_cannot_be_dumped_are_a_clear_error(monkeypatch):
    def profile(self, rows):
        raise ValueError("a wrong value")

    monkeypatch.setattr(Plan, "profile", profile)

    with pytest.raises(PathError, match=r"Ship cannot dump .*:ROWS: ValueError: a wrong value"):
        profiles_of({"Ship": ShipSchema}, f"{__name__}:ROWS")


def test_one_picture_is_written_to_the_file(tmp_path):
    file = tmp_path / "profile.svg"

    told = write_pictures({"Ship": FakeProfile([FakeTime("a", 1.0)])}, str(file))

    assert file.read_text() == "<svg>a</svg>"
    assert told == [f"The picture of Ship is in {file}."]


def test_several_pictures_are_numbered(tmp_path):
    profiles = {key: FakeProfile([FakeTime(key, 1.0)]) for key in "ab"}

    write_pictures(profiles, str(tmp_path / "profile.svg"))

    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "profile-1.svg": "<svg>a</svg>",
        "profile-2.svg": "<svg>b</svg>",
    }


def test_the_fastest_of_several_runs_is_told(monkeypatch):
    seconds = iter((5.0, 2.0, 7.0, 4.0, 9.0))
    calls = []

    def profile(self, rows):
        calls.append(rows)
        return FakeProfile([FakeTime("name", next(seconds))])

    monkeypatch.setattr(Plan, "profile", profile)
    [made] = profiles_of({"Ship": ShipSchema}, f"{__name__}:rows").values()

    assert made.times[0].seconds == 2.0
    assert calls == [ROWS] * 5
