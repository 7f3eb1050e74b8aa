"""Who imports whom, and that plugins can be taken out."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fastschema

SOURCE = Path(fastschema.__file__).parent
TESTS = Path(__file__).parent
PLUGINS = {
    "contrib/adrf": [],
    "contrib/camel_case": [],
    "contrib/django/bulk": [],
    "contrib/django/relations": [],
    "contrib/django/streaming": [],
    "contrib/django_filter": [],
    "contrib/flask/streaming": ["contrib/flask/extension.py"],
    "contrib/oneofschema": [],
    "contrib/sqlalchemy": ["plan.py", "contrib/flask/responses.py"],
    "contrib/sqlalchemy_relations": [],
    "doctor": ["__main__.py", "plan.py", "contrib/django/management/commands/fastschema.py"],
    "message_pack": ["plan.py"],
    "shadow": [],
}
"""Folders, and the modules outside of them that import them inside of a function, or are theirs."""

MAY_IMPORT = {
    "compiler": ["compiler"],
    "runtime": ["compiler", "runtime"],
    "marshmallow": ["compiler", "runtime", "marshmallow"],
    "contrib/django": ["compiler", "runtime", "contrib/django"],
    "contrib/flask": ["compiler", "runtime", "marshmallow", "contrib/flask"],
}


def folder_of(path, folders):
    """The innermost of some folders that has a module."""
    return max((each for each in folders if f"{path}/".startswith(f"{each}/")), key=len, default="")


def modules():
    """The modules, by their paths."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield path.relative_to(SOURCE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree):
    """The modules and packages of fastschema that a module imports, as paths."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("fastschema."):
            for each in node.names:
                yield f"{node.module}.{each.name}".removeprefix("fastschema.").replace(".", "/")
        elif isinstance(node, ast.Import):
            for each in node.names:
                if each.name.startswith("fastschema."):
                    yield each.name.removeprefix("fastschema.").replace(".", "/")


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_imports_point_down(layer):
    folders = [*MAY_IMPORT, *PLUGINS]
    above = {
        (path, name)
        for path, tree in modules()
        if folder_of(path, folders) == layer
        for name in imported(tree)
        if folder_of(name, folders) not in MAY_IMPORT[layer]
        and not any(path in seams for seams in PLUGINS.values())
    }

    assert above == set()


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_plugin_is_looked_up_by_name(plugin):
    importing = {
        path
        for path, tree in modules()
        if folder_of(path, PLUGINS) == ""
        for name in imported(tree)
        if folder_of(name, PLUGINS) == plugin
    }

    assert importing == set(PLUGINS[plugin])


OF_USERS = (
    "fastschema",
    "fastschema.json",
    "fastschema.contrib.adrf",
    "fastschema.contrib.camel_case.parsers",
    "fastschema.contrib.camel_case.renderers",
    "fastschema.contrib.django",
    "fastschema.contrib.django.bulk.mixins",
    "fastschema.contrib.django.parsers",
    "fastschema.contrib.django.relations",
    "fastschema.contrib.django.renderers",
    "fastschema.contrib.django.streaming",
    "fastschema.contrib.flask",
    "fastschema.marshmallow",
    "fastschema.message_pack.django",
    "fastschema.shadow",
    "fastschema.shadow.django",
    "fastschema.shadow.flask",
)
"""The modules that users import."""


def imports_of_a_test(path):
    """What of fastschema a module imports: modules, and names with their modules."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("fastschema."):
            for each in node.names:
                yield node.module, each.name
        elif isinstance(node, ast.Import):
            for each in node.names:
                if f"{each.name}.".startswith("fastschema."):
                    yield each.name, ""


def test_tests_of_promises_import_what_users_import():
    above = {
        (path.relative_to(TESTS).as_posix(), module, name)
        for path in (TESTS / "promises").rglob("*.py")
        for module, name in imports_of_a_test(path)
        if not {module, f"{module}.{name}"} & set(OF_USERS)
    }

    assert above == set()


SERVE = """
import django
from django.conf import settings

import fastschema
settings.configure(
    INSTALLED_APPS=["rest_framework", "fastschema.contrib.django"],
    FASTSCHEMA={"SHADOW": 1, "BULK_INPUT": True, "CHECK_SERIALIZERS": True, "LOAD_RELATIONS": True},
    DEBUG=True,
    ROOT_URLCONF="__main__",
)
urlpatterns = []
django.setup()
from django.core.checks import run_checks
from rest_framework import serializers

run_checks()


class Tag(serializers.Serializer):
    name = serializers.CharField()


rows = [{"name": str(number)} for number in range(500)]
assert Tag(rows, many=True).data == rows
tags = Tag(data=rows, many=True)
assert tags.is_valid() and tags.validated_data == rows

from flask import Flask, jsonify
from marshmallow import Schema, fields

from fastschema.contrib.flask import FastSchema

app = Flask("app")
app.config["FASTSCHEMA_SHADOW"] = 1
fs = FastSchema(app)


class Label(Schema):
    name = fields.String()


@app.get("/")
@fs.output(Label(many=True))
def labels():
    return rows


assert app.test_client().get("/").json == rows
assert fastschema.stats().compiled_rows == 2 * len(rows), fastschema.stats()
"""


@pytest.mark.parametrize("plugin", PLUGINS)
def test_the_rest_runs_without_a_plugin(plugin, tmp_path):
    shutil.copytree(SOURCE, tmp_path / "fastschema", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.rmtree(tmp_path / "fastschema" / plugin)
    command = [sys.executable, "-c", SERVE]
    environment = {"PYTHONPATH": str(tmp_path)}

    done = subprocess.run(command, env=environment, capture_output=True, text=True)

    assert (done.stderr, done.returncode) == ("", 0)


IMPORT = """
import sys
from importlib import import_module

import marshmallow.fields
from django.conf import settings

settings.configure(FASTSCHEMA={"INSTALL": False}, INSTALLED_APPS=["fastschema.contrib.django"])
import django

django.setup()
import rest_framework.serializers


def attributes():
    return {
        (cls, name): value
        for module in list(sys.modules.values())
        if module.__name__.startswith(("marshmallow.", "rest_framework."))
        for cls in vars(module).values()
        if isinstance(cls, type)
        for name, value in vars(cls).items()
        if not name.startswith("_abc")
    }


before = attributes()
for name in MODULES:
    import_module(name)
after = attributes()
classes = {cls for cls, _ in before}
changed = [key for key in after if key[0] in classes and after[key] is not before.get(key)]
assert not changed, changed
"""


def test_importing_a_front_end_changes_nothing():
    names = [
        f"fastschema.{path.removesuffix('.py').replace('/', '.')}"
        for path, _ in modules()
        if path.startswith(("marshmallow/", "contrib/django/")) and "__init__" not in path
    ]
    code = f"MODULES = {names}\n{IMPORT}"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.stderr, done.returncode) == ("", 0)
