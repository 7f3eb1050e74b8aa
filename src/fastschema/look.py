"""Looking at a schema and its fields, so that all that was seen is written down as facts."""

from __future__ import annotations

from typing import Any

from fastschema.facts import SCHEMA_CLASS, Facts

_DEEPEST = 10
_PLAIN_CLASSES = (type(None), int, float, str, bytes, list, tuple, dict, set, frozenset)


class Look:
    """Looks at a field (or a schema) and writes down what it sees.

    :param target: the field
    :param path: how the function finds it
    :param facts: where to write
    :param is_fixed: whether the target stays at its path until a write is noticed
    """

    __slots__ = ("_class_path", "_is_watched", "cls", "facts", "path", "target")

    def __init__(self, target: Any, path: str, facts: Facts, *, is_fixed: bool = True) -> None:
        self.target = target
        self.path = path
        self.facts = facts
        self.cls = type(target)
        self._class_path = facts.name(self.cls)
        self._is_watched = is_fixed and isinstance(target, facts.watchable)
        facts.add(f"type({path}) is {self._class_path}", is_noticed=self._is_watched)
        if self._is_watched:
            facts.watch(path, self._class_path)
        elif isinstance(target, facts.watchable):
            facts.same(path)

    @classmethod
    def at_schema(cls, schema: Any, facts: Facts) -> Look:
        """A look at the schema itself, whose class is known where its conditions are kept."""
        look = cls.__new__(cls)
        look.target, look.path, look.facts = schema, "schema", facts
        look._is_watched = False
        look.cls, look._class_path = type(schema), SCHEMA_CLASS
        return look

    def get(self, attribute: str) -> Any:
        """The value of an attribute. Only for values that cannot be changed in place."""
        value = self._read(attribute)
        condition = f"{self.path}.{attribute} is {self._constant(value)}"
        self.facts.add(condition, is_noticed=self._is_noticed(attribute))
        return value

    def method(self, name: str) -> Any:
        """The function behind a method; None if the instance has one of its own."""
        function = getattr(self.cls, name, None)
        self.facts.class_attribute(self._class_path, name, function)
        if name in vars(self.target):
            self.facts.add("False")  # not worth knowing again
            return None
        self.facts.not_own(self.path, name)
        return function

    def chain(self, name: str, root: type) -> tuple[Any, ...]:
        """The functions behind a method and behind each ``super()`` call in it, in that order.

        Empty if the instance has one of its own.

        :param root: a base of the class, whose function makes no such call
        """
        if self.method(name) is None:
            return ()
        order = self.cls.__mro__[: self.cls.__mro__.index(root) + 1]
        bases = [base for base in order if name in vars(base)]
        # The first of them is the method itself.
        for base in order[order.index(bases[0]) + 1 : order.index(bases[-1]) + 1]:
            path = self.facts.name(base)
            if base in bases:
                self.facts.class_attribute(path, name, getattr(base, name))
            else:
                self.facts.not_defined(path, name)
        return tuple([getattr(base, name) for base in bases])

    def constant(self, name: str) -> Any:
        """An attribute that the class has for its instances."""
        if name in vars(self.target):
            self.facts.add("False")  # not worth knowing again
            return getattr(self.target, name)
        self.facts.not_own(self.path, name)
        return self.on_class(name)

    def item(self, name: str, key: Any) -> Any:
        """What a mapping, which the class has for its instances, has for a key; None if nothing."""
        mapping = self.constant(name)
        value = mapping.get(key)
        self.facts.item(mapping, self._constant(key), self._constant(value))
        return value

    def on_class(self, name: str) -> Any:
        """An attribute of the class, of which instances have none of their own."""
        value = getattr(self.cls, name, None)
        self.facts.class_attribute(self._class_path, name, value)
        return value

    def note(self, condition: str, result: bool, of: str | None = None) -> bool:
        """Write down that a condition on ``{it}``, the target, has this result, and return it.

        :param of: the attribute on whose identity alone it depends
        """
        text = condition.format(it=self.path)
        is_noticed = of is not None and self._is_noticed(of)
        if of is not None:
            self._look_for_code(of)
        self.facts.add(text if result else f"not {text}", is_noticed=is_noticed)
        return result

    def is_true(self, attribute: str) -> bool:
        """Whether the value of an attribute is true."""
        value = self._read(attribute)
        if type(value) is bool:
            self.note(f"{{it}}.{attribute} is {value}", True, attribute)
            return value
        if type(value) not in _PLAIN_CLASSES:
            self.facts.may_run_code()
        return not self.note(f"(not {{it}}.{attribute})", not value)

    def is_empty(self, attribute: str) -> bool:
        """Whether a collection is empty."""
        values = self._read(attribute)
        if type(values) not in _PLAIN_CLASSES:
            self.facts.may_run_code()
        if values:
            self.facts.add(f"{self.path}.{attribute}")
            return False
        self.facts.empty(f"{self.path}.{attribute}", is_noticed=self._is_noticed(attribute))
        return True

    def matches(self, expression: str, value: object, **names: object) -> None:
        """Write down that an expression on ``{it}``, the target, gives this very value.

        :param names: the objects that the expression names, each as ``{name}``
        """
        bound = {key: self.facts.name(each) for key, each in names.items()}
        text = expression.format(it=self.path, **bound)
        self.facts.add(f"{text} is {self._constant(value)}")

    def within(self, attribute: str) -> Look:
        """A look at a field inside of the field."""
        return Look(
            self._read(attribute),
            f"{self.path}.{attribute}",
            self.facts,
            is_fixed=self._is_noticed(attribute),
        )

    def at(self, attribute: str, index: int) -> Look:
        """A look at one of the objects in a list of the field's."""
        target = self._read(attribute)[index]
        return Look(target, f"{self.path}.{attribute}[{index}]", self.facts, is_fixed=False)

    @property
    def is_deep(self) -> bool:
        """Whether the field is so deep inside of others that Python may refuse code for it."""
        return self.path.count(".") > _DEEPEST

    def _read(self, attribute: str) -> Any:
        self._look_for_code(attribute)
        return getattr(self.target, attribute)

    def _look_for_code(self, attribute: str) -> None:
        """Write down if reading an attribute may run code of the user's."""
        for base in self.cls.__mro__:
            if hasattr(base.__dict__.get(attribute), "__get__"):
                self.facts.may_run_code()

    def _is_noticed(self, attribute: str) -> bool:
        """Whether the value of an attribute stays the same until a write is noticed."""
        is_noticed = (
            self._is_watched
            and attribute in vars(self.target)
            and not any(attribute in vars(base) for base in self.cls.__mro__)
        )
        if is_noticed:
            self.facts.own(self._class_path, attribute)
        return is_noticed

    def _constant(self, value: Any) -> str:
        return repr(value) if value is None or type(value) is bool else self.facts.name(value)
