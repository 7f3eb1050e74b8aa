"""The doctor, and its lines."""

import json

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema import FieldReport, Report
from fastschema.doctor.cli import lines
from fastschema.doctor.diagnosis import (
    Diagnosis,
    PathError,
    RowQueries,
    SchemaFinding,
    ViewFinding,
    diagnosis_of,
)
from tests.profiles import FakeProfile, field_time


class Year(fields.Field):
    def _serialize(self, value, attr, obj, **kwargs):
        return value.year


class CitySchema(Schema):
    name = fields.String()
    founded = Year()
    initial = fields.Function(lambda city: city.name[0])
    label = fields.Method("get_label")

    def get_label(self, city):
        return city.name


class OwnSchema(Schema):
    name = fields.String()

    def dump(self, obj, *, many=None):
        return {}


class NeedySchema(Schema):
    def __init__(self, tenant):
        super().__init__()


class BrokenSchema(Schema):
    def __init__(self):
        raise LookupError("no tenant")


CITY = f"{__name__}:CitySchema"
OWN = f"{__name__}:OwnSchema"


@pytest.fixture
def diagnosis():
    return diagnosis_of({CITY: CitySchema, OWN: OwnSchema})


def told(diagnosis, most=None, **options):
    return "\n".join(lines(diagnosis, most, **options)).split("\n")


def test_what_runs_as_stock_is_told_with_its_reason(diagnosis):
    assert diagnosis.stock == [
        (f"{CITY}.founded", "dump", "fastschema cannot compile Year._serialize"),
        (OWN, "dump", "dump is overridden"),
    ]


def test_what_runs_as_stock_in_loading_counts_unless_it_is_left_out():
    field = FieldReport("name", "name", False, "own", "deserialize is overridden")
    report = Report("B", [], loading=Report("B", [field]))
    diagnosis = Diagnosis([SchemaFinding("a:B", report)])

    assert [(each.where, each.does) for each in diagnosis.stock] == [("a:B.name", "load")]
    assert diagnosis.without_loading().stock == []


def test_as_a_dict_it_is_ready_for_json(diagnosis):
    found = json.loads(json.dumps(diagnosis.as_dict()))

    assert found["versions"]["fastschema"]
    assert [each["path"] for each in found["schemas"]] == [CITY, OWN]
    assert found["schemas"][0]["counts"] == {
        "dump": {"compiled": 1, "custom": 2, "stock": 1},
        "load": {"compiled": 2, "custom": 0, "stock": 0},
    }
    assert found["stock"][0]["where"] == f"{CITY}.founded"
    assert found["advice"][0]["where"] == [f"{CITY}.founded"]
    assert found["slowest"] == []


def test_a_profile_tells_what_costs_most(diagnosis):
    profiles = {CITY: FakeProfile([field_time("founded", 0.004, 0.003, False, "odd")])}
    profiled = Diagnosis(diagnosis.schemas, schema_profiles=profiles)

    assert profiled.as_dict()["slowest"] == [
        {
            "where": CITY,
            "key": "founded",
            "source": "founded",
            "seconds": 0.004,
            "user_seconds": 0.003,
            "compiled": False,
            "why": "odd",
            "depth": 0,
            "is_yours": False,
        }
    ]
    assert told(profiled)[:6] == [
        f"Profile of {CITY}",
        "founded 0.004",
        "",
        "Fields that cost most",
        f"  founded, in {CITY}: 4 ms, 3 ms of it in your own code or in stock methods (odd)",
        "",
    ]


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (NeedySchema, "here:it cannot be read: .*tenant"),
        (BrokenSchema, "here:it cannot be read: no tenant"),
        (dict, "here:it cannot be read: .*is not a schema"),
    ],
)
def test_what_cannot_be_made_is_a_clear_error(schema, message):
    with pytest.raises(PathError, match=message):
        diagnosis_of({"here:it": schema})


