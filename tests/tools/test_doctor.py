"""The doctor, and its lines."""

import json
import subprocess
import sys

import pytest
from marshmallow import Schema, fields

import fastschema
from fastschema import FieldReport, Report
from fastschema.tools.advice import Advice
from fastschema.tools.cli import Line, Status, details, overview
from fastschema.tools.doctor import (
    Counts,
    Diagnosis,
    PathError,
    RowQueries,
    SchemaFinding,
    ViewFinding,
    diagnosis_of,
)
from tests.profiles import FakeProfile, FakeTime


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


class CallingSuperSchema(CitySchema):
    def dump(self, *args, **kwargs):
        return super().dump(*args, **kwargs)


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


def texts(lines):
    return [line.text for line in lines]


def status_of(lines, text):
    return next(line.status for line in lines if text in line.text)


def test_fields_are_compiled_custom_or_stock(diagnosis):
    assert Counts.of(diagnosis.schemas[0].report) == Counts(compiled=1, custom=2, stock=1)


def test_what_runs_as_stock_is_told_with_its_reason(diagnosis):
    assert [(each.where, each.does, each.why, each.is_schema) for each in diagnosis.stock] == [
        (f"{CITY}.founded", "dump", "fastschema cannot compile Year._serialize", False),
        (OWN, "dump", "dump is overridden", True),
    ]


def test_the_summary_counts_schemas_and_fields(diagnosis):
    assert diagnosis.summary() == "1 schema and 1 field run as stock."
    assert diagnosis.failure() == f"1 schema and 1 field run as stock: {CITY}.founded, {OWN}"


def test_one_of_them_runs_in_the_singular():
    assert diagnosis_of({OWN: OwnSchema}).summary() == "1 schema runs as stock."


def test_where_all_is_compiled_there_is_no_failure():
    field = FieldReport("name", "name", True, "string")
    diagnosis = Diagnosis([SchemaFinding("a:B", "marshmallow", Report("B", [field]))])

    assert diagnosis.summary() == "No schema and no field runs as stock."
    assert diagnosis.failure() is None


def test_what_runs_as_stock_in_loading_counts_unless_it_is_left_out():
    field = FieldReport("name", "name", False, "own", "deserialize is overridden")
    report = Report("B", [], loading=Report("B", [field]))
    diagnosis = Diagnosis([SchemaFinding("a:B", "marshmallow", report)])

    assert [(each.where, each.does) for each in diagnosis.stock] == [("a:B.name", "load")]
    assert diagnosis.without_loading().stock == []


def test_advice_of_views_comes_first(diagnosis):
    of_view = Advice(("GET /",), "Add it.", "List views")
    changed = Diagnosis(diagnosis.schemas, view_advice=[of_view])

    assert changed.advice[0] == of_view
    assert changed.advice[1:] == diagnosis.advice
    assert [each.where for each in diagnosis.advice] == [(f"{CITY}.founded",), (OWN,)]


def test_as_a_dict_it_is_ready_for_json(diagnosis):
    told = json.loads(json.dumps(diagnosis.as_dict()))

    assert told["versions"]["fastschema"]
    assert [each["path"] for each in told["schemas"]] == [CITY, OWN]
    assert told["schemas"][0]["counts"] == {
        "dump": {"compiled": 1, "custom": 2, "stock": 1},
        "load": {"compiled": 2, "custom": 0, "stock": 0},
    }
    assert told["stock"][0]["where"] == f"{CITY}.founded"
    assert told["advice"][0]["see"] == "Reasons: any framework"
    assert told["slowest"] is None


