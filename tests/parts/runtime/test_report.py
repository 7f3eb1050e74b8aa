"""Reports: field by field, compiled or stock, and why."""

import json

import pytest

from fastschema import FieldReport, Report
from fastschema.runtime.report import Ancestors, with_nested

NAME = FieldReport("name", "person.name", True, "string")
ODD = FieldReport("odd", "odd", False, "own", "it is not known")


def test_a_report_prints_as_a_table():
    assert str(Report("Dog", [NAME, ODD])) == (
        "Dog: 1 of 2 fields compiled\n"
        "key   source       runs      kind    why stock\n"
        "name  person.name  compiled  string\n"
        "odd   odd          stock     own     it is not known"
    )


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
    reports = Ancestors().reports_of("Dog", [NAME, ODD], [child, None], lambda field, within: field)

    assert reports == [*expected, ODD]


def test_a_report_on_loading_is_a_table_of_its_own():
    loading = Report("Dog", [ODD])
    report = Report("Dog", [NAME], loading=loading)

    assert str(report).split("\n\n")[1].splitlines() == [
        "Dog, loading: 0 of 1 fields compiled",
        "key  target  runs   kind  why stock",
        "odd  odd     stock  own   it is not known",
    ]
    assert report.as_dict()["loading"] == loading.as_dict()


def test_a_nested_schema_that_runs_as_stock_is_not_custom():
    custom = FieldReport("a", "a", True, "nested", custom=True)

    [told] = with_nested(custom, Report("A", [], "dump is overridden"))

    assert (told.compiled, told.custom, told.why) == (False, False, "dump is overridden")