class TestLines:
    """What is printed."""

    def test_they_tell_of_schemas_what_runs_how(self, diagnosis):
        assert told(diagnosis) == [
            "What to change (docs/explain.md says more)",
            "  Remove Year._serialize if it only calls super(). Otherwise describe it with "
            "fastschema.register, or leave it: it costs nothing extra.",
            f"      {CITY}.founded",
            "  Move what the schema's dump adds to a pre_dump or post_dump hook.",
            f"      {OWN}",
            "",
            "Schemas",
            f"  {CITY}",
            "      dumping: 1 compiled, 2 custom, 1 stock",
            "      loading: 2 compiled, 0 custom, 0 stock",
            f"  {OWN}",
            "      dumping: runs as stock, because dump is overridden",
            "      loading: 1 compiled, 0 custom, 0 stock",
            "",
            "Runs as stock",
            f"  {CITY}.founded (dump): fastschema cannot compile Year._serialize",
            f"  {OWN} (dump): dump is overridden",
            "",
            "Schemas and fields that run as stock: 2",
        ]

    def test_they_tell_of_views(self):
        views = [
            ViewFinding("GET /a", "a:B", "no model instances are built"),
            ViewFinding("GET /b"),
        ]

        assert told(Diagnosis([], views, {"GET /c": "it has no decorator"})) == [
            "Views",
            "  GET /a: a:B",
            "      no model instances are built",
            "  GET /b",
            "",
            "Views whose schema is not known",
            "  GET /c: it has no decorator",
            "",
        ]

    def test_each_section_can_be_cut(self):
        fields = [FieldReport(f"f{number}", "", False, "own", "odd") for number in range(50)]
        views = [
            ViewFinding(
                f"GET /{number}",
                is_list=True,
                queries=RowQueries(f"Add {number}.", ("a",)),
                advice=["Change it."],
            )
            for number in range(9)
        ]
        views += [ViewFinding("GET /odd", is_list=True, why_not_looked_at="odd") for _ in range(2)]
        schema = SchemaFinding("a:B", Report("B", fields))
        diagnosis = Diagnosis([schema], views)

        assert told(diagnosis, 1) == [
            "Queries for each row",
            "  list views with such queries: 9 of 9",
            "  list views that could not be examined: 2, because odd",
            "  GET /0: nothing loads a",
            "      Add 0.",
            "  and 8 more: --all shows everything",
            "",
            "What to change (docs/explain.md says more)",
            "  Change it.",
            "      GET /0",
            "      and 8 more",
            "",
            "Views",
            "  GET /0",
            "  and 10 more: --all shows everything",
            "",
            "Schemas",
            "  a:B",
            "      dumping: 0 compiled, 0 custom, 50 stock",
            "",
            "Runs as stock",
            "  a:B.f0 (dump): odd",
            "  and 49 more: --all shows everything",
            "",
            "Schemas and fields that run as stock: 50",
        ]
        assert len(told(diagnosis)) == 104

    def test_queries_that_were_measured_are_told(self):
        found = RowQueries("Add it.", ("a", "b"), ("get_name asks authors 50 times",), 3.04, 0.0123)
        views = [ViewFinding(f"GET /{each}", is_list=True) for each in ("a", "b", "c")]
        measured = ViewFinding("GET /", is_list=True, queries=found)
        diagnosis = Diagnosis([], [*views, measured])
        assert told(diagnosis)[:6] == [
            "Queries for each row",
            "  list views with such queries: 1 of 4",
            "  GET /: 3.0 queries for each row, 12.3 ms",
            "      Add it.",
            "      get_name asks authors 50 times",
            "",
        ]
        assert json.loads(json.dumps(diagnosis.as_dict()))["queries"]["GET /"]["per_row"] == 3.04


def test_it_says_that_this_process_runs_stock():
    with fastschema.disabled():
        found = told(diagnosis_of({"here:CitySchema": CitySchema}))
    assert (
        "FASTSCHEMA_DISABLED is set: this process runs stock. "
        "The report shows what would run without it."
    ) in found
