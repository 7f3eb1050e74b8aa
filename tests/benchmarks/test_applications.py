"""What the benchmark of applications compares and shows; real applications are not needed."""

import subprocess
from pathlib import Path

import pytest

from .conftest import BENCHMARKS

SOURCE = Path(__file__).resolve().parents[2] / "src"
MORE_THAN_STOCK_SERVES = 30
"""Requests after which fastschema has compiled the classes of single objects, too."""


@pytest.fixture
def worker(benchmark_module):
    return benchmark_module("applications.worker")


@pytest.fixture
def tables(benchmark_module):
    return benchmark_module("applications.tables")


@pytest.fixture
def sampling(benchmark_module):
    return benchmark_module("applications.sampling")


@pytest.fixture
def own_tests(benchmark_module):
    return benchmark_module("applications.own_tests")


@pytest.mark.parametrize("name", ["shop", "library"])
def test_all_contenders_answer_every_request_of_a_small_application_alike(
    name, benchmark_module, monkeypatch, tmp_path
):
    monkeypatch.setenv("PYTHONPATH", str(BENCHMARKS))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    command = benchmark_module("applications.__main__").command
    process = benchmark_module("harness.comparing").Process
    subprocess.run(command(name, "fill", tmp_path), check=True)
    digests = []
    with process("", command(name, "stock", tmp_path)) as stock:
        for contender in ("stock", *stock.hello["contenders"]):
            with process(contender, command(name, contender, tmp_path)) as own:
                digests.append({})
                for each in own.hello["requests"]:
                    title = each["title"]
                    first = own.ask("digest", title)
                    if contender == "fastschema":
                        own.ask("time", title, loops=MORE_THAN_STOCK_SERVES)
                    digests[-1][title] = [first, own.ask("digest", title)]

    assert len(digests[0]) >= 10
    assert all(each == digests[0] for each in digests)


def test_values_that_differ_each_time_are_left_out_at_every_level_and_no_others(worker):
    content = b'{"id": 1, "tags": [{"id": 2, "name": "x"}]}'

    assert worker.body(content, {"id"}) == {"id": "...", "tags": [{"id": "...", "name": "x"}]}
    assert worker.body(content, ()) == content.decode()
    assert worker.body(b"<html>", {"id"}) == "<html>"


def test_names_of_savepoints_comments_and_the_order_of_columns_are_no_difference(worker):
    assert worker.steady('SAVEPOINT "s1402_x1"') == worker.steady('SAVEPOINT "s99_x7"')
    assert worker.steady("SELECT /* task=1 */ 1") == worker.steady("SELECT /* task=2 */ 1")
    assert worker.steady("SELECT a, b FROM t") == worker.steady("SELECT b, a FROM t")
    assert worker.steady("SELECT 1") != worker.steady("SELECT 2")


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (b"[1, 2]", 2),
        (b'{"count": 9, "results": [1, 2, 3]}', 3),
        (b'{"data": [1]}', 1),
        (b'{"count": 9, "result": [1, 2]}', 2),
        (b'{"id": 1}', None),
        (b"<html>", None),
    ],
)
def test_rows_are_counted_in_lists_and_pages(worker, body, rows):
    assert worker.rows_of(body) == rows


def figure(tables, contender, seconds, *, queries=3, ratio=1.0, **parts):
    about = {"measure": "a list", "contender": contender, "rows": 2, "queries": queries}
    parts = {**dict.fromkeys(tables.CATEGORIES, 0.0), **parts}
    times = {"seconds": seconds, "database": 0.010, "spread": 0.0, "ratio": ratio, "calls": 600}
    return {**about, **times, "sample": {"parts": parts}}


def test_a_report_becomes_tables_of_requests_and_of_where_their_time_goes(tables):
    stock = figure(tables, "stock", 0.040, filters=0.5, JSON=0.5)
    fast = figure(tables, "fastschema", 0.020, ratio=2.0, filters=1.0)
    about = {"title": "An application", "versions": {"Python": "3.12"}, "date": "today"}
    about |= {"machine": "one", "measures": {"a list": "a list"}, "failures": []}
    heading = "| request | rows | queries | stock | fastschema | of it database | times | median "
    heading += "| calls |"
    rule = "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"

    assert tables.section({**about, "figures": [stock, fast]}).split("\n\n") == [
        "### An application",
        f"{heading}\n{rule}\n| a list | 2 | 3 | 40.0 | 20.0 | 10.0 | 2.00 | 2.00 | 1.00 |",
        "Where the time goes:",
        "| stock / fastschema, ms | a list |\n| --- | ---: |\n| filters | 15.0 / 10.0 |\n"
        "| JSON | 15.0 / 0.0 |\n| the database server | 10.0 / 10.0 |",
        "Measured on today on one, with Python 3.12.",
    ]


def test_requests_with_fewer_queries_are_shown_with_each_value_of_load_relations(tables):
    def compared(measure, *queries):
        values = zip(("stock", *tables.SETTINGS), queries, (1.0, 1.1, 1.5, 2.0), strict=True)
        own = [
            figure(tables, name, 0.04 / times, queries=asked, ratio=times)
            for name, asked, times in values
        ]
        return [{**each, "measure": measure} for each in own]

    report = {"figures": [*compared("a list", 9, 9, 5, 2), *compared("another", 3, 3, 3, 3)]}

    assert tables.loading_rows(report) == [
        ["request", "rows", "queries", "stock", "off", "`True`", '`"all"`'],
        ["a list", "2", "9 / 5 / 2", "40.0", "36.4 (1.10)", "26.7 (1.50)", "20.0 (2.00)"],
    ]