def test_a_profile_tells_what_costs_most(diagnosis):
    profiles = {CITY: FakeProfile([FakeTime("founded", 0.004, 0.003, False, "odd")])}
    profiled = Diagnosis(diagnosis.schemas, profiles=profiles)

    assert profiled.as_dict()["slowest"] == [
        {
            "where": CITY,
            "key": "founded",
            "seconds": 0.004,
            "user_seconds": 0.003,
            "compiled": False,
            "why": "odd",
        }
    ]
    lines = texts(overview(profiled))
    start = lines.index(f"Profile of {CITY}")
    assert lines[start : start + 6] == [
        f"Profile of {CITY}",
        "founded 0.004",
        "",
        "Fields that cost most",
        f"  founded, in {CITY}: 4 ms, 3 ms of it in your own code or in stock methods (odd)",
        "",
    ]
    assert "Runs as stock" not in lines


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (NeedySchema, "here:it cannot be made without arguments: .*tenant"),
        (BrokenSchema, "here:it cannot be read: no tenant"),
        (dict, "here:it cannot be read: .*is not a schema"),
    ],
)
def test_what_cannot_be_made_is_a_clear_error(schema, message):
    with pytest.raises(PathError, match=message):
        diagnosis_of({"here:it": schema})


def test_a_picture_needs_a_profile():
    with pytest.raises(ValueError, match="--svg needs --profile"):
        diagnosis_of({CITY: CitySchema}, svg="profile.svg")


class TestOverview:
    """A line or two for each view and schema."""

    def test_it_tells_of_schemas_what_runs_how(self, diagnosis):
        assert texts(overview(diagnosis)) == [
            "What to change",
            "  Remove Year._serialize if it only calls super(); otherwise, describe it with "
            'fastschema.register. See "Reasons: any framework" in docs/explain.md.',
            f"      {CITY}.founded",
            "  Move what the schema's dump adds to a pre_dump or post_dump hook. "
            'See "Reasons: marshmallow" in docs/explain.md.',
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
            "1 schema and 1 field run as stock.",
        ]

    def test_an_override_that_calls_super_is_told_with_its_fields(self):
        diagnosis = diagnosis_of({"here:it": CallingSuperSchema})

        assert [each.where for each in diagnosis.stock] == ["here:it.founded"]
        assert "      dumping: 1 compiled, 2 custom, 1 stock, inside your dump" in texts(
            overview(diagnosis)
        )

    def test_a_status_says_how_to_colour_a_line(self, diagnosis):
        lines = list(overview(diagnosis))

        assert lines[0] == Line("What to change", Status.HEADING)
        assert status_of(lines, "1 compiled, 2 custom, 1 stock") is Status.STOCK
        assert status_of(lines, "2 compiled, 0 custom, 0 stock") is Status.COMPILED
        assert status_of(lines, "because dump is") is Status.STOCK
        assert lines[-1].status is Status.STOCK

    def test_a_schema_that_cannot_be_made_says_so(self):
        finding = SchemaFinding.of("a:Needy", NeedySchema)

        assert "cannot be made without arguments" in texts(overview(Diagnosis([finding])))[2]

    def test_it_tells_of_views(self):
        views = [
            ViewFinding("GET /a", "a:B", "rows become dictionaries first", is_slower=True),
            ViewFinding("GET /b"),
        ]
        unknown = {f"GET /{name}": "nobody knows" for name in "cdefg"}

        lines = list(overview(Diagnosis([], views, unknown)))

        assert texts(lines) == [
            "Views",
            "  GET /a: a:B",
            "      rows become dictionaries first",
            "  GET /b",
            "",
            "Views whose schema is not known",
            "  GET /c: nobody knows",
            "  GET /d: nobody knows",
            "  GET /e: nobody knows",
            "  and 2 more: nobody knows",
            "",
        ]
        assert lines[2].status is Status.CUSTOM

    def test_what_is_more_than_a_screen_is_cut(self):
        fields = [FieldReport(f"f{number}", "", False, "own", "odd") for number in range(50)]
        views = [
            ViewFinding(f"GET /{number}", "a:B", "slow", is_slower=True) for number in range(9)
        ]
        advice = [
            Advice(("here", "there"), f"Change {number}.", "List views") for number in range(9)
        ]
        queries = {f"GET /{number}": RowQueries(f"Add {number}.", ("a",)) for number in range(9)}
        unknown = {f"GET /x{number}": f"Nobody {number}" for number in range(9)}
        schema = SchemaFinding("a:B", "marshmallow", Report("B", fields))
        diagnosis = Diagnosis([schema], views, unknown, queries, 11, {"odd": 2}, advice)

        short, whole = texts(overview(diagnosis)), texts(overview(diagnosis, is_whole=True))

        assert len(short) <= 43 < len(whole)
        assert short[-1] == "This is a summary: --all shows everything."
        assert short[-2] == whole[-1] == "50 fields run as stock."
        assert short.count("  and 6 more") == 2
        assert (
            short[:5]
            == whole[:5]
            == [
                "Queries for each row",
                "  9 of 9 list views query the database again for each row.",
                "  2 more could not be examined: odd.",
                "  GET /0: nothing loads a",
                "      Add 0.",
            ]
        )

    def test_methods_of_a_path_share_a_line(self):
        views = [ViewFinding(f"{method} /a (A.{method})", "a:B") for method in ("PUT", "DELETE")]
        assert texts(overview(Diagnosis([], [*views, ViewFinding("GET /b (B)")])))[1:3] == [
            "  PUT, DELETE /a: a:B",
            "  GET /b (B)",
        ]


