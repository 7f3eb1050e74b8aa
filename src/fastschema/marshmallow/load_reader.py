"""Reading a marshmallow schema for loading: its description, and the node made from it."""

from __future__ import annotations

from typing import Any

from marshmallow import fields, missing, utils

from fastschema.facts import Facts
from fastschema.load_nodes import LoadFieldNode, LoadKind, LoadNode, LoadSlot
from fastschema.look import Look
from fastschema.marshmallow import validators
from fastschema.marshmallow.kinds import describe_dict_class
from fastschema.marshmallow.load_conversions import FieldPath, kind, stock_kind
from fastschema.marshmallow.load_kinds import (
    LINKS,
    OWN_METHOD,
    Description,
    allows_none,
    describe,
    describe_missing,
    describe_validators,
)
from fastschema.marshmallow.load_overrides import CALL_AND_STORE, overrides_load
from fastschema.nodes import UnreadableError
from fastschema.program import LoadProgram
from fastschema.recognition import Recognizer

recognizer: Recognizer[LoadProgram] = Recognizer(missing, "load_fields", fields.Field)


def read(schema: Any) -> tuple[LoadProgram, list[Any]]:
    """The program that loads by a schema, and its fields in the order of loading.

    The slots of its node resolve from a :class:`fastschema.marshmallow.loading.Load`.

    :raises UnreadableError: if the schema cannot be compiled
    """
    fields = [*schema.load_fields.values()]
    program = recognizer.read(schema, fields, _describe_schema, _make_program)
    return program, fields


def _describe_schema(schema: Any, facts: Facts) -> Description:
    """All that the generated code depends on, as plain hashable values."""
    look = Look.at_schema(schema, facts)
    if look.method("_call_and_store") is not CALL_AND_STORE:
        raise UnreadableError(str(overrides_load(schema)))
    facts.field_names([*schema.load_fields])
    return (
        "marshmallow load",
        type(schema).__name__,
        describe_dict_class(look),
        tuple(
            [
                _describe_field(name, Look(field, f"field_{index}", facts))
                for index, (name, field) in enumerate(schema.load_fields.items())
            ]
        ),
    )


def _describe_field(name: str, look: Look) -> Description:
    data_key, attribute = look.get("data_key"), look.get("attribute")
    if type(name) is not str:
        raise UnreadableError("the name of a field is not a plain str")
    for option, value in (("data_key", data_key), ("attribute", attribute)):
        if value is not None and type(value) is not str:
            raise UnreadableError(f"the {option} of {name!a} is not a plain str")
    key = name if data_key is None else data_key
    described = describe(look)
    if described[0] == OWN_METHOD:
        return (key, attribute or name, described, False, "own", ())
    checks = describe_validators(look, described)
    return (key, attribute or name, described, allows_none(look), describe_missing(look), checks)


def _make_program(description: Description) -> LoadProgram:
    return LoadProgram(_make_node(description))


def _make_node(description: Description) -> LoadNode:
    """The node for a description: from the description alone, so that the cache is right."""
    _, name, is_dict, descriptions = description
    slots: list[LoadSlot] = []
    if not is_dict:
        slots.append(LoadSlot("dict_class", lambda subject: subject.schema.dict_class))
    nodes = [_field_node(index, each, slots) for index, each in enumerate(descriptions)]
    return LoadNode(
        name=name,
        fields=tuple(nodes),
        slots=tuple(slots),
        missing=missing,
        set_value=utils.set_value,
        dict_class=None if is_dict else "dict_class",
    )


def _field_node(index: int, description: Description, slots: list[LoadSlot]) -> LoadFieldNode:
    key, target, described, none_stays, when_missing, checks = description
    field = f"fields[{index}]"
    if described[0] == OWN_METHOD:
        return LoadFieldNode(
            key, target, field, stock_kind(), own_default=True, reason=described[1]
        )
    is_custom = checks == validators.CUSTOM
    by_kind = () if is_custom or described[0] in LINKS else checks
    made: LoadKind = kind(described, by_kind, FieldPath.of(index), slots)
    return LoadFieldNode(
        key,
        target,
        field,
        made,
        none_stays=none_stays,
        default=f"{field}.load_default" if when_missing == "value" else None,
        own_default=when_missing == "own",
        validated=is_custom and made.link is None,
    )
