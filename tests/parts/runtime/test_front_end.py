"""Which front end reads which schema, and what is imported for it."""

import subprocess
import sys

import pytest
from marshmallow import Schema

from fastschema.marshmallow.compiled_schema import MarshmallowFrontEnd
from fastschema.runtime.front_end import front_end_for


def imported_by(code):
    """Which frameworks are imported after some code."""
    frameworks = ["marshmallow", "flask", "django", "rest_framework"]
    report = f"{code}\nimport sys\nprint(*[name for name in {frameworks} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize("schema", [Schema, Schema(), type("Mine", (Schema,), {})])
def test_a_marshmallow_schema_is_read_by_its_front_end(schema):
    assert isinstance(front_end_for(schema), MarshmallowFrontEnd)


@pytest.mark.parametrize("other", [object, 5, type, Exception("no schema")])
def test_anything_else_is_refused_by_its_name(other):
    name = (other if isinstance(other, type) else type(other)).__qualname__

    with pytest.raises(TypeError, match=f"{name} is not a schema that fastschema can read"):
        front_end_for(other)


def test_importing_fastschema_imports_no_framework():
    assert imported_by("import fastschema") == []


def test_refusing_imports_no_framework():
    code = """
import fastschema
try:
    fastschema.compile(5)
except TypeError:
    pass
"""
    assert imported_by(code) == []


def test_compiling_a_marshmallow_schema_imports_no_other_framework():
    code = """
import fastschema
from marshmallow import Schema, fields
fastschema.install()
fastschema.compile(Schema.from_dict({"a": fields.String()})).dumps([{}], many=True)
"""
    assert imported_by(code) == ["marshmallow"]
