"""Profiles: what they say, as a table and as plain values."""

import json

import pytest

from fastschema.doctor.profiling import FieldTime, Profile, readable

TITLE = FieldTime("title", "title", compiled=True, seconds=0.001, user_seconds=0.0)
ARTIST = FieldTime("artist", "maker", compiled=True, seconds=0.006, user_seconds=0.003)
NAME = FieldTime(
    "artist.name",
    "name",
    True,
    seconds=0.004,
    user_seconds=0.003,
    why="Artist.name is a property",
    depth=1,
)
BORN = FieldTime("artist.born", "born", True, seconds=0.0015, user_seconds=0.0, depth=1)
ODD = FieldTime("odd", "odd", False, seconds=0.002, user_seconds=0.002, why="it is not known")
PROFILE = Profile("AlbumSchema", 1000, 0.01, [TITLE, ARTIST, NAME, BORN, ODD])


def test_a_profile_prints_as_a_table():
    assert str(PROFILE).splitlines() == [
        "AlbumSchema: 1,000 rows in 10 ms",
        "key               source  runs         ms  share  your ms  why",
        "title             title   compiled  1.000    10%",
        "artist            maker   compiled  6.000    60%    3.000",
        "artist.name       name    compiled  4.000    40%    3.000  Artist.name is a property",
        "artist.born       born    compiled  1.500    15%",
        "odd               odd     stock     2.000    20%    2.000  it is not known",
        "(between fields)                    1.000    10%",
    ]


def test_the_slowest_fields_are_those_that_took_longest_without_what_is_nested_in_them():
    slowest = PROFILE.slowest()

    assert [field.key for field in slowest] == ["artist.name", "odd", "artist.born"]
    assert [field.key for field in PROFILE.slowest(9)][3:] == ["title", "artist"]


def test_a_profile_as_a_dict_is_ready_for_json():
    as_dict = json.loads(json.dumps(Profile("Dog", 2, 0.5, [ODD]).as_dict()))

    assert as_dict == {
        "schema": "Dog",
        "rows": 2,
        "seconds": 0.5,
        "fields": [
            {
                "key": "odd",
                "source": "odd",
                "compiled": False,
                "seconds": 0.002,
                "user_seconds": 0.002,
                "why": "it is not known",
                "depth": 0,
                "is_yours": False,
            }
        ],
    }


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0 µs"), (4.2e-7, "0.42 µs"), (0.0123, "12.3 ms"), (2.5, "2.5 s"), (4321.0, "4,321 s")],
)
def test_times_have_the_unit_in_which_they_are_read_best(seconds, text):
    assert readable(seconds) == text
