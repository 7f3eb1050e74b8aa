"""What can be seen of list views of each observed model, in stock and by fastschema.

Bodies, queries, calls, the classes of instances; and whether rows were written.
"""

import io
import json

from django.apps import apps
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from PIL import Image
from rest_framework import generics, serializers
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from tests.promises.django.lists.observed import models
from tests.promises.django.lists.reading import reads_rows

EXTRA_FIELDS = {
    "Dog": ["tricks"],
    "Priced": ["price"],
    "Tagged": ["object_id", "content_type"],
    "Filed": ["file"],
    "Pictured": ["width", "height"],
    "Computed": ["loud"],
    "Managed": ["size"],
    "ToObserved": ["other"],
}


def fill(model):
    """Add three rows to a table."""
    picture = io.BytesIO()
    Image.new("RGB", (2, 3)).save(picture, "PNG")
    values = {
        "Dog": {"tricks": 5},
        "Circle": {"radius": 2},
        "Priced": {"price": 12},
        "ToObserved": {"other_id": 1},
    }.get(model.__name__, {})
    for number in range(3):
        if model is models.Filed:
            values["file"] = ContentFile(b"text", "name.txt")
        if model is models.Pictured:
            values["image"] = ContentFile(picture.getvalue(), "name.png")
        model(name=f"Name {number}", **values).save()


def serializer_class(model):
    """A serializer for a model."""
    names = ["id", "name", *EXTRA_FIELDS.get(model.__name__, [])]
    meta = type("Meta", (), {"model": model, "fields": names})
    own = {name: serializers.ReadOnlyField() for name in ("name", "loud", "size") if name in names}
    return type("Rows", (serializers.ModelSerializer,), {"Meta": meta, **own})


def view_of(model):
    """A list view of a model."""
    queryset = model.objects.order_by("pk")
    if model is models.ToObserved:
        queryset = queryset.select_related("other")
    if model is models.Animal:
        queryset = queryset.select_subclasses()
    attributes = {
        "get_queryset": lambda self: queryset.all(),
        "serializer_class": serializer_class(model),
        "renderer_classes": [FastJSONRenderer],
    }
    return type("View", (generics.ListAPIView,), attributes)


def by_hand(view_class):
    """A view that answers as another, whose own code makes the list."""

    def get(self, request):
        return Response(self.serializer_class(self.get_queryset(), many=True).data)

    return type("ByHand", (view_class,), {"get": get})


def answer(view_class, look=False):
    """What can be seen of one request; ``look`` makes the instances, too."""
    models.calls.clear()
    view = view_class.as_view()
    with CaptureQueriesContext(connection) as queries:
        response = view(APIRequestFactory().get("/"))
        instances = list(response.data.serializer.instance) if look else []
        body = response.render().content.decode()
    return {
        "body": body,
        "queries": [query["sql"] for query in queries],
        "calls": list(map(repr, models.calls)),
        "instances": [type(each).__name__ for each in instances],
    }


def main():
    """Print all of it."""
    call_command("migrate", run_syncdb=True, verbosity=0)
    found = {}
    for model in apps.get_app_config("observed").get_models():
        if model.__name__.startswith("Historical") or "translation" in model._meta.model_name:
            continue
        fill(model)
        view_class = view_of(model)
        built = by_hand(view_class)
        with fastschema.disabled():
            stock = [answer(view_class), answer(view_class, look=True), answer(built)]
        fast = [answer(view_class)]
        rows = reads_rows(view_class)
        fast += [answer(view_class, look=True), answer(built)]
        found[model.__name__] = {"stock": stock, "fast": fast, "rows": rows}
    print(json.dumps(found))
