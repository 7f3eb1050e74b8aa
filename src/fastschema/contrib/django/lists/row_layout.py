"""The layout of a query's rows: which model and column each position belongs to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Field, Model

from fastschema.compiler.nodes import NotRowReadableError
from fastschema.contrib.django.front_end.access import MODEL, access_of, has_plain_key, on_class
from fastschema.contrib.django.internals.instances import (
    COLUMN,
    FILE_COLUMNS,
    KEY_COLUMN,
    SingleRelation,
    is_kept_by_django,
    single_relation,
)
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    Converters,
    SelectedModel,
    is_pure_converter,
)
from fastschema.contrib.django.internals.shapes import converts_as_django
from fastschema.runtime.patching import stock_method

_INIT = stock_method(Model, "__init__")
_NEW = stock_method(Model, "__new__")
_SETATTR = stock_method(Model, "__setattr__")
_FROM_DB = stock_method(Model, "from_db").__func__
_GET_CONVERTERS = stock_method(Field, "get_db_converters")
_BASES = (Model, object)


Watch = Callable[[Any], None]
"""Is told of a model on which a layout depends."""


@dataclass(slots=True)
class RelatedLayout:
    """Where in a row, or beside it, a related object stands that was loaded with it.

    :param is_nullable: whether the attribute is None without an object; else it raises an error
    :param set_there: lets the related object know the instance, if that is its only one
    :param position: where its row stands beside the row; None: its columns are in the same row
    """

    layout: RowLayout
    is_nullable: bool
    set_there: Callable[[Any, Any], None] | None = None
    position: int | None = None


@dataclass(slots=True)
class CollectionLayout:
    """Where beside a row the objects of a relation to many stand, a list of rows."""

    position: int
    layout: RowLayout


@dataclass(slots=True)
class RowLayout:
    """The columns of one model in the rows of a query.

    :param key: the position of its primary key; null if there is no such object
    :param columns: positions by the names of attributes, one after the other
    :param converted_by_users: positions of columns whose values code of users may make
    :param files: the names of files among them, of which instances make objects when they are read
    :param annotations: positions of what the query adds, by the names of attributes
    :param joined: the relations to one object that ``select_related`` has loaded
    :param prefetched: those that another query has loaded
    """

    model: Any
    key: int
    columns: dict[str, int]
    converted_by_users: frozenset[int]
    foreign_keys: list[int] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    annotations: dict[str, int] = field(default_factory=dict)
    joined: dict[SingleRelation, RelatedLayout] = field(default_factory=dict)
    prefetched: dict[SingleRelation, RelatedLayout] = field(default_factory=dict)
    collections: dict[str, CollectionLayout] = field(default_factory=dict)

    def at_end_of(self, joins: Iterable[SingleRelation]) -> RowLayout:
        """Return the layout of the objects to which some joined relations lead."""
        layout = self
        for single in joins:
            layout = layout.joined[single].layout
        return layout

    def column(self, name: str) -> int:
        """Return where an attribute stands; raise NotRowReadableError if the row has it not."""
        if name == "pk" and has_plain_key(self.model):
            return self.key
        position = self.columns.get(name, self.annotations.get(name))
        if position is None or name in self.files:
            raise NotRowReadableError(
                f"{name} is not among the columns of {self.model.__name__} that the query reads"
            )
        return position

    def related(self, name: str) -> RelatedLayout:
        """Return the object of an attribute; raise NotRowReadableError if it is not loaded."""
        single = single_relation(self.model, name)
        related = {**self.prefetched, **self.joined}.get(single) if single else None
        if related is None:
            raise NotRowReadableError(f"the query does not load {name}")
        return related

    def collection(self, name: str) -> CollectionLayout:
        """Return the objects of an attribute; raise NotRowReadableError if they are not loaded."""
        if name not in self.collections:
            raise NotRowReadableError(f"prefetch_related does not load {name}")
        return self.collections[name]


@dataclass(slots=True, eq=False)
class Selection:
    """What a query selects: the same for all queries of a shape.

    :param converted: positions of columns that may have converters
    """

    layout: RowLayout
    columns: list[Any]
    converted: frozenset[int]

    @classmethod
    def of(cls, query: CompiledQuery, watch: Watch) -> Selection:
        """Return what a query selects; raise NotRowReadableError if code would miss instances."""
        selected = query.selected_model()
        if selected is None:
            raise NotRowReadableError("the query selects no model")
        if query.joins_columns:
            raise NotRowReadableError("several columns of the query make one value")
        for model in selected.models():
            watch(model)
        converters = query.converters(range(query.column_count))
        of_users = {
            position
            for position, (functions, _) in converters.items()
            if not all(map(is_pure_converter, functions))
        }
        # Of an expression, the next query of the same shape may have other converters.
        of_users.update(
            position
            for position in query.annotations.values()
            if not converts_as_django(query.expression(position))
        )
        layout = _layout(selected, frozenset(of_users))
        for name, position in query.annotations.items():
            if on_class(layout.model, name) is not None or name in layout.columns:
                raise NotRowReadableError(
                    f"the annotation {name} is an attribute of the model, too"
                )
            layout.annotations[name] = position
        return cls(layout, query.selected(), frozenset(converters))

    @property
    def converts_as_stock(self) -> bool:
        """Whether no code of users makes values of the rows."""
        return not self.layout.converted_by_users

    def check(self, query: CompiledQuery) -> None:
        """Raise NotRowReadableError unless a query has selected what its shape says."""
        if query.selected() != self.columns:
            raise NotRowReadableError("the query selects other columns than others of its shape")

    def converters(self, query: CompiledQuery) -> Converters | None:
        """Return the converters; Django's own fields that had none are not asked again.

        None if Django must convert row by row, for code of users takes part.
        """
        return query.pure_converters(
            [
                number
                for number, selected in enumerate(self.columns)
                if number in self.converted or not _has_no_converter(selected)
            ]
        )


def _has_no_converter(selected: Any) -> bool:
    cls = type(selected)
    return (
        isinstance(selected, Field)
        and cls.get_db_converters is _GET_CONVERTERS
        and not hasattr(selected, "from_db_value")
    )


def _layout(selected: SelectedModel, converted_by_users: frozenset[int]) -> RowLayout:
    if selected.is_parent:
        raise NotRowReadableError(
            f"{selected.model.__name__} is selected as a parent of another model"
        )
    layout = _own_layout(selected.model, selected.columns, converted_by_users)
    for relation in selected.relations:
        _check_cache(relation.field)
        single = SingleRelation(relation.field, relation.is_reverse)
        layout.joined[single] = RelatedLayout(
            _layout(relation.related, converted_by_users),
            single.may_be_none,
            relation.set_there if relation.field.unique else None,
        )
    return layout


def _own_layout(
    model: Any, columns: dict[str, int], converted_by_users: frozenset[int]
) -> RowLayout:
    _check_model(model, columns)
    # One column of a key tells whether there is an object.
    layout = RowLayout(
        model, columns[model._meta.pk_fields[0].attname], columns, converted_by_users
    )
    for name, position in columns.items():
        descriptor = type(on_class(model, name))
        if descriptor is KEY_COLUMN:
            _check_cache(on_class(model, name).field)
            layout.foreign_keys.append(position)
        elif descriptor in FILE_COLUMNS:
            layout.files.add(name)
        elif descriptor is not COLUMN:
            raise NotRowReadableError(f"{model.__name__}.{name} is not a plain column")
    return layout


def _check_model(model: Any, columns: dict[str, int]) -> None:
    """Raise NotRowReadableError if making an instance from these columns runs code of users."""
    is_plain = (
        access_of(model) == MODEL
        and not hasattr(model, "__getattr__")
        and model.__init__ is _INIT
        # Model.__init__ calls that of the class behind it.
        and not any("__init__" in vars(base) for base in model.__mro__ if base not in _BASES)
        and model.__new__ is _NEW
        and model.__setattr__ is _SETATTR
        and model.from_db.__func__ is _FROM_DB
        and type(model).__call__ is type.__call__
    )
    if not is_plain:
        raise NotRowReadableError(f"{model.__name__} overrides how instances are made or read")
    meta = model._meta
    expected = [column.attname for column in meta.concrete_fields if column.attname in columns]
    first = next(iter(columns.values()))
    in_order = list(columns.values()) == list(range(first, first + len(columns)))
    if list(columns) != expected or not in_order:
        raise NotRowReadableError(f"the columns of {model.__name__} are not in their usual order")


def _check_cache(field: Any) -> None:
    """Raise NotRowReadableError unless Django itself keeps the related objects of a foreign key."""
    if not is_kept_by_django(field):
        raise NotRowReadableError(f"{field} overrides how related objects are cached")
