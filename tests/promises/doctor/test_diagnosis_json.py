"""The doctor says what reads and writes JSON."""

import subprocess
import sys

from tests.marks import needs_orjson
from tests.parts.runtime.test_json_engine import without

TELL_OF_JSON = """
from marshmallow import Schema, fields
import fastschema
from fastschema.doctor.diagnosis import diagnosis_of
from fastschema.doctor.cli import lines

class Dog(Schema):
    name = fields.String()

class Cat(Schema):
    dogs = fields.Nested(Dog, many=True)

diagnosis = diagnosis_of({"here:Cat": Cat, "here:Dog": Dog})
texts = [str(fastschema.compile(Cat).explain()), str(diagnosis.as_dict())]
texts += ["\\n".join(lines(diagnosis, 1, has_fields=each)) for each in (True, False)]
print([text.count("orjson is not installed") for text in texts], fastschema.stats().json)
"""


def test_where_orjson_is_missing_whoever_asks_is_told_once():
    assert without(["orjson"], TELL_OF_JSON) == "[1, 1, 1, 1] json\n"


@needs_orjson
def test_where_orjson_is_there_the_doctor_says_nothing_of_it():
    done = subprocess.run(
        [sys.executable, "-c", TELL_OF_JSON], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[0, 0, 0, 0] orjson\n"
