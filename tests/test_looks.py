"""Values of users are told by their class alone: ``isinstance`` and the like ask the value.

See ``src/fastschema/runtime/plain_values.py``. What is found here looks at something else, or where
stock looks: each place says so.
"""

import ast
from pathlib import Path

import fastschema

SOURCE = Path(fastschema.__file__).parent
FOLDERS = (
    *("contrib/django/front_end", "contrib/django/input", "contrib/django/bulk"),
    *("contrib/django_filter", "marshmallow"),
)
OF_FIELDS = frozenset(
    [
        *(
            "field",
            "serializer",
            "schema",
            "inner",
            "child",
            "validator",
            "base",
            "filter_",
            "made",
        ),
        *("self_field", "relation", "related", "model_field", "one", "other", "like", "part"),
    ]
)
"""Names of variables that hold fields, and what belongs to them."""
_LOOKING = ("bool", "len", "str", "hash", "repr", "hasattr")

_OURS = "it is an object of fastschema's own"
_VALUE = "a value of an object that is dumped or loaded, where stock looks at it, too"
_FIELD = "a field, of which a look at its class was found to run no code"
_CLASS = "attributes of classes of the framework, when fastschema is imported"
_PLAIN = "an option that was found to be plain before (why_lazy, or its type)"
_STOCK = "stock asks the same at the same time"
_ASKED = "compile() and register() are asked for it: the caller's own error"

MAY_LOOK: dict[str, dict[str, str]] = {
    "contrib/django/front_end/access": {
        **dict.fromkeys(
            ["is_method", "read", "read_path", "read_prefetched", "represent", "represent_field"],
            _VALUE,
        ),
        "rows": _VALUE,
        "column": "a field of a model, and the name under which stock looks for it",
    },
    "contrib/django/front_end/bound_serializer": dict.fromkeys(
        ["_nested_dispatcher", "_row_serializer", "dumps_each"], _FIELD
    ),
    "contrib/django/front_end/fields": {"_decimal": _PLAIN},
    "contrib/django/front_end/record": {"_options_of": "a Meta that was read as a class"},
    "contrib/django/front_end/customization": {"<module>": _CLASS},
    "contrib/django/front_end/clones": {"_check_classes": "names of classes"},
    "contrib/django/front_end/snapshots": {"_owners": _FIELD},
    "contrib/django/input/code": {"detail": "an exception that stock caught in this way"},
    "contrib/django/input/fields": {"_validated": _PLAIN, "input_field": _PLAIN},
    "contrib/django/bulk/batch_lookup": {
        "BatchLookup.key": _VALUE,
        "unique_lookup": _PLAIN,
    },
    "contrib/django/bulk/create": {
        "_reasons_of": "the parts of a source, a list that stock made",
        **dict.fromkeys(["_reasons_of_column", "_reasons_of_model"], "a field of a model"),
    },
    "contrib/django/bulk/mixins": {
        "BulkCreateModelMixin.get_serializer": "the data of a request, and what the view has made",
    },
    "contrib/django_filter/on_demand": {"_check_queryset": _STOCK},
    "contrib/django_filter/filter_plan": {"<module>": _CLASS},
    "marshmallow/customization": {"<module>": _CLASS},
    "marshmallow/fields": {"_enum": _PLAIN, "_number": _PLAIN, "shows_object": _OURS},
    "marshmallow/compiled_schema": {
        "MarshmallowFrontEnd.compiled": _ASKED,
        "_explain_nested": _ASKED,
    },
    "marshmallow/load_fields": dict.fromkeys(
        ["_enum", "describe_inner", "describe_missing"], _PLAIN
    ),
    "marshmallow/load_values": {
        "LoadCompiler.__call__": _ASKED,
        "value_loader": _PLAIN,
    },
    "marshmallow/makers": {
        "DumpCompiler.__call__": _ASKED,
        "DumpCompiler._of_field": _OURS,
        "as_schema": _ASKED,
    },
    "marshmallow/schema_reader": {
        "_describe_load_field": _PLAIN,
        "describe_dict_class": _CLASS,
    },
}
"""By module, the functions that look, each with the reason."""


def looks(path: Path) -> set[str]:
    """The functions of a module that look at values other than by their class."""
    found: set[str] = set()

    def walk(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                inner = f"{name}.{child.name}".lstrip(".")
            if is_look(child):
                found.add(inner or "<module>")
            walk(child, inner)

    walk(ast.parse(path.read_text(encoding="utf-8")), "")
    return found


def is_look(node: ast.AST) -> bool:
    """Whether something asks a value, as far as the text tells."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id == "isinstance":
            return True
        return node.func.id in _LOOKING and any(map(is_option, node.args[:1]))
    if not isinstance(node, ast.Compare):
        return False
    compares = any(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops)
    return compares and any(map(is_option, (node.left, *node.comparators)))


def is_option(node: ast.AST) -> bool:
    """Whether something is an attribute of a field, or of what belongs to one."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in OF_FIELDS
    )


def test_values_of_users_are_told_by_their_class_alone():
    actual = {
        (str(path.relative_to(SOURCE).with_suffix("")), function)
        for folder in FOLDERS
        for path in (SOURCE / folder).glob("*.py")
        for function in looks(path)
    }
    allowed = {(module, name) for module, names in MAY_LOOK.items() for name in names}
    assert actual - allowed == set()
    assert allowed - actual == set()


def test_a_look_is_found():
    text = "def f(field):\n    return isinstance(field.default, str)"
    assert is_look(ast.parse(text).body[0].body[0].value)
    text = "def f(field):\n    return field.source == 'x'"
    assert is_look(ast.parse(text).body[0].body[0].value)
