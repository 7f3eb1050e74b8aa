"""When reading a schema pays."""

from __future__ import annotations

rows_worth_reading = 8
"""Reading a schema costs about as much as stock needs for so many rows of it. Until a schema that
is not known has dumped (or loaded) so many, it runs as stock."""


def is_worth_reading(rows: int) -> bool:
    """Whether a schema of which so many rows were dumped (or loaded) should be read.

    :param rows: those before, and those that are to be dumped now
    """
    return rows >= rows_worth_reading
