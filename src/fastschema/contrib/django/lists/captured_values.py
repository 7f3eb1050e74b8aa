"""Rows as JSON whose values from code of users are captured, so that no such code runs twice.

Values that nobody can change are written at once. Any other (a list of the user's, a generator, a
lazy text) is not looked at: then the rows become stock's data, made of what was kept and of
columns that are read again, and it is written where stock writes it.

A lazy response writes rows as JSON, and turns them into stock's data only if somebody asks. Then
they are read again. That is done only where reading runs no code of users: the columns of model
instances, and the related objects that Django keeps once it has loaded them: those that single
relations lead to, and those that were prefetched; and addresses that are found once for all rows.
The values of all other fields (properties, method fields, fields of users' own) are kept.
"""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from django.db import connections
from django.db.models import JSONField, Manager
from django.db.models.fields.related_descriptors import (
    ForeignKeyDeferredAttribute,
    ReverseOneToOneDescriptor,
)
from django.db.models.query_utils import DeferredAttribute
from rest_framework.fields import empty
from rest_framework.relations import Hyperlink, ManyRelatedField
from rest_framework.serializers import ListSerializer, Serializer

from fastschema.compiler.nodes import FieldNode, Form, ObjectNode, Rereading, Slot, UnreadableError
from fastschema.compiler.source import identifiers
from fastschema.contrib.django.access import (
    FORWARD,
    MODEL,
    access_of,
    column,
    has_plain_key,
    on_class,
)
from fastschema.contrib.django.bound_serializer import read_now
from fastschema.contrib.django.class_state import gets_fields_as_stock, pending
from fastschema.contrib.django.customization import is_stock_list, is_stock_serializer
from fastschema.contrib.django.hyperlinks import has_address
from fastschema.contrib.django.json_encoding import engine, json_value, missing
from fastschema.contrib.django.lists.column_values import displayed_field
from fastschema.contrib.django.lists.columns import Columns, by_row, slug_of
from fastschema.contrib.django.lists.queryset_rows import Loaded
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.runtime.bound_program import Dispatch
from fastschema.runtime.encode import CHUNK_SIZE

_LASTING = frozenset(
    [
        *(str, int, bool, float, type(None), decimal.Decimal, uuid.UUID, type(missing)),
        *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta, Hyperlink),
    ]
)
"""Values of these classes stay what they were when they were written."""


class KeptValues:
    """What code of users returned for some fields of each row.

    :param dispatch: what would dump the rows without keeping anything
    :param kept: the numbers of the fields
    :param reads: how the fields are read from rows of the database; None: from instances
    """

    def __init__(
        self, dispatch: Dispatch, kept: frozenset[int], reads: Columns | None = None
    ) -> None:
        program = dispatch.program
        self._node = program.node
        self._subject = dispatch.subject
        self._others = program.derived(("without", kept), partial(_without, kept))
        self._values: dict[int, list[Any]] = {number: [] for number in sorted(kept)}
        self._is_lasting = True
        self._subject.keep = {number: self._keeper(number) for number in kept}
        keeping = program.derived(("keeping", kept), partial(_keeping, kept))
        self._dispatch = Dispatch(keeping, Form.JSON, self._subject)
        if reads is not None:
            self._dispatch = by_row(self._dispatch, reads)
        self._chunks: list[tuple[int, bytes | None]] = []
        """The number of rows of each chunk, and its JSON; None if it cannot be written."""
        self._encode = engine().encode

    def write(self, rows: list[Any]) -> bytes | None:
        """Return the rows as JSON, or None if stock must write :meth:`data`.

        Each row is dumped, whatever its values are.

        :raises Exception: what code of users raises for a row
        """
        iterator = iter(rows)
        while dumped := self._dispatch.all_rows(islice(iterator, CHUNK_SIZE)):
            self._chunks.append((len(dumped), self._encoded(dumped)))
        texts = [text for _, text in self._chunks if text is not None]
        if not self._is_lasting or len(texts) < len(self._chunks):
            return None
        text = b"".join([b"[", b",".join([each[1:-1] for each in texts]), b"]"])
        self._chunks = [(len(rows), text)]  # one copy of it is enough
        return text

    def _encoded(self, dumped: list[Any]) -> bytes | None:
        try:
            return self._encode(dumped)
        except Exception:
            return None  # stock encodes later, and raises its own

    def data(self, rows: list[Any]) -> list[dict[str, Any]]:
        """Stock's data of the rows, for which no code of users is called.

        Columns are read again. Where something has changed them, they are as they were written.

        :param rows: the rows that were written, in their order
        """
        data: list[dict[str, Any]] = []
        for count, text in self._chunks:
            start = len(data)
            data += self._chunk_data(rows[start : start + count], start, text)
        return data

    def _chunk_data(self, rows: list[Any], start: int, text: bytes | None) -> list[dict[str, Any]]:
        """Return the data of a chunk.

        :param text: the chunk as it was written; None if it was not
        """
        if text is None:
            return self._merged(self._other_values(rows), start)
        try:
            with no_queries():
                others = self._other_values(rows)
            written = self._merged(others, start, is_written=True)
            if FastJSONRenderer().render(written) == text:
                return self._merged(others, start)
        except Exception:
            pass  # something has changed the objects since they were written
        return self._merged(json.loads(text), start)

    def _other_values(self, rows: list[Any]) -> list[Any]:
        return Dispatch(self._others, Form.PYTHON, self._subject).many(rows)

    def _merged(
        self, others: list[Any], start: int, *, is_written: bool = False
    ) -> list[dict[str, Any]]:
        """Rows with the values that were kept.

        :param others: the rows with their other values
        :param start: the number of the first one
        :param is_written: whether values that do not last are null, as they were written
        """
        fields = [
            (field.key, self._values.get(number), field.kind.makes_lists)
            for number, field in enumerate(self._node.fields)
        ]
        merged = []
        for number, other in enumerate(others, start):
            row = {}
            for key, kept, makes_lists in fields:
                value = other.get(key, missing) if kept is None else kept[number]
                if is_written and kept is not None and not _is_lasting(value, makes_lists):
                    value = None
                if value is not missing:
                    row[key] = value
            merged.append(row)
        return merged

    def _keeper(self, number: int) -> Callable[[Any], Any]:
        """Return what keeps a value of a field, and gives what the JSON engine writes for it."""
        append = self._values[number].append
        makes_lists = self._node.fields[number].kind.makes_lists

        def keep(value: Any) -> Any:
            append(value)
            if type(value) is str or _is_lasting(value, makes_lists):
                return json_value(value)
            self._is_lasting = False
            return None

        return keep


