"""An application's own tests, by stock and by fastschema."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console


def compare_tests(name: str, directory: Path, console: Console) -> int:
    raise NotImplementedError
