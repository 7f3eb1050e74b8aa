"""Forgetting again and again costs little: reading a serializer is paid for by rows each time."""

import pytest
from rest_framework import serializers

import fastschema
from fastschema.runtime.programs import programs


class Inner(serializers.Serializer):
    name = serializers.CharField()


class Outer(serializers.Serializer):
    number = serializers.IntegerField()
    inner = Inner()


class ByRow(Outer):
    def to_representation(self, instance):
        return super().to_representation(instance)


ROW = {"number": 1, "inner": {"name": "a"}}


@pytest.fixture
def readings(monkeypatch):
    """What was read, one program after the other."""
    found = []
    stock_get = programs.get

    def get(description, make):
        found.append(description)
        return stock_get(description, make)

    monkeypatch.setattr(programs, "get", get)
    return found


@pytest.mark.parametrize("cls", [Outer, ByRow])
def test_single_objects_run_as_stock_while_others_forget(readings, cls, users_thresholds):
    for _ in range(100):
        fastschema.forget()
        for _ in range(3):
            assert cls(ROW).data == ROW
    assert len(readings) <= 2 * 300 // 24
