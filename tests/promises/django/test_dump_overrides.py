"""Serializers with methods of their own: overrides, method fields, fields changed late."""

import datetime
import functools
from datetime import UTC
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone
from rest_framework import serializers

import fastschema
from tests.promises.django.differential import Thing, Witness, assert_same, exactly, serializer_of
from tests.promises.django.test_dump import Inner, Text


class Upper(Inner):
    def to_representation(self, instance):
        data = super().to_representation(instance)
        data["b"] = data["b"].upper()
        data["added"] = 1
        return data


class Own(Inner):
    def to_representation(self, instance):
        return f"own {type(instance).__name__}"


class Reversed(serializers.ListSerializer):
    def to_representation(self, data):
        return super().to_representation(data)[::-1]


class Counted(serializers.ListSerializer):
    def to_representation(self, data):
        return {"count": len(data), "items": [self.child.to_representation(each) for each in data]}


def with_list_serializer(cls, base=Inner):
    """A serializer class whose lists are serialized by another class."""
    meta = type("Meta", (), {"list_serializer_class": cls})
    return type("Listed", (base,), {"Meta": meta})


class TestOverrides:
    ROWS = [Thing(b="x", c=1), {"b": "y"}]

    @pytest.mark.parametrize("serializer", [Upper, Own])
    def test_on_the_serializer(self, serializer):
        for row in self.ROWS:
            assert_same(serializer, row)
        assert_same(serializer, self.ROWS, many=True)

    @pytest.mark.parametrize("serializer", [Upper, Own])
    def test_on_a_nested_serializer(self, serializer):
        outer = serializer_of(one=serializer(), many=serializer(many=True))
        assert_same(outer, {"one": self.ROWS[0], "many": self.ROWS})
        assert_same(outer, [{"one": None, "many": ()}] * 2, many=True)

    @pytest.mark.parametrize("base", [Inner, Upper, Own])
    @pytest.mark.parametrize("cls", [Reversed, Counted])
    def test_on_the_list_serializer(self, cls, base):
        listed = with_list_serializer(cls, base)
        assert_same(
            serializer_of(many=listed(many=True), one=listed()),
            {"many": self.ROWS, "one": self.ROWS[0]},
        )
        assert_same(listed, self.ROWS[0])
        for representation in (self.representation, self.plan):
            with fastschema.disabled():
                expected = representation(listed, self.ROWS)
            assert exactly(representation(listed, self.ROWS)) == exactly(expected)

    @staticmethod
    def representation(serializer, rows):
        return serializer(rows, many=True).to_representation(rows)

    @staticmethod
    def plan(serializer, rows):
        return fastschema.compile(serializer(many=True)).dump(rows)

    def test_a_list_serializer_that_gives_a_dict_keeps_its_own_data(self):
        class Envelope(Counted):
            @property
            def data(self):
                return self.to_representation(self.instance)

        data = assert_same(with_list_serializer(Envelope), [{"b": 1}], many=True)
        assert data == {"count": 1, "items": [{"b": "1"}]}

    def test_the_methods_are_called_as_often_as_in_stock(self):
        calls = []

        class Noted(Inner):
            def to_representation(self, instance):
                calls.append(instance["b"])
                return super().to_representation(instance)

            @property
            def _readable_fields(self):
                calls.append("fields")
                return super()._readable_fields

        rows = [{"b": 1}, {"b": 2}]
        assert_same(Noted, rows, many=True, calls=calls)
        assert_same(serializer_of(x=Noted(many=True)), {"x": rows}, calls=calls)

    def test_a_data_property_that_adds_is_kept(self):
        class Added(Inner):
            @property
            def data(self):
                return {**super().data, "extra": 1}

        assert assert_same(Added, {"b": 1}) == {"b": "1", "extra": 1}

    def test_other_readable_fields_are_used(self):
        class Some(Inner):
            @property
            def _readable_fields(self):
                yield self.fields["c"]

        assert assert_same(Some, {"b": 1, "c": 2}) == {"c": 2}
        assert assert_same(serializer_of(x=Some()), {"x": {"b": 1, "c": 2}}) == {"x": {"c": 2}}

    def test_a_base_serializer_is_its_own(self):
        class Base(serializers.BaseSerializer):
            def to_representation(self, instance):
                return {"base": instance}

        assert assert_same(Base, 3) == {"base": 3}
        assert assert_same(Base, [3, 4], many=True) == [{"base": 3}, {"base": 4}]
        outer = serializer_of(x=Base(), y=Base(many=True))
        assert assert_same(outer, {"x": 1, "y": [2]}) == {"x": {"base": 1}, "y": [{"base": 2}]}


