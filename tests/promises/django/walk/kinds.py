"""The kinds of serializers: what their classes have of their own, and at which depth.

All of them represent guests (``models.py``): a guest has a town, and has visited some; a town has
a land.
"""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable
from contextlib import ExitStack
from types import ModuleType
from typing import Any
from unittest import mock

from django.utils.functional import cached_property
from rest_framework import serializers

from tests.promises.django.walk.models import Guest, Land, Town

LOG: list[Any] = []
"""The calls of users' code."""
GUESTS: list[Guest] = []
"""Those of the database, with all that belongs to them; the last one has visited no town."""
MODULE = "tests.promises.django.walk.made"


# What users' classes have of their own


class Noting(serializers.CharField):
    """A field of a user's own."""

    def to_representation(self, value):
        self.times = getattr(self, "times", 0) + 1
        LOG.append((self.field_name, type(self.parent).__name__, self.context.get("user"), value))
        return super().to_representation(value).upper()

    def to_internal_value(self, data):
        LOG.append(("input", self.field_name, self.context.get("user"), data))
        return super().to_internal_value(data)


class Popping:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        LOG.append("__init__")
        self.fields.pop("name", None)


class Choosing:
    """Chooses fields by what is asked for, as many mixins do."""

    def __init__(self, *args, fields=("name", "town", "visited"), **kwargs):
        super().__init__(*args, **kwargs)
        for name in set(self.fields) - set(fields):
            self.fields.pop(name)


class Getting:
    added_class: Any

    def get_fields(self):
        LOG.append(("get_fields", self.context.get("user")))
        fields = super().get_fields()
        fields["copied"] = self.added_class(source="name", read_only=True)
        fields.pop("name", None)
        return fields


class Keeping:
    @cached_property
    def fields(self):
        LOG.append("fields")
        fields = super().fields
        fields.pop("name", None)
        return fields


class KeepingAsPython:
    @functools.cached_property
    def fields(self):
        LOG.append("fields")
        fields = copy.copy(serializers.Serializer.fields.func(self))
        fields.pop("name", None)
        return fields


class Computing:
    @property
    def fields(self):
        LOG.append("fields")
        return super().fields


class Representing:
    def to_representation(self, instance):
        LOG.append("to_representation")
        return {**super().to_representation(instance), "names": list(self.fields)}


class Repeating:
    """Changes a field between two rows."""

    def to_representation(self, instance):
        shown = super().to_representation(instance)
        self.fields["name"].source_attrs = ["pk"]
        return shown


class Validating:
    def validate_name(self, value):
        LOG.append(("validate_name", value))
        return value[::-1]

    def validate(self, attrs):
        LOG.append(("validate", list(attrs)))
        return attrs

    def to_internal_value(self, data):
        return super().to_internal_value({**data, "age": 5})


class Looking(serializers.Serializer):
    looking = serializers.SerializerMethodField()

    def get_looking(self, obj):
        LOG.append(("get_looking", self.context.get("user")))
        return [list(self.fields), self.fields["name"].label]


class Removing(serializers.Serializer):
    """A method field that comes first, and takes fields from what is nested."""

    removing = serializers.SerializerMethodField()

    def get_removing(self, obj):
        for field in self.fields.values():
            nested = getattr(field, "child", field)
            if isinstance(nested, serializers.Serializer):
                nested.fields.pop("name", None)
        return True


class Asking(serializers.Serializer):
    """A method field that represents by another serializer of a class that is nested, too."""

    asked = serializers.SerializerMethodField()

    def get_asked(self, obj):
        town = type(self.fields["town"])
        return [town(obj.town, context=self.context).data, town(many=True).to_representation([])]


class AskingList(serializers.ListSerializer):
    """A list serializer that asks its child for each row."""

    def to_representation(self, data):
        LOG.append("list")
        rows = data.all() if hasattr(data, "all") else data
        return [self.child.to_representation(row) for row in rows]


class WrappingList(serializers.ListSerializer):
    def to_representation(self, data):
        LOG.append("list")
        return [{"row": row} for row in super().to_representation(data)]


