"""Puts the figures of the small applications into the README and into docs/benchmarks.md.

    PYTHONPATH=benchmarks python -m applications.small_tables

Reads the reports in docs/figures, which ``make figures-small-applications`` has measured.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from applications.tables import (
    LOADING,
    POSTGRESQL,
    ROOT,
    SMALL_APPLICATIONS,
    found,
    markdown,
    section,
)
from long_list_tables import times

SECTION = re.compile(r"(<!-- small-applications -->\n).*(<!-- /small-applications -->)", re.DOTALL)


class Shown(NamedTuple):
    """A row of the README's table.

    :param title: what the README calls it
    :param page: the title of the request for 20 rows, if there is one
    :param long_page: that for 240 rows
    :param one: that for one object
    """

    title: str
    page: str = ""
    long_page: str = ""
    one: str = ""


SHOWN = (
    Shown("DRF, a list of plain columns", "prices, plain columns, 20", "prices, 240"),
    Shown(
        "DRF, a list of nested and many-to-many objects, with methods",
        "products, nested, many-to-many, methods, 20",
        "products, 240",
    ),
    Shown(
        "DRF, the same list without django-filter",
        "products without django-filter, 20",
    ),
    Shown(
        "DRF, a list that queries its relations for each row",
        "reviews whose relations nobody loads, 20",
    ),
    Shown("DRF, one object with a list of nested ones", one="a product with its reviews"),
    Shown("DRF, POST of an object with two nested ones", one="POST an order with two lines"),
    Shown("Flask, a list of plain columns", "authors, plain columns, 20", "authors, 240"),
    Shown(
        "Flask, a list of nested objects, with a method",
        "books, nested, a method, 20",
        "books, 240",
        "a book",
    ),
    Shown(
        "Flask, a list of nested objects by flask-smorest",
        "by flask-smorest: books, 20",
        "by flask-smorest: books, 240",
        "by flask-smorest: a book",
    ),
    Shown("Flask, POST of an object with two nested ones", one="POST a book with two copies"),
)


def readme(reports: list[dict[str, Any]]) -> str:
    """Return the table of the README."""
    ratios = {
        figure["measure"]: times(figure["ratio"])
        for report in reports
        for figure in report["figures"]
        if figure["contender"] == "fastschema"
    }
    rows = [["speedup over stock", "20 rows", "240 rows", "one object"]]
    for title, *requests in SHOWN:
        rows.append([title, *(ratios[request] if request else "" for request in requests)])
    versions = {name: number for each in reports for name, number in each["versions"].items()}
    packages = ", ".join(f"{package} {number}" for package, number in versions.items())
    first = reports[0]
    measured = f"Measured on {first['date']} on {first['machine']}, with {packages}."
    return f"{markdown(rows)}\n\n{measured}\n"


def tables() -> dict[str, str]:
    """Return by page what it shows between its marks."""
    names = [f"{name}{which}" for which in (POSTGRESQL, "") for name in SMALL_APPLICATIONS]
    sections = [section(found(name), found(f"{name}{LOADING}")) for name in names]
    return {
        "README.md": readme([found(f"{name}{POSTGRESQL}") for name in SMALL_APPLICATIONS]),
        "docs/benchmarks.md": "".join(f"\n{each}\n" for each in sections),
    }


def main() -> None:
    """Rewrite the sections of the pages."""
    for name, shown in tables().items():
        page = ROOT / name
        text = page.read_text()
        page.write_text(SECTION.sub(lambda match, own=shown: match[1] + own + match[2], text))


if __name__ == "__main__":
    main()
