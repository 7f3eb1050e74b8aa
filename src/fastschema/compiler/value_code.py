"""From kinds to the functions that dump or load single values: those of fields inside of others.

Two functions are generated, each by a ``bind`` that takes the values of its slots::

    def dump_value(value):
        return [each if type(each) is str else ... for each in value]

    def load_value(value):
        try:
            loaded = value if type(value) is str else refuse()
        except Exception:
            return load_own(value)
        return loaded
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fastschema.compiler import kinds
from fastschema.compiler.load_code import refuse
from fastschema.compiler.nodes import Kind, LoadKind, Slot
from fastschema.compiler.source import (
    GeneratedFunction,
    Lines,
    Names,
    assigned_names,
    identifiers,
    text_of,
)

FIELD = "fields[0]"
"""The field, as the expressions name it."""
_LOAD_OWN = Slot("load_own", lambda bound: bound.load_own)
_VALIDATE = Slot("validate", lambda bound: bound.validate)


def generate_dump(
    kind: Kind, slots: Sequence[Slot], names: Mapping[str, object]
) -> GeneratedFunction:
    conversion = kind.python
    objects = {**names, **kind.names}
    taken = [*objects, *[slot.name for slot in slots]]
    assigned = assigned_names([conversion.inline, conversion.otherwise])
    value = Names(assigned.union(taken, ["bind", "dump_value"])).unique("value")
    dumped = kinds.expression(kind, conversion, value, FIELD, none_stays=kind.none_stays)
    return _generated("dump_value", value, [f"return {dumped}"], objects, slots)


def generate_load(
    kind: LoadKind,
    slots: Sequence[Slot],
    names: Mapping[str, object],
    *,
    none_stays: bool,
    validated: bool,
) -> GeneratedFunction:
    """Return the ``bind`` function of what loads a value.

    Its slots come from what has ``load_own(value)`` for values that are not accepted, and
    ``validate(value)``, besides the fields.
    """
    objects = {"refuse": refuse, **names, **kind.names}
    every_slot = [_LOAD_OWN, _VALIDATE, *slots]
    taken = [*objects, *[slot.name for slot in every_slot]]
    assigned = assigned_names([kind.accepts, kind.convert, kind.check, kind.valid])
    unique = Names(assigned.union(taken, ["bind", "load_value"])).unique
    value, loaded, result = unique("value"), unique("loaded"), unique("result")
    expression = kind.expression(value, result, none_stays=none_stays)
    lines: Lines = [
        "try:",
        [f"{loaded} = {expression}"],
        "except Exception:",
        [f"return {_LOAD_OWN.name}({value})"],
    ]
    if validated:
        lines.append(f"{_VALIDATE.name}({loaded})")
    return _generated("load_value", value, [*lines, f"return {loaded}"], objects, every_slot)


def _generated(
    name: str, value: str, body: Lines, objects: Mapping[str, object], slots: Sequence[Slot]
) -> GeneratedFunction:
    used = identifiers(text_of(body))
    needed = tuple([slot for slot in slots if slot.name in used])
    parameters = ", ".join([slot.name for slot in needed])
    lines: Lines = [
        f"def bind({parameters}):",
        [f"def {name}({value}):", body, f"return {name}"],
    ]
    return GeneratedFunction("bind", name, text_of(lines), dict(objects), needed)
