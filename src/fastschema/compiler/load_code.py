"""From nodes to the functions that load rows.

Up to three functions are generated for a schema. This one is always there::

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
        return load_Album, None

``bind`` is called for each schema object; its arguments are all that belongs to that object and the
options that it loads with.

Most rows have every key and are right. Where finding that out is nothing but pure work, which
leaves no trace when it comes to nothing, it is tried first::

        def load_Album(data, index):
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
from operator import attrgetter
from typing import Any

from fastschema.compiler.nodes import LoadFieldNode, LoadNode, Slot, literal
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

LoadRows = Callable[[Iterable[Any], bool], list[Any]]
"""From rows, and whether error messages tell their index, to what their schema makes of each."""

BoundLoad = tuple[LoadRow, LoadRows | None]
"""What loads one row, and what loads many if that is another function."""

_COMMON_NAMES = (
    *("fields", "load_field", "load_own", "validate_field", "load_other", "take_unknown"),
    "partial",
)
_COMMON_SLOTS = [Slot(name, attrgetter(name)) for name in _COMMON_NAMES]
"""What every load brings."""
_FIXED_NAMES = frozenset(
    [
        *_COMMON_NAMES,
        *("bind", "data", "index", "rows", "is_indexed", "missing", "refuse", "set_value"),
        *("absent", "complete", "result", "results", "loaded", "valid"),
        *("key", "value", "each"),
    ]
)


def refuse() -> Any:
    """Raise, for a value that is not accepted.

    :raises ValueError: always
    """
    raise ValueError


def generate(node: LoadNode) -> GeneratedFunction:
    """Return the ``bind`` function of what loads the rows of a schema."""
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
        if self._is_display and self._has_own_keys and all(map(_is_pure, self._node.fields)):
            by_key = self._names.unique(f"{name}_by_key")
            many = self._names.unique(f"{name}_rows")
            functions: Lines = [
                f"def {by_key}(data, index):",
                self._by_key(),
                "",
                f"def {name}(data, index):",
                self._row(by_key),
                "",
                f"def {many}(rows, is_indexed):",
                self._rows(by_key),
            ]
        else:
            many = "None"
            functions = [f"def {name}(data, index):", self._by_key()]
        used = identifiers(text_of(functions))
        every_slot = (*_COMMON_SLOTS, *self._node.slots)
        slots = tuple([slot for slot in every_slot if slot.name in used])
        parameters = ", ".join([slot.name for slot in slots])
        lines: Lines = [f"def bind({parameters}):", [*functions, f"return {name}, {many}"]]
        return GeneratedFunction("bind", name, text_of(lines), self._objects, slots)

    def _row(self, by_key: str) -> Lines:
        """Return the body for a row that most often is as it should be."""
        as_it_should_be = self._as_it_should_be([f"return {self._display()}"])
        return [*as_it_should_be, f"return {by_key}(data, index)"]

    def _rows(self, by_key: str) -> Lines:
        """Return the body for many such rows."""
        index = "len(results) if is_indexed else None"
        return [
            "results = []",
            "for data in rows:",
            [
                *self._as_it_should_be([f"results.append({self._display()})", "continue"]),
                f"results.append({by_key}(data, {index}))",
            ],
            "return results",
        ]

    def _as_it_should_be(self, ending: Lines) -> Lines:
        """Return the lines for a row that has all keys, no others, and a right value for each.

        :param ending: those that follow when it is loaded
        """
        pairs = list(zip(self._variables, self._node.fields, strict=True))
        reading = [f"{variable} = data[{literal(field.key)}]" for variable, field in pairs]
        accepted = " and ".join(_accepts(*pair) for pair in pairs)
        converting = [line for pair in pairs for line in _converting(*pair)]
        return [
            f"if type(data) is dict and len(data) == {len(pairs)}:",
            [
                "try:",
                [*reading, f"if {accepted}:", [*converting, *ending]],
                "except Exception:",
                ["pass"],
            ],
        ]

    def _by_key(self) -> Lines:
        """Return the body for a row of which one key is looked at after the other."""
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
        """Return the lines for a key that is missing."""
        if field.own_default:
            return [f"{variable} = missing"]
        if field.default is None:
            return [f"{variable} = missing", *self._skips()]
        own = self._by_field(number, variable, "missing")
        return branches(("partial", own), (None, [f"{variable} = {field.default}"]))

    def _skips(self) -> Lines:
        return ["complete = False"] if self._is_display else []

    def _by_field(self, number: int, variable: str, value: str) -> Lines:
        """Return the lines that leave a value to the field's own method."""
        return [f"{variable} = load_field({number}, {value}, data, index)", *self._skips()]

    def _value(self, number: int, variable: str, field: LoadFieldNode) -> Lines:
        """Return the lines for a value that is there."""
        kind = field.kind
        own = self._by_field(number, variable, variable)
        if kind.call is not None:
            called = self._may_be_missing(kind.call.format(value=variable), variable)
            return _any_value(variable, field, called, own)
        if kind.load_slot is not None:
            loaded_there = self._may_be_missing(
                f"{kind.load_slot}({variable}, data, index)", variable
            )
            return branches((f"{variable} is not None" if field.none_stays else None, loaded_there))
        if field.reason is not None:
            call = f"load_field({number}, {variable}, data, index)"
            return self._may_be_missing(call, variable)
        accepted = self._accepted(number, variable, field, own)
        if kind.accepts is None:
            return _any_value(variable, field, accepted, own)
        accepts = kind.accepts.format(value=variable)
        if accepted:
            is_other = f"{variable} is not None" if field.none_stays else None
            return branches((accepts, accepted), (is_other, own))
        refused = f"not ({accepts})"
        if accepts.startswith(f"type({variable}) is ") and " or " not in accepts:
            refused = accepts.replace(" is ", " is not ", 1)
        if field.none_stays:
            refused += f" and {variable} is not None"
        return branches((refused, own))

    def _may_be_missing(self, call: str, variable: str) -> Lines:
        """Return the lines that call what may give the missing object."""
        return [f"{variable} = {call}", *branches((f"{variable} is missing", self._skips()))]

    def _accepted(self, number: int, variable: str, field: LoadFieldNode, own: Lines) -> Lines:
        """Return the lines for a value that is accepted."""
        kind = field.kind
        if kind.items is not None:
            # A list whose items stay as they are.
            return [
                f"for each in {variable}:",
                [f"if type(each) is not {kind.items}:", [*own, "break"]],
                "else:",
                [f"{variable} = {variable}.copy()", *self._validation(number, variable, field)],
            ]
        if kind.convert is None and kind.check is None:
            return self._validation(number, variable, field)
        converting: Lines = [f"loaded = {(kind.convert or '{value}').format(value=variable)}"]
        if kind.check is not None:
            converting += [f"if not ({kind.check.format(value='loaded')}):", ["loaded = missing"]]
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
        """Return the lines that validate what was converted."""
        call = f"validate_field({number}, {variable}, index)"
        if field.validated:
            return self._may_be_missing(call, variable)
        if field.kind.valid is None:
            return []
        return [
            "try:",
            [f"valid = {field.kind.valid.format(value=variable)}"],
            "except Exception:",
            ["valid = False"],
            "if not valid:",
            [f"{variable} = {call}", *self._skips()],
        ]


