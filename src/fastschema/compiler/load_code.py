"""From nodes to the functions that load rows.

One function is generated for a schema::

    def bind(load_field, load_other, take_unknown, partial, fields):
        def load_Album(data, index):
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
        return load_Album

``bind`` is called for each schema object; its arguments are all that belongs to that object and the
options that it loads with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any

from fastschema.compiler.nodes import LoadFieldNode, LoadNode, Slot, fill, literal
from fastschema.compiler.source import (
    GeneratedFunction,
    Lines,
    Names,
    assigned_names,
    branches,
    identifiers,
    text_of,
)

LoadRow = Callable[[Any, int | None], Any]
"""From a row and its index in error messages to what its schema makes of it."""

_COMMON_NAMES = (
    *("fields", "load_field", "load_own", "validate_field", "load_other"),
    *("take_unknown", "partial"),
)
_COMMON_SLOTS = [Slot(name, attrgetter(name)) for name in _COMMON_NAMES]
"""What every load brings."""
_FIXED_NAMES = frozenset(
    [
        *_COMMON_NAMES,
        *("bind", "data", "index", "missing", "refuse", "set_value"),
        *("absent", "complete", "result", "loaded", "valid"),
        *("key", "value", "each"),
    ]
)


def refuse() -> Any:
    """Raise ``ValueError``, for a value that is not accepted."""
    raise ValueError


def generate(node: LoadNode) -> GeneratedFunction:
    return _Generator(node).generate()


def load_rows(load_row: LoadRow, rows: Iterable[Any], *, is_indexed: bool) -> list[Any]:
    """Load each row; error messages tell its index, or not."""
    if is_indexed:
        return [load_row(data, index) for index, data in enumerate(rows)]
    return [load_row(data, None) for data in rows]


class _Generator:
    def __init__(self, node: LoadNode) -> None:
        self._node = node
        self._objects: dict[str, object] = {
            "missing": node.missing,
            "refuse": refuse,
            "set_value": node.set_value,
        }
        for field in node.fields:
            self._objects.update(field.kind.names)
        slots = [slot.name for slot in node.slots]
        kinds = [field.kind for field in node.fields]
        assigned = assigned_names(
            template
            for kind in kinds
            for template in (kind.accepts, kind.convert, kind.check, kind.valid, kind.call)
        )
        self._names = Names(_FIXED_NAMES.union(slots, self._objects, assigned))
        self._variables = [self._names.unique(field.key) for field in node.fields]
        targets = [field.target for field in node.fields]
        self._is_display = (
            node.dict_class is None
            and len(set(targets)) == len(targets)
            and not any("." in target for target in targets)
        )
        keys = {field.key for field in node.fields}
        self._has_own_keys = 0 < len(keys) == len(node.fields)

    def generate(self) -> GeneratedFunction:
        name = self._names.unique(f"load_{self._node.name}")
        function: Lines = [f"def {name}(data, index):", self._body()]
        used = identifiers(text_of(function))
        every_slot = (*_COMMON_SLOTS, *self._node.slots)
        slots = tuple([slot for slot in every_slot if slot.name in used])
        parameters = ", ".join([slot.name for slot in slots])
        lines: Lines = [f"def bind({parameters}):", [*function, f"return {name}"]]
        return GeneratedFunction("bind", name, text_of(lines), self._objects, slots)

    def _body(self) -> Lines:
        lines: Lines = ["if type(data) is not dict:", ["return load_other(data, index)"]]
        lines.append("absent = 0")
        lines.append(
            "complete = True"
            if self._is_display
            else f"result = {self._node.dict_class or 'dict'}()"
        )
        pairs = zip(self._variables, self._node.fields, strict=True)
        for number, (variable, field) in enumerate(pairs):
            lines += self._field(number, variable, field)
        if self._is_display:
            absent = "key for key, value in result.items() if value is missing"
            lines += [
                f"result = {self._display()}",
                "if not complete:",
                [f"for key in [{absent}]:", ["del result[key]"]],
            ]
        return [*lines, *self._unknown(), "return result"]

    def _display(self) -> str:
        pairs = zip(self._node.fields, self._variables, strict=True)
        return "{" + ", ".join(f"{literal(field.target)}: {name}" for field, name in pairs) + "}"

    def _unknown(self) -> Lines:
        fields = self._node.fields
        condition = "take_unknown is not None"
        # A field's own method gets the data, and may do anything to them.
        if self._has_own_keys and not any(field.reason for field in fields):
            condition += f" and len(data) != {len(fields)} - absent"
        return [f"if {condition}:", ["take_unknown(data, result, index)"]]

    def _field(self, number: int, variable: str, field: LoadFieldNode) -> Lines:
        lines: Lines = [
            f"# {literal(field.key)}",
            "try:",
            [f"{variable} = data[{literal(field.key)}]"],
            "except KeyError:",
            ["absent += 1", *self._default(number, variable, field)],
        ]
        loading = self._value(number, variable, field)
        if field.own_default:
            # After the handler: what the field's own method raises has nothing to do with KeyError.
            lines += loading
        elif loading:
            lines += ["else:", loading]
        if not self._is_display:
            key = literal(field.target)
            setting = f"result[{key}] = {variable}"
            if "." in field.target:
                setting = f"set_value(result, {key}, {variable})"
            lines += [f"if {variable} is not missing:", [setting]]
        return lines

    def _default(self, number: int, variable: str, field: LoadFieldNode) -> Lines:
        if field.own_default:
            return [f"{variable} = missing"]
        if field.default is None:
            return [f"{variable} = missing", *self._skips()]
        by_method = self._by_field(number, variable, "missing")
        return branches(("partial", by_method), (None, [f"{variable} = {field.default}"]))

    def _skips(self) -> Lines:
        return ["complete = False"] if self._is_display else []

    def _by_field(self, number: int, variable: str, value: str) -> Lines:
        return [f"{variable} = load_field({number}, {value}, data, index)", *self._skips()]

    def _value(self, number: int, variable: str, field: LoadFieldNode) -> Lines:
        kind = field.kind
        by_method = self._by_field(number, variable, variable)
        if kind.call is not None:
            called = self._may_be_missing(fill(kind.call, value=variable), variable)
            return _any_value(variable, field, called, by_method)
        if kind.load_slot is not None:
            loaded_there = self._may_be_missing(
                f"{kind.load_slot}({variable}, data, index)", variable
            )
            return branches((f"{variable} is not None" if field.none_stays else None, loaded_there))
        if field.reason is not None:
            call = f"load_field({number}, {variable}, data, index)"
            return self._may_be_missing(call, variable)
        accepted = self._accepted(number, variable, field, by_method)
        if kind.accepts is None:
            return _any_value(variable, field, accepted, by_method)
        accepts = fill(kind.accepts, value=variable)
        if accepted:
            is_other = f"{variable} is not None" if field.none_stays else None
            return branches((accepts, accepted), (is_other, by_method))
        refused = f"not ({accepts})"
        if accepts.startswith(f"type({variable}) is ") and " or " not in accepts:
            refused = accepts.replace(" is ", " is not ", 1)
        if field.none_stays:
            refused += f" and {variable} is not None"
        return branches((refused, by_method))

    def _may_be_missing(self, call: str, variable: str) -> Lines:
        return [f"{variable} = {call}", *branches((f"{variable} is missing", self._skips()))]

    def _accepted(
        self, number: int, variable: str, field: LoadFieldNode, by_method: Lines
    ) -> Lines:
        kind = field.kind
        if kind.items is not None:
            # A list whose items stay as they are.
            return [
                f"for each in {variable}:",
                [f"if type(each) is not {kind.items}:", [*by_method, "break"]],
                "else:",
                [f"{variable} = {variable}.copy()", *self._validation(number, variable, field)],
            ]
        if kind.convert is None and kind.check is None:
            return self._validation(number, variable, field)
        converting: Lines = [f"loaded = {fill(kind.convert or '$value', value=variable)}"]
        if kind.check is not None:
            converting += [f"if not ({fill(kind.check, value='loaded')}):", ["loaded = missing"]]
        by_itself: Lines = [f"loaded = load_field({number}, {variable}, data, index)"]
        return [
            "try:",
            converting,
            "except Exception:",
            ["loaded = missing"],
            *branches(
                ("loaded is missing", [*by_itself, *self._skips()]),
                (None, self._validation(number, "loaded", field)),
            ),
            f"{variable} = loaded",
        ]

    def _validation(self, number: int, variable: str, field: LoadFieldNode) -> Lines:
        call = f"validate_field({number}, {variable}, index)"
        if field.validated:
            return self._may_be_missing(call, variable)
        if field.kind.valid is None:
            return []
        return [
            "try:",
            [f"valid = {fill(field.kind.valid, value=variable)}"],
            "except Exception:",
            ["valid = False"],
            "if not valid:",
            [f"{variable} = {call}", *self._skips()],
        ]


def _any_value(variable: str, field: LoadFieldNode, accepted: Lines, by_method: Lines) -> Lines:
    """Return the lines for a kind that accepts everything but None and the missing object."""
    if field.none_stays:
        return branches(
            (f"{variable} is missing", by_method), (f"{variable} is not None", accepted)
        )
    refused = f"{variable} is None or {variable} is missing"
    return branches((refused, by_method), (None, accepted))
