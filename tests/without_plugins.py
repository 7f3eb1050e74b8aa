"""Run the tests of the core in a copy of the repository without the plugins and their tests.

usage: python -m tests.without_plugins [options of pytest]
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.test_layers import PLUGINS

ROOT = Path(__file__).resolve().parents[1]
THEIRS = [
    "src/fastschema/__main__.py",
    "src/fastschema/contrib/django/management",
    *("tests/test_layers.py", "tests/test_looks.py"),  # which name modules of plugins
    # They show what all parts do together.
    *("tests/benchmarks", "tests/example_project", "tests/quick_starts", "tests/upstream"),
    *("tests/test_documentation.py", "tests/test_packaging.py"),
    "tests/parts/contrib/django/test_how_it_works.py",
    *("tests/test_repository.py", "tests/test_compatibility.py"),
    # They show a plugin, too: bulk input, N+1 queries, streams, and what contrib/sqlalchemy does
    # for Flask.
    "tests/promises/django/lists/test_composite_keys.py",
    "tests/promises/django/test_neighbours.py",
    "tests/promises/django/test_settings.py",
    "tests/promises/flask/test_selects.py",
    "tests/parts/marshmallow/test_bypassed.py",
]
"""What goes with the plugins, besides their folders."""


def take_out(copy: Path) -> None:
    """Delete all plugins in a copy, and what goes with them."""
    theirs = [
        f"{folder}/{plugin}" for folder in ("src/fastschema", "tests/parts") for plugin in PLUGINS
    ]
    theirs += [f"tests/promises/{plugin.removeprefix('contrib/')}" for plugin in PLUGINS]
    for name in (*theirs, *THEIRS):
        path = copy / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def main(options: list[str]) -> int:
    """Return the exit code of pytest."""
    with TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        left_out = shutil.ignore_patterns(".*", "__pycache__", "results", "node_modules")
        shutil.copytree(ROOT, copy, ignore=left_out)
        take_out(copy)
        command = [sys.executable, "-m", "pytest", *options, "tests"]
        environment = {**os.environ, "PYTHONPATH": str(copy / "src")}
        return subprocess.run(command, cwd=copy, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
