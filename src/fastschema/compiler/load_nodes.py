"""What a front end says about a schema that loads: the counterpart of :mod:`nodes`.

Templates are as there: ``{value}`` is the variable (or expression) that holds the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastschema.compiler.nodes import Slot, substitute


def of_classes(*classes: str) -> str:
    """Return the condition that a value is exactly of one of some classes, a template."""
    return " or ".join(f"type({{value}}) is {cls}" for cls in classes)


@dataclass(frozen=True, slots=True)
class LoadKind:
    """What is done to a value that is loaded.

    Nothing here calls user code. A value that is not accepted, or whose conversion or check raises
    any exception, goes to the field's own method, from the beginning; one that is not valid to the
    field's own validators.

    :param label: how reports name it
    :param accepts: the condition on values that are converted here, a template; None: all but None
        and the missing object
    :param convert: what such a value becomes, a template; None: it stays
    :param check: the condition on what it became, a template; None: there is none
    :param valid: what the field's validators ask of what it became, a template; None: nothing
    :param stays: a condition under which a value stays as it is, tried before the others; a
        template
    :param items: for a list, the class of items that stay as they are; a list that holds nothing
        else is copied instead
    :param names: the objects that the templates name
    :param call: a call that loads any value but None and the missing object by itself, errors
        included, and calls user code; a template
    :param link: the slot that holds a function that loads values of this kind by itself, errors
        included; it takes the value, the data and the index of the row
    """

    label: str
    accepts: str | None = None
    convert: str | None = None
    check: str | None = None
    valid: str | None = None
    stays: str | None = None
    items: str | None = None
    names: Mapping[str, object] = field(default_factory=dict)
    call: str | None = None
    link: str | None = None

    def expression(self, value: str, result: str, *, none_stays: bool) -> str:
        """The loaded value as one expression, which raises if the value is not accepted.

        :param value: an expression without side effects
        :param result: a variable that the expression may assign to
        :param none_stays: whether None is accepted, and stays
        """
        accepts = f"{value} is not None and {value} is not missing"
        if self.accepts is not None:
            accepts = substitute(self.accepts, value=value)
        loaded = value if self.convert is None else substitute(self.convert, value=value)
        checks = [
            f"({substitute(check, value=result)})" for check in (self.check, self.valid) if check
        ]
        if checks:
            assigned = f"({result} := ({loaded})) is {result}"
            condition = " and ".join([f"({accepts})", assigned, *checks])
            text = f"{result} if {condition} else refuse()"
        else:
            text = f"({loaded}) if {accepts} else refuse()"
        return f"(None if {value} is None else {text})" if none_stays else f"({text})"


@dataclass(frozen=True, slots=True)
class LoadFieldNode:
    """One key of the input.

    :param key: the key in the input
    :param target: the key in the result; dotted for one in dictionaries inside of it
    :param field: an expression for the field object of this load
    :param kind: what is done to a value
    :param none_stays: whether None is accepted, and stays
    :param default: an expression for the value where the key is missing; None: the key is left out
    :param own_default: whether the field's own method says what is done where the key is missing
    :param validated: whether the field's own validators look at what was converted
    :param reason: why the field runs as stock, or None if it is compiled
    """

    key: str
    target: str
    field: str
    kind: LoadKind
    none_stays: bool = False
    default: str | None = None
    own_default: bool = False
    validated: bool = False
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class LoadNode:
    """A schema that loads dictionaries.

    Besides its own slots, each load brings: ``fields``, the field objects; ``load_field(number,
    value, data, index)``, the field's own method, which stores errors and may give the missing
    object; ``load_own(number, value, key, data, index, is_validated)``, a part of that;
    ``validate_field(number, value, index)``, its validators, likewise; ``load_other(data,
    index)``, stock's loading of what is no dictionary; ``take_unknown(data, result, index)`` for
    keys that no field has, or None if they do not matter; ``partial``, true if keys may be missing.

    :param name: the schema's name, for generated code and reports
    :param fields: one node for each key
    :param slots: the values looked up for each load
    :param missing: the object that stands for "no value"
    :param dict_class: the slot that holds the class of the result, or None for ``dict``
    :param set_value: sets a dotted target, as ``set_value(result, target, value)``
    """

    name: str
    fields: tuple[LoadFieldNode, ...]
    slots: tuple[Slot, ...]
    missing: object
    set_value: Callable[[Any, str, Any], None]
    dict_class: str | None = None
