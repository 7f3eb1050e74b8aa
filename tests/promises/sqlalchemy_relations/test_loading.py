"""load_relations() for marshmallow: the same answer as by lazy loads, by no more queries."""

import random
from unittest.mock import Mock

import pytest
from marshmallow import Schema, fields
from marshmallow_sqlalchemy import SQLAlchemyAutoSchema, SQLAlchemySchema, auto_field
from marshmallow_sqlalchemy.fields import Nested, Related
from sqlalchemy import event, inspect, select
from sqlalchemy.orm import (
    Session,
    defer,
    joinedload,
    lazyload,
    raiseload,
    selectinload,
    state,
    with_loader_criteria,
)

import fastschema
from fastschema import load_relations
from tests.promises.sqlalchemy.queries import queries as queries_of
from tests.promises.sqlalchemy_relations.related import (
    Company,
    CompanySchema,
    Label,
    LabelSchema,
    Owner,
    OwnerSchema,
    Room,
    RoomSchema,
    Thing,
    ThingSchema,
    TownSchema,
)


@pytest.fixture
def queries(engine):
    with queries_of(engine) as sent:
        yield sent


def outcome(dump, objects):
    try:
        return dump(objects)
    except Exception as error:
        return type(error), str(error)


def compared(engine, queries, rows, schema, many=True, *, also=lambda rows: None):
    """Assert that rows are dumped as in stock; return how many queries either way takes.

    :param rows: gets them from a session
    :param also: done with them before
    """
    found = []
    for loads in (False, True):
        with Session(engine) as session:
            objects = rows(session)
            also(objects)
            queries.clear()
            given = objects if many else [objects]
            if loads:
                assert load_relations(given, schema) is given
            with fastschema.disabled():
                answer = outcome(schema(many=many).dump, objects)
            found.append((answer, len(queries)))
            session.rollback()
    (stock, stock_queries), (fast, fast_queries) = found
    assert fast == stock
    if not isinstance(stock, tuple):  # after an error, some were made for the rows behind it
        assert fast_queries <= stock_queries
    return stock_queries, fast_queries


def of(cls, *options, **ordered):
    """What gets all objects of a class from a session."""
    return lambda session: session.scalars(
        select(cls).options(*options).order_by(*cls.__table__.primary_key)
    ).all()


def reading(**names):
    """A schema class with these fields."""
    return Schema.from_dict(names)


class TestWhatIsLoaded:
    """Relationships that the schema reads, level by level."""

    def test_levels_are_loaded_one_after_the_other(self, engine, queries):
        stock, fast = compared(engine, queries, of(Thing), ThingSchema)
        # Of things the keys, owners, rooms and labels; of owners, for each class, keys and towns.
        assert fast <= 12
        assert stock > 50

    @pytest.mark.parametrize(
        ("cls", "schema", "count"),
        [
            (Thing, reading(room=fields.Nested(RoomSchema(only=["house"]))), 2),
            (Thing, reading(owner=fields.Nested(OwnerSchema(only=["name"]))), 2),
            (Thing, reading(labels=fields.Nested(LabelSchema, many=True)), 2),
            (Thing, reading(labels=fields.Pluck(LabelSchema, "name", many=True)), 2),
            (Thing, reading(name=fields.String(attribute="owner.name")), 2),
            (Room, reading(things=fields.Nested(lambda: LabelSchema, many=True)), 2),
            # Companies, of which columns are still to come, load their rooms themselves.
            (Owner, reading(rooms=fields.Nested(RoomSchema(only=["number"]), many=True)), 8),
            (Company, CompanySchema, 2),
        ],
    )
    def test_each_kind_takes_a_query_and_one_for_the_keys(
        self, engine, queries, cls, schema, count
    ):
        assert compared(engine, queries, of(cls), schema)[1] == count

    def test_marshmallow_sqlalchemys_fields(self, engine, queries):
        class Things(SQLAlchemyAutoSchema):
            class Meta:
                model = Thing
                exclude = ("note",)

            owner = Related("name")
            room = Nested(RoomSchema)
            labels = auto_field()

        class Rooms(SQLAlchemySchema):
            class Meta:
                model = Room

            things = Nested(lambda: Things(), many=True)
            owner = Nested(
                Owners := type(
                    "Owners",
                    (SQLAlchemySchema,),
                    {"Meta": type("Meta", (), {"model": Owner}), "town": Nested(TownSchema)},
                )
            )

        stock, fast = compared(engine, queries, of(Thing), Things)
        assert fast <= 11
        stock, fast = compared(engine, queries, of(Room), Rooms)
        assert fast < stock

    def test_of_one_object_what_its_lists_lead_to_is_loaded(self, engine, queries):
        def one(cls, *key):
            return lambda session: session.get(cls, *key)

        stock, fast = compared(engine, queries, one(Thing, 1), ThingSchema, many=False)
        assert stock == fast
        things = fields.Nested(reading(labels=fields.Nested(LabelSchema, many=True)), many=True)
        schema = reading(things=things)
        stock, fast = compared(engine, queries, one(Room, ("a", 1)), schema, many=False)
        assert fast == 1 + 2
        assert stock > 3

    @pytest.mark.parametrize(("count", "is_loaded"), [(2, False), (3, True)])
    def test_what_takes_as_many_queries_is_left_to_lazy_loads(
        self, engine, queries, caplog, count, is_loaded
    ):
        def some(session):
            return session.query(Thing).order_by(Thing.id).limit(count).all()

        caplog.set_level("DEBUG", "fastschema")
        schema = reading(labels=fields.Nested(LabelSchema, many=True))
        compared(engine, queries, some, schema)

        assert ("loaded Thing.labels on demand" in caplog.text) is is_loaded

    @pytest.mark.parametrize("seed", range(100))
    def test_random_schemas(self, engine, queries, seed):
        chance = random.Random(seed).random

        def schema_of(cls, depth=0):
            found = {"n": fields.String(attribute=["name", "id", "house"][int(chance() * 3)])}
            for relationship in inspect(cls).relationships:
                if depth < 3 and chance() < 0.5 and relationship.key not in ("asked", "written"):
                    inner = schema_of(relationship.mapper.class_, depth + 1)
                    nested = fields.Nested(inner, many=bool(relationship.uselist))
                    if relationship.key != "label_set":
                        found[relationship.key] = nested
            if chance() < 0.2:
                found["m"] = fields.Function(lambda obj: len(obj.__dict__) and type(obj).__name__)
            if chance() < 0.2:
                found["d"] = fields.String(attribute="owner.town.name")
            return reading(**found)

        cls = [Thing, Thing, Room, Owner, Company][int(chance() * 5)]
        options = []
        if cls is Thing:
            options = [
                each
                for each in (
                    selectinload(Thing.owner),
                    joinedload(Thing.room).selectinload(Room.owner),
                    lazyload(Thing.labels),
                    defer(Thing.name),
                    with_loader_criteria(Label, Label.id > 2),
                    raiseload(Thing.parts),
                )
                if chance() < 0.2
            ]
        compared(engine, queries, of(cls, *options), schema_of(cls))


