"""Knowing a schema again: does it still read as it did, and as which program?

Describing a schema anew for each dump is exact, and too slow for a single object. So whoever
describes a schema looks at it through a :class:`~fastschema.look.Look`, which writes down all that
was seen as conditions: the class of a field, the value of an attribute, the function behind a
method. The second time that schemas of a class read as the same program, the conditions are
compiled into one function. While they hold, the description would be the same, so it need not be
made. Conditions that fail cost a description, nothing else.

Of a schema that is used again, what was recognized is kept (:class:`Kept`). Where writes to its
fields are noticed, their attributes are not asked for again until there is one; everything else is.
Keeping takes longer than recognizing, and ends when garbage is collected: what was of little use is
kept later the next time.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, ClassVar, Generic

from fastschema import garbage
from fastschema.cache import AnyProgram, programs
from fastschema.facts import NO_FACTS, Facts
from fastschema.nodes import UnreadableError
from fastschema.source import GeneratedFunction
from fastschema.unchanged import Unchanged
from fastschema.writes import writes

_PROGRAMS_OF_A_CLASS = 4
_LEARNT_FROM = 16
_USAGES_OF_A_CLASS = 8
_MOST_KEPT = 1024
_MOST_WATCHED = 32 * _MOST_KEPT
_LONGEST_PATIENCE = 32
_WORTH_KEEPING = 8  # uses, after which it has cost less than it has saved
_LONGEST_IDLE = 8  # periods between two collections of garbage


class _Conditions:
    """How to recognize the schemas that read as a program."""

    __slots__ = ("_facts", "_field_count", "_keep", "_title", "recognize")

    def __init__(self, facts: Facts, title: str, field_count: int) -> None:
        self.recognize = facts.compile(title, field_count).function
        self._facts = facts
        self._title = title
        self._field_count = field_count
        self._keep: GeneratedFunction | None = None

    def keep(
        self,
        schema: Any,
        program: Any,
        fields: list[Any],
        ids: set[int],
        before: Kept | None,
        usage: Usage,
    ) -> Kept:
        """What is kept of a schema that was recognized.

        :param program: what it reads as
        :param ids: those of the objects that were watched when it was recognized
        :param before: what was kept of it until now, whose objects are among them
        :param usage: how it is used
        """
        if self._keep is None:
            self._keep = self._facts.compile_kept(self._title, self._field_count)
        watched = self._facts.watched(fields)
        kept = Kept(schema, program, fields, watched, usage)
        if self._keep is None or not writes.are_noticed(watched):
            return kept
        if before is None or not _are_same(watched, before.watched):
            ids = writes.watched
            ids.update(map(id, watched))
            # It may have been written to before it was watched.
            if not self.recognize(schema, fields):
                return kept
        stays, unchanged = self._keep.function(schema, fields)
        if _are_same(watched, self._facts.watched(fields)):
            kept.ids, kept.stays, kept.unchanged = ids, stays, unchanged
        return kept


def _are_same(some: list[Any], others: list[Any]) -> bool:
    return [*map(id, some)] == [*map(id, others)]


def _never() -> bool:
    return False


_NOTHING = Unchanged()


class Kept:
    """What is kept of one schema: it reads as it did while no write is noticed, and ``holds()``.

    Until those are set that is never so.

    :param schema: the schema, which is alive as long as this
    :param program: what it reads as
    :param fields: its fields, in the order of dumping or loading
    :param watched: the objects to which writes are noticed
    :param usage: how the schema is used
    """

    __slots__ = (
        "_gains_before",
        "_idle",
        "fields",
        "ids",
        "program",
        "schema",
        "stays",
        "unchanged",
        "usage",
        "waiting",
        "watched",
    )

    def __init__(
        self, schema: Any, program: Any, fields: list[Any], watched: list[Any], usage: Usage
    ) -> None:
        self.schema = schema
        self.program = program
        self.fields = fields
        self.watched = watched
        self.usage = usage
        usage.gains = 0
        self._gains_before = 1  # the use for which it is kept
        self._idle = 0
        self.ids: set[int] = set()
        """The ids of all objects that are watched; after a write those are another set."""
        self.stays: Callable[[], bool] = _never
        """Says whether it is what its class and its attributes make it, and all else is as it was
        that neither writes nor numbers tell."""
        self.unchanged = _NOTHING
        """Says whether its fields are the same, and what else classes and dictionaries decide."""
        self.waiting: list[Any] = []
        """What was made for uses of the schema that are over; see :mod:`fastschema.reuse`."""

    def reads_as(self, program: Any, fields: list[Any]) -> bool:
        """Whether this is kept of the schema as somebody has read it, shortly before."""
        return self.program is program and _are_same(self.fields, fields)

    def holds(self) -> bool:
        """Whether all is as it was that is not noticed."""
        return self.stays() and self.unchanged.hold()

    def is_idle(self) -> bool:
        """Whether it was of no use for too long; asked once in each period."""
        gains = self.usage.gains
        if gains > self._gains_before:
            self._gains_before = gains
            self._idle = 0
            return False
        self._idle += 1
        return gains < _WORTH_KEEPING or self._idle > _LONGEST_IDLE


class Usage:
    """How one schema is used, and whether it had better be kept.

    :param schema: the schema, which does not live on in here
    :param period: the period, between two collections of garbage, in which it is used
    """

    __slots__ = ("_patience", "_period", "_uses", "gains", "schema")

    def __init__(self, schema: Any, period: int) -> None:
        self.schema = weakref.ref(schema)
        self._period = period
        self._patience = 1
        self._uses = 1
        self.gains = 0
        """How often it was of use that the schema was kept, since it was."""

    def is_frequent(self, period: int) -> bool:
        """Whether the schema is used again and again; count this use."""
        if period > self._period + _LONGEST_IDLE:
            self._uses = 0
        self._period = period
        self._uses += 1
        return self._uses > self._patience

    def end(self) -> None:
        """The schema is not kept any longer: if that was of little use, wait longer next time."""
        is_worth_it = self.gains >= _WORTH_KEEPING
        self._patience = 1 if is_worth_it else min(2 * self._patience, _LONGEST_PATIENCE)
        self._uses = 0


class _Known:
    """What schemas of one class were seen to read as, and how to recognize it."""

    __slots__ = ("cls", "descriptions", "programs", "usages")

    def __init__(self, cls: type, known: dict[int, _Known]) -> None:
        key = id(cls)
        self.cls = weakref.ref(cls, lambda _: known.pop(key, None))
        self.descriptions = 0
        self.programs: list[tuple[Any, _Conditions | None]] = []
        # The schemas that were recognized last, by their ids.
        self.usages: dict[int, Usage] = {}

    def frequent_usage(self, schema: Any, period: int) -> Usage | None:
        """How a schema is used, if it is so again and again; count this use."""
        key = id(schema)
        usage = self.usages.get(key)
        if usage is not None and usage.schema() is schema:
            return usage if usage.is_frequent(period) else None
        if len(self.usages) >= _USAGES_OF_A_CLASS:
            self.usages = {}
        self.usages[key] = Usage(schema, period)
        return None


class Recognizer(Generic[AnyProgram]):
    """Which program a schema reads as, if it is like one of its class seen before.

    :param missing: the object that stands for "no value" in the framework
    :param its_fields: the attribute of a schema that is the dictionary of its fields, in the order
        of dumping or loading; None if no schema is to be kept
    :param watchable: the class of the fields that may tell of writes to them
    """

    _all: ClassVar[list[Recognizer[Any]]] = []
    _period: ClassVar[int] = 0

    def __init__(
        self,
        missing: object = None,
        its_fields: str | None = None,
        watchable: type | tuple[()] = (),
    ) -> None:
        self._new_facts = partial(Facts, missing, watchable, its_fields)
        self._keeps = its_fields is not None and garbage.ARE_COLLECTIONS_TOLD
        self._all.append(self)
        # By the id of a class: a WeakKeyDictionary would take as long as all the rest.
        self._known: dict[int, _Known] = {}
        self.all_kept: dict[int, Kept] = {}
        """What is kept of schemas, which may not read as they did, by their ids.

        They are alive as long as they are kept.
        """

    @classmethod
    def forget_everything(cls) -> None:
        """What descriptions depend on has changed: all schemas must be described anew."""
        for recognizer in cls._all:
            recognizer._known.clear()
        cls.let_go()

    @classmethod
    def let_go(cls) -> None:
        """Keep no schema any longer."""
        writes.watched = set()  # which ends it at once, for all threads
        for recognizer in cls._all:
            dropped: dict[int, Kept] = recognizer.all_kept
            recognizer.all_kept = {}
            for each in [*dropped.values()]:
                each.usage.end()

    @classmethod
    def let_go_of_idle(cls) -> None:
        """Keep no schema any longer that was of no use lately."""
        if len(writes.watched) > _MOST_WATCHED:
            cls.let_go()
        for recognizer in cls._all:
            everything: dict[int, Kept] = recognizer.all_kept
            for key, each in [*everything.items()]:
                # Its fields stay watched, so that the other schemas need not be kept anew.
                if each.is_idle():
                    everything.pop(key, None)
                    each.usage.end()

    @classmethod
    def garbage_is_collected(cls, is_full: bool) -> None:
        """Let go of schemas before the garbage collector looks for those that nobody else has.

        :param is_full: whether it looks at all objects, or only at those that are not old
        """
        Recognizer._period += 1
        if is_full:
            cls.let_go()
        else:
            cls.let_go_of_idle()

    def read(
        self,
        schema: Any,
        fields: list[Any],
        describe: Callable[[Any, Facts], Hashable],
        make: Callable[[Any], AnyProgram],
    ) -> AnyProgram:
        """The program that a schema reads as.

        :param fields: the schema's fields, in the order of dumping or loading
        :param describe: from the schema to all that generated code depends on, as plain values
        :param make: from that description, and nothing else, to the program
        :raises UnreadableError: if the schema cannot be compiled
        """
        program = self.recognize(schema, fields)
        if program is not None:
            programs.used(program)
            return program
        facts = self.facts(schema)
        try:
            description = describe(schema, facts)
            program = programs.get(description, lambda: make(description))
        except UnreadableError:
            raise
        except Exception as error:
            raise UnreadableError(f"it cannot be read: {error}") from error
        self.learn(schema, fields, facts, program)
        return program

    def kept(self, schema: Any) -> Kept | None:
        """What is kept of a schema, if it still reads as it did."""
        kept = self.all_kept.get(id(schema))
        if kept is not None and kept.ids is writes.watched and kept.holds():
            kept.usage.gains += 1
            return kept
        return None

    def recognize(self, schema: Any, fields: list[Any]) -> AnyProgram | None:
        """The program, or None if a description must tell."""
        kept = self.kept(schema)
        if kept is not None and _are_same(kept.fields, fields):
            return kept.program  # type: ignore[no-any-return]  # of this recognizer's making
        cls = type(schema)
        known = self._known.get(id(cls))
        if known is None or known.cls() is not cls:
            return None
        ids = writes.watched
        before = self.all_kept.get(id(schema))
        if before is not None:
            ids.update(map(id, before.watched))
        for program, conditions in known.programs:
            if conditions is not None and conditions.recognize(schema, fields):
                if self._keeps and writes.are_told:
                    usage = known.frequent_usage(schema, self._period)
                    if usage is not None:
                        self._keep(schema, fields, program, conditions, ids, before, usage)
                return program  # type: ignore[no-any-return]  # of this recognizer's making
        return None

    def _keep(
        self,
        schema: Any,
        fields: list[Any],
        program: Any,
        conditions: _Conditions,
        ids: set[int],
        before: Kept | None,
        usage: Usage,
    ) -> None:
        if len(self.all_kept) >= _MOST_KEPT:
            self.let_go()
        garbage.tell(self.garbage_is_collected)
        if before is not None:
            usage.end()
        everything = self.all_kept
        everything[id(schema)] = conditions.keep(schema, program, fields, ids, before, usage)

    def facts(self, schema: Any) -> Facts:
        """Where to write down what is seen; a waste basket once the class was described often.

        A class whose schemas differ each time (or in ways that identity does not see as equal) is
        described each time, and no longer learnt.
        """
        cls = type(schema)
        known = self._known.get(id(cls))
        if known is None or known.cls() is not cls:
            known = self._known[id(cls)] = _Known(cls, self._known)
        known.descriptions += 1
        return self._new_facts() if known.descriptions <= _LEARNT_FROM else NO_FACTS

    def learn(self, schema: Any, fields: list[Any], facts: Facts, program: AnyProgram) -> None:
        """A description told that the schema reads as a program."""
        if facts is NO_FACTS:
            return
        known = self._known.get(id(type(schema)))
        if known is None:
            return  # everything was forgotten meanwhile
        for position, (each, conditions) in enumerate(known.programs):
            if each is program:
                if conditions is None:
                    conditions = _Conditions(facts, program.node.name, len(fields))
                    known.programs[position] = (program, conditions)
                return
        if len(known.programs) < _PROGRAMS_OF_A_CLASS:
            known.programs.append((program, None))
