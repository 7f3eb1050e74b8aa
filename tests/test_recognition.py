"""Knowing a schema again, for schemas of no framework."""

import gc
import subprocess
import sys
import weakref

import pytest

from fastschema import recognition
from fastschema.facts import Facts
from fastschema.look import Look
from fastschema.program import Program
from fastschema.recognition import Recognizer
from fastschema.writes import writes
from tests.nodes import field, node

MISSING = object()


@pytest.fixture(autouse=True)
def _no_garbage_is_collected():
    """Whenever that is done, what is kept is let go."""
    gc.disable()
    yield
    gc.enable()


class Field:
    key = "key"
    default = MISSING
    words = ("a",)

    def write(self):
        return "written"


class OtherField(Field):
    pass


class Schema:
    def __init__(self, *fields):
        self.named = dict(enumerate(fields))

    @property
    def fields(self):
        return [*self.named.values()]


def describe(schema, facts):
    """Look at all fields, as a front end does."""
    for index, each in enumerate(schema.fields):
        look = Look(each, f"field_{index}", facts)
        look.get("key")
        look.method("write")
        look.on_class("default")
        look.note("('a' in {it}.words)", "a" in each.words)
        look.matches("{it}.words[0]", each.words[0])


def learn(recognizer, schema, description, times=2):
    """Describe a schema to a recognizer so often, and return its program."""
    program = Program(node(field("a")))
    for _ in range(times):
        facts = recognizer.facts(schema)
        description(schema, facts)
        recognizer.learn(schema, schema.fields, facts, program)
    return program


def learnt(schema, times=2):
    """A recognizer to which a schema was described so often, and its program."""
    recognizer = Recognizer(MISSING)
    return recognizer, learn(recognizer, schema, describe, times)


def test_a_schema_is_unknown_at_first():
    schema = Schema(Field())

    assert learnt(schema, times=0)[0].recognize(schema, schema.fields) is None


def test_a_schema_that_was_described_twice_is_known_again():
    schema = Schema(Field(), OtherField())
    recognizer, program = learnt(schema)

    assert recognizer.recognize(schema, schema.fields) is program


def test_another_schema_of_the_class_that_reads_alike_is_known():
    recognizer, program = learnt(Schema(Field()))
    other = Schema(Field())

    assert recognizer.recognize(other, other.fields) is program


def test_a_schema_of_another_class_is_not_known():
    class OtherSchema(Schema):
        pass

    recognizer, _ = learnt(Schema(Field()))
    other = OtherSchema(Field())

    assert recognizer.recognize(other, other.fields) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: setattr(schema.fields[0], "key", "other"),
        lambda schema: setattr(schema.fields[0], "key", None),
        lambda schema: setattr(schema.fields[0], "write", lambda: "own"),
        lambda schema: setattr(schema.fields[0], "words", ("b", "a")),
        lambda schema: setattr(schema.fields[0], "words", ()),
        lambda schema: setattr(schema.fields[0], "__class__", OtherField),
        lambda schema: schema.named.update(more=Field()),
        lambda schema: schema.named.clear(),
        lambda schema: schema.named.__setitem__(0, OtherField()),
    ],
)
def test_a_schema_that_was_changed_is_not_known(change):
    schema = Schema(Field())
    recognizer, _ = learnt(schema)

    change(schema)

    assert recognizer.recognize(schema, schema.fields) is None


@pytest.mark.parametrize("name", ["write", "default", "key"])
def test_a_schema_whose_field_class_was_changed_is_not_known(monkeypatch, name):
    schema = Schema(Field())
    recognizer, _ = learnt(schema)

    monkeypatch.setattr(Field, name, "other")

    assert recognizer.recognize(schema, schema.fields) is None


def test_a_change_that_is_taken_back_is_forgotten():
    schema = Schema(Field())
    recognizer, program = learnt(schema)
    schema.fields[0].key = "other"
    assert recognizer.recognize(schema, schema.fields) is None

    del schema.fields[0].key

    assert recognizer.recognize(schema, schema.fields) is program


def test_several_ways_to_read_one_class_are_known():
    recognizer = Recognizer(MISSING)
    programs = {}
    for key in ("a", "b", "a", "b"):
        schema = Schema(Field())
        schema.fields[0].key = key
        facts = recognizer.facts(schema)
        describe(schema, facts)
        program = programs.setdefault(key, Program(node(field(key))))
        recognizer.learn(schema, schema.fields, facts, program)

    for key, program in programs.items():
        schema = Schema(Field())
        schema.fields[0].key = key
        assert recognizer.recognize(schema, schema.fields) is program


def test_classes_die_after_they_were_learnt():
    class ShortField(Field):
        pass

    class ShortSchema(Schema):
        pass

    died = weakref.ref(ShortSchema), weakref.ref(ShortField)
    schema = ShortSchema(ShortField())
    recognizer, _ = learnt(schema)
    assert recognizer.recognize(schema, schema.fields) is not None
    del schema, ShortField, ShortSchema
    gc.collect()

    assert [each() for each in died] == [None, None]


