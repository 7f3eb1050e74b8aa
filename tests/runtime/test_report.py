"""Reports: field by field, compiled or stock, and why."""

import json

import pytest

from fastschema import FieldReport, Report
from fastschema.compiler.nodes import Read, Source
from fastschema.runtime.report import field_reports, with_nested
from tests.nodes import field, node

NAME = FieldReport("name", "person.name", True, "string")
ODD = FieldReport("odd", "odd", False, "own", "nobody knows it")


def test_a_report_iterates_over_its_fields():
    assert list(Report("Dog", [NAME, ODD])) == [NAME, ODD]


def test_a_report_counts_what_is_compiled():
    assert Report("Dog", [NAME, ODD]).compiled == 1


def test_a_report_prints_as_a_table():
    assert str(Report("Dog", [NAME, ODD])) == (
        "Dog: 1 of 2 fields compiled\n"
        "key   source       runs      kind    why stock\n"
        "name  person.name  compiled  string\n"
        "odd   odd          stock     own     nobody knows it"
    )


def test_a_report_without_fields_prints():
    assert str(Report("Empty", [])).startswith("Empty: 0 of 0 fields compiled")


def test_a_report_on_a_stock_schema_says_why():
    report = Report("Dog", [], "dump is overridden")

    assert str(report) == "Dog: runs as stock, because dump is overridden"


def test_a_report_as_a_dict_is_ready_for_json():
    as_dict = json.loads(json.dumps(Report("Dog", [NAME]).as_dict()))

    assert as_dict == {
        "schema": "Dog",
        "fields": [
            {
                "key": "name",
                "source": "person.name",
                "compiled": True,
                "kind": "string",
                "why": "",
                "custom": False,
            }
        ],
        "why": "",
        "notes": [],
        "override": "",
    }


@pytest.mark.parametrize("why", ["", "dump is overridden"])
def test_notes_stand_below_the_first_line(why):
    lines = str(Report("Dog", [NAME], why, notes=["It barks.", "It bites."])).splitlines()
    assert lines[1:3] == ["It barks.", "It bites."]


def test_the_fields_of_a_node_are_reported_in_order():
    reports = field_reports(node(field("a"), field("b", reason="odd", source=OTHER)))

    assert reports == [
        FieldReport("a", "a", True, "as it is"),
        FieldReport("b", "other", False, "as it is", "odd"),
    ]


OTHER = Source("other", Read("1"))


@pytest.mark.parametrize(
    ("child", "expected"),
    [
        (Report("Child", [ODD]), [NAME, FieldReport("name.odd", "odd", False, "own", ODD.why)]),
        (Report("Child", []), [NAME]),
        (
            Report("Child", [], "dump is overridden"),
            [FieldReport("name", "person.name", False, "string", "dump is overridden")],
        ),
    ],
)
def test_nested_reports_follow_their_field(child, expected):
    assert with_nested([NAME, ODD], {"name": child}) == [*expected, ODD]


def test_a_report_on_loading_is_a_table_of_its_own():
    loading = Report("Dog", [ODD])
    report = Report("Dog", [NAME], loading=loading)

    assert str(report).split("\n\n")[1].splitlines() == [
        "Dog, loading: 0 of 1 fields compiled",
        "key  target  runs   kind  why stock",
        "odd  odd     stock  own   nobody knows it",
    ]
    assert report.as_dict()["loading"] == loading.as_dict()


def test_fields_whose_values_come_from_code_of_yours_are_custom():
    method = Source("(method)", Read("method(obj)"), user_code="a method of the schema")
    plain, custom = field_reports(node(field("plain"), field("custom", method)))

    assert (plain.custom, custom.custom) == (False, True)


def test_a_nested_schema_that_runs_as_stock_is_not_custom():
    custom = FieldReport("a", "a", True, "nested", custom=True)

    [told] = with_nested([custom], {"a": Report("A", [], "dump is overridden")})

    assert (told.compiled, told.custom, told.why) == (False, False, "dump is overridden")
