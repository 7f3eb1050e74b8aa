"""Plan.profile, as far as it is the same for every framework, by marshmallow schemas."""

import datetime
import gc
import subprocess
import sys
import uuid
from types import SimpleNamespace

import pytest
from marshmallow import Schema, fields, post_dump, pre_dump

import fastschema
from fastschema.doctor import profile_run
from fastschema.runtime import switch

ROWS = 50


class Text(fields.Field):
    """A field of its own."""

    def _serialize(self, value, attr, obj, **kwargs):
        return obj.called(f"serialize {attr}") or str(value)


class ArtistSchema(Schema):
    name = fields.String()
    born = fields.Date()


class AlbumSchema(Schema):
    title = fields.String()
    length = fields.Integer(attribute="minutes")
    artist = fields.Nested(ArtistSchema)
    guests = fields.Nested(ArtistSchema, many=True)
    friends = fields.List(fields.Nested(ArtistSchema))
    text = Text()
    words = fields.Method("get_words")
    first = fields.Function(lambda album: album.called("function"))
    uid = fields.UUID()
    day = fields.Date()
    absent = fields.String()

    def get_words(self, album):
        return album.called("method")


KEYS = [
    "title", "length",
    "artist", "artist.name", "artist.born",
    "guests", "guests.name", "guests.born",
    "friends", "friends.name", "friends.born",
    "text", "words", "first", "uid", "day", "absent",
]  # fmt: skip


class Artist:
    def __init__(self, calls):
        self.calls = calls
        self.born = datetime.date(1990, 1, 2)

    @property
    def name(self):
        self.calls.append("property name")
        return "Ada"


class Album:
    def __init__(self, calls=None):
        self.calls = [] if calls is None else calls
        self.minutes = 42
        self.artist = Artist(self.calls)
        self.guests = [Artist(self.calls), Artist(self.calls)]
        self.friends = [Artist(self.calls)]
        self.text = 1
        self.uid = uuid.UUID(int=1)
        self.day = datetime.date(2020, 1, 2)

    def called(self, what):
        self.calls.append(what)

    @property
    def title(self):
        self.called("property title")
        return "Kind of Blue"


def albums(count=ROWS):
    return [Album() for _ in range(count)]


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a second whenever code of users runs, and costs nothing to read."""
    now = SimpleNamespace(seconds=0.0)

    def read():
        return now.seconds

    monkeypatch.setattr(profile_run, "clock", read)
    return now


class Ticking(Album):
    """An album whose code takes a second each time."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        for artist in (self.artist, *self.guests, *self.friends):
            artist.calls = SimpleNamespace(append=self.called)

    def called(self, what):
        self.clock.seconds += 1


def times(profile):
    return {field.key: field.seconds for field in profile if field.seconds}


def user_times(profile):
    return {field.key: field.user_seconds for field in profile if field.user_seconds}


def by_key(profile):
    return {field.key: field for field in profile}


def test_the_fields_are_in_output_order_with_nested_ones_after_their_holders():
    profile = fastschema.compile(AlbumSchema).profile(albums())

    assert [field.key for field in profile.fields] == KEYS
    assert [field.depth for field in profile.fields] == [key.count(".") for key in KEYS]


def test_code_of_users_is_called_as_often_as_in_one_dump_and_in_the_same_order():
    plan = fastschema.compile(AlbumSchema)
    calls, profiled = [], []
    plan.dump([Album(calls) for _ in range(3)], many=True)

    plan.profile([Album(profiled) for _ in range(3)])

    assert profiled == calls


def test_each_field_has_the_time_of_its_own_code(clock):
    profile = fastschema.compile(AlbumSchema).profile([Ticking(clock) for _ in range(3)])

    expected = {
        "title": 3.0,
        "artist": 3.0,
        "artist.name": 3.0,
        "guests": 6.0,
        "guests.name": 6.0,
        "friends": 3.0,
        "friends.name": 3.0,
        "text": 3.0,
        "words": 3.0,
        "first": 3.0,
    }
    assert times(profile) == user_times(profile) == expected
    assert profile.seconds == 24.0


def test_the_reasons_name_the_code_of_users():
    found = by_key(fastschema.compile(AlbumSchema).profile(albums(1)))

    whys = {key: field.why for key, field in found.items() if field.why}
    assert whys == {
        "title": "Album.title is a property",
        "artist.name": "Artist.name is a property",
        "guests.name": "Artist.name is a property",
        "friends.name": "Artist.name is a property",
        "text": "fastschema cannot compile Text._serialize",
        "words": "a method of the schema",
        "first": "a function",
    }
    assert [key for key, field in found.items() if not field.compiled] == ["text"]


