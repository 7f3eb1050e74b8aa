"""Rows that are as most rows are, in generated code.

Most dictionaries have every value, and it is of the common class. Finding that out leaves no trace
when it comes to nothing: the function for many rows tries it first, until there is a row that is
not so::

            usual, values = dict, AsAttributes({})
            for obj in rows:
                if type(obj) is usual:
                    try:
                        values.__dict__ = obj
                        if (
                            (type(title := values.title) is str or title is None)
                            and ...
                        ):
                            results.append({'title': title, ...})
                            continue
                    except KeyError:
                        pass
                usual = values = None
                if type(obj) is not known:
                    ...
"""

from __future__ import annotations

from fastschema.as_attributes import is_attribute
from fastschema.nodes import ITEM, FieldNode, Form, ObjectNode, literal

_FEWEST_ATTRIBUTES = 4
"""So many values have to be read as attributes to pay for putting the row in place."""


def may_be_usual(node: ObjectNode, access: str, form: Form) -> bool:
    """Whether a dictionary can be tried as one that has all values, each as it mostly is."""
    if access != ITEM or node.item_errors is None or node.dict_class is not None:
        return False
    return bool(node.fields) and all(_can_be_tried(field, access, form) for field in node.fields)


def are_read_as_attributes(node: ObjectNode) -> bool:
    """Whether the values of a dictionary are read as attributes of ``values``."""
    count = sum(_attribute(field) is not None for field in node.fields)
    return count >= _FEWEST_ATTRIBUTES and "AttributeError" in (node.item_errors or "")


def _attribute(field: FieldNode) -> str | None:
    """The attribute that is what a dictionary has for a field; None if it is not read like that."""
    name = field.source.label
    is_item = field.source.read(ITEM).expression == f"obj[{literal(name)}]"
    return name if is_item and is_attribute(name) else None


def is_usual(variable: str, field: FieldNode, form: Form, *, as_attribute: bool) -> str:
    """The condition on a value, which reads it.

    :param as_attribute: whether it is an attribute of ``values``, if it can be
    """
    attribute = _attribute(field) if as_attribute else None
    read = field.source.read(ITEM).expression if attribute is None else f"values.{attribute}"
    common = field.kind.conversion(form).common
    if common is None:
        return f"({variable} := {read}) is not missing"
    condition = f"type({variable} := {read}) is {common}"
    return f"({condition} or {variable} is None)" if field.none_stays(form) else condition


def _can_be_tried(field: FieldNode, access: str, form: Form) -> bool:
    """Whether a usual value is dumped by nothing but generated code, which may do it again."""
    kind, conversion = field.kind, field.kind.conversion(form)
    if kind.link is not None or kind.item_link is not None or conversion.items is not None:
        return False
    if kind.inline_may_skip or access not in field.source.reads:
        return False
    if field.key_slot is not None:
        return False  # a key that is no plain str may refuse to be one
    if conversion.common is None:
        return conversion.otherwise is None  # it stays, whatever it is
    return conversion.inline is None or conversion.is_pure
