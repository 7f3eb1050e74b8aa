"""A server, its memory, and downloads from it."""

from __future__ import annotations

import hashlib
import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from memory import Watch

PATIENCE = 600.0
"""Seconds: stock takes its time."""


@dataclass(frozen=True)
class Download:
    """One answer.

    :param contender: who gave it
    :param first_byte: seconds from the request to the first byte of the body
    :param whole: seconds to the last one
    :param megabytes: the size of the body
    :param peak: the most memory that the server's process had meanwhile, in megabytes above what it
        had before
    :param digest: of the body
    """

    contender: str
    first_byte: float
    whole: float
    megabytes: float
    peak: float
    digest: str


FLASK = "flights_flask:create_app()"
SMALL = ("/flights?limit=5", "/flights?limit=5&stream=json")


class Server:
    """A gunicorn for an application of the example project.

    :param contender: who it is
    :param environment: variables that it has besides this process's own
    :param application: as gunicorn names it
    :param workers: how many processes answer
    :param small: paths that are asked for first
    """

    def __init__(
        self,
        contender: str,
        environment: dict[str, str],
        project: Path,
        *,
        application: str = FLASK,
        workers: int = 1,
        small: Sequence[str] = SMALL,
    ) -> None:
        self.contender = contender
        self._small = small
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", "gunicorn", "--log-level", "warning"]
        command += ["--bind", f"127.0.0.1:{self.port}", "--timeout", str(int(PATIENCE))]
        command += ["--workers", str(workers), application]
        self._process = subprocess.Popen(
            command,
            cwd=project,
            env={**os.environ, **environment},
        )

    def __enter__(self) -> Server:
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.warmed_up()
            except ConnectionError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise
                time.sleep(0.1)

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()

    def warmed_up(self) -> Server:
        """The server, after its first, small answers: modules are imported, schemas compiled."""
        for path in self._small:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            connection.request("GET", path)
            connection.getresponse().read()
        return self

    def download(self, path: str) -> Download:
        """Ask for a path, and watch the server's memory while its answer comes.

        :raises RuntimeError: if the answer is an error
        """
        [worker] = psutil.Process(self._process.pid).children()
        with Watch(worker) as watch:
            start = time.perf_counter()
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            connection.request("GET", path)
            response = connection.getresponse()
            if response.status != 200:
                raise RuntimeError(f"{path} was answered with {response.status}")
            digest = hashlib.sha256(response.read(1))
            first_byte = time.perf_counter() - start
            size = 1
            while chunk := response.read(1 << 20):
                digest.update(chunk)
                size += len(chunk)
            whole = time.perf_counter() - start
        return Download(
            self.contender, first_byte, whole, size / 1e6, watch.peak / 1e6, digest.hexdigest()
        )