def test_one_object_can_be_profiled():
    profile = fastschema.compile(AlbumSchema).profile(Album(), many=False)

    assert (profile.rows, [field.key for field in profile]) == (1, KEYS)


class TestHooks:
    """Schemas with code around their dumps."""

    def test_hooks_are_lines_of_their_own(self, clock):
        class Hooked(AlbumSchema):
            @pre_dump
            def strip(self, album, **kwargs):
                clock.seconds += 5
                return album

            @post_dump
            def wrap(self, data, **kwargs):
                clock.seconds += 7
                return data

        plan = fastschema.compile(Hooked(only=["title"]))
        profile = plan.profile([Ticking(clock), Ticking(clock)])

        lines = [(field.key, field.source, field.seconds) for field in profile]
        assert lines == [
            ("(pre_dump)", "strip", 10.0),
            ("title", "title", 2.0),
            ("(post_dump)", "wrap", 14.0),
        ]
        assert profile.seconds == 26.0

    def test_a_nested_schema_with_hooks_is_one_line(self, clock):
        class Inner(Schema):
            name = fields.String()

            @post_dump
            def wrap(self, data, **kwargs):
                clock.seconds += 1
                return data

        class Outer(Schema):
            inner = fields.Nested(Inner)

        profile = fastschema.compile(Outer).profile([{"inner": {"name": "a"}}])

        (line,) = profile
        assert (line.key, line.seconds, line.user_seconds) == ("inner", 1.0, 1.0)
        assert line.why == "code of yours runs around each dump of its schema"


class TestStock:
    """What generated code does not dump."""

    class Overridden(ArtistSchema):
        def dump(self, obj, **kwargs):
            return super().dump(obj, **kwargs)

    def test_a_schema_that_runs_as_stock_is_one_line(self):
        profile = fastschema.compile(self.Overridden).profile([{"name": "Ada"}] * 3)

        (line,) = profile
        assert (line.key, line.why) == ("Overridden", "your dump, and what it calls by super()")
        assert line.seconds == line.user_seconds == profile.seconds > 0
        assert (line.compiled, line.is_yours, profile.rows) == (False, True, 3)

    def test_a_nested_schema_that_runs_as_stock_says_why(self):
        class Outer(Schema):
            inner = fields.Nested(self.Overridden)
            several = fields.Nested(self.Overridden, many=True)

        row = {"inner": {"name": "a"}, "several": [{"name": "b"}]}
        profile = fastschema.compile(Outer).profile([row])

        lines = [(field.key, field.compiled, field.why) for field in profile]
        assert lines == [
            ("inner", False, "code of yours runs around each dump of its schema"),
            ("several", False, "code of yours runs around each dump of its schema"),
        ]

    def test_a_plucked_value_is_compiled_and_one_line(self):
        class Outer(Schema):
            name = fields.Pluck(ArtistSchema, "name")
            names = fields.Pluck(ArtistSchema, "name", many=True)

        row = {"name": {"name": "a"}, "names": [{"name": "b"}]}
        profile = fastschema.compile(Outer).profile([row])

        lines = [(field.key, field.compiled, field.user_seconds) for field in profile]
        assert lines == [("name", True, 0.0), ("names", True, 0.0)]

    def test_while_fastschema_is_disabled_everything_is(self):
        with switch.disabled():
            profile = fastschema.compile(ArtistSchema).profile([{"name": "Ada"}])

        assert [field.why for field in profile] == ["fastschema is disabled"]


class TestErrors:
    """Errors of users' code are those of a dump."""

    class Broken:
        @property
        def name(self):
            raise ValueError("no name")

    @pytest.mark.parametrize("rows", [[Broken()], [{"name": "Ada"}, Broken()]])
    def test_they_propagate(self, rows):
        with pytest.raises(ValueError, match="no name"):
            fastschema.compile(ArtistSchema).profile(rows)

    def test_the_garbage_collector_is_on_again_afterwards(self):
        with pytest.raises(ValueError, match="no name"):
            fastschema.compile(ArtistSchema).profile([self.Broken()])

        assert gc.isenabled()


class TestNothingLeftBehind:
    """Who does not ask pays nothing."""

    def test_the_usual_code_is_as_it_was(self):
        plan = fastschema.compile(AlbumSchema)
        before = plan.source()

        plan.profile(albums())

        assert plan.source() == before
        assert "clock" not in before
        assert "spent" not in before

    def test_nothing_of_it_is_imported_before_a_profile_is_asked_for(self):
        code = "import fastschema, sys; print('fastschema.doctor.profiling' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )

        assert done.stdout == "False\n"
