"""A URL configuration with what people use beside DRF's views, for JSON by either renderer."""

from django.urls import path
from django.views.decorators.cache import cache_page
from rest_framework import pagination, serializers, versioning
from rest_framework.generics import ListAPIView, ListCreateAPIView, RetrieveUpdateAPIView
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer

from fastschema.contrib.django.parsers import FastJSONParser
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.filters import FlightFilter
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer, FlightSerializer

calls = []
"""The paths for which a list of flights was made."""


class Pages(pagination.PageNumberPagination):
    page_size = 3


class Limits(pagination.LimitOffsetPagination):
    default_limit = 3


class Flights(ListAPIView):
    queryset = Flight.objects.select_related("airline", "origin", "destination", "plane")
    serializer_class = FlightSerializer
    filterset_class = FlightFilter
    pagination_class = None

    def get_queryset(self):
        calls.append(self.request.path)
        return super().get_queryset()


class Airlines(ListCreateAPIView):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer
    parser_classes = [FastJSONParser]
    pagination_class = None


class OneAirline(RetrieveUpdateAPIView):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer
    parser_classes = [FastJSONParser]


class VersionedSerializer(AirlineSerializer):
    """An airline whose fields depend on the version, with a link to itself."""

    url = serializers.HyperlinkedIdentityField(view_name="airline")

    def get_fields(self):
        fields = super().get_fields()
        if self.context["request"].version != "2":
            del fields["name"]
        return fields


class Versioned(ListAPIView):
    queryset = Airline.objects.all()
    serializer_class = VersionedSerializer
    pagination_class = None


class ByAcceptHeader(versioning.AcceptHeaderVersioning):
    allowed_versions = ["1", "2"]
    default_version = "1"


class ByQuery(versioning.QueryParameterVersioning):
    allowed_versions = ["1", "2"]
    default_version = "1"


class ByPath(versioning.URLPathVersioning):
    allowed_versions = ["1", "2"]


def urls(renderer):
    """The URLs with one renderer of JSON; the names and the paths are the same for all."""
    renderers = {"renderer_classes": [renderer, BrowsableAPIRenderer]}

    def versioned(scheme):
        return Versioned.as_view(versioning_class=scheme, **renderers)

    return [
        path("all/", Flights.as_view(**renderers)),
        path("pages/", Flights.as_view(pagination_class=Pages, **renderers)),
        path("limits/", Flights.as_view(pagination_class=Limits, **renderers)),
        path("cached/", cache_page(60)(Flights.as_view(**renderers))),
        path("airlines/", Airlines.as_view(**renderers)),
        path("airlines/<pk>/", OneAirline.as_view(**renderers), name="airline"),
        path("<version>/airlines/<pk>/", OneAirline.as_view(**renderers), name="airline"),
        path("by-header/", versioned(ByAcceptHeader)),
        path("by-query/", versioned(ByQuery)),
        path("<version>/by-path/", versioned(ByPath)),
    ]


class Stock:
    urlpatterns = urls(JSONRenderer)


class Fast:
    urlpatterns = urls(FastJSONRenderer)
