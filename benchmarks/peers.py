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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from harness.comparing import Process, failure
from harness.tables import ROOT

HERE = Path(__file__).resolve().parent
PAIR = ("stock", "fastschema")


class NotInstalledError(Exception):
    """A peer that cannot be installed; its text says why, in a line."""


@dataclass(frozen=True)
class Peer:
    """A contender that is installed for the benchmark.

    :param module: of ``patterns``, what it measures in place of that which others do
    :param needs: requirements; the newest versions that the peer supports come with them
    :param shared: packages that it has in the version that this Python has, to be comparable
    :param with_fastschema: the applications that it runs import fastschema, whether on or off
    :param interpreter: the Python that its environment is of
    """

    name: str
    needs: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    with_fastschema: bool = False
    module: str = ""
    interpreter: str = sys.executable
    is_peer: bool = True

    def start(self, *modules: str) -> Process:
        """Its process, which measures the patterns of some modules.

        :raises NotInstalledError: if pip cannot install what is needed
        """
        measured = [self.module] if self.module else modules
        command = [self.python(), HERE / "worker.py", self.name, *measured]
        return Process(self.name, command, is_peer=self.is_peer)

    def python(self) -> Path:
        """The interpreter of its environment, which is made if it is not there."""
        directory = ROOT / ".venv" / f"peer-{self.name.replace(' ', '-')}"
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


MARSHMALLOW = [
    Peer("stock 3.26", ("marshmallow==3.26.2",)),
    Peer("althaia", ("althaia==4.3.0",)),
    Peer("marshmallow-core", ("marshmallow-core==0.1.16",)),
    Peer("deepfriedmarshmallow", ("deepfriedmarshmallow==1.1.2",)),
    Peer("pulse-marshmallow", ("pulse-marshmallow==0.1.0",), ("marshmallow",)),
    Peer("pydantic", ("pydantic==2.14.3",), module="references"),
    Peer("msgspec", ("msgspec==0.22.0",), module="references"),
    Peer("by hand", (), ("orjson",), module="references"),
    Peer("orjson only", (), ("orjson",), module="references"),
]
"""Packages that make marshmallow fast, the last marshmallow 3, and other ways to the same JSON."""

REST = ("django", "django-filter", "dj-database-url", "djangorestframework")
DRF = [
    Peer("drf-orjson-renderer", ("drf-orjson-renderer==1.8.0",), (*REST, "orjson"), True),
    Peer("drf-accelerator", ("drf-accelerator==0.1.2",), REST, True),
    Peer("drf-fastserializers", ("drf-fastserializers==0.3.2",), REST, True),  # from Python 3.12 on
    Peer("django-ninja", ("django-ninja==1.7.1",), REST, True),
]
"""Other ways to the same JSON from Django's models, with the Django and the DRF that stock has."""

FLASK = [
    Peer(
        "flask-orjson",
        ("flask-orjson==2.0.0",),
        ("flask", "marshmallow", "sqlalchemy", "orjson"),
        True,
    ),
]
"""Other JSON for Flask."""

PYTHON = "python3.12"
"""All peers of single objects support it, and one of them no older one."""
OLDER_REST = ("django~=5.2.0", "dj-database-url~=3.0", "django-filter~=26.2")
OLDER_REST += ("djangorestframework~=3.16.0",)
SINGLE = [
    Peer(name, (*OLDER_REST, *needs), (), True, interpreter=PYTHON, is_peer=name not in PAIR)
    for name, needs in {
        "stock": (),
        "fastschema": ("orjson~=3.13",),
        "drf-oxide": ("drf-oxide==0.1.0",),
        "django-fastdrf": ("django-fastdrf[msgspec,orjson]==0.5.0",),
    }.items()
]
"""Contenders of the benchmark of single objects, with the newest DRF that all support."""


def start(peers: Sequence[Peer], *modules: str) -> tuple[list[Process], list[dict[str, Any]]]:
    """Install peers, and start those that could be installed; say why others could not.

    :param modules: of ``patterns``, what they measure
    :raises NotInstalledError: if one is not to be left out
    """
    started, failures = [], []
    for peer in peers:
        with Console(stderr=True).status(f"installing {peer.name}"):
            try:
                started.append(peer.start(*modules))
            except NotInstalledError as error:
                if not peer.is_peer:
                    raise
                failures.append(failure(peer.name, "not installed", str(error)))
    return started, failures
