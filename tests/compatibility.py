"""Write into docs/compatibility.md which versions the tests passed with: ``make compatibility``.

The Makefile's targets leave a file ``passed`` in an environment when its tests have passed. It has
the names of the packages whose tests these were.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "compatibility.md"
TABLE = re.compile(r"(<!-- passed -->\n).*?(<!-- /passed -->)", re.DOTALL)
COLUMNS = {
    "django": ("Django", ("django",)),
    "djangorestframework": ("DRF", ("django",)),
    "marshmallow": ("marshmallow", ("marshmallow", "flask")),
    "flask": ("Flask", ("flask",)),
    "sqlalchemy": ("SQLAlchemy", ("sqlalchemy",)),
    "orjson": ("orjson", ("marshmallow", "flask", "django")),
}
"""The packages that are shown: their titles, and the tests that say something about them."""


class NothingPassedError(Exception):
    """No environment has passed its tests."""


def row(environment: Path) -> list[str] | None:
    """Return the versions that an environment's tests passed with; None if they did not pass.

    It is read, not run: its Python may be in a folder that only ``.ci/with-python`` sees.
    """
    passed, installed = environment / "passed", environment / "installed"
    if not passed.exists() or passed.stat().st_mtime < installed.stat().st_mtime:
        return None
    tested = passed.read_text(encoding="utf-8").split()
    [packages] = environment.glob("lib/*/site-packages")
    found = {each.name.lower(): each.version for each in distributions(path=[str(packages)])}
    shown = [
        found.get(package, "none") if set(needed) & set(tested) else ""
        for package, (_, needed) in COLUMNS.items()
    ]
    return [python(environment, packages.parent.name), *shown]


def python(environment: Path, folder: str) -> str:
    """Return the Python of an environment, as ``3.14.1`` or ``PyPy 3.11.13``.

    :param folder: the name of the folder of its packages, as ``python3.14t`` or ``pypy3.11``
    """
    settings = (environment / "pyvenv.cfg").read_text(encoding="utf-8")
    version = re.search(r"^version = ([\d.]+)", settings, re.MULTILINE)[1].rstrip(".")
    if folder.startswith("pypy"):
        return f"PyPy {version}"
    return f"{version}, free-threaded" if folder.endswith("t") else version


def table(environments: Path) -> str:
    """Return the table of all environments that passed their tests.

    :raises NothingPassedError: if none did
    """
    rows = [found for each in sorted(environments.iterdir()) if (found := row(each))]
    if not rows:
        raise NothingPassedError(f"no tests have passed in {environments}: run make test-all first")
    rows.sort(key=lambda cells: (not cells[0][0].isdigit(), version_key(cells[0])))
    head = ["Python", *(title for title, _ in COLUMNS.values())]
    lines = [head, ["---"] * len(head), *rows]
    return "".join(
        f"{''.join(f'| {cell} ' if cell else '| ' for cell in each)}|\n" for each in lines
    )


def version_key(text: str) -> list[int]:
    """Return the numbers of a version."""
    return [int(each) for each in re.findall(r"\d+", text)]


def main() -> int:
    """Write the table into the page."""
    try:
        found = table(ROOT / ".venv")
    except NothingPassedError as error:
        print(f"compatibility: {error}", file=sys.stderr)
        return 1
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda match: match[1] + found + match[2], page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
