"""The mixin of views whose lists are streamed."""

from __future__ import annotations

from typing import Any

from rest_framework.mixins import ListModelMixin

from fastschema.contrib.django.streaming.responses import stream


class StreamingListMixin(ListModelMixin):
    """Answers ``list`` while the database is read: memory stays small, however long the list.

    ::

        class FlightExport(StreamingListMixin, ListAPIView):
            queryset = Flight.objects.select_related("airline")
            serializer_class = FlightSerializer

    For ``ListAPIView`` and all others that have ``ListModelMixin``; it is listed first. See
    :func:`fastschema.contrib.django.streaming.stream` for what is streamed and what is not.
    """

    pagination_class = None
    """A page is not streamed. A view with a ``pagination_class`` of its own answers with pages, and
    streams what that class does not cut into pages."""

    stream_chunk_size: int | None = None
    """How many rows to read from the database at a time; None: as
    ``FASTSCHEMA["STREAM_CHUNK_SIZE"]`` says."""

    def list(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Return what ``ListModelMixin.list`` answers, streamed."""
        queryset = self.filter_queryset(self.get_queryset())
        page = self.paginate_queryset(queryset)
        if page is not None:
            serializer = self.get_serializer(page, many=True)
            return self.get_paginated_response(serializer.data)
        return self.stream(queryset)

    def stream(self, rows: Any) -> Any:
        """Answer with rows, streamed: for actions of your own.

        :param rows: a queryset, or any iterable of objects
        :raises Exception: see :func:`fastschema.contrib.django.streaming.stream`
        """
        serializer = self.get_serializer(rows, many=True)
        return stream(self.request, serializer, self.stream_chunk_size)
