"""The fast paths of fastschema that can be switched off one by one, each by a patch.

A patch names functions. Where there is none of that name any more, it raises. Those of ``lists/``
stand together.
"""

from __future__ import annotations

import functools
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.runtime.patching import stock_of

Function = Any
"""A function, a classmethod or a property."""
Replacing = Callable[[Function], Function]


@dataclass(frozen=True)
class Part:
    """A fast path.

    :param name: what it does
    :param front_end: "DRF" or "marshmallow"
    :param patches: functions, as "module:function" or "module:Class.method", and from each of them
        to what takes its place while the part is off
    """

    name: str
    front_end: str
    patches: dict[str, Replacing]

    def off(self) -> AbstractContextManager[None]:
        """Switch it off inside of the ``with`` statement.

        :raises LookupError: if one of the functions is not there any more
        """
        return _replaced(self.patches)

    def noted(self, note: Callable[[Part], object]) -> AbstractContextManager[None]:
        """Call a function with it whenever it takes part, inside of the ``with`` statement."""
        return _replaced(dict.fromkeys(self.patches, partial(_noting, partial(note, self))))


@contextmanager
def _replaced(patches: dict[str, Replacing]) -> Iterator[None]:
    with ExitStack() as stack:
        for target, replacing in patches.items():
            function, owners = places(target)
            new = replacing(function)
            for owner, name in owners:
                setattr(owner, name, new)
                stack.callback(setattr, owner, name, function)
        yield


def places(target: str) -> tuple[Function, list[tuple[Any, str]]]:
    """A function, and where it is: owners and names.

    A function of a module is also in those that import it.

    :raises LookupError: if there is none of that name
    """
    module_name, _, path = target.partition(":")
    owner: Any = importlib.import_module(module_name)
    *outer, name = path.split(".")
    try:
        for each in outer:
            owner = vars(owner)[each]
        function = vars(owner)[name]
    except KeyError:
        raise LookupError(f"there is no {target} any more") from None
    if not isinstance(owner, ModuleType):
        return function, [(owner, name)]
    modules = [each for key, each in sys.modules.items() if key.startswith("fastschema.")]
    return function, [
        (module, name)
        for module in {id(each): each for each in (owner, *modules)}.values()
        for name, value in list(vars(module).items())
        if value is function
    ]


def _noting(note: Callable[[], object], function: Function) -> Function:
    if isinstance(function, classmethod):
        return classmethod(_noting(note, function.__func__))
    if _is_property(function):
        return property(_noting(note, getattr(function, "fget", None) or function.func))

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        note()
        return function(*args, **kwargs)

    return call


def _is_property(function: Function) -> bool:
    return hasattr(function, "__get__") and not callable(function)


# What takes the place of functions


def gives(value: Any) -> Replacing:
    """A function, or a property, that gives the same value each time."""

    def replacing(function: Function) -> Function:
        new = lambda *args, **kwargs: value  # noqa: E731  # it is not called by its name
        return property(new) if _is_property(function) else new

    return replacing


def refuses(error: type[Exception]) -> Replacing:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise error("it is switched off")

    return lambda function: refuse


def does(function: Function) -> Replacing:
    return lambda _: function


def by_stock(function: Function) -> Function:
    """Stock's own method in the place of ours.

    :raises LookupError: if it is not replaced
    """
    stock = stock_of(function)
    if stock is function:
        raise LookupError(f"{function!r} takes the place of no stock method")
    return stock


NONE, FALSE = gives(None), gives(False)


def _nested_anew(nested: Function) -> Function:
    def find(bound: Any, number: int) -> Any:
        bound._nested.pop(number, None)
        return nested(bound, number)

    return find


def _all_fields_made(serializer: Any, name: str) -> Any:
    return serializer.fields[name]


def _all_fields_of_schema_made(own_fields: Any, number: int) -> Any:
    fields = own_fields._state.fields(own_fields._schema)[own_fields._name]
    own_fields.update(enumerate(fields.values()))
    return own_fields[number]


