"""Coroutines that answer: the URL configuration of real servers."""

from adrf import generics, serializers
from asgiref.sync import sync_to_async
from django.http import JsonResponse
from django.urls import path

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from flights.models import Airline


class AirlineSerializer(serializers.ModelSerializer):
    """An airline."""

    class Meta:
        model = Airline
        fields = ("code", "name")


class Airlines(generics.ListAPIView):
    queryset = Airline.objects.order_by("code")
    serializer_class = AirlineSerializer
    renderer_classes = [FastJSONRenderer]
    pagination_class = None
    filter_backends = []


async def by_django(request):
    """All of them, by a view of Django's own."""
    serializer = AirlineSerializer(Airline.objects.order_by("code"), many=True)
    return JsonResponse(await sync_to_async(lambda: serializer.data)(), safe=False)


def as_stock(view):
    """The same view without fastschema."""

    async def answer(request):
        with fastschema.disabled():
            response = await view(request)
            return (
                await sync_to_async(response.render)() if hasattr(response, "render") else response
            )

    return answer


async def statistics(request):
    """How many rows generated code has dumped in this process."""
    return JsonResponse({"compiled": fastschema.stats().compiled_rows})


urlpatterns = [
    path("adrf/", Airlines.as_view()),
    path("stock/adrf/", as_stock(Airlines.as_view())),
    path("django/", by_django),
    path("stock/django/", as_stock(by_django)),
    path("statistics/", statistics),
]