@contextmanager
def no_queries() -> Iterator[None]:
    """While it holds, an object that must be loaded again raises an error."""
    with ExitStack() as stack:
        for each in connections.all(initialized_only=True):
            # The first of them, so that no other sees the query.
            each.execute_wrappers.insert(0, _refuse)
            stack.callback(each.execute_wrappers.remove, _refuse)
        yield


def _refuse(*args: Any) -> NoReturn:
    raise RuntimeError("the objects were loaded when they were written")


def _is_lasting(value: Any, makes_lists: bool) -> bool:
    """Whether nobody can change a value.

    :param makes_lists: whether a list is a new one, of the dump's own
    """
    if makes_lists and type(value) is list:
        return _LASTING.issuperset(map(type, value))
    return type(value) in _LASTING


def _keeping(kept: frozenset[int], node: ObjectNode) -> ObjectNode:
    """Return a node that keeps the values of some fields, as stock returns them."""
    used: frozenset[str] = frozenset()
    fields = list(node.fields)
    for number in kept:
        python = fields[number].kind.python
        used |= identifiers(f"{python.inline} {python.otherwise}")
        fields[number] = replace(fields[number], kept=f"keep_{number}({{value}})")
    slots = [
        replace(slot, resolve=partial(_in_python_form, slot.resolve)) if slot.name in used else slot
        for slot in node.slots
    ]
    slots += [Slot(f"keep_{number}", partial(_keeper_of, number)) for number in sorted(kept)]
    return replace(node, fields=tuple(fields), slots=tuple(slots))


def _in_python_form(resolve: Callable[..., Any], subject: Any, cls: type, form: Form) -> Any:
    """Return what a slot resolves to where stock's values are made, whatever is made of
    them later.
    """
    return resolve(subject, cls, Form.PYTHON)


def _keeper_of(number: int, subject: Any, cls: type, form: Form) -> Any:
    return subject.keep[number]


def _without(kept: frozenset[int], node: ObjectNode) -> ObjectNode:
    """Return a node without some fields."""
    fields = [field for number, field in enumerate(node.fields) if number not in kept]
    return replace(node, fields=tuple(fields))


_COLUMNS = (DeferredAttribute, ForeignKeyDeferredAttribute)


class NotRereadableError(Exception):
    """Rows that cannot be read a second time, and why."""


def kept_fields(
    fields: list[Any], node: ObjectNode, cls: type, context: Any, loaded: Loaded
) -> frozenset[int]:
    """Return the numbers of the fields whose values must be kept: to read them may run code of
    users.

    :param fields: those of a serializer, or fields like them
    :param node: what the serializer reads as
    :param cls: the class of the objects
    :param context: the context of the dump
    :param loaded: what was prefetched for the objects
    :raises NotRereadableError: if objects or nested serializers are none that can be read again
    """
    if not _is_plain_model(cls):
        raise NotRereadableError(f"{cls.__name__} is not a plain Django model")
    if node.dict_class is not None:
        raise NotRereadableError("two fields have the same name")
    kept = set()
    objects = _Objects(cls, loaded)
    for number, (field, field_node) in enumerate(zip(fields, node.fields, strict=True)):
        if _is_plain(field, field_node, objects, context, is_own=True):
            continue
        if field_node.kind.link is not None:
            raise NotRereadableError(f"{field_node.key} has more than plain columns")
        if field_node.kind.rereading is Rereading.ADDRESS:
            raise NotRereadableError(f"{field_node.key} finds a URL for each row")
        kept.add(number)
    return frozenset(kept)


