"""Runs an upstream test suite, from its published source archive, with fastschema installed.

    python tests/upstream/run.py DIRECTORY PACKAGE==VERSION [PYTEST ARGUMENT ...]

The archive is downloaded to the directory and unpacked there (once); its tests run in this
process's environment, which must have that very version installed. For DRF,
FASTSCHEMA_TEST_RENDERER=1 makes FastJSONRenderer its default renderer as well. Nothing of upstream
is kept in the repository.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent


def unpack(directory: Path, package: str, number: str) -> Path:
    """The unpacked source archive of a package."""
    name = package.replace("-", "_")
    unpacked = directory / f"{name}-{number}"
    if not unpacked.is_dir():
        directory.mkdir(parents=True, exist_ok=True)
        download = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest"]
        requirement = f"{package}=={number}"
        pip = [sys.executable, "-m", "pip", *download, str(directory), requirement]
        subprocess.run(pip, check=True)
        with tarfile.open(directory / f"{name}-{number}.tar.gz") as archive:
            archive.extractall(directory, filter="data")
    return unpacked


def main() -> int:
    """Unpack and run; the exit status is pytest's."""
    directory, requirement, *arguments = sys.argv[1:]
    package, _, number = requirement.partition("==")
    if version(package) != number:
        raise SystemExit(f"{package} {version(package)} is installed here, not {number}")
    unpacked = unpack(Path(directory).resolve(), package, number)
    plugin = ["-p", "installed", "-p", "no:cacheprovider"]
    pytest = [sys.executable, "-m", "pytest", *plugin, "tests", *arguments]
    path = {"PYTHONPATH": str(HERE)}
    return subprocess.run(pytest, cwd=unpacked, env={**os.environ, **path}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
