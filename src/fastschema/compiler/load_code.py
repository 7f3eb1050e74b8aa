"""From nodes to the functions that load rows.

For most schemas one function is generated, shaped like this::

    def bind(load_field, load_other, take_unknown, partial, fields):
        def load_Album(data, index, type=type, len=len, dict=dict, str=str):
            if type(data) is not dict:
                return load_other(data, index)
            absent = 0
            complete = True
            # title
            try:
                title = data['title']
            except KeyError:
                absent += 1
                complete = False
                title = missing
            else:
                if type(title) is not str:
                    title = load_field(0, title, data, index)
                    complete = False
            ...
            result = {'title': title, ...}
            if not complete:
                for key in [key for key, value in result.items() if value is missing]:
                    del result[key]
            if take_unknown is not None and len(data) != 1 - absent:
                take_unknown(data, result, index)
            return result
        return load_Album, None

``bind`` is called when a load begins; its arguments are all that belongs to that load.

Most rows have every key and are right. Where finding that out is nothing but pure work, which
leaves no trace when it comes to nothing, it is tried first::

        def load_Album(data, index, type=type, len=len, dict=dict, str=str):
            if type(data) is dict and len(data) == 1:
                try:
                    title = data['title']
                    if type(title) is str:
                        return {'title': title}
                except Exception:
                    pass
            return load_Album_by_key(data, index)

What is above is then ``load_Album_by_key``, and a third function, ``load_Album_rows``, does the
same for many rows, in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fastschema.compiler.load_nodes import LoadFieldNode, LoadKind, LoadNode
from fastschema.compiler.nodes import Slot, literal
from fastschema.compiler.source import GeneratedFunction, Names, SourceWriter

LoadRow = Callable[[Any, int | None], Any]
"""From a row and its index in error messages to what its schema makes of it."""

LoadRows = Callable[[Iterable[Any], bool], list[Any]]
"""From rows, and whether error messages tell their index, to what their schema makes of each."""

BoundLoad = tuple[LoadRow, LoadRows | None]
"""What loads one row, and what loads many if that is another function."""

COMMON_SLOTS = (
    "fields",
    "load_field",
    "load_own",
    "validate_field",
    "load_other",
    "take_unknown",
    "partial",
)
_LOCAL_NAMES = ("type", "len", "dict", "list", "str", "int", "float")
_FIXED_NAMES = frozenset(
    [
        *COMMON_SLOTS,
        "bind",
        "data",
        "index",
        "absent",
        "complete",
        "missing",
        "result",
        "loaded",
        "valid",
        "refuse",
        "rows",
        "is_indexed",
        "results",
        "set_value",
        "key",
        "value",
        "each",
        "number",
        "text",
    ]
)


@dataclass(frozen=True, slots=True)
class LoadFunction:
    """A generated ``bind`` function.

    :param bind: its parameters are the values of the slots
    :param common: the names of those among its parameters that every load brings
    :param slots: those of the node that the code uses, the parameters that follow
    :param source: where it comes from
    """

    bind: Callable[..., BoundLoad]
    common: tuple[str, ...]
    slots: tuple[Slot, ...]
    source: GeneratedFunction

    @property
    def text(self) -> str:
        """The generated source."""
        return self.source.text


def refuse() -> Any:
    """Raised for a value that is not accepted.

    :raises ValueError: always
    """
    raise ValueError


def generate(node: LoadNode) -> LoadFunction:
    """The function that loads the rows of a schema."""
    return _Generator(node).generate()


def load_rows(bound: BoundLoad, rows: Iterable[Any], *, is_indexed: bool) -> list[Any]:
    """Load each row.

    :param is_indexed: whether error messages tell the index of a row
    """
    load_row, load_all = bound
    if load_all is not None:
        return load_all(rows, is_indexed)
    if is_indexed:
        return [load_row(data, index) for index, data in enumerate(rows)]
    return [load_row(data, None) for data in rows]


class _Generator:
    def __init__(self, node: LoadNode) -> None:
        self._node = node
        self._writer = SourceWriter()
        self._objects: dict[str, object] = {
            "missing": node.missing,
            "refuse": refuse,
            "set_value": node.set_value,
        }
        for field in node.fields:
            self._objects.update(field.kind.names)
        slots = [slot.name for slot in node.slots]
        self._names = Names(_FIXED_NAMES | frozenset(slots) | frozenset(self._objects))
        self._variables = [self._names.unique(field.key) for field in node.fields]
        targets = [field.target for field in node.fields]
        self._is_display = (
            node.dict_class is None
            and len(set(targets)) == len(targets)
            and not any("." in target for target in targets)
        )
        keys = {field.key for field in node.fields}
        self._has_own_keys = 0 < len(keys) == len(node.fields)

    def generate(self) -> LoadFunction:
        name = self._names.unique(f"load_{self._node.name}")
        functions = SourceWriter()
        if self._is_display and self._has_own_keys and all(map(_is_pure, self._node.fields)):
            by_key = self._names.unique(f"{name}_by_key")
            many = self._names.unique(f"{name}_rows")
            self._write_function(functions, by_key, "data, index", self._write_by_key)
            functions.line("")
            self._write_function(functions, name, "data, index", lambda: self._write_row(by_key))
            functions.line("")
            self._write_function(
                functions, many, "rows, is_indexed", lambda: self._write_rows(by_key)
            )
        else:
            many = "None"
            self._write_function(functions, name, "data, index", self._write_by_key)
        used = functions.identifiers
        common = tuple([slot for slot in COMMON_SLOTS if slot in used])
        slots = tuple([slot for slot in self._node.slots if slot.name in used])
        writer = SourceWriter()
        with writer.block(f"def bind({', '.join([*common, *(slot.name for slot in slots)])}):"):
            writer.include(functions)
            writer.line(f"return {name}, {many}")
        source = GeneratedFunction("bind", name, writer.text, self._objects)
        return LoadFunction(source.function, common, slots, source)

    def _write_function(
        self, functions: SourceWriter, name: str, parameters: str, write: Callable[[], None]
    ) -> None:
        self._writer = SourceWriter()
        write()
        local_names = self._writer.local_names(_LOCAL_NAMES)
        with functions.block(f"def {name}({', '.join([parameters, *local_names])}):"):
            functions.include(self._writer)

    def _write_row(self, by_key: str) -> None:
        """The body for a row that most often is as it should be."""
        self._write_as_it_should_be([f"return {self._display()}"])
        self._writer.line(f"return {by_key}(data, index)")

    def _write_rows(self, by_key: str) -> None:
        """The body for many such rows."""
        writer = self._writer
        writer.line("results = []")
        with writer.block("for data in rows:"):
            self._write_as_it_should_be([f"results.append({self._display()})", "continue"])
            index = "len(results) if is_indexed else None"
            writer.line(f"results.append({by_key}(data, {index}))")
        writer.line("return results")

    def _write_as_it_should_be(self, ending: list[str]) -> None:
        """The lines for a row that has all keys, no others, and a right value for each.

        :param ending: those that follow when it is loaded
        """
        writer = self._writer
        pairs = [*zip(self._variables, self._node.fields, strict=True)]
        with writer.block(f"if type(data) is dict and len(data) == {len(pairs)}:"):
            with writer.block("try:"):
                for variable, field in pairs:
                    writer.line(f"{variable} = data[{literal(field.key)}]")
                with writer.block(f"if {' and '.join(_accepts(*pair) for pair in pairs)}:"):
                    for pair in pairs:
                        self._write_lines(_converting_lines(*pair))
                    self._write_lines(ending)
            with writer.block("except Exception:"):
                writer.line("pass")

    def _write_by_key(self) -> None:
        """The body for a row of which one key is looked at after the other."""
        writer = self._writer
        with writer.block("if type(data) is not dict:"):
            writer.line("return load_other(data, index)")
        writer.line("absent = 0")
        if self._is_display:
            writer.line("complete = True")
        else:
            writer.line(f"result = {self._node.dict_class or 'dict'}()")
        for number, (variable, field) in enumerate(
            zip(self._variables, self._node.fields, strict=True)
        ):
            self._write_field(number, variable, field)
        if self._is_display:
            self._write_display()
        self._write_unknown()
        writer.line("return result")

    def _display(self) -> str:
        pairs = zip(self._node.fields, self._variables, strict=True)
        return "{" + ", ".join(f"{literal(field.target)}: {name}" for field, name in pairs) + "}"

    def _write_display(self) -> None:
        writer = self._writer
        writer.line(f"result = {self._display()}")
        with writer.block("if not complete:"):
            writer.line("for key in [key for key, value in result.items() if value is missing]:")
            writer.line("    del result[key]")

    def _write_unknown(self) -> None:
        fields = self._node.fields
        condition = "take_unknown is not None"
        # A field's own method gets the data, and may do anything to them.
        if self._has_own_keys and not any(field.reason for field in fields):
            condition += f" and len(data) != {len(fields)} - absent"
        with self._writer.block(f"if {condition}:"):
            self._writer.line("take_unknown(data, result, index)")

    def _write_field(self, number: int, variable: str, field: LoadFieldNode) -> None:
        writer = self._writer
        writer.line(f"# {literal(field.key)}")
        with writer.block("try:"):
            writer.line(f"{variable} = data[{literal(field.key)}]")
        with writer.block("except KeyError:"):
            writer.line("absent += 1")
            self._write_default(number, variable, field)
        lines = self._value_lines(number, variable, field)
        if field.own_default:
            # After the handler: what the field's own method raises has nothing to do with KeyError.
            self._write_lines(lines)
        elif lines:
            with writer.block("else:"):
                self._write_lines(lines)
        if not self._is_display:
            key = literal(field.target)
            setting = f"result[{key}] = {variable}"
            if "." in field.target:
                setting = f"set_value(result, {key}, {variable})"
            with writer.block(f"if {variable} is not missing:"):
                writer.line(setting)

    def _write_default(self, number: int, variable: str, field: LoadFieldNode) -> None:
        if field.own_default:
            self._write_lines([f"{variable} = missing"])
        elif field.default is None:
            self._write_lines([f"{variable} = missing", *self._skips()])
        else:
            own = self._by_field(number, variable, "missing")
            default = [f"{variable} = {field.default}"]
            self._write_lines(["if partial:", *_indented(own), "else:", *_indented(default)])

    def _skips(self) -> list[str]:
        return ["complete = False"] if self._is_display else []

    def _by_field(self, number: int, variable: str, value: str) -> list[str]:
        """The lines that leave a value to the field's own method."""
        return [f"{variable} = load_field({number}, {value}, data, index)", *self._skips()]

    def _value_lines(self, number: int, variable: str, field: LoadFieldNode) -> list[str]:
        """The lines for a value that is there."""
        kind = field.kind
        if kind.call is not None:
            called = self._own_lines(kind.call.format(value=variable), variable)
            return _any_value_lines(
                variable, field, called, self._by_field(number, variable, variable)
            )
        if kind.link is not None:
            lines = self._own_lines(f"{kind.link}({variable}, data, index)", variable)
            return [f"if {variable} is not None:", *_indented(lines)] if field.none_stays else lines
        if field.reason is not None:
            return self._own_lines(f"load_field({number}, {variable}, data, index)", variable)
        own = self._by_field(number, variable, variable)
        accepted = self._accepted_lines(number, variable, field, own)
        if kind.accepts is None:
            return _any_value_lines(variable, field, accepted, own)
        accepts = kind.accepts.format(value=variable)
        if accepted:
            opening = f"elif {variable} is not None:" if field.none_stays else "else:"
            lines = [f"if {accepts}:", *_indented(accepted), opening, *_indented(own)]
            if kind.stays is None or kind.valid is not None or field.validated:
                return lines
            return [f"if not ({kind.stays.format(value=variable)}):", *_indented(lines)]
        refused = f"not ({accepts})"
        if accepts.startswith(f"type({variable}) is ") and " or " not in accepts:
            refused = accepts.replace(" is ", " is not ", 1)
        if field.none_stays:
            refused += f" and {variable} is not None"
        return [f"if {refused}:", *_indented(own)]

    def _own_lines(self, call: str, variable: str) -> list[str]:
        lines = [f"{variable} = {call}"]
        if self._is_display:
            lines += [f"if {variable} is missing:", "    complete = False"]
        return lines

    def _accepted_lines(
        self, number: int, variable: str, field: LoadFieldNode, own: list[str]
    ) -> list[str]:
        """The lines for a value that is accepted."""
        kind = field.kind
        if kind.items is not None:
            return _copy_lines(variable, kind, own, self._validation(number, variable, field))
        if kind.convert is None and kind.check is None:
            return self._validation(number, variable, field)
        lines = [f"loaded = {(kind.convert or '{value}').format(value=variable)}"]
        if kind.check is not None:
            lines += [f"if not ({kind.check.format(value='loaded')}):", "    loaded = missing"]
        by_itself = f"loaded = load_field({number}, {variable}, data, index)"
        result = [
            "try:",
            *_indented(lines),
            "except Exception:",
            "    loaded = missing",
            "if loaded is missing:",
            *_indented([by_itself, *self._skips()]),
        ]
        validation = self._validation(number, "loaded", field)
        if validation:
            result += ["else:", *_indented(validation)]
        return [*result, f"{variable} = loaded"]

    def _validation(self, number: int, variable: str, field: LoadFieldNode) -> list[str]:
        """The lines that validate what was converted."""
        call = f"validate_field({number}, {variable}, index)"
        if field.validated:
            return self._own_lines(call, variable)
        if field.kind.valid is None:
            return []
        return [
            "try:",
            f"    valid = {field.kind.valid.format(value=variable)}",
            "except Exception:",
            "    valid = False",
            "if not valid:",
            *_indented([f"{variable} = {call}", *self._skips()]),
        ]

    def _write_lines(self, lines: list[str]) -> None:
        for line in lines:
            self._writer.line(line)


