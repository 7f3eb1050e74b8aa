"""Installing into marshmallow, and taking it out again."""

import inspect
import pickle

import pytest
from marshmallow import Schema, fields

import fastschema
import fastschema.marshmallow
from tests.marks import needs_cpython
from tests.promises.marshmallow.differential import installed, outcome


class Dog(Schema):
    name = fields.String()


class Home(Schema):
    dog = fields.Nested(Dog)


def compiled_rows(call):
    """How many rows were dumped by generated code meanwhile."""
    before = fastschema.stats().compiled_rows
    call()
    return fastschema.stats().compiled_rows - before


@needs_cpython
def test_uninstall_gives_back_all_that_install_replaced():
    def methods():
        return {**vars(Schema)}

    originals = methods()
    fastschema.install()
    assert methods() != originals

    fastschema.uninstall()

    assert methods() == originals


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Schema, "dump"),
        (Schema, "_serialize"),
        (Schema, "_deserialize"),
        (Schema, "_init_fields"),
        (fields.Field, "__deepcopy__"),
        (fields.Field, "__delattr__"),
        (fields.Field, "_bind_to_schema"),
    ],
)
def test_what_another_package_has_replaced_stays_as_it_is(owner, name, monkeypatch):
    stock, calls = getattr(owner, name), []

    def replacement(*args, **options):
        calls.append(name)
        return stock(*args, **options)

    dog = Schema.from_dict({"name": fields.String()})  # which was not used before

    def use():
        calls.clear()
        assert dog().dump({"name": 1}) == {"name": "1"}
        assert dog().load({"name": "Rex"}) == {"name": "Rex"}
        field = fields.String()
        field.own = 1
        del field.own
        return [*calls]

    monkeypatch.setattr(owner, name, replacement)
    expected = use()
    assert expected
    with installed():
        assert use() == expected
    assert getattr(owner, name) is replacement


def test_what_another_library_has_put_around_ours_stays(monkeypatch):
    calls = []
    fastschema.install()
    compiled = Schema.dump

    def wrapped(self, obj, **options):
        calls.append(obj)
        return compiled(self, obj, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Schema, "dump", wrapped)
        fastschema.uninstall()

        before = fastschema.stats().compiled_rows
        assert Dog().dump({"name": 1}) == {"name": "1"}
        assert calls == [{"name": 1}]
        assert fastschema.stats().compiled_rows == before
    fastschema.install()
    fastschema.uninstall()

    assert Schema.dump is not compiled


def test_disabled_means_stock_even_when_installed():
    with installed(), fastschema.disabled():
        assert compiled_rows(lambda: Home().dump({"dog": {"name": 1}})) == 0
        assert Home().dump({"dog": {"name": 1}}) == {"dog": {"name": "1"}}


@pytest.mark.at_once
def test_dumps_of_rows_writes_what_generated_code_dumps():
    rows = [{"dog": {"name": 1}}] * 5
    with installed():
        assert compiled_rows(lambda: Home().dumps(rows, many=True)) == 5


@pytest.mark.parametrize(
    "call",
    [
        lambda schema: schema.dump(),
        lambda schema: schema.loads("{}", "x"),
        lambda schema: schema._deserialize({}),
    ],
)
def test_wrong_calls_raise_the_messages_of_stock(call):
    stock = outcome(lambda: call(Dog()))
    with installed():
        assert outcome(lambda: call(Dog())) == stock


@pytest.mark.parametrize("name", ["dump", "loads", "_deserialize", "_init_fields"])
def test_methods_have_the_signatures_of_stock_and_can_be_pickled(name):
    stock = inspect.signature(getattr(Schema, name))
    with installed():
        method = getattr(Schema, name)
        assert inspect.signature(method) == stock
        assert pickle.loads(pickle.dumps(method)) is method
