"""Environments of their own for the benchmarks' peers: a virtual environment below ``.venv`` each.

No peer can then change what another one runs with. What an environment was made of is noted in it;
it is made again when that changes.
"""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class NotInstalledError(Exception):
    """A peer that cannot be installed; its text says why, in a line."""


@dataclass(frozen=True)
class Environment:
    """What a peer is installed with.

    :param needs: requirements; the newest versions that the peer supports come with them
    :param shared: packages that it has in the version that this Python has, to be comparable
    :param with_fastschema: the applications that it runs import fastschema, whether on or off
    :param interpreter: the Python that it is of
    """

    name: str
    needs: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    with_fastschema: bool = False
    interpreter: str = sys.executable

    def python(self) -> Path:
        """The interpreter, made if it is not there.

        :raises NotInstalledError: if pip cannot install what is needed
        """
        directory = ROOT / ".venv" / f"peer-{self.name.replace(' ', '-')}"
        python, stamp = directory / "bin" / "python", directory / "installed"
        shared = [
            f"{each}=={importlib.metadata.version(each)}" for each in ("pyperf", *self.shared)
        ]
        wanted = [*self.needs, *shared]
        if self.with_fastschema:
            wanted += ["--editable", str(ROOT)]
        if stamp.exists() and stamp.read_text().split("\n") == [self.interpreter, *wanted]:
            return python
        shutil.rmtree(directory, ignore_errors=True)  # most often there is none
        subprocess.run([self.interpreter, "-m", "venv", "--without-pip", directory], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *wanted]
        finished = subprocess.run(pip, capture_output=True, text=True, check=False)
        if finished.returncode:
            errors = [line for line in finished.stderr.splitlines() if line.startswith("ERROR")]
            raise NotInstalledError((errors or finished.stderr.splitlines() or ["pip failed"])[-1])
        stamp.write_text("\n".join([self.interpreter, *wanted]))
        return python
