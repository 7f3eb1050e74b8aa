"""Programs that read rows instead of objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from fastschema.compiler.kinds import STRING, for_all, unchanged
from fastschema.compiler.nodes import (
    PLAIN,
    Conversion,
    FieldNode,
    Form,
    ObjectNode,
    Read,
    Slot,
    Source,
)
from fastschema.contrib.django.hyperlinks import Later, link_from_value
from fastschema.contrib.django.rows.reading import TAKES_OBJECT, FieldRead, Reads, Way
from fastschema.contrib.django.rows.tables import InstancesNeededError
from fastschema.runtime.dispatch import Dispatch, Link, UniformDispatch

_ROW = "row"
_VALUE = unchanged("value of a related object", STRING)
# A new one each time: an exception keeps the frames that it has passed.
_NO_ATTRIBUTES = "AttributeError('None has no attributes')"


def by_row(dispatch: Dispatch, reads: Reads) -> Dispatch:
    """What dumps rows of a query as a dispatch dumps the objects that would be made of them.

    :param reads: how the fields of the dispatch's program are read
    """
    program = dispatch.program.derived(("by row", reads), partial(_row_node, reads))
    return Dispatch(program, dispatch.form, dispatch.subject)


def _row_node(reads: Reads, node: ObjectNode) -> ObjectNode:
    slots = {slot.name: slot for slot in node.slots}
    fields = [
        _row_field(number, field, read, slots)
        for number, (field, read) in enumerate(zip(node.fields, reads, strict=True))
    ]
    return replace(
        node,
        fields=tuple(fields),
        slots=tuple(slots.values()),
        access=lambda cls: _ROW,
    )


def _row_field(number: int, field: FieldNode, read: FieldRead, slots: dict[str, Slot]) -> FieldNode:
    """A field that is read from a row; ``slots`` are changed for it."""
    expression = "obj" if read.way is Way.NESTED else f"obj[{read.position}]"
    kind = field.kind
    last = len(read.steps) - 1
    for nth, step in reversed(list(enumerate(read.steps))):
        is_object = read.way in TAKES_OBJECT and nth == last
        none = "None"
        if step.none_has_no_attributes and not is_object:
            none = f"unreadable({field.field}, obj, {_NO_ATTRIBUTES})"
        expression = f"{none} if obj[{step.key}] is None else {expression}"
    if read.way in (Way.NESTED, Way.NESTED_LIST):
        slot = slots[str(kind.link)]
        make = _row_link if read.way is Way.NESTED else _row_list_link
        slots[slot.name] = replace(slot, resolve=partial(make, slot.resolve, read.nested))
    elif read.way is Way.VALUES:
        kind = replace(kind, **_each_value(read.nested[0].position))
    elif read.way in (Way.KEY, Way.SLUG):
        kind = replace(_VALUE, label=kind.label)
    elif read.way is Way.ADDRESS:
        name = f"row_link_{number}"
        slots[name] = Slot(name, partial(_address_link, number))
        expression = f"None if {expression} is None else PKOnlyObject({expression})"
        kind = for_all(kind.label, f"{name}({{value}})", PLAIN)
    source = Source(field.source.label, Read(expression))
    return replace(field, source=source, kind=kind, call_if_callable=None)


def _each_value(position: int) -> dict[str, Any]:
    """What makes a list of one column of some rows."""
    value = f"each[{position}]"
    return {
        "python": Conversion(otherwise=f"[{value} for each in {{value}}]"),
        "json": Conversion(otherwise=f"[json_value({value}) for each in {{value}}]"),
    }


def _address_link(number: int, subject: Any, cls: type, form: Form) -> Callable[[Any], Any]:
    own = Later(lambda: subject.fields[number].to_representation)
    return link_from_value(subject.options[number], subject.context, own, form)


def _row_link(
    resolve: Callable[..., Link], reads: Reads, subject: Any, cls: type, form: Form
) -> Link:
    link = resolve(subject, cls, form)
    return Link(lambda: _nested(link, reads))


def _row_list_link(
    resolve: Callable[..., Link], reads: Reads, subject: Any, cls: type, form: Form
) -> Link:
    link = resolve(subject, cls, form)
    return Link(lambda: _nested_list(link, reads))


def _nested_list(link: Link, reads: Reads) -> UniformDispatch:
    inner = getattr(link.dispatch, "inner", None)
    if inner is None:
        raise InstancesNeededError("what is nested is dumped by code of its own")
    child = Link(lambda: _nested(inner, reads))
    return UniformDispatch(child.many, child)


def _nested(link: Link, reads: Reads) -> Dispatch:
    dispatch = link.dispatch
    if not isinstance(dispatch, Dispatch) or len(dispatch.program.node.fields) != len(reads):
        raise InstancesNeededError("what is nested is dumped by code of its own")
    return by_row(dispatch, reads)
