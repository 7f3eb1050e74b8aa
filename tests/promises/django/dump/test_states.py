"""Serializers that represent row by row: what changes between two rows is seen."""

import copy
import datetime
import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from rest_framework import serializers

import fastschema
from tests.instruments.core import thresholds
from tests.promises.django.differential import Thing


class Plain(serializers.Serializer):
    name = serializers.CharField()
    at = serializers.DateTimeField()


AT = datetime.datetime(2020, 1, 2, tzinfo=datetime.UTC)
ROW = Thing(name="n", at=AT)


class FromContext(serializers.Serializer):
    key = serializers.SerializerMethodField()

    def get_key(self, obj):
        return self.context.get("key")


def test_a_copy_whose_fields_belong_to_another_serializer_asks_that_one():
    original = FromContext(context={"key": "original"})
    assert original.fields
    copied = copy.copy(original)
    copied._context = {"key": "copied"}
    for _ in range(3):
        assert copied.to_representation(ROW) == {"key": "original"}


def test_rows_of_threads_are_in_the_time_zones_of_those():
    shared = Plain()
    assert shared.fields
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def rows_in(name):
        with timezone.override(ZoneInfo(name)):
            return {shared.to_representation(ROW)["at"] for _ in range(300)}

    zones = {
        "Europe/Berlin": "2020-01-02T01:00:00+01:00",
        "Asia/Tokyo": "2020-01-02T09:00:00+09:00",
        "UTC": "2020-01-02T00:00:00Z",
    }
    try:
        with ThreadPoolExecutor(8) as threads:
            for results in threads.map(lambda _: {name: rows_in(name) for name in zones}, range(8)):
                assert results == {name: {text} for name, text in zones.items()}
    finally:
        sys.setswitchinterval(interval)


def test_time_zones_that_differ_by_name_only_are_told_apart():
    class Named(serializers.Serializer):
        at = serializers.DateTimeField(format="%H %Z")

    row = Thing(at=datetime.datetime(2024, 1, 1, 12, tzinfo=datetime.UTC))
    serializer = Named()
    assert serializer.fields
    shown = []
    for name in "ABC":
        with timezone.override(datetime.timezone(datetime.timedelta(hours=1), name)):
            shown.append(serializer.to_representation(row)["at"])
    assert shown == ["13 A", "13 B", "13 C"]


def test_fields_that_are_made_while_another_attribute_goes_are_seen():
    class Swapping(serializers.Serializer):
        number = serializers.CharField()

        def to_representation(self, instance):
            if hasattr(self, "before") and instance.swaps:
                del self.before
                self.fields["number"] = serializers.IntegerField()
            return super().to_representation(instance)

    def represented():
        serializer = Swapping()
        serializer.before = True
        return [serializer.to_representation(Thing(number=5, swaps=n > 2)) for n in range(6)]

    with fastschema.disabled():
        expected = represented()
    assert represented() == represented() == expected


def test_only_a_few_classes_of_rows_are_kept_alive():
    serializer = Plain()
    classes = []
    for _ in range(50):
        cls = type("Row", (), {"name": "n", "at": AT})
        classes.append(weakref.ref(cls))
        serializer.to_representation(cls())
    del cls
    gc.collect()
    assert sum(reference() is not None for reference in classes) < 10


@pytest.mark.at_once
def test_a_class_is_compiled_once_it_has_represented_enough_objects(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 5)
    monkeypatch.setattr(thresholds, "rows_worth_reading_at_once", 300)
    known = type("Known", (Plain,), {})
    shared = known()
    for make in (lambda: shared, known):
        compiled = []
        for _ in range(7):
            before = fastschema.stats().compiled_rows
            make().to_representation(ROW)
            compiled.append(fastschema.stats().compiled_rows - before)
        # Making fields counts, too.
        assert compiled == ([0] * 3 + [1] * 4 if make() is shared else [1] * 7)


@pytest.mark.usefixtures("users_thresholds")
def test_a_serializer_that_has_made_its_fields_represents_short_lists_as_stock():
    class Used(Plain):
        pass

    for _ in range(2):
        Used([ROW] * 12, many=True).data  # noqa: B018  # it represents
    for count in (1, 9, 10, 11):
        many = Used(many=True)
        assert many.child.fields
        before = fastschema.stats().compiled_rows
        assert len(many.to_representation([ROW] * count)) == count
        assert fastschema.stats().compiled_rows == before + (count if count >= 10 else 0)


@pytest.mark.at_once
def test_rows_that_each_depend_on_another_request_stay_compiled():
    class WithFile(serializers.Serializer):
        image = serializers.FileField()

    serializer = WithFile(context={"request": None})
    row = Thing(image=Thing(url="/a"))
    serializer.to_representation(row)
    before = fastschema.stats().compiled_rows
    for host in ("a", "b"):
        request = Thing(build_absolute_uri=lambda url, host=host: f"http://{host}{url}")
        serializer.context["request"] = request
        assert serializer.to_representation(row) == {"image": f"http://{host}/a"}
    assert fastschema.stats().compiled_rows == before + 2


def test_each_row_of_a_generator_counts_once(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 5)
    monkeypatch.setattr(thresholds, "rows_worth_reading_at_once", 300)
    known = type("Known", (Plain,), {})
    before = fastschema.stats().compiled_rows
    assert len(known(many=True).to_representation(ROW for _ in range(7))) == 7
    # So does making the fields.
    assert fastschema.stats().compiled_rows == before + 4
