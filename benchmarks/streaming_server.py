"""What the streaming benchmark serves: the example project's bulk endpoint, streamed.

Applications for servers: ``wsgi`` and ``asgi``.
"""

import os
import re
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, JsonResponse
from django.urls import include, path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
wsgi = get_wsgi_application()
asgi = get_asgi_application()

from fastschema.contrib.django.views import StreamingListMixin  # noqa: E402  # Django is set up now
from flights.views import BulkFlightView  # noqa: E402  # as above

PROCESS = Path("/proc/self")


class StreamedFlightView(StreamingListMixin, BulkFlightView):
    """The flights, all at once, streamed."""


def memory(request: HttpRequest) -> JsonResponse:
    """The memory of this process in bytes, ``now`` and at its ``peak``; the peak begins anew."""
    found = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB$", (PROCESS / "status").read_text(), re.M))
    with suppress(OSError):  # then the peak is that since the start
        (PROCESS / "clear_refs").write_text("5")
    return JsonResponse({"now": int(found["VmRSS"]) * 1024, "peak": int(found["VmHWM"]) * 1024})


urlpatterns = [
    path("streamed/", StreamedFlightView.as_view()),
    path("memory/", memory),
    path("api/", include("flights.urls")),
]
settings.ROOT_URLCONF = __name__
