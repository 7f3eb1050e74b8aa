"""The picture of a profile."""

from xml.etree import ElementTree

import pytest

from fastschema.doctor.profiling import FieldTime, Profile
from tests.parts.doctor.test_profiling import PROFILE

SVG = "{http://www.w3.org/2000/svg}"


def bars(profile):
    """The rectangles of each line, as (class, left, width), by the label of the line."""
    found = {}
    for group in ElementTree.fromstring(profile.svg()).iter(f"{SVG}g"):
        label = group.find(f"{SVG}text").text
        rectangles = [each.attrib for each in group.iter(f"{SVG}rect")]
        found[label] = [
            (each["class"], float(each["x"]), float(each["width"])) for each in rectangles
        ]
    return found


def test_generated_code_and_code_of_users_have_two_colours():
    classes = {label: [name for name, *_ in parts] for label, parts in bars(PROFILE).items()}

    assert classes["title"] == ["generated"]
    assert classes["artist"] == ["generated", "user"]
    assert classes["odd"] == ["user"]
    assert classes["(between fields)"] == ["rest"]


def test_fields_follow_each_other_and_nested_ones_lie_within_their_holder():
    found = bars(PROFILE)
    (_, artist, generated), (_, _, user) = found["artist"]
    (_, name, _), (_, born, born_width) = found["artist.name"][0], found["artist.born"][0]

    assert name == artist
    assert name < born < born + born_width < artist + generated + user
    assert found["odd"][0][1] == pytest.approx(artist + generated + user, abs=0.02)


def test_the_picture_needs_nothing_else():
    text = PROFILE.svg()

    assert "href" not in text
    assert text.count("http") == 1  # the name of SVG itself


@pytest.mark.parametrize("key", ["<b>&", '"quoted"', "a\\'b"])
def test_keys_are_text_whatever_they_contain(key):
    field = FieldTime(key, key, compiled=False, seconds=1.0, user_seconds=1.0, why="<&>")

    assert list(bars(Profile(key, 1, 1.0, [field]))) == [key]


def test_a_long_key_is_shortened_at_its_beginning():
    field = FieldTime("a" * 99 + ".name", "", compiled=True, seconds=1.0, user_seconds=0.0)
    (label,) = bars(Profile("Long", 1, 1.0, [field]))

    assert len(label) == 40
    assert label.startswith("…a")
    assert label.endswith("a.name")


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 3e-6, 0.7, 5000.0])
def test_any_time_makes_a_picture(seconds):
    assert ElementTree.fromstring(Profile("Empty", 0, seconds, []).svg()).tag == f"{SVG}svg"
