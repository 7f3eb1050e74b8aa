"""What the packages of the Django front end may use: of each other, and of Django's inside."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fastschema.contrib import django

PACKAGE = Path(django.__file__).parent
# Of Django's private interface what has no underscore.
NAMES = {
    *("annotation_col_map", "apply_converters", "col_count", "execute_sql", "get_compiler"),
    *("get_converters", "has_composite_fields", "klass_info", "pre_sql_setup", "results_iter"),
    *("add_immediate_loading", "combinator", "get_prefetch_querysets", "get_prefetcher"),
    *("get_current_prefetch_to", "get_current_querysets", "get_current_to_attr"),
    *("normalize_prefetch_lookups", "prefetch_one_level", "related_manager_cls"),
    *("DeferredAttribute", "ForeignKeyDeferredAttribute", "ModelIterable", "ModelState"),
    *("ReverseOneToOneDescriptor", "SQLCompiler", "fields_cache", "track_peers"),
}
IN_LOOPS = {
    # Makes instances as Model.from_db does, which keep rows.
    "row_instances.py": {"ModelState", "_state", "fields_cache"}
}


def modules(*packages):
    return sorted(path for each in packages for path in (PACKAGE / each).glob("*.py"))


def named(tree):
    """The attributes that a module reads or sets of others, and what it imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr, getattr(node.value, "id", "")
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                yield each.name, node.module


def owned():
    """The private names of Django that ``internals`` uses."""
    names = set(NAMES)
    for path in modules("internals"):
        for name, owner in named(ast.parse(path.read_text())):
            if name.startswith("_") and not name.startswith("__") and owner != "self":
                names.add(name)
    return names - {"_meta"}  # which is documented


@pytest.mark.parametrize("path", modules("lists", "../django_filter"), ids=lambda path: path.name)
def test_only_internals_knows_djangos_inside(path):
    used = {
        name
        for name, owner in named(ast.parse(path.read_text()))
        if owner != "self" and not owner.startswith("fastschema")
    }
    assert used & owned() <= IN_LOOPS.get(path.name, set())


def test_the_names_that_internals_owns_are_found():
    assert {"_result_cache", "_prefetch_done", "_iterable_class", "_apply_rel_filters"} < owned()


@pytest.mark.parametrize("path", modules("front_end"), ids=lambda path: path.name)
def test_the_front_end_imports_nothing_of_the_rest(path):
    above = "fastschema.contrib.django"
    imported = {
        node.module
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module.startswith(above)
    }
    assert all(each.startswith(f"{above}.front_end") for each in imported)


def test_fastschema_is_installed_where_the_packages_of_plugins_are_missing():
    code = """
import sys
from importlib import metadata

version = metadata.version


def without_adrf(package):
    if package == "adrf":
        raise metadata.PackageNotFoundError(package)
    return version(package)


metadata.version = without_adrf
sys.modules["adrf"] = sys.modules["djangorestframework_camel_case"] = None
import django

django.setup()
from rest_framework.serializers import Serializer
from fastschema.contrib.django.installation import _to_representation
print(Serializer.to_representation is _to_representation)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=PACKAGE.parents[3] / "example_project",
        capture_output=True,
        text=True,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
