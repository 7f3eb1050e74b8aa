"""What generated code bypasses: methods of marshmallow that stock calls and it does not.

Where one of them was replaced, a field's own method is called, or the schema's ``get_attribute``,
as in stock.
"""

from __future__ import annotations

from marshmallow import Schema, utils

from fastschema.marshmallow.customization import FIELD_CLASSES
from fastschema.runtime.patching import MethodsOfFields, StockMethods

MAKES = StockMethods(
    [
        *[
            (Schema, name)
            for name in (
                "on_bind_field",
                "_bind_field",
                "_init_fields",
                "_normalize_nested_options",
            )
        ],
        *[
            (cls, name)
            for cls in FIELD_CLASSES
            for name in ("_bind_to_schema", "__deepcopy__")
            if name in vars(cls)
        ],
    ]
)
"""What makes the fields of a schema."""

_HELPERS = ("_get_value_for_keys", "_get_value_for_key")

READS = StockMethods(
    [
        (utils, "get_value"),
        *[(utils, name) for name in _HELPERS if hasattr(utils, name)],
    ]
)
"""What reads a value from an object."""

DUMPS = MethodsOfFields(
    FIELD_CLASSES,
    (
        *("serialize", "get_value", "_serialize"),
        *("_format_num", "_to_string"),  # numbers
        *("schema", "_field_data_key"),  # nested schemas
        "_call_or_raise",  # functions, in marshmallow 3
    ),
    READS.among(
        StockMethods(
            [
                *[(Schema, name) for name in ("get_attribute", "dump", "_serialize", "__init__")],
                *[(Schema, name) for name in ("_invoke_dump_processors", "_invoke_processors")],
            ]
        )
    ),
)
"""What dumps the values of fields."""

LOADS = MethodsOfFields(
    FIELD_CLASSES,
    (
        *("deserialize", "_deserialize", "_validate", "_validate_all", "_validate_missing"),
        *("_validated", "_format_num", "_make_object_from_format"),
        *("schema", "_load", "_test_collection", "_field_data_key"),
    ),
    StockMethods(
        [
            *[(Schema, name) for name in ("_call_and_store", "load", "_do_load", "_deserialize")],
            *[(Schema, name) for name in ("handle_error", "_invoke_field_validators", "__init__")],
            (utils, "set_value"),
        ]
    ),
)
"""What loads them."""