class TestWhatIsLeft:
    """What could be something else stays as it is."""

    @pytest.mark.parametrize("name", ["some_labels", "asked", "refused"])
    def test_relationships_of_other_kinds(self, engine, queries, name):
        schema = reading(**{name: fields.Nested(LabelSchema, many=name != "refused")})
        stock, fast = compared(engine, queries, of(Thing), schema)
        assert stock == fast

    @pytest.mark.parametrize(
        "option",
        [
            raiseload(Thing.owner),
            lazyload(Thing.owner),
            lazyload(Thing.owner).raiseload(Owner.town),
            with_loader_criteria(Owner, Owner.id > 3),
            defer(Thing.owner_id),
        ],
        ids=["raise", "lazy", "raise further on", "criteria", "deferred"],
    )
    def test_options_of_the_statement(self, engine, queries, option):
        compared(engine, queries, of(Thing, option), ThingSchema)

    def test_what_is_loaded_is_not_loaded_again(self, engine, queries):
        options = selectinload(Thing.owner), joinedload(Thing.room).joinedload(Room.owner)
        schema = reading(
            owner=fields.Nested(OwnerSchema(only=["name"])),
            room=fields.Nested(RoomSchema(only=["house"])),
        )
        assert compared(engine, queries, of(Thing, *options), schema) == (0, 0)

    def test_expired_columns_and_deferred_ones_stay(self, engine, queries):
        def expire(rows):
            for row in rows[::2]:
                inspect(row).session.expire(row, ["name"])

        compared(engine, queries, of(Thing), ThingSchema, also=expire)
        with Session(engine) as session:
            rows = of(Thing)(session)
            expire(rows)
            load_relations(rows, ThingSchema)
            assert all("note" not in row.__dict__ for row in rows)
            assert ["name" in row.__dict__ for row in rows[:4]] == [False, True, False, True]
            assert ["owner" in row.__dict__ for row in rows[:4]] == [False, True, False, True]

    def test_changes_are_flushed_as_by_a_lazy_load(self, engine, queries):
        def change(rows):
            rows[3].owner_id = 5
            rows[4].name = "another"
            inspect(rows[0]).session.delete(rows[6])
            inspect(rows[0]).session.add(Thing(id=99, name="new"))

        compared(engine, queries, of(Thing), ThingSchema, also=change)

    def test_what_users_listen_to_happens_as_often(self, engine, queries):
        for target, name in ((Session, "do_orm_execute"), (Thing, "refresh")):
            seen = []

            def listen(*arguments, seen=seen):
                seen.append(arguments)

            event.listen(target, name, listen)
            try:
                with Session(engine) as session:
                    rows = of(Thing)(session)
                    before = len(seen)
                    load_relations(rows, reading(owner=fields.Nested(OwnerSchema(only=["name"]))))
                    assert len(seen) == before
            finally:
                event.remove(target, name, listen)

    def test_sessions_with_an_execute_of_their_own(self, engine, queries):
        class Own(Session):
            def execute(self, *args, **kwargs):
                return super().execute(*args, **kwargs)

        with Own(engine) as session:
            rows = of(Thing)(session)
            queries.clear()
            load_relations(rows, ThingSchema)
            assert queries == []

    def test_an_asynchronous_session(self, engine, queries, monkeypatch):
        monkeypatch.setattr(state, "_async_provider", Mock())
        with Session(engine) as session:
            rows = of(Thing)(session)
            queries.clear()
            load_relations(rows, ThingSchema)
            assert queries == []

    @pytest.mark.parametrize(
        ("rows", "schema", "message"),
        [
            ([], dict, "takes a schema or its class, not <class 'dict'>"),
            ((), ThingSchema, "takes a list of objects, not a tuple"),
        ],
    )
    def test_anything_else_is_an_error(self, rows, schema, message):
        with pytest.raises(TypeError, match=message):
            load_relations(rows, schema)

    def test_objects_that_are_not_mapped_are_left_alone(self):
        rows = [{"id": 1}, None]
        assert load_relations(rows, ThingSchema) is rows
        assert load_relations([], ThingSchema()) == []
