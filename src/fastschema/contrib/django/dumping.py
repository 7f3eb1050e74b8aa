"""Dumping by DRF serializers: what stock does around the generated code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models.manager import BaseManager
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.contrib.django.blueprints import blueprint_of, with_url_name
from fastschema.contrib.django.encoding import json_value
from fastschema.contrib.django.kinds import KINDS
from fastschema.contrib.django.reader import read, readable_fields
from fastschema.nodes import Form, UnreadableError
from fastschema.program import Always, Dispatch, Dispatcher, Link
from fastschema.statistics import recorder
from fastschema.switch import is_disabled

STOCK_TO_REPRESENTATION = Serializer.to_representation
STOCK_LIST_TO_REPRESENTATION = ListSerializer.to_representation


class Subject:
    """What the slots of a program resolve from: one serializer and its fields, for one dump.

    :param find: gives the serializer; called when it is needed
    :param options: fields like its own, of which only options are read
    :param fields: its own fields, or what makes them when one of them is needed
    :param outer: the subject of the serializer in which this one is nested
    """

    __slots__ = ("_outer", "fields", "find", "options")

    def __init__(
        self,
        find: Callable[[], Any],
        options: list[Any],
        fields: Any,
        outer: Subject | None = None,
    ) -> None:
        self.find = find
        self.options = options
        self.fields = fields
        self._outer = outer

    @property
    def serializer(self) -> Any:
        """The serializer itself."""
        return self.find()

    @property
    def context(self) -> Any:
        """What ``Field.context`` gives in this serializer and in all that is nested in it."""
        if self._outer is not None:
            return self._outer.context
        root = self.serializer
        while root.parent is not None:
            root = root.parent
        return getattr(root, "_context", {})

    def link(self, get: Callable[[Any], Any], form: Form) -> Link:
        """The link to the serializer of a nested field.

        :param get: finds the field in a list of fields
        """
        return Link(partial(_nested_dispatch, self, get, form))


class _LaterFields:
    """A serializer's own fields, made when one of them is needed.

    :param find: gives the serializer
    """

    __slots__ = ("_fields", "_find")

    def __init__(self, find: Callable[[], Any]) -> None:
        self._find = find
        self._fields: list[Any] | None = None

    def __getitem__(self, index: int) -> Any:
        if self._fields is None:
            self._fields = readable_fields(self._find())
        return self._fields[index]


KNOWN = {STOCK_TO_REPRESENTATION}
KNOWN_LIST = {STOCK_LIST_TO_REPRESENTATION}
"""The methods as stock has them, and as installed."""


def is_stock_serializer(serializer: Any) -> bool:
    """Whether a serializer's ``to_representation`` is stock's, be it installed or not."""
    return (
        isinstance(serializer, Serializer)
        and type(serializer).to_representation in KNOWN
        and "to_representation" not in vars(serializer)
    )


def is_stock_list(serializer: ListSerializer) -> bool:
    """Whether a list serializer's ``to_representation`` is stock's, be it installed or not."""
    return type(serializer).to_representation in KNOWN_LIST and "to_representation" not in vars(
        serializer
    )


def dispatch_for(
    serializer: Any,
    form: Form,
    find: Callable[[], Any] | None = None,
    make: type[Dispatch] = Dispatch,
    outer: Subject | None = None,
) -> Dispatch:
    """The dispatch for one dump by a serializer.

    :param find: gives the serializer that is to be asked, if this is only like it
    :param make: the class of the dispatch
    :param outer: the subject of the serializer in which it is nested
    :raises UnreadableError: if the serializer cannot be compiled
    """
    fields = blueprint_of(serializer)
    if fields is not None:
        program = read(serializer, fields)
        find = find or (lambda: serializer)
        subject = Subject(partial(_named, find), fields, _LaterFields(find), outer)
        return make(program, form, subject)
    own = serializer if find is None else find()
    fields = readable_fields(own)
    return make(read(own, fields), form, Subject(lambda: own, fields, fields, outer))


def _named(find: Callable[[], Any]) -> Any:
    return with_url_name(find())


def represent(serializer: Any, obj: Any) -> Any:
    """What ``Serializer.to_representation`` returns, by generated code where that is possible."""
    if not is_disabled():
        try:
            dispatch = dispatch_for(serializer, Form.FAITHFUL)
        except UnreadableError:
            pass
        else:
            return dispatch.one_row(obj)
    result = STOCK_TO_REPRESENTATION(serializer, obj)
    recorder.stock(1)
    return result


def represent_list(serializer: Any, data: Any) -> Any:
    """What ``ListSerializer.to_representation`` returns, compiled where that is possible."""
    child = serializer.child
    if is_disabled() or not is_stock_serializer(child):
        return STOCK_LIST_TO_REPRESENTATION(serializer, data)
    return represent_many(child, data)


def represent_many(serializer: Any, data: Any) -> list[Any]:
    """What ``Serializer.to_representation`` returns for each row of a collection, or manager."""
    if is_disabled():
        return [represent(serializer, each) for each in rows(data)]
    return link_to(serializer, Form.FAITHFUL).all_rows(rows(data))


def link_to(serializer: Any, form: Form) -> Link:
    """The link to a serializer: its fields are not looked at before there is a first row."""
    return Link(partial(_serializer_dispatch, serializer, form))


def rows(data: Any) -> Any:
    """What stock iterates over: the rows, or all rows of a manager."""
    return data.all() if isinstance(data, BaseManager) else data


def _nested_dispatch(subject: Subject, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """The dispatch of a nested serializer, single or many."""
    field = get(subject.options)
    if not isinstance(field, ListSerializer):
        return _like_dispatch(field, form, lambda: get(subject.fields), subject)
    if is_stock_serializer(field.child):
        find = partial(
            _like_dispatch, field.child, form, lambda: get(subject.fields).child, subject
        )
        child = Link(find)
        return Always(lambda data: child.many(rows(data)))
    return _by_its_own_method(get(subject.fields), form)


def _like_dispatch(
    serializer: Any, form: Form, find: Callable[[], Any], outer: Subject
) -> Dispatcher:
    """The dispatch of a nested serializer.

    :param serializer: one like it
    :param find: gives the serializer itself
    """
    if is_stock_serializer(serializer):
        try:
            return dispatch_for(serializer, form, find, outer=outer)
        except UnreadableError:
            return _by(partial(STOCK_TO_REPRESENTATION, find()), form)
    return _by_its_own_method(find(), form)


def _serializer_dispatch(serializer: Any, form: Form) -> Dispatcher:
    if is_stock_serializer(serializer):
        try:
            return dispatch_for(serializer, form)
        except UnreadableError:
            return _by(partial(STOCK_TO_REPRESENTATION, serializer), form)
    return _by_its_own_method(serializer, form)


def _by_its_own_method(field: Any, form: Form) -> Dispatcher:
    return _by(field.to_representation, form)


def _by(represent_value: Callable[[Any], Any], form: Form) -> Dispatcher:
    if form is Form.JSON:
        return Always(lambda value: json_value(represent_value(value)))
    return Always(represent_value)


def register_installed(to_representation: Any, list_to_representation: Any) -> None:
    """Let the methods that :mod:`installation` puts in place count as stock's.

    So that nested serializers are compiled when fastschema is installed, too.
    """
    KNOWN.add(to_representation)
    KNOWN_LIST.add(list_to_representation)
    KINDS[to_representation] = KINDS[STOCK_TO_REPRESENTATION]
    KINDS[list_to_representation] = KINDS[STOCK_LIST_TO_REPRESENTATION]
