"""From nodes to the functions that write objects as ``json.dumps`` writes what stock returns.

As :mod:`fastschema.compiler.dump_code`, but every value becomes a text, and a row is one string::

        def dump_Album_rows(rows, type=type, str=str, quote=quote):
            results = []
            for obj in rows:
                ...
                # 'title'
                try:
                    title = obj.title
                except AttributeError:
                    title = missing
                if type(title) is str:
                    title = quote(title)
                elif title is None:
                    title = "null"
                elif title is missing:
                    complete = False
                else:
                    title = written(fields[0]._serialize(title, 'title', obj))
                ...
                result = f'{{"title": {title}, ...}}'
                results.append(result)
            return results

Two names of the front end make other texts: ``written`` that of any value that stock may give,
``array`` that of an array from the texts of its members, None among them.
"""

from __future__ import annotations

from json.encoder import encode_basestring_ascii

from fastschema.compiler.dump_code import DumpGenerator
from fastschema.compiler.nodes import FieldNode, Form, ObjectNode, literal
from fastschema.compiler.source import GeneratedFunction, Lines, branches

quote = encode_basestring_ascii
"""From a string to its JSON text, of ASCII characters only, as ``json.dumps`` writes it."""


def generate(node: ObjectNode, access: str, many: bool) -> GeneratedFunction:
    """Return the function that writes objects read by one access.

    :param node: one that :func:`is_written` is true of
    :param many: whether it writes many rows, to a list of texts, or one object
    """
    return _TextGenerator(node, Form.TEXT, access, many).generate()


def is_written(node: ObjectNode) -> bool:
    """Return whether objects can be written without a dictionary: by different keys."""
    return node.dict_class is None


class _TextGenerator(DumpGenerator):
    commons = ("type", "quote")

    def __init__(self, node: ObjectNode, form: Form, access: str, many: bool) -> None:
        super().__init__(node, form, access, many)
        self._objects["quote"] = quote

    def _row(self, *, may_be_missing: bool) -> Lines:
        """Return the lines that make the text of the row, of the texts of its values."""
        if not may_be_missing:
            return self._result(self._display())
        pairs = zip(self._node.fields, self._variables, strict=True)
        texts = "".join([f"({literal(_key(field))}, {name}), " for field, name in pairs])
        present = "for key, value in result if value is not missing"
        return [
            "if complete:",
            [f"result = {self._display()}"],
            "else:",
            [
                f"result = ({texts})",
                f'result = [f"{{key}}: {{value}}" {present}]',
                'result = "{" + ", ".join(result) + "}"',
            ],
            *self._result("result"),
        ]

    def _display(self) -> str:
        pairs = [
            f"{_key(field).replace('{', '{{').replace('}', '}}')}: {{{name}}}"
            for field, name in zip(self._node.fields, self._variables, strict=True)
        ]
        return "f" + literal("{{" + ", ".join(pairs) + "}}")

    def _converted(self, variable: str, field: FieldNode, when_missing: Lines) -> Lines:
        """Return the lines for the common class, for None, then for missing and other values."""
        conversion = field.conversion(self._form)
        rest = self._rest(variable, field, conversion, when_missing)
        cases: list[tuple[str | None, Lines]] = []
        if conversion.common is not None:
            common = self._common(variable, field, conversion)
            cases.append((f"type({variable}) is {conversion.common}", common))
        if field.none_stays(self._form):
            cases.append((f"{variable} is None", [f'{variable} = "null"']))
        return branches(*cases, (None, rest))

    def _nested(self, variable: str, field: FieldNode, when_missing: Lines) -> Lines:
        return [*super()._nested(variable, field, when_missing), *_null(variable)]

    def _items(self, variable: str, field: FieldNode, when_missing: Lines) -> Lines:
        return [*super()._items(variable, field, when_missing), *_null(variable)]

    def _items_result(self) -> str:
        return "array(dumped)"


def _null(variable: str) -> Lines:
    return [f"if {variable} is None:", [f'{variable} = "null"']]


def _key(field: FieldNode) -> str:
    return quote(field.key)
