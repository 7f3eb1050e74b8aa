"""Figures of applications as tables."""

from __future__ import annotations

from typing import Any

from applications.sampling import CATEGORIES, DATABASE
from harness import tables
from harness.tables import Rows, markdown, milliseconds, times

APPLICATIONS = ("netbox", "pretix", "ara", "flexmeasures", "superset")
"""In the order of the page."""
TESTED = ("netbox", "ara", "flexmeasures")
"""Those whose packages have their own tests."""
SMALL_APPLICATIONS = ("shop", "library")
"""Those in this repository, which run in the environment of the benchmarks."""
POSTGRESQL = "-postgresql"
"""Ends the names of figures of small applications over PostgreSQL."""
LOADING = "-load-relations"
"""Ends the names of figures of the values of LOAD_RELATIONS."""
SETTINGS = {"off": "", "`True`": "True", '`"all"`': "all"}
"""Those values, as they are shown and as the worker has them in its environment."""


def request_rows(report: dict[str, Any]) -> Rows:
    compared = tables.by_measure(report)
    has_orjson = any("orjson" in each for each in compared.values())
    heading = ["request", "rows", "queries", "stock", "fastschema", "of it database", "times"]
    result = [[*heading, *["orjson alone"] * has_orjson, "median", "calls"]]
    for request, figures in compared.items():
        stock, fast, orjson = (figures.get(each) for each in ("stock", "fastschema", "orjson"))
        if fast is None:
            continue
        median = fast["ratio"] * (1 + stock["spread"]) / (1 + fast["spread"])
        result.append(
            [
                request,
                "" if fast["rows"] is None else f"{fast['rows']:,}",
                queries(stock["queries"], fast["queries"]),
                milliseconds(stock["seconds"]),
                milliseconds(fast["seconds"]),
                milliseconds(fast["database"]) if fast["database"] else "",
                f"{fast['ratio']:.2f}",
                *[f"{orjson['ratio']:.2f}" if orjson else ""] * has_orjson,
                f"{median:.2f}",
                f"{stock['calls'] / fast['calls']:.2f}",
            ]
        )
    return result


def sample_rows(report: dict[str, Any]) -> Rows:
    """Return where the time of the requests that were sampled goes: stock / fastschema."""
    shown = {
        request: [figures[each] for each in ("stock", "fastschema")]
        for request, figures in tables.by_measure(report).items()
        if all(figures.get(each, {}).get("sample") for each in ("stock", "fastschema"))
    }
    result = [["stock / fastschema, ms", *shown]]
    spent_in = [[spent(figure) for figure in pair] for pair in shown.values()]
    for name in (*CATEGORIES, DATABASE):
        cells = [[each[name] for each in pair] for pair in spent_in]
        if any(value >= 0.00005 for pair in cells for value in pair):
            result.append([name, *(" / ".join(map(milliseconds, pair)) for pair in cells)])
    return result


def spent(figure: dict[str, Any]) -> dict[str, float]:
    process = figure["seconds"] - figure["database"]
    parts = {name: part * process for name, part in figure["sample"]["parts"].items()}
    return {**parts, DATABASE: figure["database"]}


def queries(stock: int, fast: int) -> str:
    return str(fast) if stock == fast else f"{stock} / {fast}"


def loading_rows(report: dict[str, Any]) -> Rows:
    """Return the requests of which fastschema saves queries, with each value of LOAD_RELATIONS."""
    result = [["request", "rows", "queries", "stock", *SETTINGS]]
    for request, figures in tables.by_measure(report).items():
        stock, *own = (figures.get(each) for each in ("stock", *SETTINGS))
        if all(own) and min(each["queries"] for each in own) < stock["queries"]:
            result.append(
                [
                    request,
                    "" if stock["rows"] is None else f"{stock['rows']:,}",
                    " / ".join(str(each["queries"]) for each in own),
                    milliseconds(stock["seconds"]),
                    *(f"{milliseconds(each['seconds'])} ({each['ratio']:.2f})" for each in own),
                ]
            )
    return result


def section(report: dict[str, Any], loading: dict[str, Any] | None = None) -> str:
    """Return what a page says of an application.

    :param loading: the report of the values of LOAD_RELATIONS, if there is one
    """
    parts = [f"### {report['title']}", markdown(request_rows(report))]
    failures = [tables.reasons(report)]
    if loading is not None:
        saving = loading_rows(loading)
        parts += ["The requests that take fewer queries with `LOAD_RELATIONS`:"]
        parts += [markdown(saving) if len(saving) > 1 else "None."]
        failures += [tables.reasons(loading)]
    if len(samples := sample_rows(report)) > 1:
        parts += ["Where the time goes:", markdown(samples)]
    return "\n\n".join([*parts, *filter(None, failures), tables.versions(report)])


def sections(names: list[str]) -> str:
    """Return what a page says of those applications that were measured."""
    reports = [
        [tables.read(f"application-{each}{suffix}") for suffix in ("", LOADING)] for each in names
    ]
    return "\n\n".join(section(*each) for each in reports if each[0] is not None)


README = [
    ("DRF, a list of plain columns", "prices, plain columns, 20", "prices, 240", ""),
    (
        "DRF, a list of nested and many-to-many objects, with methods",
        *("products, nested, many-to-many, methods, 20", "products, 240", ""),
    ),
    ("DRF, the same list without django-filter", "products without django-filter, 20", "", ""),
    (
        "DRF, a list that queries its relations for each row",
        *("reviews whose relations are not loaded, 20", "", ""),
    ),
    ("DRF, one object with a list of nested ones", "", "", "a product with its reviews"),
    ("DRF, POST of an object with two nested ones", "", "", "POST an order with two lines"),
    ("Flask, a list of plain columns", "authors, plain columns, 20", "authors, 240", ""),
    (
        "Flask, a list of nested objects, with a method",
        *("books, nested, a method, 20", "books, 240", "a book"),
    ),
    (
        "Flask, a list of nested objects by flask-smorest",
        *(
            "by flask-smorest: books, 20",
            "by flask-smorest: books, 240",
            "by flask-smorest: a book",
        ),
    ),
    ("Flask, POST of an object with two nested ones", "", "", "POST a book with two copies"),
]
"""Rows of the README's table: a title, and the requests for 20 rows, 240 rows and one object."""


def small_table(endings: list[str]) -> Rows:
    """Return the README's table, from the figures whose names end so; several are in a cell."""
    ratios = [
        {
            request: times(figures["fastschema"]["ratio"])
            for name in SMALL_APPLICATIONS
            for request, figures in tables.by_measure(
                tables.read(f"application-{name}{ending}")
            ).items()
        }
        for ending in endings
    ]
    rows = [["speedup over stock", "20 rows", "240 rows", "one object"]]
    for title, *requests in README:
        cells = (
            " / ".join(own[request] for own in ratios) if request else "" for request in requests
        )
        rows.append([title, *cells])
    return rows


def readme() -> str:
    reports = [tables.read(f"application-{name}{POSTGRESQL}") for name in SMALL_APPLICATIONS]
    return f"{markdown(small_table([POSTGRESQL]))}\n\n{tables.versions(*reports)}"
