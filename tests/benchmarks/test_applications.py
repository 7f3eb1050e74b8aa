"""What the benchmark of real applications compares and shows; the applications are not needed."""

from __future__ import annotations

import io
import json
import unittest
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture
def turns(benchmark_module):
    return benchmark_module("applications.turns")


@pytest.fixture
def tables(benchmark_module):
    return benchmark_module("applications.tables")


@pytest.fixture
def sampling(benchmark_module):
    return benchmark_module("applications.sampling")


@pytest.fixture
def own_tests(benchmark_module):
    return benchmark_module("applications.own_tests")


def answer(**changed):
    same = {"status": 200, "headers": [["ETag", "a"]], "statements": ["SELECT 1"], "warnings": []}
    return {**same, "body": '{"id": 1, "name": "x"}', **changed}


def compare(turns, fast, masked=(), **options):
    return turns.compare({"stock": answer(), "fastschema": answer(**fast)}, masked, **options)


def test_equal_answers_have_no_defects(turns):
    assert compare(turns, {}) == []
    assert compare(turns, {"headers": [["etag", "a"], ["Date", "now"]]}) == []


@pytest.mark.parametrize(
    ("fast", "defect"),
    [
        ({"status": 500}, "the status is 500, not 200"),
        ({"body": '{"id": 2, "name": "x"}'}, "the body differs"),
        ({"headers": []}, "the header etag is None, not 'a'"),
        ({"warnings": ["new"]}, "a warning: new"),
        ({"statements": ["SELECT 1", "SELECT 2"]}, "2 queries, not 1; + SELECT 2"),
        ({"statements": ["SELECT 2"]}, "other queries; + SELECT 2; - SELECT 1"),
    ],
)
def test_what_differs_is_told(turns, fast, defect):
    [found] = compare(turns, fast)

    assert found.startswith(defect)


def test_fewer_queries_are_no_difference_where_relations_are_loaded(turns):
    assert len(compare(turns, {"statements": []})) == 1
    assert compare(turns, {"statements": []}, may_ask_less=True) == []
    assert len(compare(turns, {"statements": ["SELECT 1"] * 2}, may_ask_less=True)) == 1


def test_values_that_differ_each_time_are_masked_but_no_others(turns):
    later = {"headers": [["ETag", "b"]], "body": '{"id": 2, "name": "x"}'}

    assert compare(turns, later, {"id"}) == []
    [found] = compare(turns, {**later, "body": '{"id": 2, "name": "y"}'}, {"id"})
    assert "['name']" in found


def test_masked_keys_are_found_at_every_level(turns):
    value = {"id": 1, "tags": [{"id": 2, "name": "x"}]}

    assert turns.without(value, {"id"}) == {"id": "...", "tags": [{"id": "...", "name": "x"}]}


def test_names_of_savepoints_are_no_difference_between_statements(turns):
    assert turns.steady('SAVEPOINT "s1402_x1"') == turns.steady('SAVEPOINT "s99_x7"')
    assert turns.steady("SELECT 1") != turns.steady("SELECT 2")


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("[1, 2]", 2),
        ('{"count": 9, "results": [1, 2, 3]}', 3),
        ('{"data": [1]}', 1),
        ('{"id": 1}', None),
        ("<html>", None),
    ],
)
def test_rows_are_counted_in_lists_and_pages(turns, body, rows):
    assert turns.rows_of(body) == rows


@pytest.fixture
def measured(turns):
    def take(*times):
        return [turns.Turn(process, database) for process, database in times]

    return turns.Measured(
        title="a list",
        rows=2,
        size=10,
        queries={"stock": 3, "fastschema": 3},
        calls={"stock": 600, "fastschema": 500},
        defects=[],
        turns={
            "stock": take((0.030, 0.010), (0.050, 0.010), (0.060, 0.020)),
            "fastschema": take((0.020, 0.010), (0.010, 0.010), (0.030, 0.010)),
        },
        samples={
            "stock": {"parts": {"filters": 0.5, "JSON": 0.5}},
            "fastschema": {"parts": {"filters": 1.0, "JSON": 0.0}},
        },
    )


