"""The example project's database, filled."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from rich.console import Console

PROJECT = Path(__file__).resolve().parent.parent / "example_project"
ALL_FLIGHTS = 336_776
"""How many flights the data set has."""


def load(count: int, console: Console) -> None:
    """Make sure that the example project's database has enough flights."""
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "migrate", "--verbosity", "0"], cwd=PROJECT, check=True)
    counting = "from flights.models import Flight; print(Flight.objects.count())"
    there = subprocess.run(
        [*manage, "shell", "--verbosity", "0", "-c", counting],
        cwd=PROJECT,
        check=True,
        capture_output=True,
        text=True,
    )
    if int(there.stdout) < count:
        console.print(f"Loading {count:,} flights ...")
        subprocess.run([*manage, "load_flights", "--rows", str(count)], cwd=PROJECT, check=True)
