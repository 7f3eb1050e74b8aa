"""Classes, and conditions on them, for tests of what CPython's numbers tell."""

import sys
import sysconfig

import pytest

IS_KNOWN = (
    sys.implementation.name == "cpython"
    and sys.version_info[:2] in ((3, 11), (3, 12), (3, 13))
    and not sysconfig.get_config_var("Py_GIL_DISABLED")
)
ARE_DICTIONARIES_KNOWN = IS_KNOWN and sys.version_info < (3, 13)
told = pytest.mark.skipif(not IS_KNOWN, reason="this Python does not tell what it calls a class")
dictionaries_told = pytest.mark.skipif(
    not ARE_DICTIONARIES_KNOWN, reason="this Python does not tell when attributes change"
)

NAMES = ("attribute", "own", "mixed", "other")


class Asked:
    """A condition that counts how often it is asked."""

    def __init__(self, answer=True):
        self.answer = answer
        self.count = 0

    def __call__(self, cls=None):
        self.count += 1
        return self.answer


def family():
    """A class, with a base and another class to inherit from."""
    base = type("Base", (), {"attribute": 1})
    mixin = type("Mixin", (), {"mixed": 1})
    cls = type("Cls", (mixin, base), {"own": 1})
    return cls, base, mixin


def looked_up(*classes):
    """The classes, in each of which something was looked for, so that they have numbers."""
    for cls in classes:
        getattr(cls, "attribute", None)
    return classes


CHANGES = {
    "an attribute is set": lambda cls, base, mixin: setattr(cls, "own", 2),
    "an attribute is set to what it is": lambda cls, base, mixin: setattr(cls, "own", cls.own),
    "an attribute is added": lambda cls, base, mixin: setattr(cls, "other", 2),
    "an attribute is removed": lambda cls, base, mixin: delattr(cls, "own"),
    "a base changes": lambda cls, base, mixin: setattr(base, "attribute", 2),
    "a mixin gets an attribute": lambda cls, base, mixin: setattr(mixin, "attribute", 2),
    "a method is overridden": lambda cls, base, mixin: setattr(cls, "__getattr__", None),
    "there is another base": lambda cls, base, mixin: setattr(cls, "__bases__", (base, mixin)),
    "a base has another base": lambda cls, base, mixin: setattr(
        base, "__bases__", (type("Root", (), {"deep": 1}),)
    ),
    "it is changed by type itself": lambda cls, base, mixin: type.__setattr__(cls, "own", 2),
}
