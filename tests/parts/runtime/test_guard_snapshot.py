"""What snapshots notice, and which classes compute the options of their fields."""

import pytest

from fastschema.runtime.guard import ClassSnapshot, Snapshot, computes_options

OPTIONS = frozenset(["format", "names"])


class Field:
    default = 1

    def __init__(self, inner=None, **own):
        self.format = "iso"
        self.names = ["a"]
        self.label = object()
        if inner is not None:
            self.inner = inner
        vars(self).update(own)

    def method(self):
        """What a user may patch."""


class Derived(Field):
    names = ("b",)


class Incomparable:
    def __eq__(self, other):
        raise ValueError

    __hash__ = None


def snapshot_of(*fields):
    return Snapshot(fields, OPTIONS, lambda field: ["inner"] if hasattr(field, "inner") else [])


CHANGES = {
    "an option": lambda field: setattr(field, "format", "other"),
    "an option past the class": lambda field: vars(field).update(format="other"),
    "an option that is gone": lambda field: delattr(field, "format"),
    "an option that cannot be compared": lambda field: setattr(field, "format", Incomparable()),
    "a list in place": lambda field: field.names.append("b"),
    "a method of its own": lambda field: setattr(field, "method", None),
    "another class": lambda field: setattr(field, "__class__", Derived),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_is_noticed(change):
    outer, inner = Field(), Field()
    snapshot = snapshot_of(outer, Field(inner=inner))
    for changed in (outer, inner):
        assert snapshot.matches([outer, Field(inner=inner)])
        before = {name: list(v) if type(v) is list else v for name, v in vars(changed).items()}
        change(changed)
        assert not snapshot.matches([outer, Field(inner=inner)])
        changed.__class__, changed.__dict__ = Field, before


def test_another_attribute_is_noticed_if_it_decides_something():
    bare = Field(harmless=1)
    del bare.format
    snapshot = snapshot_of(Field(harmless=1), bare)
    assert snapshot.matches([Field(harmless=1), bare])
    assert snapshot.matches([Field(other=1), bare])
    assert not snapshot.matches([Field(method=None), bare])
    other = Field()  # with as many attributes, and an option that the other one has not
    assert not snapshot.matches([Field(harmless=1), other])


def test_an_attribute_of_a_class_that_cannot_be_compared_counts_as_changed():
    cls = type("Odd", (), {"value": Incomparable()})
    snapshot = ClassSnapshot([cls])
    assert snapshot.is_current()
    cls.value = Incomparable()
    assert not snapshot.is_current()


class Attributes:
    plain = Derived

    @staticmethod
    def static():
        """No option."""

    @property
    def computed(self):
        return 1

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        ({"format": Attributes.plain}, None),
        ({"format": vars(Attributes)["static"]}, None),
        ({"label": Attributes.computed}, None),
        ({"format": Attributes.computed}, "its class computes format"),
        (
            {"__getattribute__": Attributes.__getattribute__},
            "__getattribute__ is overridden",
        ),
    ],
)
def test_why_options_cannot_be_known(attributes, why):
    stock_classes = frozenset([Field, object])
    cls = type("Own", (type("Base", (Field,), attributes),), {})
    assert computes_options(cls, OPTIONS, stock_classes) == why
    assert computes_options(cls, OPTIONS, frozenset(cls.__mro__)) in (None, why)


def test_a_value_of_a_class_is_compared_without_its_code():
    class Equal:
        def __eq__(self, other):
            raise AssertionError("asked")

        __hash__ = None

    class Own:
        limit = Equal()

    snapshot = ClassSnapshot([Own])
    assert snapshot.is_current()

    Own.limit = Equal()

    assert not snapshot.is_current()


def test_a_value_that_changes_its_name_is_noticed():
    class Own:
        limit = object()

    snapshot = ClassSnapshot([Own])
    value = Own.limit
    del Own.limit
    Own.most = value

    assert not snapshot.is_current()
