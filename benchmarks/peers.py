"""Who takes part besides stock and fastschema, each in an environment of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from contenders import Contender, Failure
from environments import Environment, NotInstalledError

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Peer:
    """A contender that is installed for the benchmark.

    :param name: as it is shown
    :param worker: the script that runs it
    :param runs: what that script is told to run
    :param needs: requirements, pinned; see :class:`environments.Environment`
    :param shared: packages of the same version as stock's
    :param with_fastschema: whether its application imports fastschema
    :param variables: variables of its environment
    """

    name: str
    worker: str
    runs: str
    needs: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    with_fastschema: bool = False
    variables: dict[str, str] = field(default_factory=dict)

    def contender(self, count: int) -> Contender:
        """Its process.

        :raises NotInstalledError: if it cannot be installed
        """
        environment = Environment(self.name, self.needs, self.shared, self.with_fastschema)
        command = [environment.python(), HERE / self.worker, self.runs, str(count)]
        return Contender(self.name, command, self.variables, is_peer=True)


MARSHMALLOW = [
    Peer("stock 3.26", "orders_worker.py", "stock", ("marshmallow==3.26.2",)),
    Peer("althaia", "orders_worker.py", "althaia", ("althaia==4.3.0",)),
    Peer("marshmallow-core", "orders_worker.py", "marshmallow-core", ("marshmallow-core==0.1.16",)),
    Peer(
        "deepfriedmarshmallow",
        "orders_worker.py",
        "deepfriedmarshmallow",
        ("deepfriedmarshmallow==1.1.2",),
    ),
    Peer(
        "pulse-marshmallow",
        "orders_worker.py",
        "pulse-marshmallow",
        ("pulse-marshmallow==0.1.0",),
        ("marshmallow",),
    ),
]
"""Packages that make marshmallow fast, and the last marshmallow 3."""

ORJSON = ("orjson",)
REFERENCES = [
    Peer("pydantic", "references_worker.py", "pydantic_models", ("pydantic==2.14.3",)),
    Peer("msgspec", "references_worker.py", "msgspec_structs", ("msgspec==0.22.0",)),
    Peer("mashumaro", "references_worker.py", "mashumaro_codecs", ("mashumaro==3.23",), ORJSON),
    Peer("cattrs", "references_worker.py", "cattrs_converters", ("cattrs==26.2.1",), ORJSON),
    Peer("apischema", "references_worker.py", "apischema_methods", ("apischema==0.19.0",), ORJSON),
    Peer("by hand", "references_worker.py", "by_hand", (), ORJSON),
    Peer("orjson only", "references_worker.py", "floor", (), ORJSON),
]
"""Other ways to the same JSON, without marshmallow."""


DJANGO = ("django", "django-filter", "dj-database-url")
REST = (*DJANGO, "djangorestframework")
STOCK_DRF = {"FASTSCHEMA": "0", "DEBUG": "0"}


def drf_peer(name: str, requirement: str, *shared: str) -> Peer:
    """A contender of the flights benchmark, with the Django and the DRF that stock has."""
    return Peer(name, "flights_worker.py", name, (requirement,), (*REST, *shared), True, STOCK_DRF)


DRF = [
    drf_peer("drf-orjson-renderer", "drf-orjson-renderer==1.8.0", "orjson"),
    drf_peer("drf-accelerator", "drf-accelerator==0.1.2"),
    drf_peer("drf-fastserializers", "drf-fastserializers==0.3.2"),  # from Python 3.12 on
    drf_peer("serpy", "serpy==0.3.1"),
    drf_peer("django-ninja", "django-ninja==1.7.1"),
]
"""Other ways to the same JSON from Django's models."""


FLASK = [
    Peer(
        "flask-orjson",
        "flights_flask_worker.py",
        "flask-orjson",
        ("flask-orjson==2.0.0",),
        ("flask", "marshmallow", "sqlalchemy", "orjson"),
        with_fastschema=True,
    ),
]
"""Other JSON for Flask."""


def start(
    peers: Sequence[Peer], count: int, console: Console
) -> tuple[list[Contender], list[Failure]]:
    """Install peers, and start those that could be installed.

    :param count: how many rows they handle
    """
    started, failures = [], []
    for peer in peers:
        with console.status(f"installing {peer.name}"):
            try:
                started.append(peer.contender(count))
            except NotInstalledError as error:
                failures.append(Failure(None, peer.name, "not installed", str(error)))
    return started, failures
