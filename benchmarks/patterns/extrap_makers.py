"""Makers for the classes of Extra-P: what its own fields, ``load``, ``dump`` and hooks do.

Importing this registers them. What they do not know (NaN as text, a type that there is not) goes to
Extra-P's own methods.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from extrap.entities.coordinate import Coordinate, CoordinateSchema
from extrap.entities.terms import ListOfPairs
from extrap.util.serialization_schema import (
    BaseSchema,
    CompatibilityField,
    EnumField,
    NumberField,
    Schema,
    TupleKeyDict,
    VariantSchemaField,
)
from marshmallow import ValidationError

from fastschema import Refused, register

Function = Callable[[Any], Any]

# No number of Extra-P's is dumped as_string. Infinity minus itself is NaN, as is NaN.
register(
    NumberField._serialize,
    expression="{value} if {value} - {value} == 0.0 else str({value})",
    common=float,
)
register(NumberField._format_num, expression="{value}", common=float)
register(EnumField._serialize, expression="{value}.name")
register(CoordinateSchema.dump, function=attrgetter("_values"))
register(CoordinateSchema.load, function=lambda values: Coordinate(*values))


@contextmanager
def refusing_errors() -> Iterator[None]:
    """Leave data with errors to Extra-P's own methods, which say more than the first of them."""
    try:
        yield
    except ValidationError:
        raise Refused from None


@register(EnumField._deserialize)
def load_enum(field: Any, compiled: Any) -> Function:
    return field.enum.__getitem__


@register(CompatibilityField._serialize)
def dump_compatible(field: Any, compiled: Any) -> Function:
    """Of a field that reads no attribute, so the function is given the object."""
    convert, dump = field._serialize_func, compiled(field.field)
    if not callable(convert):
        raise Refused
    return lambda obj: dump(convert(None, field.name, obj))


@register(CompatibilityField._deserialize)
def load_compatible(field: Any, compiled: Any) -> Function:
    if field._deserialize_func is not None:
        raise Refused
    return compiled(field.field)


@register(ListOfPairs._serialize)
def dump_pairs(field: Any, compiled: Any) -> Function:
    key, value = compiled(field.key_field), compiled(field.value_field)
    return lambda pairs: {key(each): value(other) for each, other in dict(pairs).items()}


@register(ListOfPairs._deserialize)
def load_pairs(field: Any, compiled: Any) -> Function:
    load_key, load_value = compiled(field.key_field), compiled(field.value_field)

    def load(pairs: Any) -> list[tuple[Any, Any]]:
        if type(pairs) is not dict:
            raise Refused
        with refusing_errors():
            loaded = {load_key(key): load_value(value) for key, value in pairs.items()}
        return [(key, value) for key, value in loaded.items() if value is not None]

    return load


@register(TupleKeyDict._serialize)
def dump_tree(field: Any, compiled: Any) -> Function:
    """From a dictionary with tuples as keys to dictionaries in each other."""
    dump_keys = [compiled(each) for each in field.key_field.tuple_fields]
    dump_value = compiled(field.value_field)

    def dump(table: Any) -> dict[Any, Any]:
        dumped_keys = [
            [dump(part) for dump, part in zip(dump_keys, key, strict=False)] for key in table
        ]
        result: dict[Any, Any] = {}
        for (*outer, last), value in zip(dumped_keys, table.values(), strict=True):
            branch = result
            for part in outer:
                branch = branch.setdefault(part, {})
            branch[last] = dump_value(value)
        return result

    return dump


@register(TupleKeyDict._deserialize)
def load_tree(field: Any, compiled: Any) -> Function:
    load_keys = [compiled(each) for each in field.key_field.tuple_fields]
    load_value = compiled(field.value_field)

    def pairs(tree: Any, outer: tuple[Any, ...] = ()) -> Iterator[tuple[Any, Any]]:
        if not isinstance(tree, dict):
            raise Refused
        for key, value in tree.items():
            loaded = (*outer, load_keys[len(outer)](key))
            if len(loaded) == len(load_keys):
                yield loaded, load_value(value)
            else:
                yield from pairs(value, loaded)

    def load(tree: Any) -> dict[Any, Any]:
        with refusing_errors():
            return dict(pairs(tree))

    return load


@register(VariantSchemaField._serialize)
def dump_variant(field: Any, compiled: Any) -> Function:
    dumps = {name: compiled(schema) for name, schema in field.alternatives.items()}
    dump_default = compiled(field.schema)

    def dump(value: Any) -> Any:
        name = type(value).__name__
        if name not in dumps:
            return dump_default(value)
        return {**dumps[name](value), field.VARIANT_KEY: name}

    return dump


@register(VariantSchemaField._deserialize)
def load_variant(field: Any, compiled: Any) -> Function:
    load_default = compiled(field.schema)

    def load(value: Any) -> Any:
        if field.VARIANT_KEY in value:
            raise Refused
        return load_default(value)

    return load


def is_base(schema: Any) -> bool:
    """Whether a schema chooses another one by the type of an object."""
    return type(schema).mro()[1] is BaseSchema


@register(BaseSchema.dump)
def dump_by_type(schema: Any, compiled: Any) -> Function:
    own, names = compiled(schema), schema._subclasses
    if is_base(schema):
        dumps = {name: compiled(cls) for name, cls in names.items()}
        return lambda obj: dumps.get(type(obj).__name__, own)(obj)

    def dump(obj: Any) -> Any:
        result = own(obj)
        if type(obj).__name__ in names:
            result[schema.type_field] = type(obj).__name__
        return result

    return dump


@register(BaseSchema.load)
def load_by_type(schema: Any, compiled: Any) -> Function:
    own, type_field = compiled(schema), schema.type_field
    if not is_base(schema):
        return own
    loads = {name: compiled(cls) for name, cls in schema._subclasses.items()}

    def load(data: Any) -> Any:
        if type_field not in data:
            return own(data)
        if data[type_field] not in loads:
            raise Refused
        data = dict(data)
        return loads[data.pop(type_field)](data)

    return load


@register(Schema.unpack_to_object)
def make_object(schema: Any, compiled: Any) -> Function:
    create, preprocess, postprocess = (
        schema.create_object,
        schema.preprocess_object_data,
        schema.postprocess_object,
    )
    has_processing = type(schema).preprocess_object_data is not Schema.preprocess_object_data
    has_postprocessing = type(schema).postprocess_object is not Schema.postprocess_object

    def make(data: Any) -> Any:
        if has_processing:
            data = preprocess(data)
        obj = create()
        try:
            for name, value in data.items():
                setattr(obj, name, value)
        except AttributeError as error:
            print(error)
        return postprocess(obj) if has_postprocessing else obj

    return make
