"""What random schemas are made of, those that are dumped and those that are loaded."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, ClassVar

from hypothesis import strategies as st
from marshmallow import Schema, fields, missing


class Colour(enum.Enum):
    RED = 1
    GREEN = "g"


class Size(enum.IntEnum):
    S = 1


class Text(str):
    __slots__ = ()


class Whole(int):
    pass


class Moment(dt.datetime):
    pass


@dataclass
class Kind:
    """How to make a field, and which values are (mostly) right for it."""

    make: Callable[..., Any]
    values: st.SearchStrategy[Any]


@dataclass
class FieldPlan:
    kind: Kind
    options: dict[str, Any]

    def key(self, name: str) -> Any:
        """The key that its value has in the data."""
        return self.options.get("data_key", name)


@dataclass
class SchemaPlan:
    """A schema to be made, by a subclass that says what its fields are for."""

    fields: dict[str, FieldPlan]
    bases: tuple[type, ...] = ()
    body: dict[str, Any] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)

    purpose: ClassVar[dict[str, bool]]
    """An option of all fields: ``dump_only`` or ``load_only``."""

    def make(self) -> type[Schema]:
        """A new class of schemas."""
        made = {
            name: plan.kind.make(**plan.options, **self.purpose)
            for name, plan in self.fields.items()
        }
        meta = {**self.meta, "include": made, "register": False}
        bases = (*self.bases, Schema)
        return type("Random", bases, {**self.body, "Meta": type("Meta", (), meta)})


TEXTS = st.text(max_size=8) | st.text(st.characters(), max_size=3)
NUMBERS = st.integers() | st.sampled_from([0, 1, 2**63, -(2**63) - 1, 2**64])
REALS = st.floats() | st.sampled_from([1e16, 1e-5, -0.0, 5e-324])
DECIMALS = st.one_of(
    st.decimals(),
    st.integers(0, 6).flatmap(lambda places: st.decimals(-1000, 1000, places=places)),
    st.tuples(st.integers(-99, 99), st.integers(-9, 9)).map(
        lambda pair: Decimal("{}E{}".format(*pair))
    ),
)
ZONES = (
    st.none()
    | st.just(dt.UTC)
    | st.timezones()
    | st.builds(dt.timezone, st.timedeltas(dt.timedelta(hours=-23), dt.timedelta(hours=23)))
)
MOMENTS = st.datetimes(timezones=ZONES, allow_imaginary=True)
CONTEXTS = [decimal.Context(), decimal.Context(prec=4), decimal.Context(traps=[])]

WRONG = st.one_of(
    TEXTS,
    NUMBERS,
    REALS,
    DECIMALS,
    MOMENTS,
    st.booleans(),
    st.binary(max_size=4),
    st.uuids(),
    st.dates(),
    st.sampled_from([*Colour, *Size, Text("12"), Whole(3), Moment(2024, 1, 2), "1.5", {}, [], ()]),
    st.lists(st.integers(0, 5), max_size=2),
    st.dictionaries(st.sampled_from("ab"), st.integers(), max_size=2),
)
"""Values of any kind: wrong for most fields."""


def is_hashable(value):
    try:
        hash(value)
    except TypeError:  # a list, or a signaling NaN
        return False
    return True


@st.composite
def list_kinds(draw, kinds, options, wrong=None):
    """Lists of a kind.

    :param kinds: strategies for what is inside
    :param options: a strategy for the options of fields that are inside of others
    :param wrong: values that may be in a list, too
    """
    inner, inner_options = draw(kinds), draw(options)
    values = inner.values if wrong is None or draw(st.booleans()) else inner.values | wrong
    return Kind(
        lambda **own: fields.List(inner.make(**inner_options), **own), st.lists(values, max_size=3)
    )


@st.composite
def tuple_kinds(draw, kinds, options):
    inner = draw(st.lists(st.tuples(kinds, options), max_size=3))
    values = st.tuples(*[kind.values for kind, _ in inner])
    return Kind(
        lambda **own: fields.Tuple([kind.make(**given) for kind, given in inner], **own),
        values | values.map(list),
    )


@st.composite
def dict_kinds(draw, keys, kinds, options, wrong=WRONG):
    key, value = draw(st.none() | keys), draw(st.none() | kinds)
    key_options, value_options = draw(options), draw(options)

    def make(**own):
        return fields.Dict(
            key and key.make(**key_options), value and value.make(**value_options), **own
        )

    of_keys = (TEXTS if key is None else key.values).filter(is_hashable)
    values = wrong if value is None else value.values
    return Kind(make, st.dictionaries(of_keys, values, max_size=3))


@st.composite
def values_by_name(draw, plan, wrong):
    """A value for each field of a plan: mostly there, mostly right."""
    values = {}
    for name, each in plan.fields.items():
        luck = draw(st.integers(0, 17))
        if luck == 0:
            continue
        strategy = each.kind.values
        if luck == 1:
            strategy = st.sampled_from([None, missing])
        if luck == 2:
            strategy = wrong
        values[name] = draw(strategy)
    return values
