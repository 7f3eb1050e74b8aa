"""From nodes to the functions that dump objects.

For each form of output and each access a function is generated, shaped like this::

    def bind(known, dispatch, fields):
        def dump_Album(obj):
            if type(obj) is not known:
                return dispatch()(obj)
            complete = True
            # title
            try:
                title = obj.title
            except AttributeError:
                title = missing
            if type(title) is not str and title is not None:
                if title is not missing:
                    title = fields[0]._serialize(title, 'title', obj)
                if title is missing:
                    complete = False
            ...
            result = {'title': title, ...}
            if not complete:
                result = {key: value for key, value in result.items() if value is not missing}
            return result
        return dump_Album
"""

from __future__ import annotations

from collections.abc import Iterator

from fastschema.compiler.nodes import Conversion, FieldNode, Form, ObjectNode, Read, fill, literal
from fastschema.compiler.source import (
    GeneratedFunction,
    Lines,
    Names,
    assigned_names,
    branches,
    identifiers,
    text_of,
)

_FIXED_NAMES = frozenset(
    [
        *("bind", "known", "dispatch", "obj", "missing"),
        *("complete", "result", "dumped"),
        *("key", "value", "each", "error"),
    ]
)


def generate(node: ObjectNode, form: Form, access: str) -> GeneratedFunction:
    """Return the ``bind`` function of what dumps objects that are read by one access.

    Its parameters are the class of the objects, a weak reference to the dispatch that objects of
    other classes go to, and the values of the slots.
    """
    return DumpGenerator(node, form, access).generate()


