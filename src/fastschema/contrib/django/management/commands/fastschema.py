"""manage.py fastschema: what fastschema makes of the views and serializers of a project."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.core.management.base import BaseCommand, CommandError

from fastschema.contrib.django.app.diagnosis import (
    diagnosis_of_project,
    finding,
    profiled,
    queries_of,
)
from fastschema.contrib.django.app.survey import Survey, reached
from fastschema.tools.cli import add_flags, may_be_cut, printed, queries, shows_colours
from fastschema.tools.doctor import (
    Diagnosis,
    PathError,
    diagnosis_of,
    named,
    object_at,
    path_of,
    write_pictures,
)
from fastschema.versions import versions_text


class Command(BaseCommand):
    """The doctor of a project, or of the serializers that are named."""

    help = (
        "Shows for every view and serializer that the URL configuration reaches what is compiled, "
        "what runs as stock and why, and what to change. With the names of serializers, shows all "
        "their fields."
    )

    def get_version(self) -> str:
        """Return what ``--version`` prints."""
        return versions_text()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments of the command."""
        parser.add_argument(
            "serializers",
            nargs="*",
            metavar="serializer",
            help="show this one field by field: its name, or package.module:Name for any there is",
        )
        add_flags(parser)
        parser.add_argument(
            "--queries",
            action="store_true",
            help="list only the views that query the database again for each row, and what to add",
        )
        parser.add_argument(
            "--profile",
            action="store_true",
            help="serialize the first rows of each list view, and show what each field costs",
        )
        parser.add_argument(
            "--rows", type=int, default=200, help="how many rows of each to profile (200)"
        )
        parser.add_argument("--urlconf", help="look at this module instead of ROOT_URLCONF")
        parser.add_argument("--user", help="make the views' requests as this user, by username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and print.

        :raises CommandError: if there is no such serializer or URL configuration; with
            ``--fail-on-stock``, if any schema or field runs as stock
        """
        if options["rows"] < 1:
            raise CommandError(f"--rows must be a positive number, not {options['rows']}")
        try:
            survey = reached(options["urlconf"], _user(options["user"]))
            diagnosis = _diagnosis(survey, options)
        except ImportError as error:
            raise CommandError(f"The URL configuration cannot be imported: {error}") from error
        except (ImproperlyConfigured, PathError, OSError, ValueError) as error:
            raise CommandError(str(error)) from error
        if options["queries"]:
            self._print(_told_queries(diagnosis, is_json=options["json"]))
            return
        is_named = bool(options["serializers"])
        is_coloured = options["force_color"] or shows_colours(self.stdout, options)
        self._print(printed(diagnosis, options, is_named=is_named, is_coloured=is_coloured))
        failure = diagnosis.failure() if options["fail_on_stock"] else None
        if failure is not None:
            raise CommandError(failure)

    def _print(self, text: str) -> None:
        with may_be_cut():
            self.stdout.write(text)


def _user(name: str | None) -> Any:
    """Return the user of a name; None without a name.

    :raises CommandError: if there is none
    """
    if name is None:
        return None
    from django.contrib.auth import get_user_model  # only where a project has it

    users = get_user_model()._default_manager
    try:
        return users.get_by_natural_key(name)
    except ObjectDoesNotExist:
        raise CommandError(f"There is no user named {name}.") from None


def _diagnosis(survey: Survey, options: dict[str, Any]) -> Diagnosis:
    """Return what there is to find.

    :raises CommandError, PathError: if there is no such serializer
    :raises OSError: if a picture cannot be written
    """
    names: Sequence[str] = options["serializers"]
    found = diagnosis_of_project(survey) if not names else _of_named(survey, names)
    if options["dump_only"]:
        found = found.without_loading()
    if options["svg"] and not options["profile"]:
        raise CommandError("--svg needs --profile")
    if not options["profile"]:
        return found
    paths = {each.path for each in found.schemas} if names else None
    profiles, watched, notes = profiled(survey, paths, options["rows"])
    if options["svg"]:
        notes += write_pictures(profiles, options["svg"])
    queries = found.queries if names else queries_of(survey, watched)
    return replace(found, profiles=profiles, queries=queries, notes=[*found.notes, *notes])


def _of_named(survey: Survey, names: Iterable[str]) -> Diagnosis:
    """Return what there is to find of the serializers of some names.

    :raises CommandError, PathError: if there is none of a name
    """
    reached_paths = dict.fromkeys(each.path for each in survey.serializers)
    schemas = []
    for name in names:
        paths = named(name, reached_paths)
        if paths:
            schemas += [finding(each, survey) for each in survey.serializers if each.path in paths]
        elif "." in name or ":" in name:
            schema = object_at(name)
            path = path_of(schema) if isinstance(schema, type) else name
            schemas += diagnosis_of({path: schema}).schemas
        else:
            raise CommandError(
                f"The URL configuration reaches no serializer named {name}. "
                "For one that it does not reach, say package.module:Name."
            )
    return Diagnosis(schemas)


def _told_queries(diagnosis: Diagnosis, *, is_json: bool) -> str:
    """Return what list views ask of the database for each row."""
    if is_json:
        return json.dumps(diagnosis.as_dict()["queries"], indent=2)
    return "\n".join(line.text for line in queries(diagnosis, None)).rstrip()