def _converted_by_django(query: Any, results: Any, converters: Any) -> Any:
    return map(tuple, query.converted(results))


def _each_converted(convert: Any, column: Any) -> list[Any]:
    return [convert(value) for value in column]


def _nothing_looked_up(serializer: Any, data: Any) -> Any:
    return nullcontext({})


def _dumped_for_each_row(dispatch: Any, key: Any) -> Any:
    return lambda row: dispatch[type(row)](row)


def _by_instance(new_plan: Function) -> Function:
    from fastschema.contrib.django.lists import list_plan

    def plan_for_instances(dispatch: Any, layout: Any, *, may_keep_rows: bool) -> Any:
        plan = new_plan(dispatch, layout, may_keep_rows=may_keep_rows)
        if plan.by_row is None or not may_keep_rows:
            return plan._replace(by_row=None)
        fields = list_plan.fields_read(dispatch, layout)
        kept = list_plan.with_kept_relations(dispatch, fields, layout)
        by_instance = kept or plan.by_instance
        return plan._replace(by_row=None, by_instance=by_instance, keeps_rows=kept is not None)

    return plan_for_instances


def _if_nothing_is_prefetched(check_readable: Function) -> Function:
    def check_without_prefetches(rows: Any) -> None:
        if getattr(rows, "_prefetch_related_lookups", ()):
            raise NotRowReadableError("it is switched off")
        check_readable(rows)

    return check_without_prefetches


def _called_by_fields(describe: Function) -> Function:
    from fastschema.marshmallow.validators import CUSTOM

    return lambda field: CUSTOM if describe(field) else ()


DJANGO = "fastschema.contrib.django"
LISTS, INPUT = f"{DJANGO}.lists", f"{DJANGO}.input"
BULK, FILTERS = f"{DJANGO}.bulk", "fastschema.contrib.django_filter"
FRONT_END = f"{DJANGO}.front_end"
STATES = f"{FRONT_END}.states"
BOUND = f"{FRONT_END}.bound_serializer"
MARSHMALLOW, RUNTIME = "fastschema.marshmallow", "fastschema.runtime"
_NO_ROWS = refuses(NotRowReadableError)

OF_LISTS = {
    "lists: all of it": {f"{LISTS}.query_plan:check_readable": _NO_ROWS},
    "lists: plans kept": {f"{LISTS}.query_plan:kept_plan": NONE},
    "lists: rows in place of instances": {f"{LISTS}.list_plan:_new_plan": _by_instance},
    "lists: rows kept behind instances": {f"{LISTS}.row_programs:with_kept_relations": NONE},
    "lists: instances made without Model.__init__": {
        f"{LISTS}.queryset_rows:FetchedRows.makes_instances": FALSE
    },
    "lists: prefetched rows": {f"{LISTS}.query_plan:check_readable": _if_nothing_is_prefetched},
    "lists: pages of paginators": {
        f"{LISTS}.cursors:_is_paged_unseen": FALSE,
        f"{LISTS}.pagination:listed": does(list),
    },
    "lists: links of CursorPagination": {
        "rest_framework.pagination:CursorPagination.get_next_link": by_stock,
        "rest_framework.pagination:CursorPagination.get_previous_link": by_stock,
    },
    "lists: nested serializers found once": {f"{BOUND}:BoundSerializer.nested": _nested_anew},
    "lists: rows of streams": {f"{DJANGO}.streaming.blocks:fetch_in_blocks": NONE},
    "lists: values converted by column": {
        f"{DJANGO}.internals.conversion:converted_rows": does(_converted_by_django)
    },
    "lists: decimals of SQLite converted once each": {
        f"{DJANGO}.internals.conversion:_each_once": does(_each_converted)
    },
}
"""What lists make of the rows of the database."""

OF_BOTH = {
    "dispatches kept for the next dump": {f"{RUNTIME}.bound_program:BoundProgram.take_back": NONE},
}

