"""Whole serializers: nested, many, overridden, changed late, and used by many threads."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import models
from django.test.utils import isolate_apps
from django.utils import translation
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.renderers import HTMLFormRenderer
from rest_framework.response import Response
from rest_framework.utils.serializer_helpers import ReturnDict

import fastschema
from flights.models import Airline, Flight
from flights.serializers import AirlineSerializer
from tests.instruments.core import STATE_KEY
from tests.promises.django.differential import (
    Thing,
    Witness,
    assert_as_in_stock,
    assert_returns_as_in_stock,
    assert_same,
    assert_same_each_time,
    exactly,
    serializer_of,
    shown,
)

Text = serializers.CharField


class Inner(serializers.Serializer):
    b = Text()
    c = serializers.IntegerField(required=False)


class Outer(serializers.Serializer):
    one = Inner()
    many = Inner(many=True)
    optional = Inner(required=False)
    after = Text()


class TestNested:
    def test_single_and_many(self):
        thing = Thing(
            one=Thing(b=1, c=2), many=[Thing(b=3), {"b": 4, "c": 5}], optional={"b": 6}, after=7
        )
        assert assert_same(Outer, thing) == {
            "one": {"b": "1", "c": 2},
            "many": [{"b": "3"}, {"b": "4", "c": 5}],
            "optional": {"b": "6"},
            "after": "7",
        }

    @pytest.mark.parametrize("key", ["one", "many", "optional", "after"])
    def test_a_key_that_is_missing(self, key):
        values = {"one": {"b": 1}, "many": [], "optional": {"b": 2}, "after": 3}
        del values[key]
        assert_same(Outer, values)
        assert_same(Outer, Thing(**values))

    @pytest.mark.parametrize("key", ["one", "many", "optional", "after"])
    def test_a_key_that_is_none(self, key):
        values = {"one": {"b": 1}, "many": [], "optional": {"b": 2}, "after": 3}
        assert assert_same(Outer, {**values, key: None})[key] is None

    @pytest.mark.parametrize(
        "value",
        [
            *((), "ab", {"b": 1}, {}, {Thing(b=1): 2}, iter(()), 7, [None], [1, 2], [[]]),
            *(lambda: [Thing(b=1)], lambda: None, len, Thing, partial(list, [{"b": 1}])),
        ],
        ids=shown,
    )
    @pytest.mark.parametrize("options", [{}, {"required": False}, {"allow_null": True}], ids=str)
    def test_anything_in_the_place_of_a_list(self, value, options):
        assert_same(serializer_of(many=Inner(many=True, **options)), Thing(many=value))

    def test_a_generator_is_consumed_once(self):
        data = assert_same_each_time(
            serializer_of(many=Inner(many=True)),
            lambda: Thing(many=({"b": number} for number in range(3))),
        )
        assert data == {"many": [{"b": "0"}, {"b": "1"}, {"b": "2"}]}

    @pytest.mark.parametrize(
        "source", ["a.one", "make", "a.make", "*", "a.nothing", "nothing.a", "text"]
    )
    @pytest.mark.parametrize(
        "options",
        [{}, {"required": False}, {"allow_null": True}, {"default": None}, {"default": {"b": 1}}],
        ids=str,
    )
    @pytest.mark.parametrize("many", [False, True])
    def test_a_source_of_any_kind(self, source, options, many):
        def make():
            return [Thing(b="made")] if many else Thing(b="made")

        thing = Thing(a=Thing(one=Thing(b=1), make=make), make=make, b="self", text="x")
        assert_same(
            serializer_of(x=Inner(source=source, many=many, **options), z=Text(default=1)), thing
        )

    def test_an_error_inside_names_the_inner_serializer(self):
        error = assert_same(Outer, {"one": {"c": 1}, "many": [], "after": 1})
        assert isinstance(error, KeyError)
        assert "serializer `Inner`" in str(error)

    def test_the_calls_are_those_of_stock(self):
        calls = []
        witness = Witness(
            calls,
            one=Witness(calls, b=1, c=2),
            many=[Witness(calls, b=3), Witness(calls, b=4, c=5)],
            after=1,
        )
        assert_same(Outer, witness, calls=calls)
        assert calls == ["one", "b", "c", "many", "b", "c", "b", "c", "optional", "after"]

    def test_no_fields_are_made_for_no_rows(self):
        class Broken(Inner):
            def get_fields(self):
                raise AssertionError

        assert Broken((), many=True).data == []

    @pytest.mark.parametrize("value", [None, {"b": 1}, [{"b": 1}], lambda: None], ids=shown)
    @pytest.mark.parametrize("many", [False, True])
    def test_the_fields_of_a_serializer_are_made_when_they_are_needed(self, value, many):
        calls = []

        class Noted(Inner):
            def get_fields(self):
                calls.append("get_fields")
                return super().get_fields()

        rows = value if isinstance(value, (tuple, list)) else [value]
        assert_same(Noted, rows if many else value, many=many, calls=calls)
        outer = serializer_of(x=Noted(many=many))
        assert_same(outer, {"x": value}, calls=calls)
        assert_same(outer, [{"x": value}] * 2, many=True, calls=calls)

    def test_a_serializer_that_holds_itself(self):
        class Tree(serializers.Serializer):
            name = Text()

            def get_fields(self):
                fields = super().get_fields()
                if self.context.get("depth", 0) > len(self.parents()):
                    fields["children"] = Tree(many=True)
                return fields

            def parents(self):
                parent, found = self.parent, []
                while parent is not None:
                    if isinstance(parent, Tree):
                        found.append(parent)
                    parent = parent.parent
                return found

        leaf = Thing(name="leaf", children=[])
        tree = Thing(name="root", children=[Thing(name="branch", children=[leaf, leaf]), leaf])
        data = assert_same(Tree, tree, context={"depth": 2})
        assert data["children"][0]["children"] == [{"name": "leaf"}] * 2

    def test_rows_of_different_classes_in_one_list(self):
        rows = [{"b": 1}, Thing(b=2), Thing(b=3, c=4), {"b": 5, "c": 6}, type("C", (), {"b": 7})()]
        assert_same(Inner, rows, many=True)
        assert_same(serializer_of(many=Inner(many=True)), {"many": rows})

    def test_a_list_serializer_of_a_plain_field(self):
        def make(instance=None, **kwargs):
            return serializers.ListSerializer(instance, child=serializers.IntegerField(), **kwargs)

        assert assert_same(make, ["1", 2.5, True]) == [1, 2, 1]
        assert_same(make, ["1", "x"])

    def test_a_list_of_lists(self):
        def make(instance=None, **kwargs):
            child = serializers.ListSerializer(child=Inner())
            return serializers.ListSerializer(instance, child=child, **kwargs)

        assert assert_same(make, [[{"b": 1}], []]) == [[{"b": "1"}], []]


with isolate_apps("flights"):

    class Person(models.Model):
        name = models.CharField(max_length=10)
        friends = models.ManyToManyField("self")

        class Meta:
            app_label = "flights"

    class Seat(models.Model):
        number = models.CharField(max_length=3)
        person = models.OneToOneField(Person, models.CASCADE, related_name="seat")

        class Meta:
            app_label = "flights"


class SeatSerializer(serializers.Serializer):
    number = Text()


class TestRelations:
    @pytest.mark.parametrize("options", [{}, {"default": None}, {"required": False}], ids=str)
    def test_a_missing_reverse_one_to_one_is_none(self, options):
        serializer = serializer_of(
            seat=SeatSerializer(**options),
            key=serializers.PrimaryKeyRelatedField(source="seat", read_only=True),
            number=Text(source="seat.number", default="-"),
        )
        data = assert_same_each_time(serializer, Person)
        assert data == {"seat": None, "key": None, "number": None}

    def test_friends_of_someone_unsaved_raise_as_in_stock(self):
        serializer = serializer_of(friends=serializer_of(name=Text())(many=True))
        assert isinstance(assert_same_each_time(serializer, Person), ValueError)

    @pytest.mark.parametrize("prefetch", [(), ("flights",)], ids=["plain", "prefetched"])
    def test_many_related_keys_slugs_and_texts(self, flights, prefetch):
        def related(field, **options):
            return field(source="flights", many=True, read_only=True, **options)

        serializer = serializer_of(
            keys=related(serializers.PrimaryKeyRelatedField),
            numbers=related(serializers.SlugRelatedField, slug_field="number"),
            names=related(serializers.SlugRelatedField, slug_field="airline__name"),
            texts=serializers.StringRelatedField(source="flights", many=True),
            dotted=serializers.StringRelatedField(source="flights.all", many=True),
            missing=serializers.StringRelatedField(source="nothing", many=True, required=False),
        )
        data = assert_same_each_time(
            serializer, lambda: Airline.objects.prefetch_related(*prefetch), many=True
        )
        assert data[1]["names"] == ["United", "United"]
        assert all(field.compiled for field in fastschema.compile(serializer).explain())

    @pytest.mark.parametrize("rows", [Flight.objects.all, Flight.objects.select_related])
    def test_one_related_slug_and_text(self, flights, rows):
        serializer = serializer_of(
            text=serializers.StringRelatedField(source="destination"),
            slug=serializers.SlugRelatedField(source="airline", slug_field="name", read_only=True),
            deep=serializers.SlugRelatedField(
                source="destination", slug_field="departures__model__objects", read_only=True
            ),
            far=serializers.StringRelatedField(source="plane.pk"),
            gone=serializers.StringRelatedField(source="airline.nothing", default="-"),
        )
        assert_same_each_time(serializer, lambda: rows().filter(pk__gt=2), many=True)

    @pytest.mark.parametrize(
        "value", [None, 5, "x", Thing(pk=1), lambda: Thing(pk=2), [1], lambda x: x, len]
    )
    def test_relations_of_objects_that_are_no_models(self, value):
        serializer = serializer_of(
            text=serializers.StringRelatedField(source="a"),
            slug=serializers.SlugRelatedField(source="a", slug_field="pk", read_only=True),
            many=serializers.StringRelatedField(source="b", many=True, required=False),
            keys=serializers.PrimaryKeyRelatedField(source="b", many=True, read_only=True),
        )
        for rest in ({}, {"b": [value]}, {"b": (Thing(pk=None), Thing(pk=3))}, {"b": None}):
            assert_same(serializer, Thing(a=value, **rest))
            assert_same(serializer, {"a": value, **rest})

    def test_a_nested_foreign_key_may_be_a_property(self, flights):
        class WithProperty(Flight):
            class Meta:
                proxy = True
                app_label = "flights"
                apps = Person._meta.apps

            calls = []

            @property
            def airline(self):
                self.calls.append("airline")
                return Thing(code="P", name="property")

        data = assert_same(
            serializer_of(airline=AirlineSerializer()), WithProperty(), calls=WithProperty.calls
        )
        assert data == {"airline": {"code": "P", "name": "property"}}


class TestData:
    def test_one_object_gives_a_return_dict_with_its_serializer(self):
        serializer = Inner({"b": 1})
        assert type(serializer.data) is ReturnDict
        assert serializer.data.serializer is serializer

    def test_a_use_leaves_nothing_behind_on_serializers_and_fields(self):
        def attributes():
            serializer = Outer({"one": {"b": 1}, "many": [{"b": 2}], "after": 3})
            for _ in range(3):
                serializer.to_representation(serializer.instance)
            nested = serializer.fields["one"], serializer.fields["many"].child
            owners = [serializer, *serializer.fields.values(), *nested, nested[0].fields["b"]]
            assert [owner.validators for owner in owners]  # of clones they are made now
            unseen = {STATE_KEY, "_fastschema_fields", "fields"}
            return [sorted(vars(owner).keys() - unseen) for owner in owners]

        assert_returns_as_in_stock(attributes)

    def test_to_representation_takes_its_argument_by_name(self):
        assert Inner().to_representation(instance={"b": 1}) == {"b": "1"}
        assert Inner(many=True).to_representation(data=[{"b": 1}]) == [{"b": "1"}]

    @pytest.mark.parametrize("many", [False, True])
    def test_data_can_be_pickled(self, many):
        thing = {"one": {"b": 1}, "many": [{"b": 2}], "after": 3}
        data = Outer([thing] if many else thing, many=many).data
        with fastschema.disabled():
            expected = Outer([thing] if many else thing, many=many).data
        assert exactly(pickle.loads(pickle.dumps(data))) == exactly(
            pickle.loads(pickle.dumps(expected))
        )
        assert pickle.loads(pickle.dumps(Response(data).data)) == data

    @pytest.mark.parametrize("instance", [None, Thing(b="old")])
    @pytest.mark.parametrize("data", [{"b": " x "}, {"b": "x", "c": "7"}, {"c": "x"}, {}, None, 5])
    def test_data_after_validation(self, instance, data):
        def make(_, **kwargs):
            serializer = Inner(instance, data=data, **kwargs)
            serializer.is_valid()
            return serializer

        assert_same(make, {"b": 1})

    @pytest.mark.parametrize(
        "rows",
        [None, 5, "ab", {}, {"b": 1}, [None], (), iter(()), range(2), [[]], {1, 2}],
        ids=shown,
    )
    def test_anything_in_the_place_of_the_rows(self, rows):
        assert_same(Inner, rows, many=True)

    @pytest.mark.parametrize("error", [StopIteration("x"), GeneratorExit("x"), ValueError("x")])
    def test_an_error_among_the_rows_is_heard(self, error):
        class Rows:
            def __iter__(self):
                return self

            def __init__(self):
                self.left = [{"b": 1}, {"b": 2}]

            def __next__(self):
                if self.left:
                    return self.left.pop()
                raise error

        if isinstance(error, GeneratorExit):
            with pytest.raises(GeneratorExit):
                _ = Inner(Rows(), many=True).data
        else:
            assert_same_each_time(Inner, Rows, many=True)

    @pytest.mark.parametrize("position", [0, 1, 2])
    def test_a_stop_iteration_from_user_code_does_not_end_the_rows(self, position):
        calls = []
        rows = [Witness(calls, b=1) for _ in range(3)]
        rows[position] = Witness(calls, b=StopIteration("stop"))
        assert isinstance(assert_same(Inner, rows, many=True, calls=calls), StopIteration)

    def test_a_row_is_read_before_the_next_is_fetched(self):
        calls = []

        def rows():
            for number in range(3):
                calls.append(number)
                yield Witness(calls, b=number, c=1)

        assert_same_each_time(Inner, rows, many=True, calls=calls)
        assert calls == [0, "b", "c", 1, "b", "c", 2, "b", "c"]

    def test_one_object_may_stand_for_all_rows(self):
        class Cursor:
            b = 0

            def __iter__(self):
                for self.b in range(3):
                    yield self

        data = assert_same_each_time(Inner, Cursor, many=True)
        assert [row["b"] for row in data] == ["0", "1", "2"]


class TestThreads:
    def test_two_contexts_in_interleaved_rows(self):
        class ForUser(serializers.Serializer):
            user = serializers.SerializerMethodField()
            nested = serializer_of(a=Text())(source="*")

            def get_user(self, obj):
                return self.context["user"]

        inner = ForUser({"a": 2}, context={"user": "bob"})

        def rows():
            yield {"a": 1}
            assert inner.data["user"] == "bob"
            yield {"a": 3}

        data = ForUser(rows(), many=True, context={"user": "ann"}).data
        assert [row["user"] for row in data] == ["ann", "ann"]

    def test_two_users_and_two_languages_in_interleaved_threads(self):
        class Greeting(serializers.Serializer):
            text = Text(source="a")
            user = serializers.SerializerMethodField()
            nested = serializer_of(text=Text(source="a"))(source="*")

            def get_user(self, obj):
                return self.context["user"]

        barrier = threading.Barrier(2)
        message = gettext_lazy("This field is required.")

        def use(user, language):
            seen = set()
            with translation.override(language):
                for _ in range(30):
                    barrier.wait()

                    def rows():
                        yield {"a": message}
                        barrier.wait()
                        yield {"a": message}

                    for row in Greeting(rows(), many=True, context={"user": user}).data:
                        assert row["nested"]["text"] == row["text"]
                        seen.add((row["user"], row["text"]))
            return seen

        with ThreadPoolExecutor(2) as pool:
            results = list(pool.map(use, ["ann", "bob"], ["en", "de"]))
        assert results == [
            {("ann", "This field is required.")},
            {("bob", "Dieses Feld ist zwingend erforderlich.")},
        ]


class TestForms:
    class Form(serializers.Serializer):
        name = Text(max_length=5)
        inner = serializer_of(x=serializers.IntegerField())()
        tags = serializers.ListField(child=Text())
        choice = serializers.ChoiceField([("a", "A"), ("b", "B")])
        note = serializers.JSONField(required=False)

    VALUE = {"name": "n", "inner": {"x": 1}, "tags": ["a"], "choice": "b", "note": {"a": [1]}}

    def in_both(self, call):
        for _ in range(3):
            expected = assert_as_in_stock(call)
        return expected.value

    def test_html_forms(self):
        assert "<input" in HTMLFormRenderer().render(self.Form(self.VALUE).data)
        self.in_both(lambda: HTMLFormRenderer().render(self.Form(self.VALUE).data))

    def test_a_list_serializer_with_arguments_of_its_own(self):
        class Listed(serializers.ListSerializer):
            def __init__(self, *args, own=None, **kwargs):
                super().__init__(*args, **kwargs)
                self.own = own

        class Row(serializers.Serializer):
            a = Text()

            class Meta:
                list_serializer_class = Listed

            @classmethod
            def many_init(cls, *args, **kwargs):
                return Listed(*args, child=cls(), own=kwargs.get("own"), allow_empty=False)

        assert_same(Row, [{"a": 1}], many=True, own=1)
        assert_same(serializer_of(rows=Row(many=True, own=2)), {"rows": [{"a": 1}]})


def test_a_child_that_is_no_serializer_is_asked_as_by_stock():
    class Child:
        def bind(self, field_name, parent):
            pass

        def to_representation(self, value):
            return {"value": value}

    many = serializers.ListSerializer(child=Child())
    assert many.to_representation([1, 2]) == [{"value": 1}, {"value": 2}]