def test_ratios_are_of_the_best_turns_and_of_medians(measured):
    assert measured.ratio == pytest.approx(0.040 / 0.020)
    assert measured.median_ratio == pytest.approx(0.060 / 0.030)


def test_a_report_becomes_tables_of_requests_and_of_where_their_time_goes(tables, measured):
    report = {
        "title": "An application",
        "figures": measured.figures(),
        "defects": ["a list: 4 queries, not 3"],
        "versions": {"Python": "3.12"},
        "date": "today",
        "machine": "one",
    }
    for figure in report["figures"]:
        parts = dict.fromkeys(tables.CATEGORIES, 0.0)
        figure["sample"] = {"parts": {**parts, **figure["sample"]["parts"]}}

    report = json.loads(json.dumps(report))
    saving, same = report["figures"], [{**each, "queries": 3} for each in report["figures"]]
    saving = [{**each, "queries": each["queries"] - turn} for turn, each in enumerate(saving)]
    loading = {**report, "defects": [], "figures": saving + same}

    assert tables.section(report, loading) == "\n".join(
        [
            "### An application",
            "",
            "| request | rows | queries | stock | fastschema | of it database | times "
            "| median | calls |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            "| a list | 2 | 3 | 40.0 | 20.0 | 10.0 | 2.00 | 2.00 | 1.20 |",
            "",
            "The requests that take fewer queries with `LOAD_RELATIONS`:",
            "",
            "| request | rows | queries | stock | fastschema | of it database | times "
            "| median | calls |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
            "| a list | 2 | 3 / 2 | 40.0 | 20.0 | 10.0 | 2.00 | 2.00 | 1.20 |",
            "",
            "Where the time goes:",
            "",
            "| stock / fastschema, ms | a list |",
            "| --- | ---: |",
            "| filters | 15.0 / 10.0 |",
            "| JSON | 15.0 / 0.0 |",
            "| the database server | 10.0 / 10.0 |",
            "",
            "- a list: 4 queries, not 3",
            "",
            "Measured on today on one, with Python 3.12.",
        ]
    )


def test_the_documentation_shows_the_figures_that_were_measured(tables):
    shown = f"<!-- applications -->\n{tables.page()}<!-- /applications -->"

    assert shown in tables.PAGE.read_text()


USER = "the application's own code"
REST = "middleware, views, the rest"
VIEW = ("rest_framework/views.py", "dispatch")
LIST = ("rest_framework/mixins.py", "list")


@pytest.mark.parametrize(
    ("innermost_first", "expected"),
    [
        ([("django/db/backends/utils.py", "execute"), LIST], "count and queries"),
        (
            [
                ("django/db/backends/utils.py", "execute"),
                ("django/db/models/query.py", "prefetch_related_objects"),
            ],
            "prefetching",
        ),
        (
            [
                ("django/db/models/base.py", "from_db"),
                ("django/db/models/query.py", "prefetch_related_objects"),
            ],
            "instances",
        ),
        ([("django/db/backends/utils.py", "execute"), ("views.py", "filter_queryset")], "filters"),
        (
            [("django/db/backends/utils.py", "execute"), ("views.py", "perform_authentication")],
            "authentication and permissions",
        ),
        ([("copy.py", "deepcopy"), ("rest_framework/fields.py", "__deepcopy__")], "making fields"),
        ([("rest_framework/fields.py", "to_representation")], "stock's serializers and fields"),
        (
            [("decimal.py", "quantize"), ("shop/models.py", "total"), LIST],
            "the application's own code",
        ),
        ([("<fastschema 3: dump_A by model, python>", "dump_A"), LIST], "generated code"),
        ([("fastschema/contrib/django/dump.py", "dump")], "the rest of fastschema"),
        ([("json/encoder.py", "iterencode"), LIST], "JSON"),
        (
            [("json/decoder.py", "decode"), ("sqlalchemy/sql/sqltypes.py", "process")],
            "count and queries",
        ),
        ([("django/urls/base.py", "reverse"), LIST], "hyperlinks"),
        ([("django/urls/base.py", "resolve")], REST),
        (
            [("functools.py", "wrapper"), VIEW, ("shop/middleware.py", "__call__")],
            "middleware, views, the rest",
        ),
        ([("threading.py", "run")], REST),
    ],
)
def test_the_innermost_known_function_says_what_is_done(sampling, innermost_first, expected):
    stack = [sampling.Frame(*each) for each in [*innermost_first, VIEW]]

    assert sampling.category(stack, ["shop/"]) == expected