def _is_pure(field: LoadFieldNode) -> bool:
    """Whether nothing but generated code loads a right value, and it would not be dear to do again.

    Validators are asked once, be the rest of the row right or not.
    """
    kind = field.kind
    is_validated = field.validated or kind.valid is not None
    return field.reason is None and kind.link is None and not is_validated


def _accepts(variable: str, field: LoadFieldNode) -> str:
    """The condition on a value that can be converted."""
    if field.kind.accepts is None:
        refused = f"{variable} is not missing"
        return refused if field.none_stays else f"{refused} and {variable} is not None"
    accepts = field.kind.accepts.format(value=variable)
    if field.kind.stays is not None:
        accepts = _accepts_unless_it_stays(variable, field.kind, accepts)
    if field.none_stays:
        accepts += f" or {variable} is None"
    return f"({accepts})" if " or " in accepts else accepts


def _accepts_unless_it_stays(variable: str, kind: LoadKind, accepts: str) -> str:
    """The same where most values stay: any other is converted in the condition itself."""
    assert kind.stays is not None
    conditions = [f"({accepts})"]
    if kind.convert is not None:
        converted = kind.convert.format(value=variable)
        conditions.append(f"({variable} := {converted}) is not missing")
    if kind.check is not None:
        conditions.append(kind.check.format(value=variable))
    return f"{kind.stays.format(value=variable)} or {' and '.join(conditions)}"


