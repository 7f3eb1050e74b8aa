"""Programs: what equal schemas share. A program is a node and the functions generated from it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, Protocol, TypeVar
from weakref import WeakSet

from fastschema.compiler import dump_code, dump_text_code, load_code
from fastschema.compiler.dump_code import DumpFunction
from fastschema.compiler.load_code import LoadFunction
from fastschema.compiler.nodes import Form, LoadNode, ObjectNode
from fastschema.locks import Locked
from fastschema.statistics import recorder

CACHE_SIZE = 1024
"""How many programs are kept at the most."""

MOST_DERIVED = 32
"""How many programs derived from one of them are kept."""

_programs = Locked()
"""Its lock is for all programs: they are made, and their functions generated, one at a time."""


class _Node(Protocol):
    """What a program is made of: a name, and nodes of fields with their reasons."""

    @property
    def name(self) -> str: ...

    @property
    def fields(self) -> tuple[Any, ...]: ...


Node = TypeVar("Node", bound=_Node)
Function = TypeVar("Function")


class Holder(Protocol):
    """What holds a program longer than a dump or a load takes."""

    def forget(self) -> None:
        """Let go of its programs; it finds them again when it needs them."""
        ...


class Program(Generic[Node, Function]):
    """The functions generated from one node. Shared by all schemas that read as that node.

    It holds nothing of a schema instance, a request or a dump; a binding brings those. Functions
    are generated when first needed; safe to use from many threads at once.

    :param node: the node
    :param generate: makes a function of it
    """

    def __init__(self, node: Node, generate: Callable[..., Function]) -> None:
        self.node: Node = node
        self.stock_fields = sum(field.reason is not None for field in node.fields)
        self.compiled_fields = len(node.fields) - self.stock_fields
        self.counts = (self.compiled_fields, self.stock_fields)
        self.last_used = 0
        self._holders: WeakSet[Holder] = WeakSet()
        self._generate: Callable[..., Function] = generate
        self._functions: dict[tuple[object, ...], Function] = {}
        self._derived: dict[Hashable, Program[Node, Function]] = {}

    def hold(self, holder: Holder) -> None:
        """Tell the holder to let go of the program when it has no place in the cache any more."""
        with _programs.lock:
            self._holders.add(holder)

    def drop(self) -> None:
        """Let all holders let go of it."""
        for holder in list(self._holders):
            holder.forget()

    def function(self, *variant: object) -> Function:
        """The generated ``bind`` function.

        :param variant: what else its generator takes: for a dump the form, the way of access, and
            whether it is for many rows
        """
        function = self._functions.get(variant)
        if function is None:
            with _programs.lock:
                function = self._functions.get(variant)
                if function is None:
                    function = self._functions[variant] = self._generate(self.node, *variant)
        return function

    def derived(self, key: Hashable, change: Callable[[Node], Node]) -> Program[Node, Function]:
        """The program of a node that is made from this one, made once.

        :param key: what ``change`` depends on
        :param change: makes the node
        """
        program = self._derived.get(key)
        if program is None:
            with _programs.lock:
                program = self._derived.get(key)
                if program is None:
                    if len(self._derived) >= MOST_DERIVED:
                        self._derived.clear()
                    program = Program(change(self.node), self._generate)
                    self._derived[key] = program
        return program


DumpProgram = Program[ObjectNode, DumpFunction]
LoadProgram = Program[LoadNode, LoadFunction]


def dump_program(node: ObjectNode) -> DumpProgram:
    """The program of a schema that dumps."""
    return Program(node, _dump_function)


def _dump_function(node: ObjectNode, form: Form, access: str, many: bool) -> DumpFunction:
    if form is Form.TEXT:
        return dump_text_code.generate(node, access, many)
    return dump_code.generate(node, form, access, many)


def load_program(node: LoadNode) -> LoadProgram:
    """The program of a schema that loads."""
    return Program(node, load_code.generate)


AnyProgram = TypeVar("AnyProgram", bound=Program[Any, Any])


class ProgramCache:
    """From what a schema reads as to its program; those unused for longest make room for new ones.

    The key is the whole description of the schema: equal schemas share a program, and one that was
    changed in any way finds (or makes) another. Nothing in a key or a program refers to a user's
    schema class, so throw-away classes die as they would in stock. When a program has to make room,
    whoever holds it lets go of it, so that the programs of classes that live on do not add up.

    :param size: how many programs to keep
    """

    def __init__(self, size: int = CACHE_SIZE) -> None:
        self._size = size
        self._programs: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._programs)

    def get(self, description: Hashable, make: Callable[[], AnyProgram]) -> AnyProgram:
        """The program for a description, made if there is none yet.

        :raises TypeError: if the description cannot be hashed
        """
        program: AnyProgram | None = self._programs.get(description)
        if program is None:
            with _programs.lock:
                program = self._programs.get(description)
                if program is None:
                    program = make()
                    recorder.plan_made(program.node.name)
                    self._make_room()
                    self._programs[description] = program
        self.used(program)
        return program

    def used(self, program: Program[Any, Any]) -> None:
        """A program is used."""
        program.last_used = recorder.plan_used()

    def _make_room(self) -> None:
        if len(self._programs) < self._size:
            return
        oldest = sorted(self._programs, key=lambda key: self._programs[key].last_used)
        for key in oldest[: max(1, self._size // 4)]:
            self._programs.pop(key).drop()


programs = ProgramCache()
