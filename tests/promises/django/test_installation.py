"""Installing and removing fastschema, switching it off, and counting what it did."""

import copy
import gc
import threading
import weakref
from contextlib import nullcontext

import pytest
from rest_framework import serializers

import fastschema
from fastschema.contrib import django as front_end
from tests.promises.django.differential import assert_same, serializer_of


class Defined(serializers.Serializer):
    a = serializers.CharField()


@pytest.fixture
def rows():
    """Count the rows dumped since the test began: by generated code, and by stock."""
    before = fastschema.stats()

    def count():
        now = fastschema.stats()
        return now.compiled_rows - before.compiled_rows, now.stock_rows - before.stock_rows

    return count


@pytest.fixture
def removed():
    """Fastschema as if it had not been installed, inside the test."""
    front_end.uninstall()
    yield
    front_end.install()


class TestInstall:
    def test_installing_twice_does_nothing_more(self, removed):
        stock = serializers.Serializer.to_representation
        front_end.install()
        installed = serializers.Serializer.to_representation
        front_end.install()
        assert serializers.Serializer.to_representation is installed is not stock
        front_end.uninstall()
        assert serializers.Serializer.to_representation is stock

    def test_removing_gives_the_methods_of_rest_framework_back(self, removed):
        for cls in (serializers.Serializer, serializers.ListSerializer):
            assert cls.to_representation.__module__ == "rest_framework.serializers"
            assert cls.to_representation.__qualname__ == f"{cls.__name__}.to_representation"

    def test_without_it_nothing_is_compiled(self, removed, rows):
        assert Defined({"a": 1}).data == {"a": "1"}
        assert Defined([{"a": 1}], many=True).data == [{"a": "1"}]
        assert rows() == (0, 0)

    @pytest.mark.at_once
    def test_with_it_everything_is_compiled(self, rows):
        assert Defined({"a": 1}).data == {"a": "1"}
        assert Defined([{"a": 1}] * 3, many=True).data == [{"a": "1"}] * 3
        assert serializer_of(b=serializers.CharField())({"b": 1}).data == {"b": "1"}
        assert rows() == (5, 0)

    def test_a_plan_works_without_installing(self, removed, rows):
        plan = fastschema.compile(Defined)
        assert plan.dump({"a": 1}) == {"a": "1"}
        assert plan.dump([{"a": 1}], many=True) == [{"a": "1"}]
        assert plan.dumps([{"a": 1}], many=True) == b'[{"a":"1"}]'
        assert rows() == (3, 0)


class TestSwitch:
    def test_it_serves_stock(self, rows):
        with fastschema.disabled():
            assert Defined({"a": 1}).data == {"a": "1"}
            assert Defined([{"a": 1}], many=True).data == [{"a": "1"}]
        assert rows() == (0, 2)

    def test_a_plan_serves_stock_too(self, rows):
        plan = fastschema.compile(Defined)
        with fastschema.disabled():
            assert plan.dump({"a": 1}) == {"a": "1"}
            assert plan.dumps({"a": "é"}) == '{"a":"é"}'.encode()
            assert b"".join(plan.stream([{"a": 1}, {"a": 2}])) == b'[{"a":"1"},{"a":"2"}]'
        assert rows()[0] == 0

    @pytest.mark.at_once
    def test_it_ends(self, rows):
        with pytest.raises(KeyError), fastschema.disabled():
            _ = Defined({}).data
        _ = Defined({"a": 1}).data
        assert rows()[0] == 1

    @pytest.mark.at_once
    def test_other_threads_are_not_concerned(self, rows):
        thread = threading.Thread(target=lambda: Defined({"a": 1}).data)
        with fastschema.disabled():
            thread.start()
            thread.join()
        assert rows() == (1, 0)

    @pytest.mark.at_once
    def test_the_methods_of_fields_see_it_too(self):
        seen = []

        class Method(serializers.Serializer):
            a = serializers.SerializerMethodField()

            def get_a(self, obj):
                before = fastschema.stats()
                _ = Defined({"a": 1}).data
                seen.append(fastschema.stats().compiled_rows - before.compiled_rows)

        with fastschema.disabled():
            _ = Method({}).data
        _ = Method({}).data
        assert seen == [0, 1]


