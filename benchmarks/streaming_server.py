"""What the streaming benchmark serves: the example project's bulk endpoint, streamed.

Applications for servers: ``wsgi`` and ``asgi``.
"""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.urls import include, path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
wsgi = get_wsgi_application()
asgi = get_asgi_application()

from fastschema.contrib.django.views import StreamingListMixin  # noqa: E402  # Django is set up now
from flights.views import BulkFlightView  # noqa: E402  # Django is set up now


class StreamedFlightView(StreamingListMixin, BulkFlightView):
    """The flights, all at once, streamed."""


urlpatterns = [
    path("streamed/", StreamedFlightView.as_view()),
    path("api/", include("flights.urls")),
]
settings.ROOT_URLCONF = __name__
