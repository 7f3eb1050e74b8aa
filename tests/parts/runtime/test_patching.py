"""What is stock's, and what replaces it."""

import logging

import pytest
from marshmallow import Schema

from fastschema.runtime import patching
from fastschema.runtime.patching import Replacements, StockMethods, stock_method, warn_of_newer


class Owner:
    def method(self):
        return "stock"


class Heir(Owner):
    pass


STOCK = Owner.method


def ours(self):
    return "ours"


@pytest.fixture
def replacements():
    replacements = Replacements([(Owner, "method", STOCK, ours)])
    yield replacements
    Owner.method = STOCK


def test_a_method_that_a_package_has_replaced_is_not(monkeypatch):
    monkeypatch.setattr(Schema, "dump", ours)
    assert stock_method(Schema, "dump") is not ours


def test_a_proxy_that_has_all_attributes_of_a_method_is_not(monkeypatch):
    class Proxy:
        """As wrapt makes them."""

        def __init__(self, wrapped):
            self.__wrapped__ = wrapped

        def __getattr__(self, name):
            return getattr(self.__wrapped__, name)

        def __call__(self, *args):
            return self.__wrapped__(*args)

        def __eq__(self, other):
            return self.__wrapped__ == other

        __hash__ = None

    methods = StockMethods([(Schema, "get_attribute")])
    stock = Schema.get_attribute
    monkeypatch.setattr(Schema, "get_attribute", Proxy(stock))
    assert stock_method(Schema, "get_attribute") != stock
    assert not methods.are_stock()
    assert methods.reason() == "Schema.get_attribute is replaced"
    monkeypatch.undo()
    assert methods.are_stock()


def test_what_is_replaced_after_a_look_is_noticed_by_identity(monkeypatch):
    class Equal:
        def __eq__(self, other):
            return True

        __hash__ = None

    methods = StockMethods([(Schema, "get_attribute"), (Schema, "on_bind_field")])
    is_unchanged = methods.unchanged()
    assert is_unchanged()
    assert methods.unchanged() is is_unchanged
    with monkeypatch.context() as patch:
        patch.setattr(Schema, "on_bind_field", Equal())
        assert not is_unchanged()
        is_replaced = methods.unchanged()
        assert is_replaced()
    assert is_unchanged()
    assert not is_replaced()
    assert StockMethods([]).unchanged()()


def test_installing_twice_is_undone_at_once(replacements):
    replacements.install()
    replacements.install()
    assert Owner().method() == "ours"
    replacements.uninstall()
    assert Owner.method is STOCK


def test_a_module_that_is_imported_after_the_installation_finds_the_methods_of_stock(replacements):
    replacements.install()
    assert stock_method(Owner, "method") is STOCK


def test_what_another_library_has_replaced_stays_and_the_log_says_so(replacements, caplog):
    theirs = Owner.method = lambda self: "theirs"
    replacements.install()
    assert Owner.method is theirs
    assert caplog.messages == [
        "Another library has replaced Owner.method; fastschema leaves it alone and is not "
        "installed there."
    ]
    replacements.uninstall()
    assert Owner.method is theirs


def test_what_another_library_puts_around_ours_stays(replacements):
    replacements.install()
    inner = Owner.method
    around = Owner.method = lambda self: f"around {inner(self)}"
    replacements.uninstall()
    assert Owner.method is around
    Owner.method = inner
    replacements.uninstall()
    assert Owner.method is STOCK


def test_a_method_that_was_inherited_is_inherited_again():
    replacements = Replacements([(Heir, "method", STOCK, ours)])
    replacements.install()
    assert vars(Heir)["method"] is ours
    replacements.uninstall()
    assert "method" not in vars(Heir)


@pytest.mark.parametrize(
    ("found", "newest", "is_newer"),
    [
        ("6.1.3", (6, 1), False),
        ("6.2.dev20270101", (6, 1), True),
        ("2028a1", (2028,), False),
        ("2029.0", (2028,), True),
        ("unknown", (6, 1), False),
    ],
)
def test_a_version_is_newer_if_its_release_is(caplog, monkeypatch, found, newest, is_newer):
    caplog.set_level(logging.WARNING, "fastschema")
    monkeypatch.setattr(patching, "version", {"a-framework": found}.__getitem__)
    warn_of_newer.__wrapped__("a-framework", newest)
    assert [each.levelno for each in caplog.records] == [logging.WARNING] * is_newer