def _converting_lines(variable: str, field: LoadFieldNode) -> list[str]:
    """The lines that convert such a value, and raise an exception if it turns out to be wrong."""
    kind = field.kind
    if kind.stays is not None:
        return []
    lines = [] if kind.convert is None else [f"{variable} = {kind.convert.format(value=variable)}"]
    if kind.items is not None:
        lines = [
            f"for each in {variable}:",
            f"    if type(each) is not {kind.items}:",
            "        refuse()",
            f"{variable} = {variable}.copy()",
        ]
    if kind.check is not None:
        lines += [f"if not ({kind.check.format(value=variable)}):", "    refuse()"]
    if lines and field.none_stays:
        lines = [f"if {variable} is not None:", *_indented(lines)]
    return lines


def _any_value_lines(
    variable: str, field: LoadFieldNode, accepted: list[str], own: list[str]
) -> list[str]:
    """The lines for a kind that accepts everything but None and the missing object."""
    if field.none_stays:
        refused = f"if {variable} is missing:"
        accepts = f"elif {variable} is not None:"
    else:
        refused = f"if {variable} is None or {variable} is missing:"
        accepts = "else:"
    lines = [refused, *_indented(own)]
    return [*lines, accepts, *_indented(accepted)] if accepted else lines


def _copy_lines(variable: str, kind: LoadKind, own: list[str], validated: list[str]) -> list[str]:
    """The lines that copy a list whose items stay as they are."""
    return [
        f"for each in {variable}:",
        f"    if type(each) is not {kind.items}:",
        *_indented(_indented(own)),
        "        break",
        "else:",
        f"    {variable} = {variable}.copy()",
        *_indented(validated),
    ]


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
