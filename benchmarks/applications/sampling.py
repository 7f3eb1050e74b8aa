"""Where the time of requests goes: the stack, sampled while a process computes."""

from __future__ import annotations

import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

INTERVAL = 0.001
"""Seconds of processor time between two samples."""

AUTHENTICATION = "authentication and permissions"
FILTERS = "filters"
QUERIES = "count and queries"
PREFETCHING = "prefetching"
INSTANCES = "instances"
FIELDS = "making fields"
STOCK = "stock's serializers and fields"
USER = "the application's own code"
GENERATED = "generated code"
BOOKKEEPING = "the rest of fastschema"
JSON = "JSON"
URLS = "hyperlinks"
REST = "middleware, views, the rest"
DATABASE = "the database server"
CATEGORIES = (
    *(AUTHENTICATION, FILTERS, QUERIES, PREFETCHING, INSTANCES, FIELDS, STOCK, USER),
    *(GENERATED, BOOKKEEPING, URLS, JSON, REST),
)


@dataclass(frozen=True)
class Frame:
    """A function that runs.

    :param path: its file, relative to the folder that it is imported from
    :param name: without its class
    """

    path: str
    name: str


@dataclass(frozen=True)
class Rule:
    """Functions that belong to a category.

    :param path: what the path of their files begins with
    :param names: what they are called; empty: any name
    """

    category: str
    path: str
    names: frozenset[str] = frozenset()

    def covers(self, frame: Frame) -> bool:
        """Whether a function is one of them."""
        return frame.path.startswith(self.path) and (not self.names or frame.name in self.names)


def rule(category: str, path: str, *names: str) -> Rule:
    """Return a rule."""
    return Rule(category, path, frozenset(names))


WHOLE = [
    rule(AUTHENTICATION, "", "perform_authentication", "_authenticate", "check_permissions"),
    rule(AUTHENTICATION, "", "check_object_permissions", "check_throttles"),
    rule(AUTHENTICATION, "django/contrib/auth/", "authenticate", "get_user", "process_request"),
    rule(AUTHENTICATION, "django/contrib/sessions/backends/"),
    rule(AUTHENTICATION, "flask_login/"),
    rule(AUTHENTICATION, "flask_principal"),
    rule(AUTHENTICATION, "flask_security/", "_check_token", "_check_session", "handle_csrf"),
    rule(FILTERS, "", "filter_queryset"),
]
"""Functions to whose category everything belongs that they call."""

PREFETCHERS = [
    rule(PREFETCHING, "", "prefetch_related_objects", "prefetch_one_level"),
    rule(PREFETCHING, "fastschema/contrib/django/lists/prefetching.py"),
    rule(PREFETCHING, "fastschema/contrib/django/lists/prefetch_plan.py"),
]
"""Functions whose queries are those of prefetching."""

DRF_MODULES = ("fields", "relations", "serializers")
MAKING = (
    *("__init__", "__new__", "__deepcopy__", "bind", "many_init", "fields", "get_fields"),
    *("build_field", "build_standard_field", "build_relational_field", "build_nested_field"),
    *("include_extra_kwargs", "get_extra_kwargs", "get_field_names", "get_default_field_names"),
    *("get_uniqueness_extra_kwargs", "get_unique_together_validators", "get_validators"),
)
"""Functions of DRF that make fields."""

