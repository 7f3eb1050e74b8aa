"""One contender of the benchmark of single objects.

python benchmarks/single_worker.py CONTENDER

Has the example project's settings, models of ``ordinary_models``, and a SQLite database in memory.
Whole requests reach Django through WSGI, as servers send them, without middleware. What is saved is
rolled back. Times are the processor's: nothing here waits.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import django

from worker import Measure, Run, installed, serve

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "example_project"))

DRF = ("django", "djangorestframework")
PACKAGES = {
    "stock": DRF,
    "fastschema": ("fastschema", *DRF, "orjson"),
    "drf-oxide": ("drf-oxide", "drf-oxide-core", *DRF),
    "django-fastdrf": ("django-fastdrf", *DRF, "msgspec", "orjson"),
    "django-ninja": ("django-ninja", "django", "pydantic"),
    "django-modern-rest": ("django-modern-rest", "django", "pydantic", "msgspec"),
}
"""By contender, what it consists of."""


class Requests:
    """Django's WSGI application, asked through :meth:`run`."""

    def __init__(self, routes: list[Any]) -> None:
        """Serve these addresses, and no others."""
        from django.conf import settings
        from django.core.wsgi import get_wsgi_application

        settings.ROOT_URLCONF = type("Routes", (), {"urlpatterns": routes})
        settings.MIDDLEWARE = []
        self.application = get_wsgi_application()

    def run(self, method: str, path: str, data: Any = None, status: int = 200) -> Run:
        """The body that it answers with.

        :param status: what it must answer with
        """
        body = b"" if data is None else json.dumps(data).encode()
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "SERVER_NAME": "testserver",
            "SERVER_PORT": "80",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_ACCEPT": "application/json",
            "wsgi.url_scheme": "http",
        }

        def run() -> bytes:
            head: list[Any] = []
            sent = {**environ, "wsgi.input": io.BytesIO(body)}
            response = self.application(sent, lambda *given: head.extend(given))
            content = b"".join(response)
            response.close()
            if not head[0].startswith(str(status)):
                raise RuntimeError(f"{method} {path} answered {head[0]}: {content[:200]!r}")
            return content

        return run


def request_measures(requests: Requests) -> dict[str, Measure]:
    """What all contenders do: whole requests."""
    from ordinary_drf_input import ADDRESSED
    from ordinary_models import ARTICLE, rolled_back

    return {
        "post": requests.run("POST", "/people/", ADDRESSED),
        "save": rolled_back(requests.run("POST", "/articles/", ARTICLE, 201)),
        "get": requests.run("GET", "/articles/1/"),
    }


def drf_measures(contender: str) -> dict[str, Measure]:
    """What serializers of DRF do besides: what is wrong, and validation alone."""
    import single_drf
    from ordinary_drf_input import ADDRESSED, HOUSED, MISTAKES, PLAIN, PLAIN_ROW, Addressed, Inner
    from ordinary_models import rolled_back

    classes = single_drf.CLASSES[contender]()
    people = classes.like(Addressed)
    housed = classes.like(Addressed, house=classes.like(Inner)())
    plain = classes.like(PLAIN)
    wrong = {**ADDRESSED, **MISTAKES}
    wrong_housed = {**HOUSED, **MISTAKES, "house": {"street": "", "number": 0}}
    requests = Requests(classes.routes())
    validated = single_drf.validated
    return {
        **request_measures(requests),
        "post.wrong": requests.run("POST", "/people/", wrong, 400),
        "patch": rolled_back(requests.run("PATCH", "/articles/1/", {"title": "Another title"})),
        "valid.plain": validated(plain, PLAIN_ROW),
        "valid": validated(people, ADDRESSED),
        "valid.wrong": validated(people, wrong),
        "valid.nested": validated(housed, HOUSED),
        "list.plain": validated(plain, [PLAIN_ROW] * 240),
        "list": validated(people, [ADDRESSED] * 240),
        "list.wrong": validated(people, [ADDRESSED, wrong] * 120),
        "list.nested": validated(housed, [HOUSED] * 240),
        "list.nested.wrong": validated(housed, [HOUSED, wrong_housed] * 120),
    }


def measures(contender: str) -> dict[str, Measure]:
    """The measures by name."""
    if contender == "django-ninja":
        import single_ninja

        return request_measures(Requests(single_ninja.routes()))
    if contender == "django-modern-rest":
        import single_modern

        return request_measures(Requests(single_modern.routes()))
    return drf_measures(contender)


def main() -> None:
    """Set Django up, and measure what is asked for."""
    [contender] = sys.argv[1:]
    is_fast = "1" if contender == "fastschema" else "0"
    os.environ |= {"DATABASE_URL": "sqlite://:memory:", "FASTSCHEMA": is_fast, "DEBUG": "0"}
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    if contender == "drf-oxide":
        import drf_oxide

        drf_oxide.patch()
    import ordinary_models

    ordinary_models.make_tables()
    list(ordinary_models.articles(2))
    serve(measures(contender), installed(*PACKAGES[contender]), time.process_time)


if __name__ == "__main__":
    main()
