"""Which attributes of fields the rules read."""

import ast
import inspect

from fastschema.contrib.django.front_end import fields, fields_relations, schema_reader


def test_rules_read_no_attributes_of_fields_but_options():
    read = set()
    modules = (fields, fields_relations, schema_reader)
    source = "".join(map(inspect.getsource, modules))
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef) and (
            function.name == "readable_fields"
            or (function.returns is not None and ast.unparse(function.returns) == "Description")
        ):
            for node in ast.walk(function):
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "field":
                    read.add(node.attr)
                elif isinstance(node, ast.Call) and ast.unparse(node.func) == "option":
                    read.add(ast.literal_eval(node.args[1]))
    when_bound = {"timezone", "max_digits", "use_url", "lookup_url_kwarg"}
    assert read - {"parent"} | when_bound == fields.OPTIONS | fields._HOLDERS
