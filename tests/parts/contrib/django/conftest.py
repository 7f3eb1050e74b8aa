"""The rows and tables of promises."""

from tests.promises.django.conftest import (
    collect_ignore,  # those of lists, without orjson
    flights,
    more_people,
    people,
    rows_of_people,
    tables_of_people,
)

__all__ = [
    "collect_ignore",
    "flights",
    "more_people",
    "people",
    "rows_of_people",
    "tables_of_people",
]
