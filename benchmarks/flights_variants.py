"""What the contenders of the flights benchmark change in the example project.

Each is switched on as its own documentation says, and configured to write what DRF writes. Imported
when Django is set up; each contender's package is only imported where it runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.urls import include, path
from django.utils.module_loading import import_string

from flights.views import FLIGHTS, BulkFlightView, FlightViewSet


@dataclass(frozen=True)
class Variant:
    """One contender.

    :param body: from rows in memory to JSON
    :param has_pages: whether it has the list that DRF divides into pages
    """

    body: Callable[[list[Any]], bytes]
    has_pages: bool = True


class Routes:
    """A URL configuration in place of the example project's."""

    def __init__(self, *routes: Any) -> None:
        self.urlpatterns = [path("api/", include([*routes]))]


def route(*routes: Any) -> None:
    """Serve these addresses below ``api/``, and no others."""
    settings.ROOT_URLCONF = Routes(*routes)


def as_configured() -> Variant:
    """DRF and the first renderer, as the example project's settings say."""
    from flights.serializers import FlightSerializer

    return drf(FlightSerializer)


def drf(serializer: Any) -> Variant:
    """A serializer with DRF's interface, and the first renderer of the settings."""
    renderer = import_string(settings.REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"][0])

    def body(rows: list[Any]) -> bytes:
        rendered: bytes = renderer().render(serializer(rows, many=True).data)
        return rendered

    return Variant(body)


def drf_orjson_renderer() -> Variant:
    """Another renderer for DRF."""
    render_with("drf_orjson_renderer.renderers.ORJSONRenderer")
    return as_configured()


def render_with(renderer: str) -> None:
    """Let the example's views render with this class, given by its dotted path."""
    from rest_framework.settings import api_settings

    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, "DEFAULT_RENDERER_CLASSES": [renderer]}
    api_settings.reload()
    for view in (BulkFlightView, FlightViewSet):  # they have read the settings already
        view.renderer_classes = api_settings.DEFAULT_RENDERER_CLASSES


def with_serializer(serializer: Any) -> Variant:
    """The example's views with another serializer."""
    route(
        path("flights/bulk/", BulkFlightView.as_view(serializer_class=serializer)),
        path("flights/", FlightViewSet.as_view({"get": "list"}, serializer_class=serializer)),
    )
    return drf(serializer)


def drf_accelerator() -> Variant:
    """A mixin for each serializer class."""
    from drf_accelerator import FastSerializationMixin

    return with_serializer(flight_serializer(FastSerializationMixin))


def drf_fastserializers() -> Variant:
    """A mixin for each serializer class, and a renderer."""
    from drf_fastserializers import FastSerializerMixin

    render_with("drf_fastserializers.FastJSONRenderer")
    return with_serializer(flight_serializer(FastSerializerMixin))


def flight_serializer(mixin: type) -> type:
    """Return a flight's serializer which, like the nested ones, derives from a mixin first."""
    from flights import serializers

    class Flight(mixin, serializers.FlightSerializer):
        airline = type("A", (mixin, serializers.AirlineSerializer), {})()
        origin = type("O", (mixin, serializers.AirportSerializer), {})()
        destination = type("D", (mixin, serializers.AirportSerializer), {})()
        plane = type("P", (mixin, serializers.PlaneSerializer), {})()

        class Meta(serializers.FlightSerializer.Meta):
            pass

    return Flight


def serpy() -> Variant:
    """Serializers of its own, in DRF's views."""
    from flights_serpy import Flight

    return with_serializer(Flight)


def django_ninja() -> Variant:
    """Schemas and an API of its own; it has no pages of DRF's form."""
    import flights_ninja

    routes = flights_ninja.API.urls[0]
    route(*routes)
    [view] = [each.callback for each in routes if "memory" in str(each.pattern)]
    request = RequestFactory().get("/")

    def body(rows: list[Any]) -> bytes:
        flights_ninja.IN_MEMORY[:] = rows
        content: bytes = view(request).content
        return content

    return Variant(body, has_pages=False)


def by_hand() -> Variant:
    """Functions that build dictionaries, and plain Django views."""
    from flights_by_hand import flights_body

    def bulk(request: HttpRequest) -> HttpResponse:
        rows = FLIGHTS.all()[: int(request.GET["limit"])]
        return HttpResponse(flights_body(list(rows)), content_type="application/json")

    route(path("flights/bulk/", bulk))
    return Variant(flights_body, has_pages=False)


VARIANTS: dict[str, Callable[[], Variant]] = {
    "stock": as_configured,
    "fastschema": as_configured,
    "by hand": by_hand,
    "drf-orjson-renderer": drf_orjson_renderer,
    "drf-accelerator": drf_accelerator,
    "drf-fastserializers": drf_fastserializers,
    "serpy": serpy,
    "django-ninja": django_ninja,
}