def test_what_orjson_alone_gives_is_beside_what_fastschema_gives(tables):
    contenders = {"stock": 1.0, "orjson": 1.1, "fastschema": 2.0}
    figures = [figure(tables, name, 0.04, ratio=ratio) for name, ratio in contenders.items()]

    [heading, row] = tables.request_rows({"figures": figures})
    assert row[heading.index("orjson alone")] == "1.10"


USER = "the application's own code"
REST = "middleware, views, the rest"
VIEW = ("rest_framework/views.py", "dispatch")
LIST = ("rest_framework/mixins.py", "list")
EXECUTE = ("django/db/backends/utils.py", "execute")


@pytest.mark.parametrize(
    ("innermost_first", "expected"),
    [
        ([EXECUTE, LIST], "count and queries"),
        ([EXECUTE, ("django/db/models/query.py", "prefetch_related_objects")], "prefetching"),
        ([EXECUTE, ("views.py", "filter_queryset")], "filters"),
        ([EXECUTE, ("views.py", "perform_authentication")], "authentication and permissions"),
        ([("copy.py", "deepcopy"), ("rest_framework/fields.py", "__deepcopy__")], "making fields"),
        ([("rest_framework/fields.py", "to_representation")], "stock's serializers and fields"),
        ([("decimal.py", "quantize"), ("shop/models.py", "total"), LIST], USER),
        ([("<fastschema 3: dump_A by model, python>", "dump_A"), LIST], "generated code"),
        ([("fastschema/contrib/django/dump.py", "dump")], "the rest of fastschema"),
        ([("json/encoder.py", "iterencode"), LIST], "JSON"),
        ([("django/urls/base.py", "reverse"), LIST], "hyperlinks"),
        ([("django/urls/base.py", "resolve")], REST),
        ([("functools.py", "wrapper"), VIEW, ("shop/middleware.py", "__call__")], REST),
    ],
)
def test_the_innermost_known_function_says_what_is_done(sampling, innermost_first, expected):
    stack = [sampling.Frame(*each) for each in [*innermost_first, VIEW]]

    assert sampling.category(stack, ["shop/"]) == expected


def test_each_rule_for_fastschema_names_a_file_and_functions_that_exist(sampling):
    own = [each for each in sampling.RULES if each[1].startswith("fastschema/")]

    assert own
    for _, path, names in own:
        assert (SOURCE / path).exists(), path
        for name in names:
            assert f"def {name}(" in (SOURCE / path).read_text()


def test_samples_are_of_what_runs(sampling):
    parts = sampling.sample(lambda: sum(range(20_000)), 20, own_code=["tests/"])

    assert sum(parts.values()) == pytest.approx(1)
    assert parts[USER] > 0


def test_a_request_is_passed_on_as_by_a_server(benchmark_module):
    application = benchmark_module("applications.application")
    request = application.Request("POST one", "/api/tasks?a=b", "POST", {"name": "x"})

    environ = request.environ()

    assert (environ["PATH_INFO"], environ["QUERY_STRING"]) == ("/api/tasks", "a=b")
    assert environ["wsgi.input"].read() == b'{"name": "x"}'
    assert environ["CONTENT_LENGTH"] == "13"
    assert not request.is_safe


def test_the_address_of_a_server_may_be_the_folder_of_a_socket(benchmark_module, monkeypatch):
    postgresql = benchmark_module("applications.postgresql")

    monkeypatch.setenv("DATABASE_URL", "postgres://postgres@%2Ftmp%2Fa.B/postgres")
    assert postgresql.address() | {"host": "/tmp/a.B", "port": ""} == postgresql.address()
    url = postgresql.sqlalchemy_url("one", "psycopg", "me")
    assert url == "postgresql+psycopg://postgres@/one?application_name=me&host=%2Ftmp%2Fa.B"
    monkeypatch.setenv("DATABASE_URL", "postgres://me:secret@db.example.com:5433/one")
    assert postgresql.address()["port"] == "5433"


def test_outcomes_of_tests_are_read_from_a_report(own_tests, tmp_path):
    cases = (
        '<testcase classname="A" name="a"/><testcase classname="A" name="b"><failure message="no"/>'
    )
    report = tmp_path / "report.xml"
    report.write_text(f"<testsuite>{cases}</testcase></testsuite>")

    assert own_tests.outcomes_in(report) == {"A.a": "passed", "A.b": "failed: no"}


def test_outcomes_that_differ_are_told(own_tests):
    stock = {"a": "passed", "b": "passed", "c": "failed: no"}

    assert own_tests.differences(stock, dict(stock)) == []
    assert own_tests.differences(stock, {"a": "passed", "b": "failed: no"}) == [
        "b: failed: no, by stock passed",
        "c: not run, by stock failed: no",
    ]


def test_columns_of_many_objects_are_texts_with_their_number_turns_or_functions(benchmark_module):
    made = benchmark_module("applications.filling").made

    columns = {"name": "item {}", "kind": ["a", "b {}"], "size": lambda number: number * 2}
    assert made(dict, 3, **columns, note=None) == [
        {"name": "item 0", "kind": "a", "size": 0, "note": None},
        {"name": "item 1", "kind": "b 1", "size": 2, "note": None},
        {"name": "item 2", "kind": "a", "size": 4, "note": None},
    ]
