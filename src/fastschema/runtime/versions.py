"""The packages that fastschema works with: which ones a part needs, and their versions."""

from __future__ import annotations

import platform
import re
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version


def require(part: str, **oldest: tuple[int, int]) -> None:
    """Raise ``ImportError`` if a package that a part of fastschema needs is missing or too old."""
    for package, least in oldest.items():
        least_text = ".".join(map(str, least))
        install = f"pip install '{package}>={least_text}'"
        try:
            installed = version(package)
        except PackageNotFoundError:
            raise ModuleNotFoundError(
                f"{part} needs {package}, which is not installed: {install}", name=package
            ) from None
        if release(installed) < least:
            raise ImportError(
                f"{part} needs {package} {least_text} or newer, and {installed} is "
                f"installed: {install}",
                name=package,
            )


def is_installed(package: str, oldest: tuple[int, ...]) -> bool:
    """Return whether a package is there, and new enough, by as many numbers as are given."""
    try:
        installed = version(package)
    except PackageNotFoundError:
        return False
    numbers = installed.split(".")[: len(oldest)]
    return tuple(int(part) for part in numbers if part.isdecimal()) >= oldest


_FIRST_YEAR = 2000


def release(number: str) -> tuple[int, ...]:
    """Return the release that a version corrects: 6.1 of 6.1.3, and 2028 of Django's 2028.1."""
    match = re.match(r"(\d+)(?:\.(\d+))?", number)
    numbers = tuple(int(part) for part in match.groups() if part) if match else ()
    return numbers[:1] if numbers >= (_FIRST_YEAR,) else numbers


_PACKAGES = (
    "orjson",
    "marshmallow",
    "Django",
    "djangorestframework",
    "Flask",
    "SQLAlchemy",
)


def versions() -> dict[str, str]:
    python = {platform.python_implementation(): platform.python_version()}
    return _installed("fastschema") | python | _installed(*_PACKAGES)


def _installed(*packages: str) -> dict[str, str]:
    installed = {}
    for package in packages:
        with suppress(PackageNotFoundError):
            installed[package] = version(package)
    return installed


def versions_text() -> str:
    return ", ".join(f"{name} {number}" for name, number in versions().items())
