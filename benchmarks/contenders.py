"""fastschema and packages that make schemas fast, each switched on as its documentation says.

They are switched on before a schema, a serializer or a view is imported, so that what they bring
takes the place of the frameworks' classes. A package is only imported where it runs.
"""

from __future__ import annotations

import importlib.util
import pkgutil
from collections.abc import Callable
from types import ModuleType
from typing import Any

FAST = ("fastschema", "fs.response", "makers")
"""Those that use fastschema."""


def packages(contender: str) -> list[str]:
    """What it consists of besides the frameworks; peers are called as their package is."""
    more = {
        **{name: ["fastschema", "orjson"] for name in FAST},
        "by hand": ["orjson"],
        "orjson only": ["orjson"],
        "drf-orjson-renderer": ["orjson"],
        "flask-orjson": ["orjson"],
        "django-fastdrf": ["msgspec", "orjson"],
        "django-ninja": ["pydantic"],
        "drf-fastserializers": ["pydantic"],
        "drf-oxide": ["drf-oxide-core"],
    }
    return [contender, *more.get(contender, [])]


PATCHES = {
    "fastschema": "fastschema:install",
    "makers": "fastschema:install",
    "althaia": "althaia:patch",
    "marshmallow-core": "marshmallow_core:install",
    "deepfriedmarshmallow": "deepfriedmarshmallow:deep_fry_marshmallow",
    "drf-oxide": "drf_oxide:patch",
}
"""Functions that switch a contender on."""


def switch_on(contender: str) -> None:
    """Switch a contender on; fastschema for Django alone is switched on by the settings."""
    has_marshmallow = importlib.util.find_spec("marshmallow") is not None
    if contender in PATCHES and (has_marshmallow or contender != "fastschema"):
        pkgutil.resolve_name(PATCHES[contender])()
    SWITCHES.get(contender, lambda: None)()


def pulse_marshmallow() -> None:
    """Its base class is imported in place of marshmallow's."""
    import marshmallow
    import pulse_marshmallow

    marshmallow.Schema = pulse_marshmallow.Schema


def name_in_settings(**classes: str) -> None:
    from django.conf import settings
    from rest_framework.settings import api_settings

    chosen = {f"DEFAULT_{kind.upper()}_CLASSES": [path] for kind, path in classes.items()}
    settings.REST_FRAMEWORK = {**settings.REST_FRAMEWORK, **chosen}
    api_settings.reload()


def mix_in(name: str) -> None:
    from rest_framework import serializers

    mixin = pkgutil.resolve_name(name)
    serializers.Serializer = type("Serializer", (mixin, serializers.Serializer), {})
    serializers.ModelSerializer = type("ModelSerializer", (mixin, serializers.ModelSerializer), {})


def drf_fastserializers() -> None:
    name_in_settings(renderer="drf_fastserializers.FastJSONRenderer")
    mix_in("drf_fastserializers:FastSerializerMixin")


def django_fastdrf() -> None:
    from django.conf import settings

    settings.FASTDRF = {
        "SERIALIZER_BACKEND": "msgspec",
        "CACHE_SERIALIZER_FIELDS": True,
        "FIELD_COPY_MODE": "compiled",
    }
    name_in_settings(
        renderer="fastdrf.orjson.renderers.ORJSONRenderer",
        parser="fastdrf.orjson.parsers.ORJSONParser",
    )
    import fastdrf.serializers
    import rest_framework.serializers
    import rest_framework.views
    from fastdrf import mixins, views
    from rest_framework import generics

    # What is imported from here on has it by "from rest_framework import serializers"; DRF's own
    # classes stay what they are.
    stock, rest_framework.serializers = rest_framework.serializers, ModuleType("serializers")
    vars(rest_framework.serializers).update(vars(stock) | vars(fastdrf.serializers))
    dispatch = views.DispatchOptimizationMixin

    def faster(base: Any, *more: Any) -> Any:
        return type(base.__name__, (dispatch, *more, base), {})

    rest_framework.views.APIView = faster(rest_framework.views.APIView)
    generics.CreateAPIView = faster(generics.CreateAPIView, mixins.CreateModelMixin)
    detail = generics.RetrieveUpdateAPIView
    generics.RetrieveUpdateAPIView = faster(detail, mixins.UpdateModelMixin)


SWITCHES: dict[str, Callable[[], None]] = {
    "pulse-marshmallow": pulse_marshmallow,
    "drf-orjson-renderer": lambda: name_in_settings(
        renderer="drf_orjson_renderer.renderers.ORJSONRenderer"
    ),
    "drf-accelerator": lambda: mix_in("drf_accelerator:FastSerializationMixin"),
    "drf-fastserializers": drf_fastserializers,
    "django-fastdrf": django_fastdrf,
}


def serve_ninja() -> None:
    """Put django-ninja's API in the place of the example project's."""
    from decimal import Decimal
    from typing import Annotated

    from django.conf import settings
    from django.urls import include, path
    from ninja import NinjaAPI, Schema
    from ninja.orm import create_schema
    from pydantic import PlainSerializer, create_model

    from flights.models import Airline, Airport, Flight, Plane
    from flights.serializers import FlightSerializer
    from flights.views import FLIGHTS

    degrees = Annotated[Decimal, PlainSerializer(lambda value: f"{value:.7f}", return_type=str)]
    places = [(name, degrees, ...) for name in ("latitude", "longitude")]
    airport, plane = create_schema(Airport, custom_fields=places), create_schema(Plane)
    nested = {"airline": create_schema(Airline), "origin": airport}
    nested |= {"destination": airport | None, "plane": plane | None}
    columns = create_schema(Flight, exclude=[*nested]).model_fields
    types = {
        name: nested[name] if name in nested else columns[name].annotation
        for name in FlightSerializer().fields
    }
    fields = {name: (kind, ...) for name, kind in types.items()}
    api = NinjaAPI()

    @api.get("/flights/bulk/", response=list[create_model("FlightOut", __base__=Schema, **fields)])
    def bulk(request: Any, limit: int) -> Any:
        return FLIGHTS.all()[:limit]

    routes = type("Routes", (), {"urlpatterns": [path("api/", include(api.urls[0]))]})
    settings.ROOT_URLCONF = routes
