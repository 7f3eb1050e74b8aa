"""Serializers whose fields no code has looked at yet: whenever it does, all is as in stock."""

import copy
import functools
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from rest_framework import serializers

import fastschema
from tests.promises.django.differential import (
    Thing,
    assert_as_in_stock,
    assert_same,
    exactly,
    serializer_of,
)

CALLS = []


class Loud(serializers.CharField):
    def to_representation(self, value):
        CALLS.append((self.field_name, type(self.parent).__name__, self.context.get("user"), value))
        self.seen = [*getattr(self, "seen", ()), value]
        return super().to_representation(value).upper()


class Inner(serializers.Serializer):
    number = serializers.IntegerField()
    loud = Loud()


class Outer(serializers.Serializer):
    first = serializers.IntegerField()
    loud = Loud()
    inner = Inner()
    many = Inner(many=True)
    last = serializers.CharField()


ROWS = [
    {
        "first": number,
        "loud": f"a{number}",
        "inner": {"number": 1, "loud": "b"},
        "many": [{"number": 2, "loud": "c"}, {"number": 3, "loud": "d"}],
        "last": "e",
    }
    for number in range(3)
]


def test_a_field_may_look_at_the_others_in_the_midst_of_a_dump():
    class Looking(serializers.CharField):
        def to_representation(self, value):
            CALLS.append(list(self.parent.fields))
            CALLS.append(self.parent.fields["looking"] is self)
            self.parent.fields["after"].label = "seen"
            return value

    class Rows(serializers.Serializer):
        before = serializers.CharField()
        looking = Looking()
        after = Loud()

    def ask():
        serializer = Rows({"before": "a", "looking": "b", "after": "c"})
        return serializer.data, serializer.fields["after"].label, serializer.fields["after"].seen

    assert_as_in_stock(ask, CALLS)


@pytest.mark.at_once
def test_a_field_that_is_gone_when_its_turn_comes():
    class Rows(serializers.Serializer):
        before = serializers.SerializerMethodField()
        after = Loud()

        def get_before(self, obj):
            self.fields.pop("after")
            return 1

    serializer = Rows({"after": "x"})
    with pytest.raises(RuntimeError, match="'after' was removed"):
        _ = serializer.data


def new_classes():
    """Classes that were never used: one that is plain, and two that decide on their fields."""

    class Plain(Outer):
        pass

    class Popping(Outer):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self.fields.pop("first", None)

    class Getting(Outer):
        def get_fields(self):
            fields = super().get_fields()
            fields["copied"] = serializers.IntegerField(source="first")
            return fields

    return Plain, Popping, Getting


@pytest.mark.at_once
def test_fewer_fields_have_a_program_of_their_own():
    cls = serializer_of(**{name: serializers.CharField() for name in "abcdefgh"})
    row = dict.fromkeys("abcdefgh", 1)
    for names in ("abcdefg", "abcdef", "hgfedcba", "abcdefg"):
        serializer = cls([row] * 2, many=True)
        for name in set(serializer.child.fields) - set(names):
            serializer.child.fields.pop(name)
        before = fastschema.stats().compiled_rows
        assert serializer.data == [{name: "1" for name in row if name in names}] * 2
        assert fastschema.stats().compiled_rows == before + 2


def test_classes_that_need_a_request():
    class Rows(serializers.Serializer):
        a = serializers.CharField()
        b = serializers.CharField()

        def get_fields(self):
            fields = super().get_fields()
            if self.context["request"].is_small:
                fields.pop("b")
            return fields

    for _ in range(3):
        for is_small in (True, False):
            context = {"request": Thing(is_small=is_small)}
            assert_same(Rows, {"a": 1, "b": 2}, context=context)
        assert isinstance(assert_same(Rows, {"a": 1, "b": 2}), KeyError)
    why = fastschema.compile(Rows).explain().why
    assert why == "its fields cannot be made here: KeyError: 'request'"


def test_sixteen_threads_that_use_a_class_for_the_first_time():
    for cls in new_classes():
        with fastschema.disabled():
            expected = exactly(cls(ROWS[0], context={"user": 1}).data)
            names = list(cls(ROWS[0]).fields)
        barrier = threading.Barrier(16)

        def ask(thread, cls=cls, barrier=barrier):
            serializer = cls(ROWS[0], context={"user": 1})
            barrier.wait()
            if thread % 3 == 0:
                _ = serializer.fields
            return exactly(serializer.data), list(serializer.fields)

        with ThreadPoolExecutor(16) as threads:
            assert list(threads.map(ask, range(16))) == [(expected, names)] * 16


def test_threads_that_share_a_pending_serializer():
    for _ in range(10):
        serializer = Outer(context={"user": 1})
        barrier = threading.Barrier(8)

        def ask(thread, serializer=serializer, barrier=barrier):
            barrier.wait()
            if thread % 2:
                return exactly(serializer.to_representation(ROWS[0]))
            _ = serializer.fields["first"].label
            return exactly(serializer.to_representation(ROWS[0]))

        with fastschema.disabled():
            expected = exactly(Outer(context={"user": 1}).to_representation(ROWS[0]))
        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(ask, range(8))) == [expected] * 8


@pytest.mark.parametrize("many", [False, True])
def test_nothing_of_a_request_stays_with_the_class(many):
    kept = []
    for number in range(6):
        user = Thing()
        serializer = Outer(ROWS if many else ROWS[0], many=many, context={"user": user})
        if number % 2:
            fields = (serializer.child if many else serializer).fields
            fields["last"].default = user
            fields.pop("first")
        assert serializer.data
        CALLS.clear()
        kept += [weakref.ref(user), weakref.ref(serializer)]
        del user, serializer
        fields = None
        gc.collect()
        assert [reference() for reference in kept] == [None] * len(kept)


def test_a_shallow_copy_has_fields_of_its_own():
    serializer = Outer(ROWS[0])
    assert serializer.data["loud"] == "A0"
    copied = copy.copy(serializer)
    for name, field in copied.fields.items():
        assert field.parent is copied
        assert serializer.fields[name].parent is serializer


class Asked:
    """A value that only the field's own method can represent; it runs code meanwhile."""

    def __init__(self, answer):
        self._answer = answer

    def __str__(self):
        return self._answer()


class TestOneAfterTheOther:
    class Plain(serializers.Serializer):
        number = serializers.IntegerField()
        text = serializers.CharField()
        at = serializers.DateTimeField(required=False)

    def test_a_value_that_represents_by_the_same_class(self):
        def inner():
            return str(self.Plain(Thing(number=2, text="inner")).data)

        assert_same(self.Plain, Thing(number=1, text=Asked(inner)))

    def test_odd_values_are_represented_by_fields_of_their_own_serializer(self):
        seen = []
        for user in ("ann", "bob"):
            serializer = self.Plain(context={"user": user})
            answer = functools.partial(lambda made: made.fields["text"].context["user"], serializer)
            seen.append(serializer.to_representation(Thing(number=1, text=Asked(answer)))["text"])
        assert seen == ["ann", "bob"]