class Watched(Field):
    """A field that tells of writes to it."""

    def __init__(self):
        self.key = "key"
        self.items = []

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        tell(self)

    def __delattr__(self, name):
        super().__delattr__(name)
        tell(self)


def tell(target):
    if id(target) in writes.watched:
        writes.watched = set()


def describe_watched(schema, facts):
    for index, each in enumerate(schema.fields):
        look = Look(each, f"field_{index}", facts)
        look.get("key")
        look.method("write")
        look.is_empty("items")


@pytest.fixture
def recognizer():
    """A recognizer that knows schemas of watched fields."""
    found = Recognizer(MISSING, "named", Watched)
    writes.begin(Watched.__setattr__, Watched.__delattr__)
    learn(found, Schema(Watched()), describe_watched)
    yield found
    writes.end()
    Recognizer.let_go()


def kept(recognizer, schema):
    """A schema that was recognized until it was kept."""
    for _ in range(2):
        assert recognizer.kept(schema) is None
        assert recognizer.recognize(schema, schema.fields) is not None
    assert recognizer.kept(schema) is not None
    return schema


def test_a_schema_that_is_recognized_twice_is_kept(recognizer):
    schema = kept(recognizer, Schema(Watched()))

    assert recognizer.kept(schema).program is recognizer.recognize(schema, schema.fields)
    assert recognizer.kept(Schema(schema.fields[0])) is None


def test_new_schemas_at_the_place_of_old_ones_are_not_kept(recognizer):
    for _ in range(50):
        schema = Schema(Watched())
        assert recognizer.recognize(schema, schema.fields) is not None
        assert recognizer.kept(schema) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: setattr(schema.fields[0], "key", "other"),
        lambda schema: setattr(schema.fields[0], "unknown", "other"),
        lambda schema: setattr(schema.fields[0], "__class__", Field),
        lambda schema: setattr(schema.fields[0], "__dict__", {"key": "other"}),
        lambda schema: delattr(schema.fields[0], "key"),
        lambda schema: schema.fields[0].items.append(1),
        lambda schema: schema.named.update(more=Watched()),
        lambda schema: schema.named.clear(),
        lambda schema: schema.named.__setitem__(0, Watched()),
    ],
)
def test_a_schema_that_was_changed_is_not_kept(recognizer, change):
    schema = kept(recognizer, Schema(Watched()))

    change(schema)

    assert recognizer.kept(schema) is None


def test_a_kept_schema_is_not_recognized_by_fields_that_it_had_before(recognizer):
    schema = kept(recognizer, Schema(Watched()))

    assert recognizer.recognize(schema, [Field()]) is None
    assert recognizer.kept(schema).reads_as(recognizer.kept(schema).program, schema.fields)
    assert not recognizer.kept(schema).reads_as(recognizer.kept(schema).program, [Watched()])
    assert not recognizer.kept(schema).reads_as(None, schema.fields)


def test_a_schema_whose_field_class_was_changed_is_not_kept(recognizer, monkeypatch):
    schema = kept(recognizer, Schema(Watched()))

    monkeypatch.setattr(Watched, "write", lambda self: "other")

    assert recognizer.kept(schema) is None