INNERMOST = [
    rule(GENERATED, "<fastschema "),
    rule(JSON, "fastschema/runtime/encode.py"),
    rule(JSON, "fastschema/runtime/json_engine.py"),
    rule(JSON, "fastschema/contrib/django/front_end/json_encoding.py"),
    rule(JSON, "fastschema/contrib/django/renderers.py"),
    rule(JSON, "fastschema/contrib/flask/json_provider.py"),
    rule(JSON, "json/__init__.py", "dump", "dumps"),
    rule(JSON, "json/encoder.py"),
    rule(JSON, "flask/json/"),
    rule(URLS, "fastschema/contrib/django/front_end/hyperlinks.py"),
    rule(URLS, "django/urls/", "reverse", "_reverse_with_prefix"),
    rule(URLS, "django/http/request.py", "build_absolute_uri"),
    rule(URLS, "rest_framework/reverse.py"),
    rule(URLS, "rest_framework/relations.py", "get_url"),
    rule(URLS, "flask/", "url_for"),
    rule(JSON, "rest_framework/utils/encoders.py"),
    rule(INSTANCES, "fastschema/contrib/django/lists/row_instances.py", "make", "make_related"),
    rule(BOOKKEEPING, "fastschema/"),
    rule(INSTANCES, "django/db/models/base.py", "__init__", "from_db"),
    rule(INSTANCES, "django/db/models/query.py", "__iter__", "populate", "get_related_populators"),
    rule(PREFETCHING, "django/db/models/fields/", "get_prefetch_querysets"),
    rule(PREFETCHING, "django/contrib/contenttypes/", "get_prefetch_querysets"),
    rule(QUERIES, "django/db/backends/"),
    rule(QUERIES, "django/db/models/sql/"),
    rule(QUERIES, "django/db/models/query.py"),
    rule(QUERIES, "django/db/models/query_utils.py"),
    rule(QUERIES, "django/db/models/expressions.py"),
    rule(QUERIES, "django/db/models/lookups.py"),
    rule(QUERIES, "django/db/models/functions/"),
    rule(QUERIES, "django/db/models/aggregates.py"),
    rule(QUERIES, "django/db/models/manager.py"),
    rule(QUERIES, "django/db/transaction.py"),
    rule(QUERIES, "psycopg/"),
    rule(QUERIES, "psycopg2/"),
    rule(QUERIES, "rest_framework/pagination.py"),
    rule(INSTANCES, "sqlalchemy/orm/loading.py"),
    rule(INSTANCES, "sqlalchemy/orm/state.py"),
    rule(QUERIES, "sqlalchemy/"),
    rule(QUERIES, "flask_sqlalchemy/"),
    rule(FIELDS, "rest_framework/utils/field_mapping.py"),
    rule(FIELDS, "rest_framework/utils/model_meta.py"),
    rule(FIELDS, "rest_framework/utils/serializer_helpers.py", "__setitem__", "__init__"),
    *(rule(FIELDS, f"rest_framework/{each}.py", *MAKING) for each in DRF_MODULES),
    rule(STOCK, "rest_framework/fields.py"),
    rule(STOCK, "rest_framework/relations.py"),
    rule(STOCK, "rest_framework/serializers.py"),
    rule(STOCK, "rest_framework/validators.py"),
    rule(FIELDS, "marshmallow/schema.py", "__init__", "_init_fields", "_bind_field"),
    rule(FIELDS, "marshmallow/fields.py", "__init__", "__deepcopy__", "_bind_to_schema"),
    rule(STOCK, "marshmallow"),
    rule(STOCK, "webargs/"),
    *(rule(REST, f"django/{folder}/") for folder in ("core", "middleware", "http", "urls", "test")),
    rule(REST, "django/contrib/"),
    rule(REST, "rest_framework/"),
    rule(REST, "flask/"),
    rule(REST, "werkzeug/"),
]
"""Of the functions that run, the innermost that a rule covers says what is done."""


def category(stack: Sequence[Frame], own_code: Sequence[str]) -> str:
    """Return what is being done.

    :param stack: the functions that run, the innermost first
    :param own_code: what the paths of the application's files begin with
    """
    for frame in reversed(stack):
        if found := first(WHOLE, frame):
            return found
    for frame in stack:
        found = first(INNERMOST, frame)
        if found is None and frame.path.startswith(tuple(own_code)):
            return USER
        if found == QUERIES and any(first(PREFETCHERS, each) for each in stack):
            return PREFETCHING
        if found is not None:
            return found
    return REST


def first(rules: Sequence[Rule], frame: Frame) -> str | None:
    """Return the category of the first rule that covers a function."""
    return next((each.category for each in rules if each.covers(frame)), None)


class Paths:
    """Files, relative to the folders that modules are imported from."""

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = sorted((f"{each}/" for each in folders if each), key=len, reverse=True)
        self._known: dict[str, str] = {}

    def __getitem__(self, path: str) -> str:
        if path not in self._known:
            folder = next((each for each in self._folders if path.startswith(each)), "")
            self._known[path] = path.removeprefix(folder)
        return self._known[path]


Stack = tuple[CodeType, ...]


@contextmanager
def sampled() -> Iterator[Counter[Stack]]:
    """Sample the stack; yield how often each was seen."""
    stacks: Counter[Stack] = Counter()

    def note(_: int, frame: FrameType | None) -> None:
        found = []
        while frame is not None:
            found.append(frame.f_code)
            frame = frame.f_back
        stacks[tuple(found)] += 1

    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    try:
        yield stacks
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Sampling:
    """What came of sampling.

    :param parts: by category, its part of the samples
    :param functions: the functions that were innermost most often, with their part of the samples
    """

    samples: int
    parts: dict[str, float]
    functions: list[tuple[str, float]]


def sample(run: Callable[[], Any], count: int, own_code: Sequence[str]) -> Sampling:
    """Run something until there are so many samples."""
    run()
    with sampled() as stacks:
        while stacks.total() < count:
            run()
    return summary(stacks, Paths(sys.path), own_code)


def summary(stacks: Counter[Stack], paths: Paths, own_code: Sequence[str]) -> Sampling:
    """Return the samples by category, and by innermost function."""
    total = stacks.total()
    parts: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    for stack, times in stacks.items():
        frames = [Frame(paths[code.co_filename], code.co_name) for code in stack]
        found = category(frames, own_code)
        parts[found] += times
        functions[f"{found}: {frames[0].path}:{stack[0].co_qualname}"] += times
    shown = [(name, times / total) for name, times in functions.most_common(40)]
    return Sampling(total, {each: parts[each] / total for each in CATEGORIES}, shown)