def _is_pure(field: LoadFieldNode) -> bool:
    """Return whether only generated code loads a right value, and doing it again costs little.

    Validators are asked once, be the rest of the row right or not.
    """
    kind = field.kind
    is_validated = field.validated or kind.valid is not None
    return field.reason is None and kind.load_slot is None and not is_validated


def _accepts(variable: str, field: LoadFieldNode) -> str:
    """Return the condition on a value that can be converted."""
    if field.kind.accepts is None:
        refused = f"{variable} is not missing"
        return refused if field.none_stays else f"{refused} and {variable} is not None"
    accepts = field.kind.accepts.format(value=variable)
    if field.none_stays:
        accepts += f" or {variable} is None"
    return f"({accepts})" if " or " in accepts else accepts


def _converting(variable: str, field: LoadFieldNode) -> Lines:
    """Return the lines that convert such a value, or raise if it turns out to be wrong."""
    kind = field.kind
    lines: Lines = []
    if kind.items is not None:
        lines = [
            f"for each in {variable}:",
            [f"if type(each) is not {kind.items}:", ["refuse()"]],
            f"{variable} = {variable}.copy()",
        ]
    elif kind.convert is not None:
        lines = [f"{variable} = {kind.convert.format(value=variable)}"]
    if kind.check is not None:
        lines += [f"if not ({kind.check.format(value=variable)}):", ["refuse()"]]
    return branches((f"{variable} is not None" if field.none_stays else None, lines))


def _any_value(variable: str, field: LoadFieldNode, accepted: Lines, own: Lines) -> Lines:
    """Return the lines for a kind that accepts everything but None and the missing object."""
    if field.none_stays:
        return branches((f"{variable} is missing", own), (f"{variable} is not None", accepted))
    refused = f"{variable} is None or {variable} is missing"
    return branches((refused, own), (None, accepted))
