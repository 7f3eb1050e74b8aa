"""Lists that are sent to the client while the database is read."""

from fastschema.contrib.django.streaming.responses import stream
from fastschema.contrib.django.streaming.views import StreamingListMixin

__all__ = ["StreamingListMixin", "stream"]
