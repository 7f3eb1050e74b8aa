"""Which fields cost most."""

import pytest
from marshmallow import Schema, fields

from fastschema import Plan
from fastschema.doctor.diagnosis import Diagnosis, PathError, diagnosis_of, write_pictures
from tests.profiles import FakeProfile, field_time, profile_by_length

ROWS = [{"name": "a"}, {"name": "b"}]


class ShipSchema(Schema):
    name = fields.String()


def rows():
    return iter(ROWS)


@pytest.fixture
def _profiling(monkeypatch):
    monkeypatch.setattr(Plan, "profile", profile_by_length)


def test_the_three_slowest_of_all_runs_are_told():
    a, b, c, d = (field_time(*each) for each in [("a", 5.0), ("b", 1.0), ("c", 3.0), ("d", 2.0)])
    profiles = {"first": FakeProfile([a, b]), "second": FakeProfile([c, d])}

    diagnosis = Diagnosis([], schema_profiles=profiles)
    assert diagnosis.slowest == [("first", a), ("second", c), ("second", d)]


@pytest.mark.usefixtures("_profiling")
@pytest.mark.parametrize("name", ["ROWS", "rows"])
def test_rows_are_those_that_stand_there_or_that_a_function_returns(name):
    [made] = diagnosis_of({"ShipSchema": ShipSchema}, f"{__name__}:{name}").profiles.values()

    assert made.times[0].seconds == len(ROWS)


def test_rows_that_there_are_not_are_a_clear_error():
    with pytest.raises(PathError, match="has no attribute 'NOBODY'"):
        diagnosis_of({"ShipSchema": ShipSchema}, f"{__name__}:NOBODY")


def test_several_pictures_are_numbered(tmp_path):
    profiles = {key: FakeProfile([field_time(key, 1.0)]) for key in "ab"}

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
        return FakeProfile([field_time("name", next(seconds))])

    monkeypatch.setattr(Plan, "profile", profile)
    [made] = diagnosis_of({"Ship": ShipSchema}, f"{__name__}:rows").profiles.values()

    assert made.times[0].seconds == 2.0
    assert calls == [ROWS] * 5
