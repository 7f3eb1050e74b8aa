"""Who takes part besides stock and fastschema, each in an environment of its own, below ``.venv``.

No peer can then change what another one runs with. What an environment was made of is noted in it;
it is made again when that changes.
"""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from harness.comparing import Process, failure
from harness.tables import ROOT

HERE = Path(__file__).resolve().parent


class NotInstalledError(Exception):
    """A peer that cannot be installed; its text says why, in a line."""


@dataclass(frozen=True)
class Peer:
    """A contender that is installed for the benchmark.

    :param worker: the script that runs it
    :param needs: requirements; the newest versions that the peer supports come with them
    :param shared: packages that it has in the version that this Python has, to be comparable
    :param with_fastschema: the applications that it runs import fastschema, whether on or off
    :param variables: variables of its environment
    :param interpreter: the Python that its environment is of
    """

    name: str
    worker: str
    needs: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    with_fastschema: bool = False
    variables: dict[str, str] = field(default_factory=dict)
    interpreter: str = sys.executable
    is_peer: bool = True

    def start(self, *arguments: object) -> Process:
        """Its process.

        :param arguments: of the worker, besides its name
        :raises NotInstalledError: if pip cannot install what is needed
        """
        command = [self.python(), HERE / self.worker, self.name, *map(str, arguments)]
        return Process(self.name, command, self.variables, is_peer=self.is_peer)

    def python(self) -> Path:
        """The interpreter of its environment, which is made if it is not there."""
        directory = ROOT / ".venv" / f"peer-{Path(self.worker).stem}-{self.name.replace(' ', '-')}"
        python, stamp = directory / "bin" / "python", directory / "installed"
        shared = [f"{each}=={importlib.metadata.version(each)}" for each in self.shared]
        wanted = [*self.needs, *shared]
        if self.with_fastschema:
            wanted += ["--editable", str(ROOT)]
        if stamp.exists() and stamp.read_text().split("\n") == [self.interpreter, *wanted]:
            return python
        shutil.rmtree(directory, ignore_errors=True)  # most often there is none
        subprocess.run([self.interpreter, "-m", "venv", "--without-pip", directory], check=True)
        if wanted:
            pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *wanted]
            finished = subprocess.run(pip, stderr=subprocess.PIPE, text=True, check=False)
            if finished.returncode:
                errors = [line for line in finished.stderr.splitlines() if line.startswith("ERROR")]
                raise NotInstalledError(
                    (errors or finished.stderr.splitlines() or ["pip failed"])[-1]
                )
        stamp.write_text("\n".join([self.interpreter, *wanted]))
        return python


def of_marshmallow(name: str, requirement: str, *shared: str) -> Peer:
    return Peer(name, "orders_worker.py", (requirement,), shared)


MARSHMALLOW = [
    of_marshmallow("stock 3.26", "marshmallow==3.26.2"),
    of_marshmallow("althaia", "althaia==4.3.0"),
    of_marshmallow("marshmallow-core", "marshmallow-core==0.1.16"),
    of_marshmallow("deepfriedmarshmallow", "deepfriedmarshmallow==1.1.2"),
    of_marshmallow("pulse-marshmallow", "pulse-marshmallow==0.1.0", "marshmallow"),
]
"""Packages that make marshmallow fast, and the last marshmallow 3."""

REFERENCES = [
    Peer("pydantic", "references.py", ("pydantic==2.14.3",)),
    Peer("msgspec", "references.py", ("msgspec==0.22.0",)),
    Peer("by hand", "references.py", (), ("orjson",)),
    Peer("orjson only", "references.py", (), ("orjson",)),
]
"""Other ways to the same JSON, without marshmallow."""

REST = ("django", "django-filter", "dj-database-url", "djangorestframework")


def of_drf(name: str, requirement: str, *shared: str) -> Peer:
    """A contender of the flights benchmark, with the Django and the DRF that stock has."""
    off = {"FASTSCHEMA": "0", "DEBUG": "0"}
    return Peer(name, "flights_worker.py", (requirement,), (*REST, *shared), True, off)


DRF = [
    of_drf("drf-orjson-renderer", "drf-orjson-renderer==1.8.0", "orjson"),
    of_drf("drf-accelerator", "drf-accelerator==0.1.2"),
    of_drf("drf-fastserializers", "drf-fastserializers==0.3.2"),  # from Python 3.12 on
    of_drf("django-ninja", "django-ninja==1.7.1"),
]
"""Other ways to the same JSON from Django's models."""

FLASK = [
    Peer(
        "flask-orjson",
        "flights_flask_worker.py",
        ("flask-orjson==2.0.0",),
        ("flask", "marshmallow", "sqlalchemy", "orjson"),
        with_fastschema=True,
    ),
]
"""Other JSON for Flask."""

SINGLE_NEEDS = {
    "stock": (),
    "fastschema": ("orjson~=3.13",),
    "drf-oxide": ("drf-oxide==0.1.0",),
    "django-fastdrf": ("django-fastdrf[msgspec,orjson]==0.5.0",),
}


def single(interpreter: str) -> list[Peer]:
    """Contenders of the benchmark of single objects, with the newest DRF that all support."""
    rest = ("django~=5.2.0", "dj-database-url~=3.0", "django-filter~=26.2")
    rest += ("djangorestframework~=3.16.0",)
    return [
        Peer(
            name,
            "patterns_worker.py",
            (*rest, *needs),
            with_fastschema=True,
            interpreter=interpreter,
            is_peer=name not in ("stock", "fastschema"),
        )
        for name, needs in SINGLE_NEEDS.items()
    ]


def start(peers: Sequence[Peer], *arguments: object) -> tuple[list[Process], list[dict[str, Any]]]:
    """Install peers, and start those that could be installed; say why others could not.

    :param arguments: of their workers
    :raises NotInstalledError: if one is not to be left out
    """
    started, failures = [], []
    for peer in peers:
        with Console(stderr=True).status(f"installing {peer.name}"):
            try:
                started.append(peer.start(*arguments))
            except NotInstalledError as error:
                if not peer.is_peer:
                    raise
                failures.append(failure(peer.name, "not installed", str(error)))
    return started, failures
