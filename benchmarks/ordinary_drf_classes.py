"""Serializer classes that are made for each call, and serializers that are asked row by row.

Imported when Django is set up; adds to the patterns of ``ordinary_drf``.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from ordinary_drf import DRF, SMALL, data_of, model_serializer, plain_serializer
from ordinary_drf_input import ROW, Person
from ordinary_drf_lists import COLUMNS, in_function
from ordinary_drf_relations import article_serializer, prefetched
from ordinary_models import (
    WIDE,
    Author,
    Comment,
    Tag,
    articles,
    wide_rows,
)
from ordinary_pattern import Run

MADE_SIZES = (1, 30, 100, 300)


@DRF.add("a ModelSerializer class made for each call", sizes=MADE_SIZES)
def model_class(count: int) -> Run:
    rows = wide_rows(14, count)
    return lambda: data_of(model_serializer(WIDE[14]), rows)()


@DRF.add("a Serializer class made for each call", sizes=MADE_SIZES)
def plain_class(count: int) -> Run:
    rows = wide_rows(14, count)
    return lambda: data_of(plain_serializer(14), rows)()


@DRF.add("two classes made for each call, one nested in the other", sizes=MADE_SIZES)
def nested_class(count: int) -> Run:
    rows = prefetched(count)

    def run() -> Any:
        nested = model_serializer(Author)()
        return data_of(article_serializer(*COLUMNS, "author", author=nested), rows)()

    return run


@DRF.add("a view's list, whose class is made for each request", sizes=MADE_SIZES)
def listed_class(count: int) -> Run:
    queryset = articles(count)
    return in_function(lambda *a, **k: article_serializer(*COLUMNS)(*a, **k), queryset)


@DRF.add("input by a class made for each call", sizes=MADE_SIZES)
def input_class(count: int) -> Run:
    rows = [ROW] * count

    def run() -> Any:
        made = type("Made", (Person,), {"more": serializers.CharField(required=False)})
        serializer = made(data=rows, many=True)
        return serializer.is_valid(), serializer.validated_data

    return run


def popping(base: Any) -> Any:
    """A serializer class whose ``__init__`` removes fields."""

    class Popping(base):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            names = kwargs.pop("fields", None)
            super().__init__(*args, **kwargs)
            for name in set(self.fields) - set(names or self.fields):
                self.fields.pop(name)

    return Popping


class Looping(serializers.ListSerializer):
    """Asks its child for each row."""

    def to_representation(self, data: Any) -> Any:
        return [self.child.to_representation(each) for each in data]


@DRF.add("own list serializer, row by row, fields popped in __init__", sizes=(20, 240))
def looping(count: int) -> Run:
    meta = type("Meta", (), {"list_serializer_class": Looping})
    listed = popping(type("Listed", (plain_serializer(14),), {"Meta": meta}))
    names = [name for name in listed().fields if name != "column_3"]
    return data_of(listed, wide_rows(14, count), fields=names)


@DRF.add("own __init__ and super() in to_representation, prefetched lists", sizes=(20, 240))
def with_lists(count: int) -> Run:
    nested = {
        "author": model_serializer(Author)(),
        "tags": model_serializer(Tag)(many=True),
        "comments": model_serializer(Comment, ("id", "name", "text", "created"))(many=True),
    }
    base = popping(article_serializer(*COLUMNS, *nested, **nested))

    class Shown(base):
        def to_representation(self, instance: Any) -> Any:
            shown = super().to_representation(instance)
            shown["kind"] = "article"
            return shown

    names = ("id", "title", *COLUMNS[1:], *nested)
    return data_of(Shown, prefetched(count), fields=names)


@DRF.add("Serializer(obj).data in a loop, fields popped in __init__", sizes=(20,))
def popped_one_by_one(count: int) -> Run:
    serializer, rows = popping(model_serializer(WIDE[14])), wide_rows(14, count)
    return lambda: [serializer(row, fields=SMALL).data for row in rows]


class Recursive(serializers.Field):
    """Stands for a serializer of its parent's class, as the field of drf-recursive does."""

    def __init__(self, **kwargs: Any) -> None:
        self.made: Any = None
        super().__init__(**kwargs)

    def bind(self, field_name: str, parent: Any) -> None:
        self.bound_to = field_name, parent

    def __getattribute__(self, name: str) -> Any:
        if name not in _OF_SERIALIZER or "bound_to" not in vars(self):
            return object.__getattribute__(self, name)
        if self.made is None:
            field_name, parent = self.bound_to
            cls = type(parent.parent if hasattr(parent, "child") else parent)
            self.made = cls(required=False)
            self.made.bind(field_name, parent)
        return object.__getattribute__(self.made, name)


_OF_SERIALIZER = frozenset(
    [
        *("get_value", "get_initial", "run_validation", "get_attribute", "to_representation"),
        *("field_name", "source", "read_only", "default", "source_attrs", "write_only"),
    ]
)


class Branch(serializers.Serializer):
    """A tree."""

    name = serializers.CharField()
    branches = serializers.ListField(child=Recursive(), required=False)


def tree(depth: int) -> dict[str, Any]:
    """A tree with two branches at each level."""
    branches = [tree(depth - 1), tree(depth - 1)] if depth else []
    return {"name": f"at {depth}", "branches": branches}


@DRF.add("input of a tree, with a new serializer at each level", sizes=(1, 20))
def trees(count: int) -> Run:
    rows = [tree(3) for _ in range(count)]

    def run() -> Any:
        serializer = Branch(data=rows, many=True)
        return serializer.is_valid(), serializer.validated_data

    return run


@DRF.add("output of a tree, with a new serializer at each level", sizes=(1, 20))
def shown_trees(count: int) -> Run:
    return data_of(Branch, [tree(3) for _ in range(count)])


@DRF.add("a list view with a method field beside get_FOO_display", sizes=(20, 240))
def displayed(count: int) -> Run:
    class Displayed(model_serializer(Author)):
        pass

    serializer = article_serializer(
        *COLUMNS,
        *("status", "shown", "method", "author"),
        author=Displayed(),
        shown=serializers.CharField(source="get_status_display"),
        method=serializers.SerializerMethodField(),
        get_method=lambda self, row: row.words * 2,
    )
    return in_function(serializer, articles(count).select_related("author"))