# What a walk is about

FIELDS = {
    "age": lambda: serializers.IntegerField(allow_null=True, required=False),
    "size": lambda: serializers.IntegerField(allow_null=True, required=False),
    "code": lambda: serializers.CharField(max_length=3),
    "time": lambda: serializers.DateTimeField(required=False),
}


class Classes:
    """The classes of one walk: the outermost one, what is nested in it, and in that.

    :param outer: what the outermost one inherits from besides; ``inner``, ``deep``: the others
    :param list_class: of their list serializers
    :param text: the class of the fields for names
    :param of_models: whether they are model serializers
    :param depth: of one that makes what is nested by itself
    """

    def __init__(
        self,
        *,
        outer: type = object,
        inner: type = object,
        deep: type = object,
        list_class: type | None = None,
        text: type = serializers.CharField,
        of_models: bool = False,
        depth: int | None = None,
    ) -> None:
        self.text = type("Text", (text,), {"__module__": MODULE})
        self.added = type("Added", (serializers.CharField,), {"__module__": MODULE})
        self._base = serializers.ModelSerializer if of_models or depth else serializers.Serializer
        self._options = {} if list_class is None else {"list_serializer_class": list_class}
        if depth is not None:
            self._options["depth"] = depth
        self.deep: Any = self._new("Deep", Land, deep, ["name", "code"], {})
        nested = {} if depth else {"land": self.deep()}
        self.inner: Any = self._new("Inner", Town, inner, ["name", "size", "land"], nested)
        nested = {} if depth else {"town": self.inner(), "visited": self.inner(many=True)}
        names = ["name", "age", "time", "town", "visited"]
        self.outer: Any = self._new("Outer", Guest, outer, names, nested)

    def _new(
        self, name: str, model: type, custom: type, names: list[str], nested: dict[str, Any]
    ) -> type:
        names = [*names, *getattr(custom, "_declared_fields", {})]
        meta = type("Meta", (), {"model": model, "fields": names, **self._options})
        declared = {"added_class": self.added, "name": self.text(max_length=20), **nested}
        if self._base is serializers.Serializer:
            declared |= {name: FIELDS[name]() for name in names if name in FIELDS}
        bases = (self._base,) if custom is object else (custom, self._base)
        return type(self._base)(name, bases, {"__module__": MODULE, "Meta": meta, **declared})


