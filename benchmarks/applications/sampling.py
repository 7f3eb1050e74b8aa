"""Where the time of requests goes: the stack, sampled while a process computes."""

from __future__ import annotations

import functools
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

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


class Frame(NamedTuple):
    """A function that runs.

    :param path: its file, relative to the folder that it is imported from
    :param name: without its class
    """

    path: str
    name: str


Rule = tuple[str, str, tuple[str, ...]]
"""A category, what the paths of files begin with, and names of functions there (none: any name)."""


def of(category: str, path: str, names: str = "") -> list[Rule]:
    return [(category, path, tuple(names.split()))]


def in_all(category: str, paths: str) -> list[Rule]:
    return [(category, path, ()) for path in paths.split()]


DJANGO, LISTS = "fastschema/contrib/django/", "fastschema/contrib/django/lists/"
MAKING = """__init__ __new__ __deepcopy__ bind many_init fields get_fields build_field
    build_standard_field build_relational_field build_nested_field include_extra_kwargs
    get_extra_kwargs get_field_names get_default_field_names get_uniqueness_extra_kwargs
    get_unique_together_validators get_validators"""
"""Functions of DRF that make fields."""
WHOLE = [
    *of(AUTHENTICATION, "", "perform_authentication _authenticate check_permissions"),
    *of(AUTHENTICATION, "", "check_object_permissions check_throttles"),
    *of(AUTHENTICATION, "django/contrib/auth/", "authenticate get_user process_request"),
    *in_all(AUTHENTICATION, "django/contrib/sessions/backends/ flask_login/ flask_principal"),
    *of(AUTHENTICATION, "flask_security/", "_check_token _check_session handle_csrf"),
    *of(FILTERS, "", "filter_queryset"),
]
"""Functions to whose category everything belongs that they call."""
PREFETCHERS = [
    *of(PREFETCHING, "", "prefetch_related_objects prefetch_one_level"),
    *in_all(PREFETCHING, f"{LISTS}prefetching.py {LISTS}prefetch_plan.py"),
]
"""Functions whose queries are those of prefetching."""
INNERMOST = [
    *of(GENERATED, "<fastschema "),
    *in_all(JSON, "fastschema/runtime/encode.py fastschema/runtime/json_engine.py"),
    *in_all(JSON, f"{DJANGO}front_end/json_encoding.py {DJANGO}renderers.py"),
    *in_all(JSON, "fastschema/contrib/flask/json_provider.py json/encoder.py flask/json/"),
    *of(JSON, "json/__init__.py", "dump dumps"),
    *in_all(URLS, f"{DJANGO}front_end/hyperlinks.py rest_framework/reverse.py"),
    *of(URLS, "django/urls/", "reverse _reverse_with_prefix"),
    *of(URLS, "django/http/request.py", "build_absolute_uri"),
    *of(URLS, "rest_framework/relations.py", "get_url"),
    *of(URLS, "flask/", "url_for"),
    *in_all(JSON, "rest_framework/utils/encoders.py"),
    *of(INSTANCES, f"{LISTS}row_instances.py", "make make_related"),
    *in_all(BOOKKEEPING, "fastschema/"),
    *of(INSTANCES, "django/db/models/base.py", "__init__ from_db"),
    *of(INSTANCES, "django/db/models/query.py", "__iter__ populate get_related_populators"),
    *of(PREFETCHING, "django/db/models/fields/", "get_prefetch_querysets"),
    *of(PREFETCHING, "django/contrib/contenttypes/", "get_prefetch_querysets"),
    *in_all(QUERIES, "django/db/backends/ django/db/models/sql/ django/db/models/query"),
    *in_all(QUERIES, "django/db/models/expressions.py django/db/models/lookups.py"),
    *in_all(QUERIES, "django/db/models/functions/ django/db/models/aggregates.py"),
    *in_all(QUERIES, "django/db/models/manager.py django/db/transaction.py psycopg"),
    *in_all(QUERIES, "rest_framework/pagination.py"),
    *in_all(INSTANCES, "sqlalchemy/orm/loading.py sqlalchemy/orm/state.py"),
    *in_all(QUERIES, "sqlalchemy/ flask_sqlalchemy/"),
    *in_all(FIELDS, "rest_framework/utils/field_mapping.py rest_framework/utils/model_meta.py"),
    *of(FIELDS, "rest_framework/utils/serializer_helpers.py", "__setitem__ __init__"),
    *of(FIELDS, "rest_framework/fields.py", MAKING),
    *of(FIELDS, "rest_framework/relations.py", MAKING),
    *of(FIELDS, "rest_framework/serializers.py", MAKING),
    *in_all(STOCK, "rest_framework/fields.py rest_framework/relations.py"),
    *in_all(STOCK, "rest_framework/serializers.py rest_framework/validators.py"),
    *of(FIELDS, "marshmallow/schema.py", "__init__ _init_fields _bind_field"),
    *of(FIELDS, "marshmallow/fields.py", "__init__ __deepcopy__ _bind_to_schema"),
    *in_all(STOCK, "marshmallow webargs/"),
    *in_all(REST, "django/core/ django/middleware/ django/http/ django/urls/ django/test/"),
    *in_all(REST, "django/contrib/ rest_framework/ flask/ werkzeug/"),
]
"""Of the functions that run, the innermost that a rule covers says what is done."""
RULES = [*WHOLE, *PREFETCHERS, *INNERMOST]


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
    for category, path, names in rules:
        if frame.path.startswith(path) and (not names or frame.name in names):
            return category
    return None


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


def sample(run: Callable[[], Any], count: int, own_code: Sequence[str]) -> dict[str, float]:
    """Run something until there are so many samples; return by category its part of them."""
    run()
    with sampled() as stacks:
        while stacks.total() < count:
            run()
    folders = sorted((f"{each}/" for each in sys.path if each), key=len, reverse=True)

    @functools.cache
    def relative(path: str) -> str:
        return path.removeprefix(next((each for each in folders if path.startswith(each)), ""))

    parts: Counter[str] = Counter()
    for stack, times in stacks.items():
        frames = [Frame(relative(code.co_filename), code.co_name) for code in stack]
        parts[category(frames, own_code)] += times
    return {each: parts[each] / stacks.total() for each in CATEGORIES}
