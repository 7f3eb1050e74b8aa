"""The packages that a part of fastschema needs, and what to do where they are missing or old."""

from __future__ import annotations

import importlib
from importlib.metadata import version

_MODULES = {"djangorestframework": "rest_framework", "django-debug-toolbar": "debug_toolbar"}


def require(part: str, extra: str, **oldest: tuple[int, int]) -> None:
    """See to it that packages are there, and new enough.

    :param part: the part of fastschema that needs them, for the message
    :param extra: the extra that installs them
    :param oldest: the oldest version of each package that will do, by its name
    :raises ImportError: if one is older; ``ModuleNotFoundError`` if one is missing
    """
    install = f"pip install 'fastschema[{extra}]'"
    for package, least in oldest.items():
        module = _MODULES.get(package, package)
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            raise ModuleNotFoundError(
                f"{part} needs {package}, which is not installed: {install}", name=module
            ) from None
        found = version(package)
        numbers = [int(part) for part in found.split(".")[:2] if part.isdecimal()]
        if tuple(numbers) < least:
            raise ImportError(
                f"{part} needs {package} {'.'.join(map(str, least))} or newer, and {found} is "
                f"installed: {install}",
                name=module,
            )
