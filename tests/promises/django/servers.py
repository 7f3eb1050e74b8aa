"""Real servers, over a database of their own."""

import os
import socket
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[3]
PROJECT = ROOT / "example_project"
AIRLINES = 400
FILL = f"""
from flights.models import Airline
codes = [a + b for a in "ABCDEFGHIJKLMNOPQRST" for b in "ABCDEFGHIJKLMNOPQRST"][:{AIRLINES}]
Airline.objects.bulk_create(Airline(code=code, name="Airline " + code) for code in codes)
"""


@pytest.fixture(scope="module")
def database(tmp_path_factory, django_db_setup, django_db_blocker):
    """The URL of a database with airlines, of the kind that the tests run on."""
    if connection.vendor == "postgresql":
        name = f"fastschema_served_{os.getpid()}"
        values = {
            key: quote(str(connection.settings_dict[key]), safe="")
            for key in ("USER", "PASSWORD", "HOST", "PORT")
        }
        url = f"postgres://{values['USER']}:{values['PASSWORD']}@{values['HOST']}"
        url += f":{values['PORT']}/{name}" if values["PORT"] else f"/{name}"
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
    else:
        url = f"sqlite:///{tmp_path_factory.mktemp('served')}/served.sqlite3"
    for arguments in (["migrate", "--verbosity", "0"], ["shell", "--verbosity", "0", "-c", FILL]):
        subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env={**os.environ, "DATABASE_URL": url},
            check=True,
        )
    yield url
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def serving(command, database, settings, output=subprocess.DEVNULL):
    """Run a server inside of the ``with`` statement, and give its address.

    It inherits a socket that listens already, so no test has to wait or to guess a free port.

    :param command: with ``{fd}`` for the socket
    :param output: where it writes
    """
    listening = socket.create_server(("127.0.0.1", 0))
    with closing(listening):
        fd, address = listening.fileno(), listening.getsockname()
        process = subprocess.Popen(
            [sys.executable, "-m", *(each.format(fd=fd) for each in command)],
            cwd=ROOT,
            env={
                **os.environ,
                "DATABASE_URL": database,
                "DEBUG": "0",
                "DJANGO_SETTINGS_MODULE": settings,
                "PYTHONPATH": f"{PROJECT}{os.pathsep}{ROOT}",
            },
            stdout=output,
            stderr=output,
            pass_fds=[fd],
        )
    # The server alone has the socket now: if it ends, requests fail and do not wait.
    try:
        yield address
    finally:
        process.terminate()
        process.wait(20)
