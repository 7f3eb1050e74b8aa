"""manage.py fastschema: what fastschema makes of the views and serializers of a project."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import replace
from typing import Any

from django.core.exceptions import ImproperlyConfigured, ObjectDoesNotExist
from django.core.management.base import BaseCommand, CommandError

from fastschema.doctor.cli import add_flags, printed, queries
from fastschema.doctor.diagnosis import (
    Diagnosis,
    PathError,
    SchemaFinding,
    diagnosis_of,
    named,
    object_at,
    path_of,
    write_pictures,
)
from fastschema.doctor.django.real_run import run_lists
from fastschema.doctor.django.survey import Survey, diagnosis_of_project, reached
from fastschema.runtime.versions import versions_text


class Command(BaseCommand):
    """The doctor of a project, or of the serializers that are named."""

    help = (
        "Shows for every view and serializer that the URL configuration reaches what is compiled, "
        "what runs as stock and why, and what to change. With the names of serializers, shows all "
        "their fields."
    )

    def get_version(self) -> str:
        return versions_text()

    def add_arguments(self, parser: ArgumentParser) -> None:
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
        """Look, and print, or raise CommandError."""
        if options["rows"] < 1:
            raise CommandError(f"--rows must be a positive number, not {options['rows']}")
        if options["svg"] and not options["profile"]:
            raise CommandError("--svg needs --profile")
        try:
            diagnosis = _diagnosis(reached(options["urlconf"], _user(options["user"])), options)
        except ImportError as error:
            raise CommandError(f"The URL configuration cannot be imported: {error}") from error
        except (ImproperlyConfigured, PathError, OSError) as error:
            raise CommandError(str(error)) from error
        if not options["queries"]:
            is_named = bool(options["serializers"])
            self.stdout.write(printed(diagnosis, options, is_named=is_named))
        elif options["json"]:
            self.stdout.write(json.dumps(diagnosis.as_dict()["queries"], indent=2))
        else:
            self.stdout.write("\n".join(queries(diagnosis, None)).rstrip())
        failure = diagnosis.failure()
        if options["fail_on_stock"] and failure is not None:
            raise CommandError(failure)


def _user(name: str | None) -> Any:
    if name is None:
        return None
    from django.contrib.auth import get_user_model  # only where a project has it

    users = get_user_model()._default_manager
    try:
        return users.get_by_natural_key(name)
    except ObjectDoesNotExist:
        raise CommandError(f"There is no user named {name}.") from None


def _diagnosis(survey: Survey, options: dict[str, Any]) -> Diagnosis:
    schemas = [finding for name in options["serializers"] for finding in _named(survey, name)]
    paths = {finding.path for finding in schemas}
    notes = run_lists(survey, paths, options["rows"]) if options["profile"] else []
    diagnosis = diagnosis_of_project(survey)
    if schemas:
        diagnosis = Diagnosis(schemas, schema_profiles=diagnosis.profiles)
    if options["dump_only"]:
        diagnosis = diagnosis.without_loading()
    if options["svg"]:
        notes += write_pictures(diagnosis.profiles, options["svg"])
    return replace(diagnosis, notes=[*diagnosis.notes, *notes])


def _named(survey: Survey, name: str) -> list[SchemaFinding]:
    paths = named(name, dict.fromkeys(finding.path for finding in survey.serializers))
    if paths:
        return [finding for finding in survey.serializers if finding.path in paths]
    if "." not in name and ":" not in name:
        raise PathError(
            f"The URL configuration reaches no serializer named {name}. "
            "For one that it does not reach, say package.module:Name."
        )
    schema = object_at(name)
    path = path_of(schema) if isinstance(schema, type) else name
    return list(diagnosis_of({path: schema}).schemas)
