"""What the rows of a list ask the database, asked at once.

DRF asks for each unique value and for each related object on its own. Here the values of all rows
are asked for by one query for each field, before the first row is validated. While the list is
validated, its fields find the answers where they would ask. What was not asked, or has no answer,
is asked by stock, whose errors are the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from rest_framework.fields import CharField, Field, IntegerField, UUIDField
from rest_framework.relations import ManyRelatedField, RelatedField

from fastschema.contrib.django.bulk.questions import (
    GET_QUERYSET,
    Question,
    related_question,
    unique_question,
)
from fastschema.contrib.django.schema_reader import field_mapping
from fastschema.runtime.stock import stock_method

_FAIL = stock_method(Field, "fail")
# With it, these call no code of users.
_TO_KEY = {stock_method(cls, "to_internal_value") for cls in (CharField, IntegerField, UUIDField)}


@contextmanager
def asked_at_once(serializer: Any, data: list[Any]) -> Iterator[None]:
    """While it holds, the fields of a list's child know what the database says of some rows.

    :param serializer: the list serializer
    :param data: the rows, before they are validated
    """
    rows = [row for row in data if type(row) is dict]
    with ExitStack() as stack:
        for field in field_mapping(serializer.child).values() if rows else ():
            if field.read_only:
                continue
            name = field.field_name
            values = [row[name] for row in rows if name in row]
            related = None
            if isinstance(field, ManyRelatedField):
                items = [item for value in values if type(value) is list for item in value]
                _know_related(field.child_relation, items, stack)
            elif isinstance(field, RelatedField):
                related = _know_related(field, values, stack)
            # With instances, stock leaves them out one by one.
            if serializer.instance is None and type(field.validators) is list:
                _know_unique(field, values, related, stack)
        yield


def asks_at_once(field: Any) -> bool:
    """Whether a list asks the database once for all values of a field, as far as is known before.

    A ``get_queryset`` of the user's, who may need a request for it, is taken for one that does.
    """
    relation = getattr(field, "child_relation", field)
    if isinstance(relation, RelatedField) and (
        type(relation).get_queryset is not GET_QUERYSET or related_question(relation, [0])
    ):
        return True
    return any(unique_question(each, field) is not None for each in field.validators)


class KnownObjects:
    """Related objects that are known.

    :param question: how they were asked for
    :param objects: by their values
    """

    def __init__(self, question: Question, objects: dict[Any, Any]) -> None:
        self._question = question
        self._objects = objects

    def find(self, value: Any) -> Any:
        """The object with a value.

        :raises KeyError: if it is not known
        """
        return self._objects[self._question.key(value)]

    def queryset(self) -> Any:
        """The queryset of the relation, whose ``get`` finds what is known without asking."""
        queryset = self._question.queryset._chain()
        vars(queryset)["get"] = self._get
        return queryset

    def _get(self, *args: Any, **kwargs: Any) -> Any:
        """What ``QuerySet.get`` returns, or raises."""
        if not args and list(kwargs) == [self._question.lookup]:
            try:
                return self.find(kwargs[self._question.lookup])
            except KeyError:
                pass  # stock asks, and says what is wrong with it
        return self._question.queryset.get(*args, **kwargs)


def _know_related(field: Any, values: list[Any], stack: ExitStack) -> KnownObjects | None:
    """Let a relation know the objects to which some values lead, if that can be asked."""
    question = related_question(field, values)
    if question is None:
        return None
    found: dict[Any, list[Any]] = {}
    for objects in question.answers(question.keys(values)):
        for each in objects:
            found.setdefault(getattr(each, question.field.attname), []).append(each)
    known = KnownObjects(question, {key: each[0] for key, each in found.items() if len(each) == 1})
    queryset, asked_of = known.queryset(), field.queryset

    def get_queryset() -> Any:
        # A method of the serializer may have set another one.
        return queryset if field.queryset is asked_of else type(field).get_queryset(field)

    own = vars(field)
    own["get_queryset"] = get_queryset
    stack.callback(own.pop, "get_queryset", None)
    return known


class KnownUnique:
    """Stands for a ``UniqueValidator``: it knows values that are free.

    :param validator: asked for all others
    :param question: how they were asked for
    :param free: values that the database has not
    """

    requires_context = True

    def __init__(self, validator: Any, question: Question, free: frozenset[Any]) -> None:
        self.stock = validator
        self._question = question
        self._free = free

    def __call__(self, value: Any, serializer_field: Any) -> None:
        """The same as ``UniqueValidator`` does.

        :raises ValidationError: if the value is not unique
        """
        try:
            is_free = self._question.key(value) in self._free
        except KeyError:
            is_free = False
        if not is_free:
            self.stock(value, serializer_field)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stock, name)


def _know_unique(
    field: Any, values: list[Any], related: KnownObjects | None, stack: ExitStack
) -> None:
    """Let the validators of a field know which of some values are free, if that can be asked."""
    for number, validator in enumerate(field.validators):
        question = unique_question(validator, field)
        if question is None:
            continue
        keys = question.keys(_converted(field, values, related))
        taken: set[Any] = set()
        for objects in question.answers(keys):
            taken.update(objects.values_list(question.lookup, flat=True))
        if taken and not question.is_exact:
            continue  # who knows which of them equals what was found
        known = KnownUnique(validator, question, frozenset(keys - taken))
        field.validators[number] = known
        stack.callback(_restore, field.validators, known, validator)


def _converted(field: Any, values: list[Any], related: KnownObjects | None) -> Iterator[Any]:
    """What validators are given; nothing if code of users makes it, or if it is wrong."""
    convert = None if related is None else related.find
    if type(field).to_internal_value in _TO_KEY and type(field).fail is _FAIL:
        convert = field.to_internal_value
    if convert is None:
        return
    for value in values:
        try:
            yield convert(value)
        except Exception:
            continue  # stock says what is wrong with it


def _restore(validators: list[Any], known: Any, stock: Any) -> None:
    for number, each in enumerate(validators):
        if each is known:
            validators[number] = stock
