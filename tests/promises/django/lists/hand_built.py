"""The ways in which lists are built by hand, and what can be seen of them."""

from django.db import connection, transaction
from rest_framework import generics, renderers, serializers
from rest_framework.decorators import api_view, renderer_classes
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

import fastschema
from fastschema.contrib.django.renderers import FastJSONRenderer
from tests.instruments.django import LazyInstanceList
from tests.promises.django.differential import assert_equal, exactly, outcome
from tests.promises.django.list_views import Limited, Numbered
from tests.promises.django.lists.reading import inside


class Enveloped(Numbered):
    def get_paginated_response(self, data):
        return Response({"total": self.page.paginator.count, "items": data})


def request():
    """A request for a page that is not the first."""
    return APIRequestFactory().get("/?page=2&offset=2")


def answered(view):
    """What a view answers: its data, and its body."""
    response = view(request()).render()
    return [response.data, response.content]


def by_class(queryset, serializer, pagination_class=None, *renderers_of_view, **methods):
    """What a list view answers."""
    view = type("View", (generics.ListAPIView,), methods)
    return answered(
        view.as_view(
            queryset=queryset,
            serializer_class=serializer,
            pagination_class=pagination_class,
            renderer_classes=renderers_of_view or [FastJSONRenderer],
            filter_backends=[],
        )
    )


def of_data(queryset, serializer):
    many = serializer(queryset, many=True)
    data = many.data
    return [data, data.serializer is many, many.instance is queryset, many.data == data]


def of_function(queryset, serializer):
    @api_view()
    @renderer_classes([FastJSONRenderer])
    def view(request):
        return Response(serializer(queryset, many=True).data)

    return answered(view)


def in_dictionary(queryset, serializer):
    @api_view()
    @renderer_classes([renderers.JSONRenderer])
    def view(request):
        found = serializer(queryset, many=True, context={"request": request}).data
        return Response({"count": len(found), "first": found[:1], "all": found})

    return answered(view)


def of_page(queryset, serializer):
    def get(self, request):
        page = self.paginate_queryset(queryset)
        data = self.get_serializer(page, many=True).data
        return Response({"page": data, "of": [inside(each) for each in page]})

    return by_class(queryset, serializer, Numbered, get=get)


def of_paginator(queryset, serializer):
    @api_view()
    def view(request):
        paginator = Limited()
        page = paginator.paginate_queryset(queryset, request)
        return paginator.get_paginated_response(serializer(page, many=True).data)

    return answered(renderer_classes([FastJSONRenderer])(view))


def by_super(queryset, serializer):
    def list(self, request, *args, **kwargs):
        response = generics.ListAPIView.list(self, request, *args, **kwargs)
        response.data = {"items": response.data, "count": len(response.data)}
        return response

    return by_class(queryset, serializer, list=list)


def in_envelope(queryset, serializer):
    return by_class(queryset, serializer, Enveloped)


def by_other_renderer(queryset, serializer):
    return by_class(queryset, serializer, None, renderers.JSONRenderer)


def of_own_list(queryset, serializer):
    class Many(serializers.ListSerializer):
        def to_representation(self, data):
            return {"list": super().to_representation(data)}

        @property
        def data(self):
            return serializers.BaseSerializer.data.fget(self)

    return [Many(queryset, child=serializer()).data]


def of_rows(queryset, serializer):
    return [serializer(many=True).to_representation(queryset)]


def of_plan(queryset, serializer):
    return [fastschema.compile(serializer(many=True)).dump(queryset)]


WAYS = [
    *(of_data, of_function, in_dictionary, of_page, of_paginator, by_super, in_envelope),
    *(by_other_renderer, of_own_list, of_rows, of_plan),
]


def built(way, make_queryset, serializer, calls):
    """What is built, and what the queryset has afterwards."""
    queryset = make_queryset()

    def build():
        return exactly(way(queryset, serializer))

    with transaction.atomic():  # after an error, the database would refuse what follows
        found = outcome(build, calls)
        transaction.set_rollback(True)
    rows = getattr(queryset, "_result_cache", None)
    try:
        seen = None if rows is None else [inside(each) for each in rows]
    except Exception as error:  # what code of users has done to an instance
        seen = repr(error)
    done = getattr(queryset, "_prefetch_done", None)
    return found, (seen, done)


def assert_built_as_in_stock(way, make_queryset, serializer, calls=None):
    """Assert that a list is what stock makes of it, and the queryset's rows are, too."""
    calls = [] if calls is None else calls
    with fastschema.disabled():
        expected, kept = built(way, make_queryset, serializer, calls)
    found, kept_now = built(way, make_queryset, serializer, calls)
    assert_equal(found, expected)
    # Where PostgreSQL refuses to prefetch, Django has already begun to.
    if expected.error is None or connection.vendor == "sqlite":
        assert kept_now == kept
    return expected


def reads_rows(queryset, serializer):
    """Whether ``data`` of a serializer are read from the rows of a queryset."""
    _ = serializer(queryset, many=True).data
    rows = queryset._result_cache
    return type(rows) is LazyInstanceList and rows.fetched is not None