class TestQueries:
    """What views ask the database for each row comes first."""

    def test_what_was_measured_is_told(self):
        found = RowQueries("Add it.", ("a", "b"), ("get_name asks authors 50 times",), 3.04, 0.0123)
        diagnosis = Diagnosis([], queries={"GET /": found}, lists=4)
        assert texts(overview(diagnosis)) == [
            "Queries for each row",
            "  1 of 4 list views queries the database again for each row.",
            "  GET /: 3.0 queries for each row, 12.3 ms",
            "      Add it.",
            "      get_name asks authors 50 times",
            "",
        ]
        assert diagnosis.advice == [Advice(("GET /",), "Add it.", "List views")]
        assert json.loads(json.dumps(diagnosis.as_dict()))["queries"]["GET /"]["per_row"] == 3.04

    def test_it_says_so_if_there_are_none(self):
        assert texts(overview(Diagnosis([], lists=4)))[1] == (
            "  None of 4 list views queries the database again for each row."
        )


def test_the_reader_of_what_is_printed_may_go_away():
    program = "import sys; from fastschema.tools.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, f"{__name__}:CitySchema"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as printing:
        printing.stdout.close()
        assert printing.stderr.read() == b""
    assert printing.returncode == 0


class TestDetails:
    """All fields of each schema."""

    def test_it_shows_where_a_schema_is_used_and_all_its_fields(self, diagnosis):
        report = diagnosis.schemas[0].report
        finding = SchemaFinding(CITY, "marshmallow", report, uses=["GET /cities/"])

        lines = texts(details(Diagnosis([finding])))

        assert lines[:5] == [
            CITY,
            "    GET /cities/",
            "    dumping: 1 compiled, 2 custom, 1 stock",
            "    loading: 2 compiled, 0 custom, 0 stock",
            "",
        ]
        assert "\n".join(lines[5:]).startswith(f"{report}\n\nWhat to change\n")

    def test_the_row_of_a_field_has_its_status(self, diagnosis):
        lines = list(details(diagnosis))

        assert status_of(lines, "name     name") is Status.COMPILED
        assert status_of(lines, "founded  founded") is Status.STOCK
        assert status_of(lines, "(function)") is Status.CUSTOM
        assert status_of(lines, "(method)") is Status.CUSTOM
        assert status_of(lines, "OwnSchema: runs as stock") is Status.STOCK


def test_it_says_that_this_process_runs_stock():
    with fastschema.disabled():
        lines = [line.text for line in overview(diagnosis_of({"here:CitySchema": CitySchema}))]
    assert (
        "FASTSCHEMA_DISABLED is set: this process runs stock. "
        "The report shows what would run without it."
    ) in lines
