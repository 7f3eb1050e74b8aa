"""What a program of a serializer needs to run: its subject, and links to what is nested."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rest_framework.serializers import ListSerializer

from fastschema.compiler.nodes import Form, UnreadableError
from fastschema.contrib.django.class_state import (
    Pending,
    class_state,
    has_made_fields,
    made_fields,
    pending,
    unseen_field,
    with_url_name,
)
from fastschema.contrib.django.json_encoding import json_value
from fastschema.contrib.django.schema_reader import read, readable_fields
from fastschema.contrib.django.stock_serializers import (
    STOCK_TO_REPRESENTATION,
    is_stock_list,
    is_stock_serializer,
    rows,
)
from fastschema.runtime import policy
from fastschema.runtime.dispatch import Dispatch, Dispatcher, Link, UniformDispatch
from fastschema.runtime.programs import DumpProgram


class Subject:
    """What the slots of a program resolve from: one serializer and its fields.

    :param find: gives the serializer; called when it is needed
    :param options: fields like its own, of which only options are read
    :param fields: its own fields, or what makes them when one of them is needed
    :param outer: the subject of the serializer in which this one is nested
    :param rows: how many rows are to be represented at least
    :param is_frozen: whether it belongs to a plan, for which nested serializers stay what they were
    :param is_by_row: whether nested serializers represent by themselves: they may change between
        two rows
    """

    __slots__ = ("_outer", "fields", "find", "frozen", "is_by_row", "keep", "options", "rows")

    def __init__(
        self,
        find: Callable[[], Any],
        options: list[Any],
        fields: Any,
        outer: Subject | None = None,
        rows: int = 1,
        *,
        is_frozen: bool = False,
        is_by_row: bool = False,
    ) -> None:
        self.find = find
        self.options = options
        self.fields = fields
        self._outer = outer
        self.rows: int = rows if outer is None else outer.rows
        self.is_by_row = is_by_row
        self.keep: dict[int, Callable[[Any], Any]] = {}
        """What keeps the values of some fields, by their numbers; see ``kept_values``."""
        self.frozen: dict[Any, tuple[DumpProgram, Subject]] | None = {} if is_frozen else None
        """For a plan, what nested serializers read as, by what finds them."""

    @property
    def serializer(self) -> Any:
        """The serializer itself."""
        return self.find()

    @property
    def is_nested(self) -> bool:
        """Whether the serializer is nested in another one that is dumped."""
        return self._outer is not None

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


class LaterFields(dict[int, Any]):
    """The fields of a serializer that has not made them, by their numbers: made when one is needed.

    :param find: gives the serializer
    :param like: the exemplar's fields
    :raises RuntimeError: as stock, if a field is not there any more
    """

    __slots__ = ("_find", "_like")

    def __init__(self, find: Callable[[], Any], like: list[Any]) -> None:
        self._find = find
        self._like = like

    def __missing__(self, number: int) -> Any:
        field = self[number] = unseen_field(self._find(), self._like[number].field_name)
        return field


def pending_subject(
    known: Pending, find: Callable[[], Any], rows: int, outer: Subject | None = None
) -> Subject:
    """The subject of a serializer that has not made its fields.

    :param known: what it runs
    :param find: gives the serializer
    """

    def find_named() -> Any:
        return with_url_name(find())

    return Subject(find_named, known.fields, LaterFields(find, known.fields), outer, rows)


def link_to(serializer: Any, form: Form) -> Link:
    """The link to a serializer: its fields are not looked at before there is a first row."""
    return Link(partial(_serializer_dispatch, serializer, form))


def dispatch_for(serializer: Any, form: Form) -> Dispatch:
    """The dispatch for one dump of many rows by a serializer.

    :raises UnreadableError: if the serializer cannot be compiled
    """
    known = pending(serializer)
    if known is not None:
        subject = pending_subject(known, lambda: serializer, policy.MANY)
        return Dispatch(known.program, form, subject)
    program, fields = _read_known(serializer, policy.MANY)
    subject = Subject(lambda: serializer, fields, fields, rows=policy.MANY)
    return Dispatch(program, form, subject)


def read_now(serializer: Any) -> tuple[DumpProgram, list[Any]]:
    """The program of a serializer as it is now, and its own fields that are dumped.

    :raises UnreadableError: if the serializer cannot be compiled
    """
    fields = readable_fields(serializer)
    return read(serializer, fields), fields


def _read_known(serializer: Any, rows: int) -> tuple[DumpProgram, list[Any]]:
    """The same, if possible without reading what was read for another serializer of its class.

    :raises UnreadableError: if the serializer cannot be compiled, or that does not pay
    """
    fields = readable_fields(serializer)
    return class_state(type(serializer)).reading(serializer, fields, rows).program, fields


def read_for_plan(serializer: Any, outer: Subject | None = None) -> tuple[DumpProgram, Subject]:
    """The program of a serializer, and what its slots resolve from, for a plan.

    :param outer: the subject of the serializer in which it is nested
    :raises UnreadableError: if the serializer cannot be compiled
    """
    program, fields = read_now(serializer)
    # Copies, so that later changes to options pass unseen.
    options = list(map(_copied, fields))
    subject = Subject(lambda: serializer, options, fields, outer, policy.MANY, is_frozen=True)
    return program, subject


def _copied(field: Any) -> Any:
    """A copy of a field's attributes, for which no code of the user's is called."""
    copied = object.__new__(type(field))
    copied.__dict__.update(field.__dict__)
    return copied


def _nested_dispatch(subject: Subject, get: Callable[[Any], Any], form: Form) -> Dispatcher:
    """The dispatch of a nested serializer, single or many."""
    if subject.is_by_row:
        return _by(lambda value: get(subject.fields).to_representation(value), form)
    field = get(subject.options)
    if not isinstance(field, ListSerializer):
        return _like_dispatch(field, form, get, lambda: get(subject.fields), subject)
    if is_stock_list(field) and is_stock_serializer(field.child):
        find = partial(
            _like_dispatch, field.child, form, get, lambda: get(subject.fields).child, subject
        )
        child = Link(find)
        return UniformDispatch(lambda data: child.many(rows(data)), child, is_stock=False)
    return _by(get(subject.fields).to_representation, form)


def _like_dispatch(
    serializer: Any,
    form: Form,
    get: Callable[[Any], Any],
    find: Callable[[], Any],
    outer: Subject,
) -> Dispatcher:
    """The dispatch of a nested serializer.

    :param serializer: one like it
    :param get: finds its field in a list of fields
    :param find: gives the serializer itself
    """
    if not is_stock_serializer(serializer):
        return _by(find().to_representation, form)
    if outer.frozen is not None:
        return _frozen_dispatch(form, get, find, outer, outer.frozen)
    known = None if _has_made_fields(serializer, outer) else pending(serializer)
    if known is None:
        return _own_dispatch(find(), form, outer)
    return Dispatch(known.program, form, pending_subject(known, find, outer.rows, outer))


def _has_made_fields(like: Any, outer: Subject) -> bool:
    """Whether a nested serializer is there already, with fields that somebody may have changed.

    :param like: it, one like it, or the child of a list
    """
    if outer.options is outer.fields:
        return has_made_fields(like)
    if outer.is_nested:
        return False
    made = made_fields(outer.serializer).get(like.field_name or like.parent.field_name)
    return made is not None and has_made_fields(getattr(made, "child", made))


def _frozen_dispatch(
    form: Form,
    get: Callable[[Any], Any],
    find: Callable[[], Any],
    outer: Subject,
    frozen: dict[Any, tuple[DumpProgram, Subject]],
) -> Dispatcher:
    """The same for a plan: the serializer is read when its first value comes, and never again."""
    if get not in frozen:
        try:
            frozen[get] = read_for_plan(find(), outer)
        except UnreadableError:
            return _by(partial(STOCK_TO_REPRESENTATION, find()), form)
    program, subject = frozen[get]
    return Dispatch(program, form, subject)


def _own_dispatch(serializer: Any, form: Form, outer: Subject) -> Dispatcher:
    """The dispatch of a nested serializer whose own fields must be read, if that pays."""
    try:
        program, fields = _read_known(serializer, outer.rows)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, serializer), form)
    subject = Subject(lambda: serializer, fields, fields, outer)
    return Dispatch(program, form, subject)


def _serializer_dispatch(serializer: Any, form: Form) -> Dispatcher:
    if not is_stock_serializer(serializer):
        return _by(serializer.to_representation, form)
    try:
        return dispatch_for(serializer, form)
    except UnreadableError:
        return _by(partial(STOCK_TO_REPRESENTATION, serializer), form)


def _by(represent_value: Callable[[Any], Any], form: Form) -> Dispatcher:
    if form is Form.JSON:
        return UniformDispatch(lambda value: json_value(represent_value(value)))
    return UniformDispatch(represent_value)