def test_after_a_change_that_does_not_matter_a_schema_is_kept_again(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    schema.fields[0].unknown = "other"

    assert recognizer.recognize(schema, schema.fields) is not None
    assert recognizer.kept(schema) is not None


def test_a_schema_that_is_written_to_again_and_again_is_kept_ever_more_seldom(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    is_kept = []
    for _ in range(31):
        schema.fields[0].unknown = "other"
        assert recognizer.recognize(schema, schema.fields) is not None
        is_kept.append(recognizer.kept(schema) is not None)

    assert [number for number, each in enumerate(is_kept, 1) if each] == [1, 4, 9, 18]


def test_it_is_never_long_until_a_schema_is_kept_again(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    for _ in range(300):
        schema.fields[0].unknown = "other"
        recognizer.recognize(schema, schema.fields)
    for _ in range(33):
        recognizer.recognize(schema, schema.fields)

    assert recognizer.kept(schema) is not None


def test_a_schema_that_cannot_be_kept_is_not_looked_at_each_time(recognizer, monkeypatch):
    looks = []
    monkeypatch.setattr(writes.__class__, "are_noticed", lambda self, targets: looks.append(1))
    schema = Schema(Watched())
    for _ in range(100):
        recognizer.recognize(schema, schema.fields)

    assert 0 < len(looks) < 10


def test_a_write_by_another_thread_while_schemas_are_let_go_is_seen(recognizer, monkeypatch):
    schema = kept(recognizer, Schema(Watched()))
    seen = []

    class Paused(list):
        def __iter__(self):
            schema.fields[0].key = "other"
            seen.append(recognizer.kept(schema))
            return super().__iter__()

    monkeypatch.setattr(Recognizer, "_all", Paused(Recognizer._all))
    Recognizer.let_go()

    assert seen == [None]


def test_writes_to_fields_of_no_kept_schema_do_not_matter(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    Watched().key = "other"

    assert recognizer.kept(schema) is not None


def test_a_schema_whose_fields_do_not_tell_of_writes_is_not_kept(recognizer):
    class Silent(Watched):
        def __setattr__(self, name, value):
            object.__setattr__(self, name, value)

    schema = Schema(Silent())
    learn(recognizer, schema, describe_watched)
    for _ in range(3):
        assert recognizer.recognize(schema, schema.fields) is not None

    assert recognizer.kept(schema) is None


def test_while_writes_are_not_noticed_no_schema_is_kept(recognizer):
    writes.end()
    schema = Schema(Watched())
    for _ in range(3):
        recognizer.recognize(schema, schema.fields)

    assert recognizer.kept(schema) is None


def test_a_write_before_a_schema_is_watched_is_seen(recognizer, monkeypatch):
    """As another thread may write between recognizing and watching."""
    schema = Schema(Watched())
    recognizer.recognize(schema, schema.fields)
    watched = Facts.watched

    def write_first(self, fields):
        fields[0].key = "other"
        return watched(self, fields)

    monkeypatch.setattr(Facts, "watched", write_first)
    recognizer.recognize(schema, schema.fields)

    assert recognizer.kept(schema) is None


def test_what_is_kept_is_let_go_when_garbage_is_collected(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    schema.fields[0].parent = schema
    died = weakref.ref(schema)
    del schema

    gc.collect()

    assert died() is None


def use(recognizer, schema, times=1):
    """Use a schema as often as that; whether it was kept before each use."""
    found = []
    for _ in range(times):
        found.append(recognizer.kept(schema) is not None)
        if not found[-1]:
            recognizer.recognize(schema, schema.fields)
    return found


def test_a_schema_that_is_in_use_stays_kept_while_younger_garbage_is_collected(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    for _ in range(20):
        assert use(recognizer, schema, 2) == [True, True]
        gc.collect(1)


def test_a_schema_that_was_of_use_may_be_idle_for_a_while(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    use(recognizer, schema, 20)
    for _ in range(6):
        gc.collect(1)
    assert use(recognizer, schema) == [True]

    for _ in range(20):
        gc.collect(1)
    assert use(recognizer, schema) == [False]


def test_a_schema_of_little_use_dies_with_the_younger_garbage(recognizer):
    gc.collect()
    schema = kept(recognizer, Schema(Watched()))
    schema.fields[0].parent = schema
    died = weakref.ref(schema)
    del schema

    gc.collect(1)

    assert died() is None


def test_a_write_is_seen_after_other_schemas_were_let_go(recognizer):
    used, idle = kept(recognizer, Schema(Watched())), kept(recognizer, Schema(Watched()))
    use(recognizer, used, 3)
    gc.collect(1)
    assert recognizer.kept(idle) is None
    assert recognizer.kept(used) is not None

    used.fields[0].key = "other"

    assert recognizer.kept(used) is None


def test_a_schema_that_was_of_little_use_is_kept_later_the_next_time(recognizer):
    schema = kept(recognizer, Schema(Watched()))
    uses_until_kept = []
    for uses in (0, 0, 0, 20, 0):
        use(recognizer, schema, uses)
        gc.collect()
        found = use(recognizer, schema, 40)
        uses_until_kept.append(found.index(True))
        # Again as if it had just been kept.
        recognizer.all_kept[id(schema)].usage.gains = 0

    assert uses_until_kept == [3, 5, 9, 2, 3]


def test_a_schema_that_is_used_now_and_then_is_not_kept(recognizer):
    schema = Schema(Watched())
    for _ in range(20):
        assert use(recognizer, schema) == [False]
        for _ in range(20):
            gc.collect(1)


def test_so_many_watched_fields_are_let_go(recognizer, monkeypatch):
    schema = kept(recognizer, Schema(Watched()))
    use(recognizer, schema, 3)
    monkeypatch.setattr(recognition, "_MOST_WATCHED", 0)

    gc.collect(1)

    assert recognizer.kept(schema) is None
    assert writes.watched == set()


def test_nothing_is_told_of_garbage_before_a_schema_is_kept():
    """So that importing fastschema changes nothing for programs that do not install it."""
    code = "import gc, fastschema.recognition; assert gc.callbacks == []"

    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_so_many_schemas_are_kept(recognizer, monkeypatch):
    monkeypatch.setattr(recognition, "_MOST_KEPT", 3)
    schemas = [kept(recognizer, Schema(Watched())) for _ in range(4)]

    assert [recognizer.kept(schema) is not None for schema in schemas] == [False] * 3 + [True]