class Subject:
    """Serializers of one set of classes: one that is kept, and those made for a request.

    :param undo: what is done when the walk is over
    :param is_in_module: whether a module holds the classes
    :param is_of_own_class: whether each serializer is of a class of its own
    :param arguments: of each serializer
    """

    def __init__(
        self,
        undo: ExitStack,
        *,
        is_in_module: bool = True,
        is_of_own_class: bool = False,
        arguments: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.classes = Classes(**options)
        self._is_of_own_class = is_of_own_class
        self._arguments = arguments or {}
        self._replaced: list[tuple[type, str, Any]] = []
        self.undo = undo
        undo.callback(self.put_back)
        if is_in_module:
            module: Any = ModuleType(MODULE)
            vars(module).update({cls.__name__: cls for cls in self.levels.values()})
            module.Text = self.classes.text
            undo.enter_context(mock.patch.dict(sys.modules, {MODULE: module}))
        self.keep_new()

    @property
    def levels(self) -> dict[str, Any]:
        """The classes by where they are."""
        return {"outer": self.classes.outer, "inner": self.classes.inner, "deep": self.classes.deep}

    def new(self, *args: Any, user: str = "ann", **kwargs: Any) -> Any:
        """A serializer as a request makes it."""
        cls = self.classes.outer
        if self._is_of_own_class:
            cls = type(cls)("Outer", (cls,), {"__module__": MODULE})
        return cls(*args, context={"user": user}, **self._arguments, **kwargs)

    def keep_new(self) -> None:
        """Keep other serializers than before: one for objects, one for lists."""
        self.keep(self.new(guest()))
        self.keep_list(self.new(many=True))

    def keep(self, serializer: Any) -> None:
        """Keep a serializer, in the place of the one that was kept before."""
        self._kept, self._is_used = serializer, False

    def keep_list(self, serializer: Any) -> None:
        """The same for a list serializer."""
        self._kept_list, self._is_list_used = serializer, False

    @property
    def kept(self) -> Any:
        """The serializer that is kept, to use it or to look at it."""
        self._is_used = True
        return self._kept

    @property
    def kept_list(self) -> Any:
        """The same for a list serializer."""
        self._is_list_used = True
        return self._kept_list

    def changed(self) -> None:
        """Keep other serializers after a change of a class.

        One that was used keeps its fields in stock, be its class what it may; what it has compiled
        stays, too.
        """
        if self._is_used:
            self.keep(self.new(guest()))
        if self._is_list_used:
            self.keep_list(self.new(many=True))

    def replace(self, owner: type, name: str, method: Any) -> None:
        """Replace a method of the framework, until it is put back."""
        self._replaced.append((owner, name, vars(owner)[name]))
        setattr(owner, name, method)
        self.changed()

    def put_back(self) -> None:
        """Put back what was replaced."""
        while self._replaced:
            setattr(*self._replaced.pop())


def guest() -> Guest:
    """The first guest, with all that belongs to it."""
    return GUESTS[0]


KINDS: dict[str, Callable[[ExitStack], Subject]] = {
    "plain": lambda undo: Subject(undo),
    "plain, in no module": lambda undo: Subject(undo, is_in_module=False),
    "of a class for each": lambda undo: Subject(undo, is_of_own_class=True),
    "of models": lambda undo: Subject(undo, of_models=True),
    "of models, in no module": lambda undo: Subject(undo, of_models=True, is_in_module=False),
    "of models, with depth": lambda undo: Subject(undo, depth=2),
    "with a field of one's own": lambda undo: Subject(undo, text=Noting),
    "of models, with a field of one's own": lambda undo: Subject(undo, text=Noting, of_models=True),
    "whose __init__ pops a field": lambda undo: Subject(undo, outer=Popping),
    "whose nested __init__ pops a field": lambda undo: Subject(undo, inner=Popping, of_models=True),
    "whose twice nested __init__ pops a field": lambda undo: Subject(undo, deep=Popping),
    "whose __init__ chooses fields": lambda undo: Subject(
        undo, outer=Choosing, arguments={"fields": ["name", "town"]}
    ),
    "with get_fields": lambda undo: Subject(undo, outer=Getting),
    "with a nested get_fields": lambda undo: Subject(undo, inner=Getting),
    "with a twice nested get_fields": lambda undo: Subject(undo, deep=Getting, of_models=True),
    "with a cached property for fields": lambda undo: Subject(undo, outer=Keeping),
    "with a nested cached property": lambda undo: Subject(undo, inner=Keeping, of_models=True),
    "with a cached property of Python's": lambda undo: Subject(undo, outer=KeepingAsPython),
    "with a property for fields": lambda undo: Subject(undo, outer=Computing),
    "with a nested property for fields": lambda undo: Subject(undo, inner=Computing),
    "with to_representation": lambda undo: Subject(undo, outer=Representing),
    "with a nested to_representation": lambda undo: Subject(undo, inner=Representing),
    "that changes between rows": lambda undo: Subject(undo, outer=Repeating),
    "that validates": lambda undo: Subject(undo, outer=Validating),
    "with what validates nested in it": lambda undo: Subject(undo, inner=Validating),
    "with a list serializer for each row": lambda undo: Subject(undo, list_class=AskingList),
    "with a list serializer around it": lambda undo: Subject(undo, list_class=WrappingList),
    "with a method that looks": lambda undo: Subject(undo, outer=Looking),
    "with a nested method that looks": lambda undo: Subject(undo, inner=Looking, of_models=True),
    "with a method that removes fields": lambda undo: Subject(undo, outer=Removing),
    "with a method that represents": lambda undo: Subject(undo, outer=Asking, of_models=True),
}