OF_DRF = {
    **OF_LISTS,
    **OF_BOTH,
    "generated code that represents": {
        f"{STATES}:find_bound_program": NONE,
        f"{BOUND}:bound_serializer_of": NONE,
    },
    "a bound program kept from row to row": {f"{STATES}:Runs.is_current": FALSE},
    "serializers without fields": {f"{FRONT_END}.record:SerializerRecord._new_exemplar": NONE},
    "a field made without the others": {
        f"{FRONT_END}.pending:needed_field": does(_all_fields_made)
    },
    "clones of fields": {f"{FRONT_END}.pending:_field_maker": NONE},
    "programs of serializers whose fields are made": {
        f"{FRONT_END}.record:SerializerRecord.of_made": NONE
    },
    "prefetched objects read past managers": {f"{FRONT_END}.access:prefetched": NONE},
    "keys read from their columns": {f"{FRONT_END}.access:column": NONE},
    "methods called without their signature": {f"{FRONT_END}.access:needs_no_arguments": FALSE},
    "addresses of views kept": {f"{FRONT_END}.hyperlinks:Addresses.of": NONE},
    "FastJSONRenderer": {f"{DJANGO}.renderers:FastJSONRenderer.is_fast": FALSE},
    "FastJSONParser": {f"{DJANGO}.parsers:_is_utf8": FALSE},
    "generated code that validates": {f"{INPUT}.validation:find_validation": NONE},
    "input: a list's validation found once": {f"{INPUT}.validation:has_stock_rows": FALSE},
    "input in bulk: lookups": {f"{BULK}.batch_lookup:batch_lookups": does(_nothing_looked_up)},
    "input in bulk: bulk_create": {f"{BULK}.create:why_one_by_one": gives("it is off")},
    "filters on demand": {f"{FILTERS}.filter_plan:FilterSetRecord.plan": NONE},
    "filter sets of filterset_fields kept": {
        "django_filters.rest_framework:DjangoFilterBackend.get_filterset_class": by_stock
    },
}

OF_MARSHMALLOW = {
    **OF_BOTH,
    "generated code that dumps and loads": {f"{MARSHMALLOW}.states:find_compiled": NONE},
    "schemas without fields": {f"{MARSHMALLOW}.states:arguments_of": NONE},
    "one schema for all that are alike": {f"{MARSHMALLOW}.states:unseen_schemas": NONE},
    "a field made without the others": {
        f"{MARSHMALLOW}.schema_program:FieldsByNumber.__missing__": does(_all_fields_of_schema_made)
    },
    "programs of schemas whose fields are made": {f"{MARSHMALLOW}.states:_find_made": NONE},
    "made fields found as they were": {f"{MARSHMALLOW}.snapshots:MadeFields.is_current": FALSE},
    "loads kept for the next load": {
        f"{MARSHMALLOW}.schema_program:SchemaProgram.idle_loads": NONE
    },
    "nested loads by generated code": {f"{MARSHMALLOW}.load:SchemaLoad.begin_nested": NONE},
    "validators in generated code": {f"{MARSHMALLOW}.validators:describe": _called_by_fields},
    "Schema.loads by orjson": {"fastschema.json:loads": does(json.loads)},
    "mapped instances read past descriptors": {f"{MARSHMALLOW}.sqlalchemy:is_mapped": FALSE},
    "rows of a statement": {
        "fastschema.contrib.sqlalchemy.selection:SelectDumper.row_dispatch": _NO_ROWS
    },
    "related objects of a statement dumped once each": {
        "fastschema.contrib.sqlalchemy.row_programs:_once_for_each": does(_dumped_for_each_row)
    },
    "fs.response: chunks in JSON form": {f"{RUNTIME}.encode:dumped_bytes": NONE},
    "FastJSONProvider": {"fastschema.contrib.flask.json_provider:FastJSONProvider.is_fast": FALSE},
}

PARTS = [
    *[Part(name, "DRF", patches) for name, patches in OF_DRF.items()],
    *[Part(name, "marshmallow", patches) for name, patches in OF_MARSHMALLOW.items()],
]
