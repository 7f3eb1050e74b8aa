"""The shape of a queryset: what decides on the columns of its rows, and on what it prefetches."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from django.core.exceptions import FieldError
from django.db.models import Prefetch
from django.db.models.expressions import Col
from django.db.models.sql import Query

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.internals.queries import (
    comes_from_relation,
    fetch_mode_of,
    prefetch_lookups,
    tracks_peers,
)

_KNOWN = frozenset(
    [
        # What shape_of() looks at.
        *("model", "select_related", "max_depth", "deferred_loading", "annotations"),
        *("annotation_select_mask", "_annotation_select_cache", "_extra_select_cache"),
        *("extra", "_filtered_relations"),
        # Which rows, and in which order.
        *("where", "order_by", "extra_order_by", "default_ordering", "standard_ordering"),
        *("low_mark", "high_mark", "distinct", "distinct_fields", "group_by", "explain_info"),
        *("select_for_update", "select_for_update_nowait", "select_for_update_skip_locked"),
        *("select_for_update_of", "select_for_no_key_update", "filter_is_sticky"),
        # How tables are called.
        *("alias_prefix", "alias_refcount", "alias_map", "alias_cols", "external_aliases"),
        *("subq_aliases", "table_map", "used_aliases", "base_table", "extra_tables"),
        "_lookup_joins",
    ]
)
"""What a query may have of its own. Any other attribute may change what it selects."""


def shape_of(queryset: Any) -> Hashable:
    """Return all of a queryset that decides on the columns of its rows, and on what it prefetches.

    It is made of classes, names and fields of models; no value of a request is part of it.

    :raises NotRowReadableError: if the query is of a kind that is too rare to be known
    """
    query = queryset.query
    is_known = type(query) is Query and _KNOWN.issuperset(vars(query))
    if not is_known or query.extra or query._filtered_relations:
        raise NotRowReadableError(
            "the query has extra(), union(), a FilteredRelation or a class of its own"
        )
    names, is_deferred = query.deferred_loading
    return (
        *(type(queryset), queryset._iterable_class, queryset.model, query.model, queryset.db),
        *(tracks_peers(fetch_mode_of(queryset)), comes_from_relation(queryset)),
        *(_frozen(query.select_related), query.max_depth, frozenset(names), is_deferred),
        tuple([(name, _annotation(value)) for name, value in query.annotation_select.items()]),
        tuple([_shape_of_lookup(lookup) for lookup in prefetch_lookups(queryset)]),
    )


def _shape_of_lookup(lookup: Any) -> Hashable:
    if type(lookup) is str:
        return lookup
    if type(lookup) is not Prefetch:
        raise NotRowReadableError(f"{type(lookup).__name__} is not Django's own Prefetch")
    queryset = lookup.queryset
    shape = None if queryset is None else (shape_of(queryset), queryset.query.is_sliced)
    return lookup.prefetch_through, lookup.prefetch_to, shape


def _frozen(select_related: Any) -> Hashable:
    if not isinstance(select_related, dict):
        return bool(select_related)
    return tuple([(name, _frozen(inner)) for name, inner in select_related.items()])


def _annotation(expression: Any) -> Hashable:
    """Return what an annotation is: a field, or the classes of an expression and of its values.

    Of two with fields of one class, only one may convert its values: by a field inside of its,
    such as ArrayField has.
    """
    if type(expression) is Col:
        return expression.target, expression.output_field
    return type(expression), type(_output_field(expression)), converts_as_django(expression)


def converts_as_django(expression: Any) -> bool:
    """Return whether no code of users makes the values of expressions of this shape."""
    if type(expression) is Col:
        return True  # see its converters
    field = _output_field(expression)
    classes = type(expression), type(field)
    is_of_django = all(cls.__module__.startswith("django.") for cls in classes)
    return is_of_django and not hasattr(field, "from_db_value")


def check_compiled_by_django(queryset: Any) -> None:
    """Raise NotRowReadableError if users' code writes the SQL of what is selected, or its order."""
    query, options = queryset.query, queryset.query.get_meta()
    expressions = [*query.annotations.values(), *(query.order_by or options.ordering)]
    parts = [
        part
        for expression in expressions
        if hasattr(expression, "flatten")
        for part in expression.flatten()
    ]
    fields = options.concrete_fields
    code = [*map(type, parts), *[field.get_col for field in fields]]
    code += [field.select_format for field in fields]
    if not all(function.__module__.startswith("django.") for function in code):
        raise NotRowReadableError("an expression or a field of your own writes its SQL")


def _output_field(expression: Any) -> Any:
    """Return the field that converts the values of an expression of Django's; None if unknown."""
    if not type(expression).__module__.startswith("django."):
        return None
    try:
        return getattr(expression, "_output_field_or_none", None)
    except FieldError as error:  # which Django raises in its turn
        raise NotRowReadableError(str(error)) from error
