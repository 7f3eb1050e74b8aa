"""The applications that real servers run: ``wsgi`` and ``asgi``."""

from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application

wsgi = get_wsgi_application()
asgi = get_asgi_application()

from tests.promises.django.streaming.served import Cursors  # noqa: E402  # Django must be set up first

Cursors.count()
