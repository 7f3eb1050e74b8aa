"""From nodes to the functions that dump objects.

For each form of output and each way of access a function is generated, shaped like this::

    def bind(known, dispatch, fields):
        def dump_Album(obj, type=type, str=str):
            if type(obj) is not known:
                return dispatch()(obj)
            complete = True
            # title
            try:
                title = obj.title
            except AttributeError:
                title = missing
            if type(title) is not str and title is not None:
                if title is missing:
                    complete = False
                else:
                    title = fields[0]._serialize(title, 'title', obj)
            ...
            result = {'title': title, ...}
            if not complete:
                result = {key: value for key, value in result.items() if value is not missing}
            return result
        return dump_Album

``bind`` is called when a dump begins; its arguments are all that belongs to that dump.

Many rows are dumped by another function, which does the same in a loop::

        def dump_Album_rows(rows, type=type, str=str):
            results = []
            for obj in rows:
                if type(obj) is not known:
                    results.append(dispatch()(obj))
                    continue
                ...
                results.append(result)
            return results
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from fastschema.compiler.nodes import Conversion, FieldNode, Form, ObjectNode, Read, Slot, literal
from fastschema.compiler.source import GeneratedFunction, Names, SourceWriter
from fastschema.compiler.texts import Texts

_FIXED_NAMES = frozenset(
    [
        "bind",
        "known",
        "dispatch",
        "obj",
        "rows",
        "missing",
        "complete",
        "result",
        "results",
        "key",
        "value",
        "error",
        "text",
        "size",
        "member",
        "zone",
        "each",
        "dumped",
        "given",
        "quote",
    ]
)

_SCOPE = re.compile(r"\b(?:for|lambda)\b")
"""What an expression contains that has a scope of its own, such as a comprehension."""


@dataclass(frozen=True, slots=True)
class DumpFunction:
    """A generated ``bind`` function.

    :param bind: its parameters are the class of the objects, a weak reference to the dispatch
        that objects of other classes go to, and the values of the slots; it returns the function
        that dumps one object, or many rows
    :param slots: those of the node that the code uses
    :param source: where it comes from
    """

    bind: Callable[..., Any]
    slots: tuple[Slot, ...]
    source: GeneratedFunction

    @property
    def text(self) -> str:
        """The generated source."""
        return self.source.text


def generate(node: ObjectNode, form: Form, access: str, many: bool) -> DumpFunction:
    """The function that dumps objects read by one way of access.

    :param many: whether it dumps many rows, or one object
    """
    return DumpGenerator(node, form, access, many).generate()


class DumpGenerator:
    """Writes the function that makes dictionaries; see :func:`generate`."""

    texts_class = Texts
    commons: tuple[str, ...] = ("type",)
    """Names to make local if they are used, besides the classes that values are compared by."""

    def __init__(self, node: ObjectNode, form: Form, access: str, many: bool) -> None:
        self._node = node
        self._form = form
        self._access = access
        self._many = many
        self._writer = SourceWriter()
        # Expressions with a scope of their own, and the functions that they are written as.
        self._scopes: dict[str, str] = {}
        self._scopes_writer = SourceWriter()
        self._objects: dict[str, object] = {"missing": node.missing, **node.names}
        for field in node.fields:
            self._objects.update(field.kind.names)
        slots = [slot.name for slot in node.slots]
        prepared = [name for name, _ in node.prepared.values()]
        self._names = Names(_FIXED_NAMES.union(slots, self._objects, prepared))
        self._variables = [self._names.unique(field.key) for field in node.fields]
        fields = dict(zip(self._variables, node.fields, strict=True))
        self._texts = self.texts_class(
            (variable, conversion)
            for variable, field in fields.items()
            if node.dict_class is None  # into which values are set one by one
            and field.kept is None
            and (conversion := field.conversion(form)).together is not None
            and field.none_stays(form)
        )
        # What is found at the first nested object of a dump.
        self._found: dict[str, list[str]] = {}
        for variable, field in fields.items():
            if field.kind.link is not None or field.kind.item_link is not None:
                names = [f"{variable}_dispatch", f"{variable}_dump"]
                self._found[variable] = [self._names.unique(name) for name in names]

    def generate(self) -> DumpFunction:
        stem = f"dump_{self._node.name}"
        function_name = self._names.unique(f"{stem}_rows" if self._many else stem)
        if self._many:
            self._write_loop()
        else:
            self._write_one()
        used = self._writer.identifiers
        body = SourceWriter()
        parameters = ["rows"] if self._many else ["obj"]
        parameters += self._local_names(used)
        with body.block(f"def {function_name}({', '.join(parameters)}):"):
            if self._found:
                found = [name for names in self._found.values() for name in names]
                body.line(f"nonlocal {', '.join(found)}")
            body.include(self._writer)
        used |= self._scopes_writer.identifiers
        slots = tuple([slot for slot in self._node.slots if slot.name in used])
        bind_parameters = ", ".join(["known", "dispatch", *(slot.name for slot in slots)])
        writer = SourceWriter()
        with writer.block(f"def bind({bind_parameters}):"):
            for names in self._found.values():
                writer.line(f"{' = '.join(names)} = None")
            writer.include(self._scopes_writer)
            writer.include(body)
            writer.line(f"return {function_name}")
        title = f"{function_name} by {self._access}, {self._form.value}"
        source = GeneratedFunction("bind", title, writer.text, self._objects)
        return DumpFunction(source.function, slots, source)

    def _local_names(self, used: frozenset[str]) -> Iterator[str]:
        """What each value is compared by, as local names: they are found in half the time."""
        slots = {slot.name for slot in self._node.slots}
        commons = [field.conversion(self._form).common for field in self._node.fields]
        for name in dict.fromkeys([*self.commons, *commons]):
            if name in used and name not in slots:
                yield f"{name}={name}"

    def _write_loop(self) -> None:
        """The lines that dump many rows."""
        self._writer.line("results = []")
        with self._writer.block("for obj in rows:"):
            self._write_one()
        self._writer.line("return results")

    def _write_one(self) -> None:
        """The lines that dump one object."""
        with self._writer.block("if type(obj) is not known:"):
            self._write_result("dispatch()(obj)")
            if self._many:
                self._writer.line("continue")
        self._write_body()

    def _write_body(self) -> None:
        writer = self._writer
        if self._access in self._node.prepared:
            name, expression = self._node.prepared[self._access]
            writer.line(f"{name} = {expression}")
        if self._node.dict_class is not None:
            self._write_into_dict_class(self._node.dict_class)
            return
        may_be_missing = not all(field.never_missing for field in self._node.fields)
        if may_be_missing:
            writer.line("complete = True")
        self._texts.write_beginning(writer)
        for variable, field in zip(self._variables, self._node.fields, strict=True):
            self._write_field(variable, field, on_missing="complete = False")
        self._texts.write_end(writer)
        self._write_row(may_be_missing=may_be_missing)

    def _write_row(self, *, may_be_missing: bool) -> None:
        """The dictionary of the row, of its values."""
        writer = self._writer
        if not may_be_missing:
            self._write_result(self._display())
            return
        writer.line(f"result = {self._display()}")
        with writer.block("if not complete:"):
            writer.line(
                "result = {key: value for key, value in result.items() if value is not missing}"
            )
        self._write_result("result")

    def _write_result(self, expression: str) -> None:
        self._writer.line(f"results.append({expression})" if self._many else f"return {expression}")

    def _write_into_dict_class(self, dict_class: str) -> None:
        writer = self._writer
        writer.line(f"result = {dict_class}()")
        for variable, field in zip(self._variables, self._node.fields, strict=True):
            self._write_field(variable, field, on_missing="pass")
            with writer.block(f"if {variable} is not missing:"):
                writer.line(f"result[{_key(field)}] = {variable}")
        self._write_result("result")

    def _display(self) -> str:
        pairs = zip(self._node.fields, self._variables, strict=True)
        return "{" + ", ".join(f"{_key(field)}: {name}" for field, name in pairs) + "}"

    def _write_field(self, variable: str, field: FieldNode, on_missing: str) -> None:
        writer = self._writer
        writer.line(f"# {literal(field.key)}")
        self._write_read(variable, field.source.read(self._access))
        if field.default is not None:
            with writer.block(f"if {variable} is missing:"):
                writer.line(f"{variable} = {field.default}")
        if field.kind.link is not None:
            self._write_nested(variable, field, on_missing)
        elif field.kind.item_link is not None:
            self._write_items(variable, field, on_missing)
        else:
            self._write_conversion(variable, field, on_missing)
        if field.kept is not None and self._form is Form.JSON:
            writer.line(f"{variable} = {self._fill(field.kept, variable, field)}")

    def _write_read(self, variable: str, read: Read) -> None:
        writer = self._writer
        if not read.handlers:
            writer.line(f"{variable} = {read.expression}")
            return
        with writer.block("try:"):
            writer.line(f"{variable} = {read.expression}")
        for exceptions, replacement in read.handlers:
            with writer.block(f"except {exceptions}:"):
                writer.line(f"{variable} = {replacement}")

    def _write_conversion(self, variable: str, field: FieldNode, on_missing: str) -> None:
        """The common class first; then what is not None, missing or else converted."""
        writer = self._writer
        conversion = field.conversion(self._form)
        rest = self._rest(variable, field, conversion, on_missing)
        none_stays = field.none_stays(self._form)
        is_common = f"type({variable}) is {conversion.common}"
        if variable in self._texts:
            with self._texts.write_field(writer, variable):
                self._write_lines(rest)
            return
        if conversion.items is not None:
            with writer.block(f"if {is_common}:"):
                self._write_copy(variable, field, conversion)
            opening = f"elif {variable} is not None:" if none_stays else "else:"
        elif conversion.common is not None and conversion.inline is not None:
            with writer.block(f"if {is_common}:"):
                writer.line(f"{variable} = {self._fill(conversion.inline, variable, field)}")
                if field.kind.may_skip:
                    with writer.block(f"if {variable} is missing:"):
                        writer.line(on_missing)
            opening = f"elif {variable} is not None:" if none_stays else "else:"
        elif conversion.common is not None:
            is_not_common = is_common.replace(" is ", " is not ")
            opening = f"if {is_not_common} and {variable} is not None:"
            if not none_stays:
                opening = f"if {is_not_common}:"
        elif none_stays and conversion.otherwise is not None:
            opening = f"if {variable} is not None:"
        else:
            self._write_lines(rest)
            return
        if rest:
            with writer.block(opening):
                self._write_lines(rest)

    def _write_copy(self, variable: str, field: FieldNode, conversion: Conversion) -> None:
        """Copy a list whose items stay as they are; a loop costs less than a comprehension."""
        assert conversion.otherwise is not None
        self._write_lines(
            [
                f"for each in {variable}:",
                f"    if type(each) is not {conversion.items}:",
                f"        {variable} = {self._fill(conversion.otherwise, variable, field)}",
                "        break",
                "else:",
                f"    {variable} = {variable}.copy()",
            ]
        )

    def _rest(
        self, variable: str, field: FieldNode, conversion: Conversion, on_missing: str
    ) -> list[str]:
        """The lines for values that are neither None nor of the common class."""
        when_missing = [f"if {variable} is missing:", f"    {on_missing}"]
        if conversion.otherwise is None:
            return [] if field.never_missing else when_missing
        converting = f"{variable} = {self._fill(conversion.otherwise, variable, field)}"
        if field.never_missing:
            return [converting]
        return [f"if {variable} is not missing:", f"    {converting}", *when_missing]

    def _write_lines(self, lines: list[str]) -> None:
        for line in lines:
            self._writer.line(line)

    def _write_nested(self, variable: str, field: FieldNode, on_missing: str) -> None:
        """Find the child's dispatch at the first value, and its function at the first object."""
        writer = self._writer
        if field.call_if_callable is not None:
            condition, called = field.call_if_callable
            with writer.block(f"if {self._fill(condition, variable, field)}:"):
                writer.line(f"{variable} = {self._fill(called, variable, field)}")
        with writer.block(f"if {variable} is missing:"):
            writer.line(on_missing)
        if field.kind.link_for_none:
            with writer.block("else:"):
                self._write_finding(variable, field.kind.link)
                with writer.block(f"if {variable} is not None:"):
                    self._write_nested_dump(variable, on_missing)
        else:
            with writer.block(f"elif {variable} is not None:"):
                self._write_finding(variable, field.kind.link)
                self._write_nested_dump(variable, on_missing)

    def _write_finding(self, variable: str, link: str | None) -> None:
        """Look for the child's dispatch where that of this dump is another than the last one."""
        dispatch, dump = self._found[variable]
        with self._writer.block(f"if {dispatch} is not {link}.found:"):
            self._writer.line(f"{dispatch} = {link}.dispatch")
            self._writer.line(f"{dump} = None")

    def _write_nested_dump(self, variable: str, on_missing: str) -> None:
        writer = self._writer
        dispatch, dump = self._found[variable]
        with writer.block(f"if {dump} is None:"):
            writer.line(f"{dump} = {dispatch}[type({variable})]")
        writer.line(f"{variable} = {dump}({variable})")
        with writer.block(f"if {variable} is missing:"):
            writer.line(on_missing)

    def _write_items(self, variable: str, field: FieldNode, on_missing: str) -> None:
        """Dump the objects in a list by the function for the first; it knows others by itself."""
        writer = self._writer
        dispatch, dump = self._found[variable]
        with writer.block(
            f"if type({variable}) is list and {variable} and {variable}[0] is not None:"
        ):
            self._write_finding(variable, field.kind.item_link)
            with writer.block(f"if {dump} is None:"):
                writer.line(f"{dump} = {dispatch}[type({variable}[0])]")
            writer.line("dumped = []")
            with writer.block(f"for each in {variable}:"):
                writer.line(f"dumped.append(None if each is None else {dump}(each))")
            writer.line(f"{variable} = {self._items_result()}")
        with writer.block(f"elif {variable} is not None:"):
            conversion = field.conversion(self._form)
            self._write_lines(self._rest(variable, field, conversion, on_missing))

    def _items_result(self) -> str:
        return "dumped"

    def _fill(self, template: str, variable: str, field: FieldNode) -> str:
        if _SCOPE.search(template) is None:
            return template.format(value=variable, field=field.field)
        # Until Python 3.12, what a comprehension uses is slower to read in all of the function.
        expression = template.format(value="value", field=field.field)
        name = self._scopes.get(expression)
        if name is None:
            name = self._scopes[expression] = self._names.unique(f"converted_{variable}")
            with self._scopes_writer.block(f"def {name}(value, obj):"):
                self._scopes_writer.line(f"return {expression}")
            self._scopes_writer.line("")
        return f"{name}({variable}, obj)"


def _key(field: FieldNode) -> str:
    return literal(field.key) if field.key_slot is None else field.key_slot