class _Objects(NamedTuple):
    """Model instances that a serializer reads.

    :param cls: their class
    :param loaded: what was prefetched for them
    """

    cls: Any
    loaded: Loaded

    def through(self, name: str) -> _Objects | None:
        """Return the objects of a single relation; None if they may not be the same a
        second time.
        """
        model = _related_model(self.cls, name)
        loaded = self.loaded.get(name)
        return None if model is None else _Objects(model, {} if loaded is None else loaded.loaded)


def _is_plain_model(cls: type) -> bool:
    return access_of(cls) == MODEL and not hasattr(cls, "__getattr__")


def _reads_columns(serializer: Any, objects: _Objects, context: Any, *, is_own: bool) -> bool:
    """Whether a nested serializer, and those nested in it, only read columns of a model.

    :param is_own: whether the serializer belongs to somebody, so that it may make its fields
    """
    if not _is_plain_model(objects.cls) or not is_stock_serializer(serializer):
        return False
    known = pending(serializer)
    if known is not None:
        return _are_plain(known.fields, known.program.node, objects, context, is_own=False)
    # A get_fields of users has its time.
    if not is_own or not gets_fields_as_stock(type(serializer)):
        return False
    try:
        program, fields = read_now(serializer)
    except UnreadableError:
        return False
    return _are_plain(fields, program.node, objects, context, is_own=True)


def _are_plain(
    fields: list[Any], node: ObjectNode, objects: _Objects, context: Any, *, is_own: bool
) -> bool:
    return all(
        _is_plain(field, field_node, objects, context, is_own=is_own)
        for field, field_node in zip(fields, node.fields, strict=True)
    )


def _is_plain(
    field: Any, node: FieldNode, objects: _Objects, context: Any, *, is_own: bool
) -> bool:
    has_function = field.default is not empty and callable(field.default)
    if node.reason is not None or has_function:
        return False
    *steps, name = field.source_attrs or [None]
    for step in steps:
        related = objects.through(step)
        if related is None:
            return False
        objects = related
    if node.kind.link is not None:
        return _is_plain_nested(field, name, objects, context, is_own=is_own)
    if isinstance(field, ManyRelatedField):
        slug = slug_of(field.child_relation)
        found = None if steps else objects.loaded.get(name)
        return found is not None and slug is not None and _is_column(found.model, slug)
    cls = objects.cls
    rereading = node.kind.rereading
    # Without an address, versioning schemes or converters of users' own may be asked.
    if rereading is Rereading.ADDRESS and not has_address(field, context):
        return False
    if rereading is Rereading.ADDRESS and not (name and field.use_pk_only_optimization()):
        owner = objects if name is None else objects.through(name)
        lookup = field.lookup_field
        return owner is not None and has_plain_key(owner.cls) and _is_column(owner.cls, lookup)
    if rereading in (Rereading.KEY, Rereading.ADDRESS):
        return not steps and column(cls, name) is not None
    if rereading is Rereading.NEVER or name is None:
        return False
    # An attribute that a query has added is no descriptor.
    is_added = on_class(cls, name) is None
    return is_added or _is_column(cls, name) or _is_label(cls, name)


def _is_plain_nested(
    field: Any, name: str | None, objects: _Objects, context: Any, *, is_own: bool
) -> bool:
    if isinstance(field, Serializer):
        related = objects if name is None else objects.through(name)
        return related is not None and _reads_columns(field, related, context, is_own=is_own)
    found = objects.loaded.get(name) if name is not None else None
    if found is None or not isinstance(field, ListSerializer) or not is_stock_list(field):
        return False
    related = _Objects(found.model, found.loaded)
    return _reads_columns(field.child, related, context, is_own=is_own)


def _is_column(cls: Any, name: str) -> bool:
    """Whether an attribute of a model is the value of a column, as Django has it."""
    if name == "pk":
        return has_plain_key(cls)
    descriptor = on_class(cls, name)
    return type(descriptor) in _COLUMNS and not _is_converted_by_users(descriptor.field)


def _is_label(cls: Any, name: str) -> bool:
    """Whether an attribute of a model is ``get_FOO_display`` of a column, as Django has it."""
    field = displayed_field(cls, name)
    return field is not None and _is_column(cls, field.attname)


def _is_converted_by_users(field: Any) -> bool:
    """Whether the values of a column may be objects of users' own."""
    convert = getattr(type(field), "from_db_value", None)
    return convert is not None and convert is not JSONField.from_db_value


def _related_model(cls: type, name: str) -> Any:
    """Return the model that a single relation leads to, or None where it is none whose objects are
    kept.

    Without a constraint a key may refer to nothing, and a base manager of the user's may hide what
    it refers to: the database is then asked each time.
    """
    descriptor = on_class(cls, name)
    if type(descriptor) in FORWARD:
        field = descriptor.field
        # Loading a deferred column sets the primary key, and forgets what that refers to.
        if field in field.model._meta.pk_fields or not getattr(field, "db_constraint", False):
            return None
        model = field.remote_field.model
    elif type(descriptor) is ReverseOneToOneDescriptor:
        model = descriptor.related.related_model
    else:
        return None
    return model if type(model._base_manager) is Manager and access_of(model) == MODEL else None
