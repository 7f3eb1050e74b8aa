"""What is beside DRF: camelCase keys, adrf, encoders of one's own; stock and fastschema.

    python benchmarks/rooms.py [--rounds 60]

Both run in one process and in turns; of the processor times, the least counts. The answers are
compared.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextvars import copy_context
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "example_project"))

Ask = Callable[[], bytes]
RUNNER = asyncio.Runner()


def fill() -> None:
    """Make 240 flights."""
    from django.core.management import call_command

    from flights.models import Airline, Airport, Flight

    call_command("migrate", verbosity=0)
    airline = Airline.objects.create(code="UA", name="United")
    place = {"latitude": Decimal(40), "longitude": Decimal(-74), "altitude": 18, "utc_offset": -5}
    newark = Airport.objects.create(code="EWR", name="Newark", daylight_saving="A", **place)
    same: dict[str, Any] = {
        "airline": airline,
        "origin": newark,
        "destination_code": "IAH",
        "tail_number": "N1",
        "date": datetime.date(2013, 1, 1),
        "scheduled_departure": datetime.datetime(2013, 1, 1, 5, tzinfo=datetime.UTC),
        "scheduled_arrival_time": datetime.time(8, 19),
        "distance": 1400,
    }
    Flight.objects.bulk_create(Flight(id=each, number=each, **same) for each in range(1, 241))


def requests() -> Iterator[tuple[str, Ask, Ask]]:
    """Yield what is measured: its name, and what answers by stock and by fastschema."""
    import adrf.generics
    import adrf.serializers
    from adrf.test import AsyncAPIRequestFactory
    from djangorestframework_camel_case.render import CamelCaseJSONRenderer
    from rest_framework import generics, renderers, serializers
    from rest_framework.test import APIRequestFactory
    from rest_framework.utils.encoders import JSONEncoder

    from fastschema.contrib.camel_case.renderers import FastCamelCaseJSONRenderer
    from fastschema.contrib.django.renderers import FastJSONRenderer
    from flights.models import Flight

    seven = ("id", "number", "destination_code", "tail_number", "date", "scheduled_departure")
    seven += ("distance",)

    class TenSerializer(serializers.ModelSerializer):
        class Meta:
            model = Flight
            fields = (*seven, "scheduled_arrival_time", "airline", "origin")

    class SevenSerializer(adrf.serializers.ModelSerializer):
        class Meta:
            model = Flight
            fields = seven

    class OwnEncoder(JSONEncoder):
        def default(self, obj: Any) -> Any:
            return f"{obj.real} EUR" if isinstance(obj, complex) else super().default(obj)

    def by(base: type, name: str, **attributes: Any) -> Any:
        return type(name, (base,), {"pagination_class": None, "filter_backends": [], **attributes})

    def sync(view: Any) -> Ask:
        return lambda: bytes(view.as_view()(APIRequestFactory().get("/")).render().content)

    def coroutine(view: Any, **kwargs: Any) -> Ask:
        async def ask() -> bytes:
            response = await view.as_view()(AsyncAPIRequestFactory().get("/"), **kwargs)
            return bytes(response.render().content)

        return lambda: RUNNER.run(ask(), context=copy_context())

    def adata(rows: Callable[[], Any], **kwargs: Any) -> Ask:
        async def ask() -> bytes:
            return repr(await SevenSerializer(rows(), **kwargs).adata).encode()

        return lambda: RUNNER.run(ask(), context=copy_context())

    ten = {"queryset": Flight.objects.all(), "serializer_class": TenSerializer}
    camel = [
        sync(by(generics.ListAPIView, "View", renderer_classes=[each], **ten))
        for each in (CamelCaseJSONRenderer, FastCamelCaseJSONRenderer)
    ]
    yield "camelCase: a list view, 240 rows with 10 fields", camel[0], camel[1]

    fifty = {"queryset": Flight.objects.filter(id__lte=50), "serializer_class": SevenSerializer}
    lists, ones = (
        [
            coroutine(by(base, "View", renderer_classes=[each], **fifty), **kwargs)
            for each in (renderers.JSONRenderer, FastJSONRenderer)
        ]
        for base, kwargs in (
            (adrf.generics.ListAPIView, {}),
            (adrf.generics.RetrieveAPIView, {"pk": 1}),
        )
    )
    every = adata(Flight.objects.filter(id__lte=50).all, many=True)
    one = Flight.objects.get(pk=1)
    yield "adrf: adata, 50 rows with 7 fields", every, every
    yield "adrf: a list view of them", lists[0], lists[1]
    yield "adrf: adata, one object with 7 fields", (single := adata(lambda: one)), single
    yield "adrf: a view of it", ones[0], ones[1]

    rows = [{f"field_{each}": each for each in range(9)} | {"price": 1 + 0j} for _ in range(240)]

    def rendering(base: type) -> Ask:
        renderer = type("Renderer", (base,), {"encoder_class": OwnEncoder})()
        return lambda: bytes(renderer.render(rows))

    name = "JSON only: 240 rows with 10 fields, one of them by an own default"
    yield name, rendering(renderers.JSONRenderer), rendering(FastJSONRenderer)


def measure(rounds: int) -> None:
    """Print a table."""
    import fastschema

    def timed(ask: Ask) -> tuple[float, bytes]:
        begin = process_time()
        answer = ask()
        return process_time() - begin, answer

    print("| | stock, ms | fastschema, ms | times |")
    print("| --- | ---: | ---: | ---: |")
    for name, by_stock, by_fastschema in requests():
        stock, fast = [], []
        for _ in range(rounds):
            with fastschema.disabled():
                stock.append(timed(by_stock))
            fast.append(timed(by_fastschema))
        if len({answer for _, answer in stock + fast}) > 1:
            sys.exit(f"{name}: the answers differ")
        before, after = min(stock)[0], min(fast)[0]
        print(f"| {name} | {before * 1e3:.2f} | {after * 1e3:.2f} | {before / after:.1f} |")


def main() -> None:
    """Measure over a database of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        os.environ["DATABASE_URL"] = f"sqlite:///{directory}/rooms.sqlite3"
        os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
        import django

        django.setup()
        fill()
        measure(options.rounds)


if __name__ == "__main__":
    main()
