"""Which fields cost most, in real runs of schemas: what the doctor's ``--profile`` tells."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastschema.naming import PathError, object_at
from fastschema.plan import compile

if TYPE_CHECKING:
    from fastschema.profiling import Profile

_SHOWN = 3


class Cost(NamedTuple):
    """What a field cost in a real run.

    :param where: what was run: a view, or a schema
    :param key: of the field
    :param seconds: in all
    :param user_seconds: in your own code and in stock methods
    :param compiled: whether generated code does it
    :param why: why it runs as stock, or what code of yours it calls, or ""
    """

    where: str
    key: str
    seconds: float
    user_seconds: float
    compiled: bool
    why: str


def profiles_of(schemas: Mapping[str, Any], rows_path: str) -> dict[str, Profile]:
    """Dump rows by some schemas, and measure each field.

    :param schemas: each by ``package.module:Name``
    :param rows_path: where the rows are, or a function that returns them: ``package.module:rows``
    :raises PathError: if there are none, or they cannot be dumped
    """
    given = object_at(rows_path)
    try:
        rows = list(given() if callable(given) else given)
    except Exception as error:
        raise PathError(f"{rows_path} gives no rows: {type(error).__name__}: {error}") from error
    profiles = {}
    for path, schema in schemas.items():
        try:
            profiles[path] = compile(schema).profile(rows)
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise PathError(f"{path} cannot dump {rows_path}: {why}") from error
    return profiles


def slowest(profiles: Mapping[str, Profile]) -> list[Cost]:
    """The three fields that cost most in all of some runs.

    :param profiles: the runs, by what was run
    """
    costs = [
        [
            Cost(where, each.key, each.seconds, each.user_seconds, each.compiled, each.why)
            for each in made.slowest(_SHOWN)
        ]
        for where, made in profiles.items()
    ]
    # The order of each profile stays: it knows more than the times of its fields.
    merged = heapq.merge(*costs, key=lambda cost: cost.seconds, reverse=True)
    return list(itertools.islice(merged, _SHOWN))


def write_pictures(profiles: Mapping[str, Profile], file: str) -> list[str]:
    """Write the pictures of some runs: of one to a file, of several to files with numbers.

    :param profiles: the runs, by what was run
    :param file: ``profile.svg``, say; the second of several is ``profile-2.svg``
    :returns: which is where, a sentence each
    :raises OSError: if a file cannot be written
    """
    path = Path(file)
    told = []
    for number, (where, made) in enumerate(profiles.items(), 1):
        name = f"{path.stem}-{number}{path.suffix}" if len(profiles) > 1 else path.name
        target = path.with_name(name)
        target.write_text(made.svg(), encoding="utf-8")
        told.append(f"The picture of {where} is in {target}.")
    return told
