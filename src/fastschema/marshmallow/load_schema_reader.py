"""Reading a marshmallow schema for loading: its description, and the node made from it."""

from __future__ import annotations

from typing import Any

from marshmallow import missing, utils

from fastschema.compiler.nodes import LoadFieldNode, LoadKind, LoadNode, Slot, UnreadableError
from fastschema.marshmallow import validators
from fastschema.marshmallow.load_fields import (
    LoadPath,
    allows_none,
    describe,
    describe_missing,
    describe_validators,
    kind,
    loads_by_itself,
    own_method_kind,
    why_not_deserialized,
)
from fastschema.marshmallow.load_overrides import CALL_AND_STORE, overrides_load
from fastschema.marshmallow.schema_reader import check_schema, describe_dict_class
from fastschema.runtime.programs import (
    OWN_METHOD,
    Description,
    LoadProgram,
    load_program,
    method_of,
)

_BY_DESERIALIZE = "deserialize"
_OWN_METHOD = LoadKind("the field's own method")


def describe_load(fields: dict[str, Any], schema: Any) -> Description:
    """All that the code that loads by a schema depends on, as plain hashable values.

    :param fields: the fields that the schema loads
    :param schema: the schema
    :raises UnreadableError: if the schema cannot be compiled
    """
    check_schema(schema)
    if method_of(schema, "_call_and_store") is not CALL_AND_STORE:
        raise UnreadableError(str(overrides_load(schema)))
    return (
        "marshmallow load",
        type(schema).__name__,
        describe_dict_class(schema),
        tuple([_describe_field(name, field) for name, field in fields.items()]),
    )


def _describe_field(name: str, field: Any) -> Description:
    data_key, attribute = field.data_key, field.attribute
    if type(name) is not str:
        raise UnreadableError("the name of a field is not a plain str")
    for option, value in (("data_key", data_key), ("attribute", attribute)):
        if value is not None and type(value) is not str:
            raise UnreadableError(f"the {option} of {name!a} is not a plain str")
    key = name if data_key is None else data_key
    described = describe(field)
    if described[0] != OWN_METHOD:
        checks = describe_validators(field, described)
    elif why_not_deserialized(field) is None:
        checks = validators.CUSTOM if validators.describe(field) else ()
    else:
        described = (_BY_DESERIALIZE, described[1])
        return (key, attribute or name, described, False, "own", ())
    return (key, attribute or name, described, allows_none(field), describe_missing(field), checks)


def make_load_program(description: Description) -> LoadProgram:
    """Return the program for a description.

    The slots of its node resolve from a :class:`fastschema.marshmallow.bound_load.Load`.
    """
    return load_program(_make_node(description))


def _make_node(description: Description) -> LoadNode:
    """Return the node for a description: from the description alone, so that the cache is right."""
    _, name, is_dict, descriptions = description
    slots: list[Slot] = []
    if not is_dict:
        slots.append(Slot("dict_class", lambda load: load.schema.dict_class))
    nodes = [_field_node(index, each, slots) for index, each in enumerate(descriptions)]
    return LoadNode(
        name=name,
        fields=tuple(nodes),
        slots=tuple(slots),
        missing=missing,
        set_value=utils.set_value,
        dict_class=None if is_dict else "dict_class",
    )


def _field_node(index: int, description: Description, slots: list[Slot]) -> LoadFieldNode:
    key, target, described, none_stays, when_missing, checks = description
    field = f"fields[{index}]"
    if described[0] == _BY_DESERIALIZE:
        return LoadFieldNode(key, target, field, _OWN_METHOD, own_default=True, reason=described[1])
    is_custom = checks == validators.CUSTOM
    by_kind = () if is_custom or loads_by_itself(described) else checks
    reason = None
    if described[0] == OWN_METHOD:
        made = own_method_kind(index, key, is_validated=is_custom)
        reason = described[1]
    else:
        made = kind(described, by_kind, LoadPath.of(index), slots)
    return LoadFieldNode(
        key,
        target,
        field,
        made,
        none_stays=none_stays,
        default=f"{field}.load_default" if when_missing == "value" else None,
        own_default=when_missing == "own",
        validated=is_custom and made.link is None and made.call is None,
        reason=reason,
    )
