"""Programs: a node and the functions generated from it, shared by equal schemas.

A description is a tuple: the function that makes the kind of the node, then its options. It holds
all that the generated code depends on, and so is the key to the cache of programs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from fastschema.compiler import dump_code, load_code
from fastschema.compiler.nodes import LoadNode, ObjectNode
from fastschema.compiler.source import GeneratedFunction
from fastschema.runtime.patching import stock_of
from fastschema.runtime.registration import registered
from fastschema.runtime.statistics import recorder

CACHE_SIZE = 1024
"""How many programs are kept at the most."""

MOST_DERIVED = 32
"""How many programs derived from one of them are kept."""


class _Node(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def fields(self) -> tuple[Any, ...]: ...


Node = TypeVar("Node", bound=_Node)
Function = TypeVar("Function")


class Program(Generic[Node, Function]):
    """The functions generated from one node. Shared by all schemas that read as that node.

    It holds nothing of a schema instance, a request or a dump; a bound program brings those.
    Functions are generated when first needed. Of those that threads generate at once, one stays.
    """

    def __init__(self, node: Node, generate: Callable[..., Function]) -> None:
        self.node: Node = node
        stock_fields = sum(field.reason is not None for field in node.fields)
        self.counts = (len(node.fields) - stock_fields, stock_fields)
        self._generate: Callable[..., Function] = generate
        self._functions: dict[tuple[object, ...], Function] = {}
        self._derived: dict[Hashable, Program[Node, Function]] = {}

    def generated(self, *variant: object) -> Function:
        """Return the generated ``bind`` function for a variant, made when it is first needed."""
        function = self._functions.get(variant)
        if function is None:
            function = self._functions.setdefault(variant, self._generate(self.node, *variant))
        return function

    def derived(self, key: Hashable, change: Callable[[Node], Node]) -> Program[Node, Function]:
        """Return the program of a node that ``change`` makes from this one, once for each key."""
        program = self._derived.get(key)
        if program is None:
            if len(self._derived) >= MOST_DERIVED:
                self._derived.clear()
            program = self._derived.setdefault(key, Program(change(self.node), self._generate))
        return program


DumpProgram = Program[ObjectNode, GeneratedFunction]
LoadProgram = Program[LoadNode, GeneratedFunction]


def dump_program(node: ObjectNode) -> DumpProgram:
    return Program(node, dump_code.generate)


def load_program(node: LoadNode) -> LoadProgram:
    return Program(node, load_code.generate)


AnyProgram = TypeVar("AnyProgram", bound=Program[Any, Any])


class ProgramCache:
    """From the description of a schema to its program; when it is full, the oldest quarter goes.

    Nothing in a key or a program refers to a user's schema class, so throw-away classes die as they
    would in stock. A program that goes lives on with the classes and schemas that hold it.
    """

    def __init__(self, size: int = CACHE_SIZE) -> None:
        self._size = size
        self._programs: dict[Hashable, Any] = {}

    def __len__(self) -> int:
        return len(self._programs)

    def get(self, description: Hashable, make: Callable[[], AnyProgram]) -> AnyProgram:
        program: AnyProgram | None = self._programs.get(description)
        if program is None:
            new = make()
            self._make_room()
            program = self._programs.setdefault(description, new)
            if program is new:  # else another thread was first
                recorder.program_made(program.node.name)
        recorder.program_used()
        return program

    def _make_room(self) -> None:
        if len(self._programs) >= self._size:
            for key in list(self._programs)[: max(1, self._size // 4)]:
                self._programs.pop(key, None)


programs = ProgramCache()


Description = tuple[Any, ...]
"""What makes a kind, then its options; or :data:`OWN_METHOD`, then the reason."""

Rule = Callable[[Any], Description]
"""From a field to the description of what is done to its value."""

OWN_METHOD = "own method"

_DEEPEST = 10
"""How deep descriptions may be inside of each other; Python may refuse code for more."""


def own_method(reason: str) -> Description:
    return (OWN_METHOD, reason)


def method_of(field: Any, name: str) -> Any:
    """Return the function behind a method of a field; None if the field object has its own."""
    return None if name in vars(field) else stock_of(getattr(type(field), name, None))


def methods_of(field: Any, name: str, root: type) -> tuple[Any, ...]:
    """Return the functions behind a method and the ``super()`` calls in it, in their order.

    Empty if the field object has one of its own. The one of ``root`` makes no such call.
    """
    if name in vars(field):
        return ()
    mro = type(field).__mro__
    bases = mro[: mro.index(root) + 1]
    return tuple([stock_of(getattr(base, name)) for base in bases if name in vars(base)])


def always(kind: Any) -> Rule:
    return lambda field: (kind,)


def rule_for(method: Any, rules: Mapping[Any, Rule]) -> Rule | None:
    """Return the rule for a method that dumps: what users have registered, or one of ours."""
    return always(registered[method]) if method in registered else rules.get(method)


def describe_by_rule(field: Any, method: Any, rule: Rule | None, method_name: str) -> Description:
    """Return the description of a field by the rule for the method that stock would call."""
    if rule is None:
        name = getattr(method, "__qualname__", f"its {method_name}")
        return own_method(f"fastschema cannot compile {name}")
    try:
        description = rule(field)
        if is_too_deep(description):
            return own_method("fields so deep inside of others are not compiled")
        return description
    except (RecursionError, MemoryError):
        raise  # of this moment, not of the field: it may be read the next time
    except Exception as error:
        return own_method(f"its options cannot be read: {error}")


def is_too_deep(description: Description, depth: int = 0) -> bool:
    return depth > _DEEPEST or any(
        is_too_deep(part, depth + 1) for part in description if type(part) is tuple
    )


def reason_of(description: Description) -> str | None:
    """Return why a field, or a field inside of it, runs as stock; None if it is compiled."""
    if description and description[0] == OWN_METHOD:
        return str(description[1])
    inner = [part for part in description if isinstance(part, tuple)]
    return next((reason for part in inner if (reason := reason_of(part))), None)


def tell_booleans(truthy: Any, falsy: Any) -> bool:
    return True in truthy and False in falsy and False not in truthy
