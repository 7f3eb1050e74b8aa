"""What is beside DRF: camelCase keys, adrf.

Imported when Django is set up.
"""

from __future__ import annotations

import asyncio
import importlib
from contextvars import copy_context
from typing import Any

import adrf.generics
import adrf.serializers
from adrf.test import AsyncAPIRequestFactory
from rest_framework import renderers
from rest_framework.generics import ListAPIView

from flights.models import Flight
from harness.measuring import Run
from patterns import ONE, Collection, is_fast
from patterns.models import flights_in_database
from patterns.requests import asked, filled
from patterns.serializers import model_serializer

PATTERNS = Collection("plugins")
add = PATTERNS.add
SEVEN = ("id", "number", "destination_code", "tail_number", "date", "scheduled_departure")
SEVEN += ("distance",)
TEN = (*SEVEN, "scheduled_arrival_time", "airline", "origin")
RUNNER = asyncio.Runner()


class SevenSerializer(adrf.serializers.ModelSerializer):
    class Meta:
        model = Flight
        fields = SEVEN


def waited(coroutine: Any) -> Run:
    return lambda: RUNNER.run(coroutine(), context=copy_context())


def json_renderer() -> Any:
    if is_fast():
        from fastschema.contrib.django.renderers import FastJSONRenderer

        return FastJSONRenderer
    return renderers.JSONRenderer


def asynchronous(base: Any, count: int, **arguments: Any) -> Run:
    content = {"queryset": filled(flights_in_database, count), "serializer_class": SevenSerializer}
    content |= {"pagination_class": None, "filter_backends": []}
    view = type("View", (base,), {**content, "renderer_classes": [json_renderer()]}).as_view()

    async def ask() -> bytes:
        response = await view(AsyncAPIRequestFactory().get("/"), **arguments)
        return bytes(response.render().content)

    return waited(ask)


@add("camelCase: a list view, 10 fields", sizes=(240,))
def camel(count: int) -> Run:
    module, name = "djangorestframework_camel_case.render", "CamelCaseJSONRenderer"
    if is_fast():
        module, name = "fastschema.contrib.camel_case.renderers", f"Fast{name}"
    renderer = getattr(importlib.import_module(module), name)
    content = {"pagination_class": None, "filter_backends": [], "renderer_classes": [renderer]}
    content |= {"queryset": filled(flights_in_database, count)}
    content |= {"serializer_class": model_serializer(Flight, TEN)}
    return asked(type("View", (ListAPIView,), content).as_view())


@add("adrf: `adata`, 7 fields", sizes=(1, 50))
def adata(count: int) -> Run:
    rows = list(filled(flights_in_database, count))

    async def dump() -> Any:
        if count == 1:
            return await SevenSerializer(rows[0]).adata
        return await SevenSerializer(rows, many=True).adata

    return waited(dump)


add("adrf: a list view of them", lambda n: asynchronous(adrf.generics.ListAPIView, n), (50,))
add("adrf: a view of one", lambda n: asynchronous(adrf.generics.RetrieveAPIView, n, pk=1), ONE)