def test_each_rule_for_fastschema_names_a_file_and_functions_that_exist(sampling):
    rules = [*sampling.PREFETCHERS, *sampling.INNERMOST]
    own = [each for each in rules if each.path.startswith("fastschema/")]

    assert own
    for each in own:
        path = SOURCE / each.path
        assert path.exists(), each.path
        for name in each.names:
            assert f"def {name}(" in path.read_text()


def test_samples_are_of_what_runs(sampling):
    def busy():
        return sum(range(20_000))

    found = sampling.sample(busy, 20, own_code=["tests/"])

    assert found.samples >= 20
    assert sum(found.parts.values()) == pytest.approx(1)
    assert any("busy" in name for name, _ in found.functions)


def test_files_are_shown_relative_to_the_innermost_folder_of_modules(sampling):
    paths = sampling.Paths(["/app", "/app/lib", ""])

    assert paths["/app/lib/django/http.py"] == "django/http.py"
    assert paths["/app/shop/models.py"] == "shop/models.py"
    assert paths["<fastschema 1: a>"] == "<fastschema 1: a>"


def test_a_request_is_passed_on_as_by_a_server(benchmark_module):
    application = benchmark_module("applications.application")
    request = application.Request("POST one", "/api/tasks?a=b", "POST", {"name": "x"})

    environ = request.environ()

    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == ("/api/tasks", "a=b")
    assert environ["wsgi.input"].read() == b'{"name": "x"}'
    assert environ["CONTENT_LENGTH"] == "13"
    assert not request.is_safe


def test_the_address_of_a_server_may_be_the_folder_of_a_socket(benchmark_module):
    address = benchmark_module("applications.postgresql").address

    socket = address("postgres://postgres@%2Ftmp%2Fa.B/postgres")
    assert (socket.host, socket.port, socket.user) == ("/tmp/a.B", None, "postgres")
    remote = address("postgres://me:secret@db.example.com:5433/one")
    assert (remote.host, remote.port, remote.database) == ("db.example.com", 5433, "one")
    assert (remote.user, remote.password) == ("me", "secret")


def test_outcomes_of_unittest_are_noted(own_tests):
    class Tests(unittest.TestCase):
        def test_right(self):
            pass

        def test_wrong(self):
            self.fail("no")

        def test_wrong_within(self):
            with self.subTest(1):
                raise ValueError("no")

        @unittest.skip("not now")
        def test_left_out(self):
            raise AssertionError

    result = own_tests.Outcomes(unittest.runner._WritelnDecorator(io.StringIO()), False, 0)
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)

    assert {name.rpartition(".")[2]: each for name, each in result.outcomes.items()} == {
        "test_right": "passed",
        "test_wrong": "failed: AssertionError: no",
        "test_wrong_within": "failed: ValueError: no",
        "test_left_out": "skipped",
    }


def test_outcomes_of_pytest_are_read(own_tests, tmp_path):
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite><testcase classname="t" name="a"/>'
        '<testcase classname="t" name="b"><failure message="no&#10;more"/></testcase>'
        '<testcase classname="t" name="c"><skipped/></testcase></testsuite></testsuites>'
    )

    outcomes = own_tests.outcomes_in(report)

    assert outcomes == {"t.a": "passed", "t.b": "failed: no", "t.c": "skipped"}
    assert own_tests.summary(outcomes) == "1 failed, 1 passed, 1 skipped"


def test_outcomes_that_differ_are_told(own_tests):
    stock = {"a": "passed", "b": "passed", "c": "failed: no"}

    assert own_tests.differences(stock, dict(stock)) == []
    assert own_tests.differences(stock, {"a": "passed", "b": "failed: no"}) == [
        "b: failed: no, by stock passed",
        "c: not run, by stock failed: no",
    ]
