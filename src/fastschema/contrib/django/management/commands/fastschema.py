"""manage.py fastschema: what fastschema makes of the serializers of a project."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from fastschema.contrib.django.endpoints import Reached, Survey, path_of, reached
from fastschema.contrib.django.unloaded import advice
from fastschema.plan import compile
from fastschema.report import Report

_SHOWN = 3
"""For how many endpoints the same reason is told."""


class Command(BaseCommand):
    """Lists the serializers that the URL configuration reaches, or shows one in detail."""

    help = (
        "Lists every serializer that the URL configuration reaches: how many of its fields are "
        "compiled, which ones run as stock, and why. With the name of a serializer: all its fields."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command line."""
        parser.add_argument(
            "serializer",
            nargs="?",
            help="show this one in detail: its name, or package.module.Name for any that there is",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--queries",
            action="store_true",
            help="list only the views that ask the database again for each row, and what to add",
        )
        parser.add_argument("--urlconf", help="look at this module instead of ROOT_URLCONF")

    def handle(self, *args: Any, **options: Any) -> str:
        """Look, and return what is printed.

        :raises CommandError: if there is no such serializer or URL configuration
        """
        name: str | None = options["serializer"]
        try:
            survey = reached(options["urlconf"])
        except ImportError as error:
            raise CommandError(f"The URL configuration cannot be imported: {error}") from error
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        if options["queries"]:
            return _queries_as_json(survey) if options["json"] else "\n".join(_queries(survey))
        if name is None:
            return _as_json(survey) if options["json"] else "\n".join(_lines(survey))
        found = _named(survey, name)
        if options["json"]:
            return json.dumps([each.as_dict() for each in found], indent=2)
        return "\n\n".join(_detail(each) for each in found)


def _named(survey: Survey, name: str) -> list[Reached]:
    """The serializers of a name that are reached, or the one that there is anyway.

    :raises CommandError: if there is none
    """
    found = [
        each for each in survey.serializers if name in (each.path, each.path.rpartition(".")[2])
    ]
    if found:
        return found
    if "." not in name:
        raise CommandError(
            f"The URL configuration reaches no serializer named {name}. "
            "For one that it does not reach, say package.module.Name."
        )
    try:
        cls = import_string(name)
        report = compile(cls).explain()
    except Exception as error:
        raise CommandError(f"{name} cannot be read: {error}") from error
    return [Reached(path_of(cls), report, [])]


def _as_json(survey: Survey) -> str:
    content = {
        "serializers": [each.as_dict() for each in survey.serializers],
        "lists": survey.lists,
        "without_serializer": survey.without,
    }
    return json.dumps(content, indent=2)


def _lines(survey: Survey) -> Iterator[str]:
    """The list for people."""
    if not survey.serializers:
        yield "The URL configuration reaches no serializer."
    for each in survey.serializers:
        yield f"{each.path}: {_summary(each.report)}"
        for field in each.report:
            if not field.compiled:
                yield f"    {field.key}: {field.why}"
    if survey.lists:
        yield "\nList views:"
        yield from (f"    {endpoint}: {how}" for endpoint, how in survey.lists.items())
    if survey.without:
        yield "\nWithout a serializer that can be found:"
        by_reason: dict[str, list[str]] = {}
        for endpoint, why in survey.without.items():
            by_reason.setdefault(why, []).append(endpoint)
        for why, found in by_reason.items():
            yield from (f"    {endpoint}: {why}" for endpoint in found[:_SHOWN])
            if len(found) > _SHOWN:
                yield f"    and {len(found) - _SHOWN} more: {why}"


def _queries(survey: Survey) -> Iterator[str]:
    """What list views ask of the database for each row."""
    if not survey.queries:
        yield "No list view is known to ask the database again for each row."
    for endpoint, found in survey.queries.items():
        yield f"{endpoint}: add {advice(found)}"
        yield from (f"    {each.field}: {each.lookup} is not loaded" for each in found)


def _queries_as_json(survey: Survey) -> str:
    content = {
        endpoint: {"advice": advice(found), "unloaded": [each._asdict() for each in found]}
        for endpoint, found in survey.queries.items()
    }
    return json.dumps(content, indent=2)


def _summary(report: Report) -> str:
    if report.why:
        return f"runs as stock, because {report.why}"
    return f"{report.compiled} of {len(report.fields)} fields compiled"


def _detail(found: Reached) -> str:
    uses = "".join(f"\n    {use}" for use in found.uses)
    return f"{found.path}{uses}\n\n{found.report}"