class TestStatistics:
    @pytest.mark.at_once
    def test_equal_serializers_share_a_plan(self):
        before = fastschema.stats()
        for _ in range(5):
            serializer = serializer_of(shared_by_equal_serializers=serializers.CharField())
            _ = serializer({"shared_by_equal_serializers": 1}).data
        after = fastschema.stats()
        assert (after.programs - before.programs, after.cache_hits - before.cache_hits) == (1, 4)

    @pytest.mark.at_once
    def test_fields_are_counted(self):
        class Own(serializers.CharField):
            def to_representation(self, value):
                return "own"

        before = fastschema.stats()
        _ = serializer_of(a=Own(), b=serializers.CharField())(
            [{"a": 1, "b": 2}] * 4, many=True
        ).data
        after = fastschema.stats()
        assert after.compiled_fields - before.compiled_fields == 4
        assert after.stock_fields - before.stock_fields == 4

    @pytest.mark.parametrize("is_off", [False, True])
    @pytest.mark.parametrize("outer", ["compiled", "calls super", "uncompiled"])
    def test_nested_objects_belong_to_their_row(self, each_thresholds, is_off, outer):
        def calls_super(self, instance):
            return serializers.Serializer.to_representation(self, instance)

        inner = {"a": serializers.CharField()}
        own = serializer_of(**inner, to_representation=calls_super)
        content = {
            "compiled": {},
            "calls super": {"to_representation": calls_super},
            "uncompiled": {"_readable_fields": property(lambda self: self.fields.values())},
        }[outer]
        cls = serializer_of(
            one=serializer_of(**inner)(),
            many=serializer_of(**inner)(many=True),
            own=own(),
            many_own=own(many=True),
            **content,
        )
        row = {"one": {"a": 1}, "many": [{"a": 1}] * 2, "own": {"a": 1}, "many_own": [{"a": 1}]}

        def total(call):
            before = fastschema.stats()
            call()
            after = fastschema.stats()
            stock = after.stock_rows - before.stock_rows
            return after.compiled_rows - before.compiled_rows + stock

        with fastschema.disabled() if is_off else nullcontext():
            assert total(lambda: cls([row] * 60, many=True).data) == 60
            assert total(lambda: [cls(row).data for _ in range(60)]) == 60


def test_throw_away_serializers_do_not_live_on():
    def throw_away(number):
        serializer = serializer_of(**{f"field_{number}": serializers.CharField()})
        assert_same(serializer, {f"field_{number}": 1})
        return weakref.ref(serializer)

    references = [throw_away(number) for number in range(20)]
    gc.collect()
    assert [reference() for reference in references] == [None] * 20


def test_throw_away_objects_do_not_live_on():
    class Row:
        a = 1

    row = Row()
    serializer = Defined(row)
    assert serializer.data == {"a": "1"}
    references = [weakref.ref(serializer), weakref.ref(row)]
    del serializer, row
    gc.collect()
    assert [reference() for reference in references] == [None, None]


@pytest.mark.parametrize("before", ["nothing", "a copy", "forget"])
def test_a_serializer_that_users_hold_keeps_its_fields(before):
    class Inner(serializers.Serializer):
        name = serializers.CharField()
        secret = serializers.CharField()

    class Outer(Inner):
        inner = Inner()

    serializer, row = Outer(), {"name": "a", "secret": "s", "inner": {"name": "b", "secret": "t"}}
    for fields in (serializer.fields, serializer.fields["inner"].fields):
        del fields["secret"]
    shown = [serializer.to_representation(row) for _ in range(4)]
    if before == "a copy":
        serializer = copy.copy(serializer)
    elif before == "forget":
        fastschema.forget(serializer)
    front_end.uninstall()
    try:
        assert serializer.to_representation(row) == shown[0]
    finally:
        front_end.install()
