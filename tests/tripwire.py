"""The tripwire: code of users runs where stock runs it, and not while fastschema finds things out.

Whenever a function of a test is called, the nearest function of fastschema on the stack must be one
of those that run code of users in stock's place: :data:`MAY_CALL`. Whatever else fastschema does
(reading, describing, planning, compiling, counting, advising) has no business there. What stands in
the place of a method of stock's (:data:`IN_PLACE`) may be asked by any code: who asks is looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType
from typing import Any
from zlib import crc32

import fastschema

_SOURCE = str(Path(fastschema.__file__).parent) + "/"
_TESTS = str(Path(__file__).parent) + "/"
_OTHER, _OURS, _USERS, _GENERATED = range(4)


class _Kinds(dict[str, int]):
    """Whose code is in a file, by its name."""

    def __missing__(self, filename: str) -> int:
        if filename.startswith("<fastschema"):
            kind = _GENERATED
        elif filename.startswith(_SOURCE):
            kind = _OURS
        elif filename.startswith(_TESTS) and not filename.endswith(_NO_USERS):
            kind = _USERS
        else:
            kind = _OTHER
        self[filename] = kind
        return kind


_NO_USERS = tuple(
    f"/{name}.py"
    for name in ("conftest", "tripwire", "limits", "outcomes", "differential", "reading")
)
"""Files of tests that are no code of users."""
_kinds = _Kinds()
trips: dict[tuple[str, str], str] = {}
"""By the function of fastschema that ran code of users: what it ran."""


def _look(code: CodeType, caller: FrameType | None) -> None:
    """Note a call of a function of users, if it should not have been."""
    if code.co_name == "__del__" or code.co_flags & CO_GENERATOR:
        return  # the collection of garbage runs it wherever it begins
    while caller is not None:
        kind = _kinds[caller.f_code.co_filename]
        if kind is _OURS:
            module = caller.f_code.co_filename.removeprefix(_SOURCE).removesuffix(".py")
            function = caller.f_code.co_qualname.split(".<locals>")[0]
            if _is_in(MAY_CALL.get(module, ()), function):
                return
            if not _is_in(IN_PLACE.get(module, ()), function):
                note((module, function), code)
                return
        elif kind is not _OTHER:
            return
        caller = caller.f_back


def note(caller: tuple[str, str], code: CodeType) -> None:
    """Note that a function of fastschema has run code of users."""
    trips.setdefault(caller, f"{code.co_qualname} ({code.co_filename})")


def _on_call(frame: FrameType, event: str, argument: Any) -> None:
    if event == "call" and _kinds[frame.f_code.co_filename] is _USERS:
        _look(frame.f_code, frame.f_back)


def _on_start(code: CodeType, offset: int) -> Any:
    if _kinds[code.co_filename] is not _USERS:
        return sys.monitoring.DISABLE
    _look(code, sys._getframe(2))
    return None


_TOOL = 3
_MONITORS = hasattr(sys, "monitoring")
_WATCHED_BY_PROFILE = (
    *("requests_in_turns", "chosen_fields", "random", "user_code", "overrides"),
    *("customization", "n_plus_one", "relations", "doctor", "toolbar", "late_changes", "tripwire"),
    *("lazy_arguments", "lazy_options"),
)
"""The modules of tests that are watched before Python 3.12, where a test takes twice as long so."""
_ONE_OF = 8
"""Of those, so many tests: each one runs watched with the newer Pythons."""


def is_watched(module: str, test: str) -> bool:
    """Return whether a test is watched by this Python: not by PyPy, which takes long.

    :param module: the name of its module
    :param test: its own, with the module and parameters
    """
    if sys.implementation.name == "pypy":
        return False
    is_chosen = crc32(test.encode()) % _ONE_OF == 0
    return _MONITORS or (is_chosen and any(part in module for part in _WATCHED_BY_PROFILE))


@contextmanager
def watching() -> Iterator[None]:
    """Watch all calls inside the ``with`` statement, where Python can do so at little cost."""
    if not _MONITORS:
        yield
        return
    monitoring = sys.monitoring
    monitoring.use_tool_id(_TOOL, "tripwire")
    monitoring.register_callback(_TOOL, monitoring.events.PY_START, _on_start)
    monitoring.set_events(_TOOL, monitoring.events.PY_START)
    try:
        yield
    finally:
        monitoring.set_events(_TOOL, 0)
        monitoring.free_tool_id(_TOOL)


@contextmanager
def tripwire() -> Iterator[None]:
    """Fail at the end of the ``with`` statement if fastschema ran what it must not run.

    :raises AssertionError: if so; it names the functions
    """
    trips.clear()
    profile = sys.getprofile()
    if not _MONITORS:
        sys.setprofile(_on_call)
    try:
        yield
    finally:
        sys.setprofile(profile)
        found = dict(trips)
        trips.clear()
    if found:
        raise AssertionError(f"fastschema has run code of users to find something out: {found}")


_DOCTOR = "a command: it makes views and serializers as OpenAPI tools do, and says what it found"
_ASKED = "compile() and explain() are asked for this schema: they make its fields, and read them"
_READS = "generated code reads an object by it, in stock's place"
_JSON = "values are written, by the encoder of users where they have one"

MAY_CALL: dict[str, dict[str, str]] = {
    # What dumps and loads.
    "runtime/bound_program": {"*": "it calls what dumps"},
    "runtime/encode": {"*": _JSON},
    "runtime/switch": {"call_disabled": "stock dumps"},
    "marshmallow/dump": {"*": "it dumps, between hooks, by methods and nested schemas of users"},
    "contrib/oneofschema/makers": {"*": "users' methods say the type of each object"},
    "contrib/oneofschema/installation": {"*": "it dumps and loads lists, object by object"},
    "marshmallow/hooks": {"*": "it calls the hooks of users, and what their makers make"},
    "marshmallow/load": {"*": "it loads, with hooks, methods and validators of users"},
    "marshmallow/load_values": {"*": "it loads what is nested, by hooks, validators and makers"},
    "runtime/registration": {"function_of": "it calls a maker, when a value comes"},
    "marshmallow/makers": {"*": "it calls makers when a value comes, and dumps by what they make"},
    "marshmallow/compiled_schema": {
        **dict.fromkeys(
            [
                f"CompiledMarshmallowSchema.{name}"
                for name in ("load", "loads", "validate", "stock_encode", "stock_load")
            ],
            "the schema's own method loads",
        ),
        "CompiledMarshmallowSchema.hooks": "a profile dumps between hooks",
        "_explain_nested": _ASKED,
        "MarshmallowFrontEnd.compiled": _ASKED,
    },
    "contrib/adrf/representation": {"*": "adrf represents, after it has made the fields"},
    "contrib/camel_case/keys": {"*": "the package reads data of classes of users"},
    "contrib/django/dump": {"*": "stock represents: a list, a row, an object"},
    "contrib/django/compiled_serializer": {
        "CompiledSerializer.dump": "the serializer's own method represents",
        **dict.fromkeys(["_explain", "_loading_report", "_report_input"], _ASKED),
    },
    "contrib/django/front_end/access": {"*": _READS},
    "contrib/django/front_end/fields_relations": {"*": _READS},
    "contrib/django/front_end/makers": {"*": "it calls makers, and what they make, for values"},
    "contrib/django/front_end/hyperlinks": {"*": "an address is made, by converters and get_url"},
    "contrib/django/front_end/json_encoding": {"*": _JSON},
    "contrib/django/front_end/bound_serializer": {
        "bound_made": "there is an object: stock makes the fields now",
        "bound_now": _ASKED,
    },
    "marshmallow/schema_reader": {
        "make_dump_program": "dict_class is asked for each dump",
        "make_load_program": "dict_class is asked for each load",
        "_one_argument": "marshmallow 3: a function is called with the context",
    },
    "marshmallow/fields": {
        "json_value": _JSON,
    },
    "plan": {"*": "it calls what dumps"},
    # What asks the database, and makes instances.
    "contrib/django/internals/queries": {"*": "Django runs a query, and makes instances"},
    "contrib/django/internals/instances": {"*": "Django prefetches"},
    "contrib/django/lists/queryset_rows": {"*": "rows are converted, and instances made"},
    "contrib/django/lists/prefetching": {"*": "Django prefetches"},
    "contrib/django/lists/row_instances": {"*": "who looks into a list compares what is in it"},
    "contrib/django/lists/pagination": {"*": "makes a page as DRF does"},
    "contrib/django/lists/cursors": {"*": "DRF makes a page, and its links"},
    "contrib/django/relations/on_demand": {
        "_load_one": "Django prefetches",
        "before_stock": "the serializer makes its fields, as stock is about to",
        "load_relations": "it is asked for this serializer: it makes it",
    },
    "contrib/django/relations/plain": {"is_plain_generic": "Django asks for a content type"},
    "contrib/sqlalchemy_relations/loading": dict.fromkeys(
        ["_load_at_once", "_load_one_by_one"], "SQLAlchemy runs a statement"
    ),
    "contrib/sqlalchemy/selection": {"*": "SQLAlchemy runs a statement"},
    # Views, requests and responses.
    "contrib/django/lists/views": {"*": "the view makes its list, as in stock"},
    "contrib/django/renderers": {"*": _JSON},
    "contrib/django/parsers": {"*": "it reads the stream of a request"},
    "contrib/django/streaming/views": {"*": "the view makes its list, as in stock"},
    "contrib/django/streaming/responses": {"*": "it reads rows one by one, and writes them"},
    "shadow/__init__": {"*": "the mode in which code of users runs twice"},
    "shadow/django": {"*": "the mode in which code of users runs twice"},
    "contrib/django_filter/on_demand": {"*": "it filters, by forms and methods of users"},
    "contrib/flask/configuration": {"answer_by_stock": "the application answers, by stock"},
    "contrib/flask/extension": {"*": "flask-marshmallow's jsonify dumps"},
    "contrib/flask/json_provider": {"*": _JSON},
    "contrib/flask/responses": {"*": "a view answers"},
    "contrib/flask/streaming/body": {"*": "it writes rows, and closes them"},
    "contrib/flask/streaming/responses": {"*": "it reads rows one by one, and writes them"},
    "shadow/flask": {"*": "the mode in which code of users runs twice"},
    # Input.
    "contrib/django/input/validation": dict.fromkeys(
        [
            *("RowValidator.run", "checked", "run_list_validation", "run_validation"),
            *("to_internal_value", "FieldsByName.run_nested"),
            *("_find_of_made", "_run_as_stock"),
        ],
        "stock validates; fields are made, as there is input",
    ),
    "contrib/django/bulk/batch_lookup": {"*": "it asks querysets of fields for a list at once"},
    "contrib/django/bulk/create": {"*": "it creates objects"},
    "contrib/django/bulk/mixins": {"*": "stock makes a list serializer"},
    "contrib/django/input/values": {"passes": "a validator of Django is asked"},
    # Commands.
    "doctor/django/real_run": {"*": _DOCTOR},
    "doctor/django/survey": {"*": _DOCTOR},
    "doctor/django/list_report": {"*": _DOCTOR},
    "contrib/django/management/commands/fastschema": {"*": _DOCTOR},
    "doctor/cli": {"*": _DOCTOR},
    "doctor/diagnosis": {"*": _DOCTOR},
    "doctor/profile_run": {"*": "it runs what is profiled"},
}
"""By module, the functions of fastschema that run code of users, each with the reason.

"*" stands for all of a module."""

IN_PLACE: dict[str, list[str]] = {
    "contrib/django/front_end/pending": ["new_fields", "get_fields", "needed_field"],
    "contrib/django/front_end/clones": ["_Validators.__get__"],
    "contrib/django/front_end/field_maker": [
        *("FieldMaker.fields", "FieldMaker.bound_fields", "_bound"),
    ],
    "contrib/django/front_end/schema_reader": ["field_mapping", "all_fields", "readable_fields"],
    "contrib/django/installation": ["*"],
    "marshmallow/installation": ["*"],
    "marshmallow/marshmallow_3": ["init_with_context"],
    "marshmallow/pending": ["SchemaProxy.__getattr__"],
    "marshmallow/states": ["init", "reduce_ex"],
}
"""By module, what stands in the place of methods of stock's, or gives what they give."""


def _is_in(functions: Any, function: str) -> bool:
    return "*" in functions or function in functions
