"""What a client receives over HTTP/1.0 or 1.1, also of a body that is cut."""

from __future__ import annotations

import socket
from http.client import HTTPResponse, IncompleteRead


def received(address: tuple[str, int], path: str, version: str) -> bytes:
    """The body of an answer with status 200: all of it, or what came before it was cut.

    :param address: the server
    :param path: what to ask for
    :param version: "1.0", whose bodies may end without a mark, or "1.1"
    """
    with socket.create_connection(address, timeout=20) as connection:
        connection.sendall(
            f"GET {path} HTTP/{version}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        response = HTTPResponse(connection)
        response.begin()
        assert response.status == 200
        try:
            return response.read()
        except IncompleteRead as cut:
            return cut.partial
