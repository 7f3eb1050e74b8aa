"""fastschema.compile() and what a plan tells of a serializer."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

import fastschema
from flights.serializers import CompactFlightSerializer, FlightSerializer
from tests.promises.django.differential import Thing, outcome, serializer_of


class Inner(serializers.Serializer):
    b = serializers.IntegerField()


class Total(serializers.Field):
    def to_representation(self, obj):
        return len(obj["many"])


class Outer(serializers.Serializer):
    a = serializers.CharField(source="x.y")
    one = Inner()
    many = Inner(many=True)
    total = Total(source="*")


THING = {"x": {"y": "é"}, "one": {"b": 1}, "many": [{"b": 2}, {"b": 3}]}
DATA = {"a": "é", "one": {"b": 1}, "many": [{"b": 2}, {"b": 3}], "total": 2}


class TestCompile:
    @pytest.mark.parametrize("make", [lambda: Outer, Outer, lambda: Outer(THING)])
    def test_a_class_and_an_object_give_the_same(self, make):
        plan = fastschema.compile(make())
        assert plan.dump(THING) == DATA
        assert plan.dumps(THING) == JSONRenderer().render(DATA)

    def test_a_list_serializer_dumps_many_by_itself(self):
        plan = fastschema.compile(Outer(many=True))
        assert plan.dump([THING]) == [DATA]
        assert plan.dumps([THING]) == JSONRenderer().render([DATA])
        assert plan.dumps([]) == b"[]"

    @pytest.mark.parametrize("rows", [None, 5, [1], {"a": 1}])
    @pytest.mark.parametrize("make", [Outer, lambda: Outer(many=True)])
    def test_what_cannot_be_dumped_raises_as_in_stock(self, make, rows):
        plan = fastschema.compile(make())
        for many in (None, True):
            for dump in (plan.dump, plan.dumps):
                with fastschema.disabled():
                    expected = outcome(lambda dump=dump, many=many: dump(rows, many=many), [])
                assert expected.error
                assert outcome(lambda dump=dump, many=many: dump(rows, many=many), []) == expected

    def test_the_serializer_is_not_changed(self):
        serializer = Outer(THING)
        before = dict(vars(serializer))
        fastschema.compile(serializer).dump(THING)
        changed = {key for key, value in vars(serializer).items() if before.get(key) is not value}
        assert changed <= {"fields"}

    def test_context_is_that_of_the_serializer(self):
        class User(serializers.Serializer):
            user = serializers.SerializerMethodField()

            def get_user(self, obj):
                return self.context["user"]

        plans = [fastschema.compile(User(context={"user": name})) for name in ("ann", "bob")]
        assert [plan.dumps({}) for plan in plans] == [b'{"user":"ann"}', b'{"user":"bob"}']

    @pytest.mark.parametrize(
        "schema", [int, 5, None, "Serializer", serializers.CharField(), serializers.CharField]
    )
    def test_what_is_no_serializer_is_refused(self, schema):
        with pytest.raises(TypeError, match="not a schema"):
            fastschema.compile(schema)

    def test_a_plan_says_what_it_is_of(self):
        assert repr(fastschema.compile(Outer)) == "<Plan of Outer>"


class Tree(serializers.Serializer):
    name = serializers.CharField()

    def get_fields(self):
        fields = super().get_fields()
        return {**fields, "parent": Tree(), "children": Tree(many=True), "forest": Forest()}


class Forest(serializers.Serializer):
    def get_fields(self):
        return {"trees": Tree(many=True)}


class TestExplain:
    def test_every_field_is_listed_and_nested_ones_are_dotted(self):
        report = fastschema.compile(Outer).explain()
        assert report.schema == "Outer"
        assert [field.key for field in report] == ["a", "one", "one.b", "many", "many.b", "total"]
        assert report.fields[0].source == "x.y"

    def test_a_field_that_runs_as_stock_has_a_reason(self):
        report = fastschema.compile(Outer(many=True)).explain()
        stock = {field.key: field.why for field in report if not field.compiled}
        assert list(stock) == ["total"]
        assert "Total.to_representation" in stock["total"]

    @pytest.mark.parametrize("serializer", [FlightSerializer, CompactFlightSerializer])
    def test_the_example_is_compiled_altogether(self, serializer):
        report = fastschema.compile(serializer).explain()
        assert [field.key for field in report if not field.compiled] == []

    @pytest.mark.parametrize("many", [False, True])
    def test_a_serializer_with_an_own_method_runs_as_stock(self, many):
        class Own(Inner):
            def to_representation(self, instance):
                return {}

        report = fastschema.compile(Own(many=many)).explain()
        assert "to_representation is overridden" in str(report)
        assert list(report) == []
        nested = fastschema.compile(serializer_of(x=Own(many=many))).explain()
        assert [field.compiled for field in nested] == [False]
        assert "to_representation" in nested.fields[0].why

    def test_a_method_around_what_super_makes_is_told_as_compiled(self):
        class Own(Inner):
            def to_representation(self, instance):
                return {**super().to_representation(instance), "own": True}

        class Other(Own):
            def to_representation(self, instance):
                return {"own": False}

        class Around(Other):
            def to_representation(self, instance):
                return super().to_representation(instance)

        report = fastschema.compile(Own()).explain()
        assert (report.why, report.override) == ("", "to_representation")
        assert list(report) == list(fastschema.compile(Inner()).explain())
        [nested, *_] = fastschema.compile(serializer_of(x=Own())).explain()
        assert (nested.compiled, nested.custom) == (True, True)
        for cls in (Other, Around):
            assert fastschema.compile(cls()).explain().why == "to_representation is overridden"

    def test_other_readable_fields_run_as_stock(self):
        class Own(Inner):
            @property
            def _readable_fields(self):
                return []

        assert "_readable_fields" in fastschema.compile(Own).explain().why

    def test_what_a_serializer_nests_in_itself_is_told_of_once(self):
        report = fastschema.compile(Tree).explain()
        keys = [field.key for field in report]
        fields = ["name", "parent", "children", "forest"]
        assert [key for key in keys if "." not in key] == fields
        assert [key for key in keys if key.startswith("parent.")] == [
            f"parent.{name}" for name in fields
        ]
        assert [key for key in keys if key.startswith("forest.")] == [
            *("forest.trees", *(f"forest.trees.{name}" for name in fields))
        ]
        assert all(field.compiled for field in report)
        assert [field.key for field in report.loading] == keys

    def test_a_list_serializer_with_an_own_method_runs_as_stock(self):
        class Own(serializers.ListSerializer):
            def to_representation(self, data):
                return []

        report = fastschema.compile(Own(child=Inner())).explain()
        assert "to_representation is overridden" in str(report)


class TestSource:
    @pytest.mark.parametrize("form", ["python", "json"])
    @pytest.mark.parametrize("access", ["attribute", "item", "general"])
    def test_the_source_is_python(self, form, access):
        source = fastschema.compile(Outer).source(form, access)
        compile(source, "<generated>", "exec")
        assert "def dump_Outer(" in source

    def test_there_is_no_source_for_what_runs_as_stock(self):
        class Own(Inner):
            def to_representation(self, instance):
                return {}

        source = fastschema.compile(Own).source()
        assert source.startswith("# ")
        compile(source, "<generated>", "exec")

    @pytest.mark.at_once
    def test_a_traceback_shows_the_generated_line(self):
        import traceback

        class Broken:
            @property
            def b(self):
                raise RuntimeError("broken")

        with pytest.raises(RuntimeError) as caught:
            _ = Inner(Broken()).data
        lines = "".join(traceback.format_exception(caught.value))
        assert "obj.b" in lines

    def test_the_names_of_fields_are_never_code(self):
        name = '"); raise SystemExit #'
        serializer = serializer_of(**{name: serializers.CharField()})
        source = fastschema.compile(serializer).source()
        compile(source, "<generated>", "exec")
        assert fastschema.compile(serializer).dump(Thing(**{name: 1})) == {name: "1"}


def test_loading_by_a_serializer_is_refused_with_what_to_do_instead():
    plan = fastschema.compile(Outer)

    for load in (plan.load, plan.validate):
        with pytest.raises(TypeError, match="is_valid"):
            load({})
    with pytest.raises(TypeError, match="is_valid"):
        plan.loads("{}")
    assert plan.load_source().startswith("# ")


def test_a_plan_keeps_its_fields_and_looks_at_nested_serializers():
    inner = serializer_of(price=serializers.DecimalField(5, 2))
    outer = serializer_of(inner=inner(), at=serializers.DateTimeField())()
    row = {"inner": {"price": Decimal("1.5")}, "at": datetime(2024, 1, 2, tzinfo=UTC)}
    plan = fastschema.compile(outer)
    assert plan.dump(row) == {"inner": {"price": "1.50"}, "at": "2024-01-02T00:00:00Z"}
    outer.fields["inner"].fields["price"].decimal_places = 1
    outer.fields.pop("at")
    expected = {"inner": {"price": "1.5"}, "at": "2024-01-02T00:00:00Z"}
    assert plan.dump(row) == expected
    assert plan.dump([row], many=True) == [expected]
