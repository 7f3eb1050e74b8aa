"""Serializers of adrf do in one step what adrf does in many."""

import pytest
from adrf import serializers
from asgiref.sync import async_to_sync, sync_to_async

from fastschema.contrib import django as fastschema_django
from fastschema.contrib.adrf import representation
from tests.promises.adrf.test_representation import FlightSerializer, adata, all_flights


@pytest.fixture
def steps(monkeypatch):
    """Counts what is done in another thread."""
    done = []

    def counted(function, **kwargs):
        done.append(function)
        return sync_to_async(function, **kwargs)

    monkeypatch.setattr(representation, "sync_to_async", counted)
    monkeypatch.setattr("adrf.serializers.sync_to_async", counted)
    return done


@pytest.mark.parametrize("many", [False, True])
def test_a_serializer_represents_in_one_step(flights, steps, many):
    rows = list(all_flights())
    async_to_sync(adata)(lambda: FlightSerializer(rows if many else rows[0], many=many))
    assert len(steps) == 1


def test_the_classes_are_those_of_adrf_where_fastschema_is_not_installed():
    fastschema_django.uninstall()
    try:
        assert serializers.Serializer.ato_representation is representation._STOCK
        assert serializers.ListSerializer.ato_representation is representation._STOCK_LIST
    finally:
        fastschema_django.install()
    assert serializers.Serializer.ato_representation is not representation._STOCK
