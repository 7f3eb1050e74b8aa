"""Schemas whose fields are made run what others of their class run that are like them."""

import copy
import gc
import weakref
from collections import defaultdict

import pytest
from marshmallow import Schema, ValidationError, fields, validate

import fastschema
from tests.promises.marshmallow.differential import outcome

LOG = []
stock_copy = copy.copy
ROWS = [{"id": number, "name": "a", "secret": "s", "tags": ["x"]} for number in range(24)]


class Plain(Schema):
    id = fields.Integer()
    name = fields.String(validate=validate.Length(max=3))
    secret = fields.String()
    tags = fields.List(fields.String())


class Removes(Plain):
    def __init__(self, *args, is_admin=False, **kwargs):
        super().__init__(*args, **kwargs)
        LOG.append(("init", is_admin))
        if not is_admin:
            for made in (self.fields, self.dump_fields, self.load_fields):
                del made["secret"]


class Changes(Plain):
    def __init__(self, *args, is_admin=False, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["name"].data_key = "admin" if is_admin else "guest"
        self.fields["tags"].inner = fields.Raw() if is_admin else fields.String()


class Label(fields.String):
    def _bind_to_schema(self, field_name, schema):
        super()._bind_to_schema(field_name, schema)
        LOG.append(("bind", field_name))
        self.data_key = field_name.upper()


class BindsItself(Plain):
    name = Label()


class OnBindField(Plain):
    def on_bind_field(self, field_name, field_obj):
        LOG.append(("on bind", field_name))
        field_obj.data_key = field_name.title()


def by_request(cls, is_admin):
    return cls(is_admin=is_admin) if cls.__init__ is not Schema.__init__ else cls()


CLASSES = [Removes, Changes, BindsItself, OnBindField]


def uses(schema):
    data = {field.data_key or name: ROWS[0].get(name) for name, field in schema.load_fields.items()}
    return [
        outcome(lambda: schema.dump(ROWS, many=True), LOG),
        outcome(lambda: schema.dump(ROWS[0]), LOG),
        outcome(lambda: schema.dump({}), LOG),
        outcome(lambda: schema.load([data] * 24, many=True), LOG),
        outcome(lambda: schema.load({"name": "long", "tags": 5, "other": 1}), LOG),
    ]


def compiled_rows(use):
    before = fastschema.stats().compiled_rows
    use()
    return fastschema.stats().compiled_rows - before


@pytest.mark.usefixtures("_installed", "users_thresholds")
@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("direction", ["dump", "load"])
def test_a_class_is_compiled_from_its_second_list_on(cls, direction):
    rows = ROWS[:20]
    if direction == "load":
        rows = [{}] * 20
    fastschema.forget()

    def use(is_admin):
        return compiled_rows(lambda: getattr(by_request(cls, is_admin), direction)(rows, many=True))

    own = cls.__init__ is not Schema.__init__ and cls is not Changes
    counts = [use(is_admin) for is_admin in (True, True, False, False, False)]
    assert counts == [0, 20, 0 if own else 20, 20, 20]


class Older:
    """A schema that is there before fastschema is installed, and the same for stock."""

    def __init__(self, cls=Plain):
        self.stock, self.fast = cls(), cls()
        fastschema.install()

    def check(self):
        for _ in range(3):
            with fastschema.disabled():
                expected = uses(self.stock)
            assert uses(self.fast) == expected


@pytest.fixture
def _uninstall():
    yield
    fastschema.uninstall()


@pytest.mark.usefixtures("_uninstall", "users_thresholds")
@pytest.mark.parametrize("direction", ["dump", "load"])
def test_a_schema_that_is_older_is_compiled(direction):
    older = Older()
    older.check()
    use = getattr(older.fast, direction)
    assert compiled_rows(lambda: use([{}] * 4, many=True)) == 4


class Counts(fields.String):
    def _serialize(self, value, attr, obj, **kwargs):
        self.calls = getattr(self, "calls", 0) + 1
        return f"{value} {self.calls}"


class Counting(Plain):
    name = Counts()


@pytest.mark.at_once
@pytest.mark.usefixtures("_uninstall")
def test_what_a_field_keeps_for_itself_is_no_change():
    older = Older(Counting)
    older.check()
    assert compiled_rows(lambda: older.fast.dump({})) == 1


@pytest.mark.usefixtures("_installed")
@pytest.mark.parametrize("option", ["validate", "dump_default", "load_default", "metadata"])
def test_nothing_of_a_request_is_kept(option):
    class OfRequest:
        def __call__(self, *args):
            raise ValidationError("no")

    class OfEachRequest(Schema):
        def __init__(self, given):
            super().__init__()
            given = {"given": given} if option == "metadata" else given
            field = fields.String(**{option: given})
            self.fields["a"] = self.dump_fields["a"] = self.load_fields["a"] = field

    found = []
    for _ in range(3):
        given = OfRequest()
        found.append(weakref.ref(given))
        schema = OfEachRequest(given)
        outcome(lambda schema=schema: schema.dump([{"a": 1}] * 30, many=True), LOG)
        outcome(lambda schema=schema: schema.load([{"a": "1"}] * 30, many=True), LOG)
        del given, schema
    gc.collect()
    assert [reference() for reference in found] == [None] * 3


class Outer:
    """A class that nests a schema object, and objects of it, as each request makes them.

    :param is_older: whether the nested object is older than ``install()``
    """

    def __init__(self, is_older):
        if is_older:
            fastschema.uninstall()
        self.nested = nested = Plain(exclude=["tags"])
        fastschema.install()

        class WithNested(Schema):
            one = fields.Nested(nested, only=["id", "name", "secret"])
            several = fields.List(fields.Nested(nested))

        self.cls = WithNested

    def uses(self):
        schema = self.cls()
        nested = {name: ROWS[0][name] for name in ("id", "name", "secret")}
        row = {"one": nested, "several": [nested]}
        return [
            outcome(lambda: str(schema.dump(row)), LOG),
            outcome(lambda: str(schema.dump([row] * 3, many=True)), LOG),
            outcome(lambda: schema.load(row, unknown="exclude"), LOG),
            outcome(lambda: schema.load({"one": {"name": "long"}, "several": 1}), LOG),
        ]


@pytest.mark.usefixtures("_installed")
def test_a_change_of_a_nested_object_through_a_schema_is_seen_by_the_next_one():
    cls = Schema.from_dict({"plain": fields.Nested(Plain())})
    row = {"plain": {"id": 1}}
    for _ in range(3):
        assert cls().dump(row) == row
    cls().fields["plain"].schema.fields["id"].data_key = "key"
    for _ in range(3):
        assert cls().dump(row) == {"plain": {"key": 1}}


def copies_a_field(schema):
    schema.fields["name"].__deepcopy__ = lambda memo: LOG.append("copied")
    schema.fields["name"]._bind_to_schema = lambda name, parent: LOG.append("bound")


def has_hooks(schema):
    schema._hooks = defaultdict(list, {"post_dump": [("hook", False, {})]})
    schema.hook = lambda data, **kwargs: LOG.append("hook")


@pytest.mark.usefixtures("_uninstall")
@pytest.mark.parametrize("change", [copies_a_field, has_hooks])
@pytest.mark.parametrize("is_older", [False, True])
def test_code_of_a_nested_schema_object_runs_as_in_stock(change, is_older):
    one, other = Outer(is_older), Outer(is_older)
    for nested in (one.nested, other.nested):
        change(nested)
    for _ in range(3):
        with fastschema.disabled():
            expected = one.uses()
        assert other.uses() == expected


@pytest.mark.at_once
@pytest.mark.usefixtures("_uninstall")
@pytest.mark.parametrize("is_older", [False, True])
def test_a_nested_schema_object_is_copied_once_for_all_schemas(is_older, monkeypatch):
    outer = Outer(is_older)
    for _ in range(3):
        outer.uses()
    copied = []
    monkeypatch.setattr(copy, "copy", lambda one: copied.append(one) or stock_copy(one))
    outer.uses()
    assert outer.nested not in copied
