"""Two requests of two people, who differ in all that user code may ask for."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.utils import timezone, translation
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

FLAGS = {"is_on": False}
"""What user code may read that is no part of a request."""


@dataclass(frozen=True)
class Visitor:
    """A user who sends a request.

    :param name: of the user
    """

    name: str
    language: str
    zone: str
    host: str
    version: str
    flag: bool

    @contextmanager
    def visiting(self) -> Iterator[None]:
        """Have the language, time zone and flag of this visitor inside the ``with`` statement."""
        before = FLAGS["is_on"]
        FLAGS["is_on"] = self.flag
        try:
            with translation.override(self.language), timezone.override(self.zone):
                yield
        finally:
            FLAGS["is_on"] = before

    @property
    def query(self) -> dict[str, str]:
        """What the query string says."""
        return {"user": self.name, "version": self.version}

    @property
    def headers(self) -> dict[str, str]:
        """What the headers of a request say."""
        return {"host": self.host}

    def http_request(self, path: str = "/", **query: str) -> Any:
        """A request as Django makes it."""
        return APIRequestFactory().get(path, {**self.query, **query}, headers=self.headers)

    def request(self, path: str = "/", **query: str) -> Request:
        """A request as DRF's views have it."""
        request = Request(self.http_request(path, **query))
        request.version = self.version
        return request

    def asking(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """What is another argument of a serializer if this visitor asks: the request, if any."""
        context = arguments.get("context")
        request = context.get("request") if type(context) is dict else None
        if not isinstance(request, (HttpRequest, Request)):
            return {}
        return {"context": {**context, "request": self.like(request)}}

    def like(self, request: Any) -> Any:
        """The same request by this visitor."""
        request = copy.copy(request)
        if isinstance(request, Request):
            request._request = self.like(request._request)
            return request
        request.META = {**request.META, "HTTP_HOST": self.host}
        request.GET = request.GET.copy()
        request.GET.update(self.query)
        return request


GUEST = Visitor("guest", "en", "UTC", "localhost", "v1", flag=False)
ADMINISTRATOR = Visitor("admin", "de", "Asia/Tokyo", "testserver", "v2", flag=True)
IN_TURNS = (GUEST, ADMINISTRATOR, GUEST, ADMINISTRATOR, ADMINISTRATOR, GUEST, GUEST)


def visitor_of(serializer: Any) -> str | None:
    """The user of the request in the context of a serializer or field; None if there is none."""
    request = serializer.context.get("request")
    return None if request is None else request.GET.get("user")