class TestMethodFields:
    def test_methods_are_called_once_for_each_row_and_in_order(self):
        calls = []

        class Methods(serializers.Serializer):
            first = serializers.SerializerMethodField()
            a = Text()
            second = serializers.SerializerMethodField("other")

            def get_first(self, obj):
                calls.append("first")
                return {"of": obj}

            def other(self, obj):
                calls.append("second")
                return self.context.get("x")

        witness = Witness(calls, a=1)
        assert_same(Methods, [witness, witness], many=True, calls=calls, context={"x": 2})
        assert calls == ["first", "a", "second"] * 2

    @pytest.mark.parametrize(
        "error", [AttributeError("x"), KeyError("x"), serializers.SkipField(), ValueError("x")]
    )
    def test_an_error_is_heard(self, error):
        class Method(serializers.Serializer):
            a = serializers.SerializerMethodField()

            def get_a(self, obj):
                raise error

        assert isinstance(assert_same(Method, {}), type(error))

    def test_a_missing_method_raises_as_in_stock(self):
        error = assert_same(serializer_of(a=serializers.SerializerMethodField()), {})
        assert isinstance(error, AttributeError)

    def test_a_method_may_use_another_serializer(self):
        class Method(serializers.Serializer):
            a = serializers.SerializerMethodField()

            def get_a(self, obj):
                return Inner(obj["x"], many=True, context=self.context).data

        assert assert_same(Method, {"x": [{"b": 1}]}) == {"a": [{"b": "1"}]}


class TestMethodsOfMethodFields:
    def test_a_method_is_found_in_every_way_as_in_stock(self):
        calls = []

        class Method(serializers.Serializer):
            a = serializers.SerializerMethodField()

            @property
            def get_a(self):
                calls.append("property")
                return lambda obj: "a"

        class Static(Method):
            @staticmethod
            def get_a(obj):
                return "static"

        class Class(Method):
            @classmethod
            def get_a(cls, obj):
                return cls.__name__

        class Partial(Method):
            get_a = functools.partial(str)

        class Asked(serializers.Serializer):
            a = serializers.SerializerMethodField()

            def __getattr__(self, name):
                if name == "get_a":
                    calls.append(name)
                    return str
                raise AttributeError(name)

        class Set(Method):
            get_a = None

            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                self.get_a = lambda obj: "set"

        for serializer in (Method, Static, Class, Partial, Asked, Set):
            assert_same(serializer, [1, 2], many=True, calls=calls)

    def test_none_is_not_given_to_a_method(self):
        class Method(serializers.Serializer):
            a = serializers.SerializerMethodField()

            def get_a(self, obj):
                return "called"

        assert assert_same(Method, [None, 1], many=True) == [{"a": None}, {"a": "called"}]


class TestDynamicFields:
    @pytest.mark.parametrize("second", [Text(source="c"), Text(required=False, source="x"), Text()])
    @pytest.mark.parametrize("first", [Text(source="b"), Text(required=False, source="x")])
    def test_two_fields_with_one_key(self, first, second):
        def make(instance=None, **kwargs):
            serializer = serializer_of(a=first, b=second, c=Text())(instance, **kwargs)
            serializer.fields["a"].field_name = "b"
            return serializer

        assert_same(make, {"b": 1, "c": 2})
        assert_same(make, {"c": 2})

    def test_one_field_under_two_names(self):
        def make(instance=None, **kwargs):
            serializer = Inner(instance, **kwargs)
            serializer.fields["d"] = serializer.fields["b"]
            return serializer

        calls = []
        assert assert_same(make, Witness(calls, b=1, c=2), calls=calls) == {"d": "1", "c": 2}

    @pytest.mark.at_once
    def test_the_time_zone_is_looked_up_once_for_each_dump(self):
        # A known difference: stock looks it up for each value.
        moment = datetime.datetime(2024, 7, 1, 12, tzinfo=UTC)

        def rows():
            for zone in ("Asia/Tokyo", "America/New_York", "UTC"):
                with timezone.override(zone):
                    yield {"a": moment}

        serializer = serializer_of(a=serializers.DateTimeField())
        for _ in range(3):
            data = serializer(rows(), many=True).data
            assert [row["a"][11:] for row in data] == ["21:00:00+09:00"] * 3

    @pytest.mark.parametrize(
        ("base", "name", "values", "value"),
        [
            (Text, "write_only", [True, False], 1),
            (serializers.DateField, "format", ["%Y", "%d", "iso-8601"], datetime.date(2024, 7, 1)),
            (
                serializers.DateTimeField,
                "timezone",
                [ZoneInfo("Asia/Tokyo"), ZoneInfo("UTC"), None],
                datetime.datetime(2024, 7, 1, tzinfo=UTC),
            ),
            (serializers.ReadOnlyField, "source_attrs", [["a"], ["b"], ["c", "real"]], 1),
            (Text, "required", [True, False], None),
        ],
    )
    @pytest.mark.parametrize("many", [False, True])
    def test_a_property_of_a_field_may_answer_by_context(self, base, name, values, value, many):
        def answer(self):
            return self.context["answer"]

        # Stock sets some of these attributes, which then has no effect.
        field = type("Own", (base,), {name: property(answer, lambda self, value: None)})
        serializer = serializer_of(a=field(), b=Text())
        thing = {"b": 2, "c": 3} if value is None else {"a": value, "b": 2, "c": 3}
        for answer_now in values * 3:
            instance = [thing] * 2 if many else thing
            assert_same(serializer, instance, many=many, context={"answer": answer_now})