class DumpGenerator:
    """Writes the function that makes dictionaries; see :func:`generate`."""

    def __init__(self, node: ObjectNode, form: Form, access: str) -> None:
        self._node = node
        self._form = form
        self._access = access
        self._objects: dict[str, object] = {"missing": node.missing, **node.names}
        for field in node.fields:
            self._objects.update(field.kind.names)
        slots = [slot.name for slot in node.slots]
        prepared = [name for name, _ in node.prepared.values()]
        assigned = assigned_names(self._expressions())
        self._names = Names(_FIXED_NAMES.union(slots, self._objects, prepared, assigned))
        self._variables = [self._names.unique(field.key) for field in node.fields]
        fields = dict(zip(self._variables, node.fields, strict=True))
        # What is found at the first nested object of a dump.
        self._found: dict[str, list[str]] = {}
        for variable, field in fields.items():
            if field.kind.nested_slot is not None or field.kind.item_slot is not None:
                names = [f"{variable}_dispatch", f"{variable}_dump"]
                self._found[variable] = [self._names.unique(name) for name in names]

    def _expressions(self) -> Iterator[str | None]:
        for field in self._node.fields:
            conversion = field.conversion(self._form)
            yield from (conversion.inline, conversion.otherwise)
            yield from (field.source.read(self._access).expression, field.default)
            yield from field.call_if_callable or ()

    def generate(self) -> GeneratedFunction:
        name = self._names.unique(f"dump_{self._node.name}")
        body: Lines = ["if type(obj) is not known:", ["return dispatch()(obj)"], *self._body()]
        used = identifiers(text_of(body))
        if self._found:
            variables = [variable for names in self._found.values() for variable in names]
            body = [f"nonlocal {', '.join(variables)}", *body]
        slots = tuple([slot for slot in self._node.slots if slot.name in used])
        bind_parameters = ", ".join(["known", "dispatch", *(slot.name for slot in slots)])
        lines: Lines = [
            f"def bind({bind_parameters}):",
            [
                *(f"{' = '.join(names)} = None" for names in self._found.values()),
                f"def {name}(obj):",
                body,
                f"return {name}",
            ],
        ]
        title = f"{name} by {self._access}, {self._form.value}"
        return GeneratedFunction("bind", title, text_of(lines), self._objects, slots)

    def mark(self, step: int | None = None) -> Lines:
        """Return what follows a step of the dump of an object; nothing, but for profiles.

        Reading field n is step 2n, converting it 2n + 1.
        """
        return []

    def finish(self) -> Lines:
        """Return what comes before the result of an object; nothing, but for profiles."""
        return []

    def _body(self) -> Lines:
        lines = self.mark()
        if self._access in self._node.prepared:
            name, expression = self._node.prepared[self._access]
            lines.append(f"{name} = {expression}")
        fields = list(zip(self._variables, self._node.fields, strict=True))
        if self._node.dict_class is not None:
            return [*lines, *self._into_dict_class(self._node.dict_class, fields)]
        may_be_missing = not all(field.never_missing for field in self._node.fields)
        if may_be_missing:
            lines.append("complete = True")
        for number, (variable, field) in enumerate(fields):
            lines += self._field(number, variable, field, on_missing="complete = False")
        return [*lines, *self._row(may_be_missing=may_be_missing)]

    def _row(self, *, may_be_missing: bool) -> Lines:
        if not may_be_missing:
            return self._result(self._display())
        present = "{key: value for key, value in result.items() if value is not missing}"
        return [
            f"result = {self._display()}",
            "if not complete:",
            [f"result = {present}"],
            *self._result("result"),
        ]

    def _result(self, expression: str) -> Lines:
        return [*self.finish(), f"return {expression}"]

    def _into_dict_class(self, dict_class: str, fields: list[tuple[str, FieldNode]]) -> Lines:
        lines: Lines = [f"result = {dict_class}()"]
        for number, (variable, field) in enumerate(fields):
            lines += self.mark()  # what came before put the last value into the dictionary
            lines += self._field(number, variable, field, on_missing="pass")
            setting = f"result[{literal(field.key)}] = {variable}"
            lines += [f"if {variable} is not missing:", [setting]]
        return [*lines, *self._result("result")]

    def _display(self) -> str:
        pairs = zip(self._node.fields, self._variables, strict=True)
        return "{" + ", ".join(f"{literal(field.key)}: {name}" for field, name in pairs) + "}"

    def _field(self, number: int, variable: str, field: FieldNode, on_missing: str) -> Lines:
        when_missing: Lines = [f"if {variable} is missing:", [on_missing]]
        lines: Lines = [
            f"# {literal(field.key)}",
            *_read_lines(variable, field.source.read(self._access)),
        ]
        lines += self.mark(2 * number)
        if field.default is not None:
            lines += [f"if {variable} is missing:", [f"{variable} = {field.default}"]]
        if field.kind.nested_slot is not None:
            lines += self._nested(variable, field, when_missing)
        elif field.kind.item_slot is not None:
            lines += self._items(variable, field, when_missing)
        else:
            lines += self._converted(variable, field, when_missing)
        return [*lines, *self.mark(2 * number + 1)]

    def _converted(self, variable: str, field: FieldNode, when_missing: Lines) -> Lines:
        conversion = field.conversion(self._form)
        rest = self._rest(variable, field, conversion, when_missing)
        common = self._common(variable, field, conversion)
        not_none = f"{variable} is not None" if field.none_stays(self._form) else None
        is_common = f"type({variable}) is {conversion.common}"
        if common:
            return branches((is_common, common), (not_none, rest))
        if conversion.common is not None and conversion.otherwise is not None:
            is_other = is_common.replace(" is ", " is not ")
            return branches((f"{is_other} and {not_none}" if not_none else is_other, rest))
        return branches((not_none if conversion.otherwise else None, rest))

    def _common(self, variable: str, field: FieldNode, conversion: Conversion) -> Lines:
        if conversion.items is not None:
            assert conversion.otherwise is not None
            # A loop costs less than a comprehension.
            other: Lines = [self._assign(conversion.otherwise, variable, field), "break"]
            return [
                f"for each in {variable}:",
                [f"if type(each) is not {conversion.items}:", other],
                "else:",
                [f"{variable} = {variable}.copy()"],
            ]
        if conversion.common is None or conversion.inline is None:
            return []
        return [self._assign(conversion.inline, variable, field)]

    def _rest(
        self, variable: str, field: FieldNode, conversion: Conversion, when_missing: Lines
    ) -> Lines:
        if conversion.otherwise is None:
            return [] if field.never_missing else when_missing
        converted = self._assign(conversion.otherwise, variable, field)
        if field.never_missing:
            return [converted]
        return [f"if {variable} is not missing:", [converted], *when_missing]

    def _nested(self, variable: str, field: FieldNode, when_missing: Lines) -> Lines:
        """Find the child's dispatch at the first value, and its function at the first object."""
        lines: Lines = []
        if field.call_if_callable is not None:
            condition, called = field.call_if_callable
            lines += [
                f"if {self._fill(condition, variable, field)}:",
                [self._assign(called, variable, field)],
            ]
        _, dump = self._found[variable]
        finding = self._finding(variable, field.kind.nested_slot)
        dumping = [
            *self._choosing(variable, variable),
            f"{variable} = {dump}({variable})",
            *when_missing,
        ]
        lines += when_missing
        if field.kind.nested_for_none:
            return [*lines, "else:", [*finding, f"if {variable} is not None:", dumping]]
        return [*lines, f"elif {variable} is not None:", [*finding, *dumping]]

    def _finding(self, variable: str, slot: str | None) -> Lines:
        """Look for the child's dispatch where that of this dump is another than the last one."""
        dispatch, dump = self._found[variable]
        lookup: Lines = [f"{dispatch} = {slot}.dispatch", f"{dump} = None"]
        return [f"if {dispatch} is not {slot}.found:", lookup]

    def _choosing(self, variable: str, first: str) -> Lines:
        dispatch, dump = self._found[variable]
        return [f"if {dump} is None:", [f"{dump} = {dispatch}[type({first})]"]]

    def _items(self, variable: str, field: FieldNode, when_missing: Lines) -> Lines:
        """Dump the objects in a list by the function for the first; it knows others by itself."""
        _, dump = self._found[variable]
        has_items = f"type({variable}) is list and {variable} and {variable}[0] is not None"
        dumping: Lines = [
            *self._finding(variable, field.kind.item_slot),
            *self._choosing(variable, f"{variable}[0]"),
            "dumped = []",
            f"for each in {variable}:",
            [f"dumped.append(None if each is None else {dump}(each))"],
            f"{variable} = dumped",
        ]
        conversion = field.conversion(self._form)
        rest = self._rest(variable, field, conversion, when_missing)
        return branches((has_items, dumping), (f"{variable} is not None", rest))

    def _assign(self, template: str, variable: str, field: FieldNode) -> str:
        return f"{variable} = {self._fill(template, variable, field)}"

    def _fill(self, template: str, variable: str, field: FieldNode) -> str:
        return fill(template, value=variable, field=field.field)


def _read_lines(variable: str, read: Read) -> Lines:
    lines: Lines = [f"{variable} = {read.expression}"]
    if not read.handlers:
        return lines
    lines = ["try:", lines]
    for exceptions, replacement in read.handlers:
        lines += [f"except {exceptions}:", [f"{variable} = {replacement}"]]
    return lines
