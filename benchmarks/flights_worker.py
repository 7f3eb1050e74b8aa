"""One contender of the flights benchmark: stock (FASTSCHEMA=0) or fastschema (FASTSCHEMA=1).

python benchmarks/flights_worker.py FLIGHTS
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import django

from worker import Measure, installed, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))


def measures(count: int) -> dict[str, Measure]:
    """The measures by name."""
    from django.conf import settings
    from django.test import Client
    from django.utils.module_loading import import_string

    from flights.serializers import FlightSerializer
    from flights.views import FLIGHTS

    rows = list(FLIGHTS[:count])
    renderer_class = import_string(settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"][0])
    client = Client()

    def serializer() -> Any:
        return FlightSerializer(rows, many=True).data

    def rendering() -> bytes:
        body: bytes = renderer_class().render(FlightSerializer(rows, many=True).data)
        return body

    def request() -> bytes:
        response = client.get("/api/flights/bulk/", {"limit": count})
        if response.status_code != 200:
            raise RuntimeError(f"the endpoint answered {response.status_code}")
        return response.content

    return {"serializer": serializer, "rendering": rendering, "request": request}


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    packages = ["django", "djangorestframework"]
    if os.environ.get("FASTSCHEMA") == "1":
        packages = ["fastschema", *packages, "orjson"]
    serve(measures(int(sys.argv[1])), installed(*packages))
