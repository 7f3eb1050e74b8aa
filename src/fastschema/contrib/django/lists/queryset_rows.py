"""Hold the rows of a query: as they are, or as instances for whoever asks.

How a row travels::

    queryset             which is not evaluated
        |                query_plan.kept_plan() finds what is known of querysets of its shape
        |                prefetching.fetch_rows() runs its query, and those of prefetch_related
    FetchedRows
        | converted      the row, with values as instances have them
        | rows()         the same, and beside it what is prefetched for it (PrefetchResult)
        | layout         which column each position of it belongs to
    LazyInstanceList     what the queryset, or a page, has in the place of its instances
        |                list_plan.list_plan() finds how the serializer reads it
        |
        |-- row_programs.by_row()               reads the row: no instance is made
        |-- row_programs.with_kept_relations()  reads its instance, and from the row what is related
        `-- any other code                      gets its instance (row_instances.py)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fastschema.contrib.django.internals.conversion import converted_rows
from fastschema.contrib.django.internals.queries import (
    CompiledQuery,
    tracks_peers,
)
from fastschema.contrib.django.lists.row_instances import Makers, fill_before, instance_maker
from fastschema.contrib.django.lists.row_layout import Selection

if TYPE_CHECKING:
    from fastschema.contrib.django.lists.prefetching import PrefetchResult


class FetchedRows:
    """The rows of a query, and those that were prefetched for them; threads may share it.

    Once there are instances, code of users may change them: rows are not read any more.
    """

    _instances: list[Any] | None = None

    def __init__(
        self, query: CompiledQuery, results: Iterable[list[Any]], selection: Selection
    ) -> None:
        self.query = query
        self.model, self.db = query.model, query.db
        self.fetch_mode = query.fetch_mode
        self.selection, self.layout = selection, selection.layout
        # In stock, they are instances before anything is prefetched for them.
        converters = selection.converters(query)
        self.converted: list[Any] = list(converted_rows(query, results, converters))
        """The rows with values as model instances have them, each a tuple."""
        self.prefetched: list[PrefetchResult] = []
        """What stands beside each row, in this order."""
        self._rows: list[Any] | None = None
        self.makers: Makers | None = None
        """What makes the related objects of the instances, if they keep their rows."""

    def __len__(self) -> int:
        return len(self.converted)

    def rows(self) -> list[Any]:
        """Return the rows, and beside each what every query of ``prefetch_related`` has found."""
        if self._rows is None:
            rows = self.converted
            for result in self.prefetched:
                rows = [(*row, beside) for row, beside in zip(rows, result.beside(), strict=True)]
            self._rows = rows
        return self._rows

    @property
    def has_instances(self) -> bool:
        return self._instances is not None

    def instances(self, *, with_prefetched: bool = True) -> list[Any]:
        """Return the model instances of the rows, the same ones each time.

        :param with_prefetched: if not, :meth:`give_prefetched` is to be called
        """
        if self._instances is None:
            makers = self.makers  # another thread may set it meanwhile
            instances = self._new_instances(makers)
            if with_prefetched:
                self.give_prefetched(instances, makers)
            vars(self).setdefault("_instances", instances)
        assert self._instances is not None
        return self._instances

    def give_prefetched(self, instances: list[Any], makers: Makers | None) -> None:
        """Let instances made with these makers know what was prefetched, as Django does."""
        for result in self.prefetched:
            result.give(instances, makers)

    def made_by_django(self) -> list[Any]:
        """Return instances made by Django, to compare; where something is prefetched, ours."""
        return self.instances() if self.prefetched else self.query.instances(self.converted)

    def keep_rows(self) -> None:
        """Let the instances, not made yet, keep their rows in place of related objects."""
        self.makers = Makers()

    def _new_instances(self, makers: Makers | None) -> list[Any]:
        if not self.makes_instances:
            return self.query.instances(self.converted)
        if makers is not None:
            for result in self.prefetched:
                result.keep(self, makers)
        make = instance_maker(self.layout, self.db, self.fetch_mode, makers)
        return list(map(make, self.converted if makers is None else self.rows()))

    @property
    def makes_instances(self) -> bool:
        """Whether instances are made here: no code can tell that Django does not make them."""
        return not (self.query.comes_from_relation or tracks_peers(self.fetch_mode))


class LazyInstanceList(list[Any]):
    """The model instances of (some) rows, as a list that is filled when code looks into it."""

    def __init__(self, fetched: FetchedRows, numbers: Sequence[int] | None = None) -> None:
        super().__init__()
        self._source: FetchedRows | None = fetched
        self._numbers = numbers

    @property
    def fetched(self) -> FetchedRows | None:
        """The rows; None once there are instances of them, which may be changed."""
        fetched = self._source
        return None if fetched is None or fetched.has_instances else fetched

    def rows(self) -> list[Any]:
        """Return the rows of the list, while :attr:`fetched` is not None."""
        assert self._source is not None
        return self._chosen(self._source.rows())

    def made_by_django(self) -> list[Any]:
        """Return instances of the rows that Django has made; see :class:`FetchedRows`."""
        assert self._source is not None
        return self._chosen(self._source.made_by_django())

    def numbers(self) -> Sequence[int]:
        assert self._source is not None
        return range(len(self._source)) if self._numbers is None else self._numbers

    def once_more(self) -> LazyInstanceList:
        """Return another list of the same rows, while :attr:`fetched` is not None."""
        assert self._source is not None
        return LazyInstanceList(self._source, self._numbers)

    def fill(self) -> None:
        fetched = self._source
        if fetched is not None:
            super().__setitem__(slice(None), self._chosen(fetched.instances()))
            self._source = None

    def _chosen(self, rows: list[Any]) -> list[Any]:
        numbers = self._numbers
        return rows if numbers is None else [rows[number] for number in numbers]

    def __len__(self) -> int:
        if self._source is None:
            return super().__len__()
        return len(self._source) if self._numbers is None else len(self._numbers)

    def __radd__(self, other: list[Any]) -> list[Any]:
        return other + list(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return list, (list(self),)


# All that looks into a list or changes it.
_OTHERS = vars(LazyInstanceList).keys() | vars(object).keys() | {"__class_getitem__", "__hash__"}
fill_before(LazyInstanceList, *sorted(vars(list).keys() - _OTHERS))
fill_before(
    LazyInstanceList, "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__"
)
