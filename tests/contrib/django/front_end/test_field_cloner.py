"""Fields that are made once for a class: nobody can tell, whatever changes."""

import datetime
import gc
import weakref
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.db import models
from django.test import override_settings
from django.test.utils import isolate_apps
from django.utils.functional import lazy
from rest_framework import serializers

import fastschema
from fastschema.contrib.django.front_end.class_state import class_state, state_of_pending
from flights.models import Airline, Flight, Plane
from flights.serializers import FlightSerializer, PlaneSerializer
from tests.contrib.django.differential import Thing, assert_same, serializer_of


def makes_fields(serializer_class, instance, **kwargs):
    """Whether a serializer makes its own fields, when its class has been in use."""
    for _ in range(3):
        serializer = serializer_class(instance, **kwargs)
        assert serializer.data is not None
    child = getattr(serializer, "child", serializer)
    return "fields" in vars(child)


def point_class():
    """A new class of serializers."""

    class Inner(serializers.Serializer):
        b = serializers.CharField()

    class Point(serializers.Serializer):
        x = serializers.IntegerField()
        y = serializers.ChoiceField(["a", ("1", "one")], required=False)
        tags = serializers.ListField(child=serializers.CharField(), default=list)
        inner = Inner()
        many = Inner(many=True, required=False)
        label = serializers.SerializerMethodField()

        def get_label(self, obj):
            return f"label for {self.context.get('user')}"

    return Point


POINT = {
    "x": 1,
    "y": "1",
    "tags": ["t"],
    "inner": {"b": "c"},
    "many": [{"b": "d"}],
    "z": 3,
    "w": "4",
}


class TestUse:
    """Where it pays, and where it would show."""

    def test_plain_serializers_do_not_make_fields(self):
        point = point_class()
        assert not makes_fields(point, POINT)
        assert not makes_fields(point, [POINT, POINT], many=True)

    def test_model_serializers_do_not_make_fields(self, flights):
        assert not makes_fields(FlightSerializer, flights[0])
        assert not makes_fields(FlightSerializer, flights, many=True)
        assert not makes_fields(PlaneSerializer, Plane(tail_number="x"))

    def test_fields_can_be_asked_for_afterwards(self):
        point = point_class()
        for _ in range(3):
            serializer = point(POINT, context={"user": "ann"})
            data = serializer.data
            assert list(serializer.fields) == list(data)
            assert serializer.fields["x"].parent is serializer
            assert serializer["inner"]["b"].value == "c"

    def test_odd_values_reach_the_serializers_own_fields(self):
        parents = []

        class Own(serializers.CharField):
            def to_representation(self, value):
                parents.append((self.parent, self.context["user"]))
                return super().to_representation(value)

        point = serializer_of(x=Own(), inner=serializer_of(y=Own())(), z=serializers.CharField())
        for user in range(4):
            serializer = point({"x": 1, "inner": {"y": 2}, "z": 3}, context={"user": user})
            assert serializer.data == {"x": "1", "inner": {"y": "2"}, "z": "3"}
            assert parents == [(serializer, user), (serializer.fields["inner"], user)]
            parents.clear()

    def test_odd_values_deep_inside_reach_their_own_fields_too(self):
        class Deep(serializers.Serializer):
            at = serializers.DateTimeField()
            user = serializers.SerializerMethodField()

            def get_user(self, obj):
                return (self.context["user"], self.parent.parent is not None)

        middle = serializer_of(deep=Deep(), rows=Deep(many=True), by=serializers.DictField())
        outer = serializer_of(middle=middle(), more=middle(many=True))
        for at in ("as it is", datetime.datetime(2024, 7, 1), None, 0):
            value = {"deep": {"at": at}, "rows": [{"at": at}], "by": {1: at}}
            for user in ("ann", "bob"):
                instance = {"middle": value, "more": [value, value]}
                assert_same(outer, instance, context={"user": user})

    def test_errors_name_the_serializer_as_in_stock(self):
        inner = serializer_of(y=serializers.CharField())
        outer = serializer_of(inner=inner(), rows=inner(many=True))
        for instance in ({"inner": {}}, {"inner": {"y": 1}, "rows": [{}]}, {}):
            assert isinstance(assert_same(outer, instance), KeyError)

    def test_a_partial_serializer_has_no_defaults(self):
        point = serializer_of(x=serializers.CharField(default="d"), y=serializers.CharField())
        for _ in range(3):
            assert point({"y": 1}).data == {"x": "d", "y": "1"}
            assert point({"y": 1}, partial=True).data == {"y": "1"}

    @pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
    def test_a_zone_other_than_utc_needs_no_fields(self, zone):
        at = serializers.DateTimeField(default_timezone=ZoneInfo(zone))
        moment = datetime.datetime(2024, 7, 1, tzinfo=datetime.UTC)
        assert not makes_fields(serializer_of(at=at), {"at": moment})


def counting_field(calls):
    class OwnField(serializers.CharField):
        def __init__(self, **kwargs):
            calls.append("field")
            super().__init__(**kwargs)

    return OwnField


class TestUsersCode:
    """Code that runs when fields are made runs as often as in stock."""

    def test_an_own_init(self):
        calls = []

        own_field = counting_field(calls)

        class OwnSerializer(serializers.Serializer):
            a = serializers.CharField()

            def __init__(self, *args, **kwargs):
                calls.append("serializer")
                super().__init__(*args, **kwargs)

        for outer in (
            serializer_of(a=own_field()),
            serializer_of(a=serializers.ListField(child=own_field())),
            serializer_of(a=OwnSerializer()),
            serializer_of(a=OwnSerializer(many=True)),
            OwnSerializer,
        ):
            for value in ([], [{"a": 1}]):
                assert_same(outer, {"a": value}, calls=calls)
                assert_same(outer, [{"a": value}], many=True, calls=calls)

    def test_an_own_init_of_a_field_that_stands_for_a_models(self, monkeypatch):
        calls = []

        class Airlines(serializers.ModelSerializer):
            class Meta:
                model = Airline
                fields = ("name",)

        mapping = serializers.ModelSerializer.serializer_field_mapping
        monkeypatch.setitem(mapping, models.CharField, counting_field(calls))
        for _ in range(3):
            assert_same(Airlines, Airline(name="United"), calls=calls)

    def test_a_directory_that_is_gone(self, tmp_path):
        directory = tmp_path / "uploads"
        directory.mkdir()
        path = serializers.FilePathField(path=str(directory))
        plain, listed = serializer_of(a=path), serializer_of(a=serializers.ListField(child=path))
        for _ in range(3):
            assert_same(plain, {"a": "x"})
            assert_same(listed, {"a": ["x"]})
        directory.rmdir()
        assert isinstance(assert_same(plain, {"a": "x"}), FileNotFoundError)

    def test_other_methods_and_properties(self):
        calls = []

        class Bound(serializers.CharField):
            def bind(self, field_name, parent):
                calls.append(field_name)
                super().bind(field_name, parent)

        class Copied(serializers.CharField):
            def __deepcopy__(self, memo):
                calls.append("copy")
                return super().__deepcopy__(memo)

        class New(serializers.CharField):
            def __new__(cls, *args, **kwargs):
                calls.append("new")
                return super().__new__(cls, *args, **kwargs)

        class Options(dict):
            def __deepcopy__(self, memo):
                calls.append("options")
                return self

        class Getting(serializers.Serializer):
            a = serializers.CharField()

            def get_fields(self):
                calls.append("get_fields")
                return super().get_fields()

        class Building(serializers.ModelSerializer):
            class Meta:
                model = Airline
                fields = ("code",)

            def build_standard_field(self, *args):
                calls.append("build")
                return super().build_standard_field(*args)

        field = serializers.CharField(style=Options())
        field._kwargs["own"] = Options()
        field._kwargs.pop("own")
        for outer in (
            serializer_of(a=Bound()),
            serializer_of(a=Copied()),
            serializer_of(a=New()),
            serializer_of(a=serializers.ChoiceField(choices=Options(a="b"))),
            Getting,
            serializer_of(a=Getting(source="*")),
            Building,
            serializer_of(a=Building(source="*")),
        ):
            assert_same(outer, Thing(a=1, code="UA"), calls=calls)

    def test_fields_that_depend_on_the_context(self):
        class Chosen(serializers.Serializer):
            a = serializers.CharField()
            b = serializers.CharField()

            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                for name in self.context.get("without", ()):
                    self.fields.pop(name)

        class Got(serializers.Serializer):
            a = serializers.CharField()
            b = serializers.CharField()

            def get_fields(self):
                fields = super().get_fields()
                return {k: v for k, v in fields.items() if k not in self.context["without"]}

        for serializer in (Chosen, Got):
            for without in ((), ("a",), ("b",), ()):
                data = assert_same(serializer, {"a": 1, "b": 2}, context={"without": without})
                assert data.keys() == {"a", "b"} - set(without)

    def test_methods_of_fields_that_only_represent_leave_their_serializers_pending(self):
        calls = []

        class Link(serializers.HyperlinkedIdentityField):
            def get_url(self, obj, view_name, request, format):
                calls.append(("get_url", obj.pk, view_name))
                return self.shown(obj)

            def shown(self, obj):
                return f"/{obj.pk}/"

        class Keyed(serializers.PrimaryKeyRelatedField):
            def get_queryset(self):
                calls.append("get_queryset")
                return Airline.objects.all()

            def use_pk_only_optimization(self):
                calls.append("use_pk_only_optimization")
                return False

        class Got(serializers.CharField):
            def get_attribute(self, instance):
                calls.append(("get_attribute", instance.pk))
                return self.twice(instance)

            @staticmethod
            def twice(instance):
                return instance.pk * 2

        class Local(serializers.DateTimeField):
            def enforce_timezone(self, value):
                calls.append("enforce_timezone")
                return value

        class Rows(serializers.Serializer):
            url = Link(view_name="airline-detail")
            itself = Keyed(source="other")
            got = Got()
            local = Local()
            name = serializers.CharField()

        def airline(code):
            made = Airline(code=code, name=code)
            made.other, made.local = Airline(code="UA"), datetime.datetime(2024, 7, 1)
            return made

        rows = [airline(code) for code in ("AA", "BB")]
        for _ in range(3):
            assert_same(Rows, rows[0], calls=calls, context={"request": None})
            assert_same(Rows, rows, many=True, calls=calls, context={"request": None})
        serializer = Rows(rows[0], context={"request": None})
        assert state_of_pending(serializer) is not None
        assert calls

    @pytest.mark.parametrize(
        "own",
        [
            {"format": "%d"},
            {"format": property(lambda self: "%d")},
            {"get_default": lambda self: "x"},
            {"context": property(lambda self: {})},
            {"__getattr__": lambda self, name: "%d" if name == "format" else 1 / 0},
        ],
    )
    def test_other_attributes_of_fields(self, own):
        rows = serializer_of(at=type("Own", (serializers.DateField,), own)(default=None))
        for value in ({"at": datetime.date(2024, 2, 29)}, {}):
            for _ in range(3):
                assert_same(rows, value)

    def test_an_init_that_only_keeps_something_is_run_by_the_user_alone(self):
        class Keeping(serializers.Serializer):
            a = serializers.CharField()
            kept = serializers.SerializerMethodField()

            def __init__(self, *args, kept=None, **kwargs):
                super().__init__(*args, **kwargs)
                self.kept = kept

            def get_kept(self, obj):
                return self.kept

        for kept in range(4):
            serializer = Keeping({"a": "1"}, kept=kept)
            assert serializer.data == {"a": "1", "kept": kept}
        assert "fields" not in vars(serializer)


def add_field(point):
    point._declared_fields["z"] = serializers.IntegerField()


def remove_field(point):
    del point._declared_fields["x"]


def replace_field(point):
    point._declared_fields["x"] = serializers.CharField()


def replace_fields(point):
    point._declared_fields = {"w": serializers.CharField()}


def change_nested(point):
    type(point._declared_fields["inner"])._declared_fields["n"] = serializers.CharField(default=1)


def override_get_fields(point):
    point.get_fields = lambda self: {"w": serializers.CharField()}


def override_fields(point):
    point.fields = property(lambda self: {})


def override_nested_to_representation(point):
    type(point._declared_fields["inner"]).to_representation = lambda self, value: "own"


def override_nested_init(point):
    def init(self, *args, **kwargs):
        serializers.Serializer.__init__(self, *args, **{**kwargs, "write_only": True})

    type(point._declared_fields["inner"]).__init__ = init


def override_method(point):
    point.get_label = lambda self, obj: "another label"


@pytest.mark.parametrize(
    "change",
    [
        add_field, remove_field, replace_field, replace_fields, change_nested,
        override_get_fields,
        override_fields, override_nested_to_representation, override_nested_init,
        override_method,
    ],
)  # fmt: skip  # a table, to be seen at a glance
def test_a_late_change_to_a_class_is_seen(change):
    point = point_class()
    before = assert_same(point, POINT)
    assert not makes_fields(point, POINT)
    change(point)
    after = assert_same(point, POINT)
    assert after != before or list(after) != list(before)
    assert_same(point, [POINT, POINT], many=True)


def test_a_serializer_object_that_was_changed_has_its_own_fields():
    point = point_class()
    assert not makes_fields(point, POINT)

    def without_x(*args, **kwargs):
        serializer = point(*args, **kwargs)
        del serializer.fields["x"]
        return serializer

    def with_own_get_fields(*args, **kwargs):
        serializer = point(*args, **kwargs)
        serializer.get_fields = lambda: {"w": serializers.CharField()}
        return serializer

    def with_own_declared_fields(*args, **kwargs):
        serializer = point(*args, **kwargs)
        serializer._declared_fields = {"z": serializers.CharField()}
        return serializer

    for make in (without_x, with_own_get_fields, with_own_declared_fields):
        assert "x" not in assert_same(make, POINT)


class TestModels:
    """Model serializers depend on Meta and on the model."""

    def serializer(self, **meta):
        meta = type("Meta", (), {"model": Plane, "fields": ["tail_number", "year"], **meta})
        return type("Planes", (serializers.ModelSerializer,), {"Meta": meta})

    @pytest.mark.parametrize(
        "change",
        [
            lambda meta: setattr(meta, "fields", ("seats",)),
            lambda meta: setattr(meta, "fields", "__all__"),
            lambda meta: [delattr(meta, "fields"), setattr(meta, "exclude", ("seats",))],
            lambda meta: setattr(meta, "extra_kwargs", {"year": {"write_only": True}}),
            lambda meta: [setattr(meta, "model", Airline), setattr(meta, "fields", ["name"])],
        ],
    )
    def test_meta_changes_later(self, change):
        serializer = self.serializer(extra_kwargs={"year": {"source": "engines"}})
        plane = Plane(tail_number="N1", year=2000, engines=2, seats=5)
        plane.name = "name"
        before = assert_same(serializer, plane)
        assert not makes_fields(serializer, plane)
        change(serializer.Meta)
        assert assert_same(serializer, plane) != before
        assert_same(serializer, [plane], many=True)

    def test_meta_is_exchanged_later(self):
        serializer = self.serializer()
        plane = Plane(tail_number="N1", year=2000)
        assert not makes_fields(serializer, plane)
        serializer.Meta = type("Meta", (), {"model": Plane, "fields": ["type"]})
        assert assert_same(serializer, plane) == {"type": ""}

    def test_depth(self, flights):
        meta = type("Meta", (), {"model": Flight, "fields": ["id", "airline"], "depth": 1})
        serializer = type("Deep", (serializers.ModelSerializer,), {"Meta": meta})
        assert_same(serializer, flights, many=True)
        assert not makes_fields(serializer, flights[0])

    def test_the_mapping_of_fields_changes_later(self):
        class Upper(serializers.CharField):
            def to_representation(self, value):
                return value.upper()

        serializer = self.serializer(fields=["tail_number"])
        plane = Plane(tail_number="n1")
        assert not makes_fields(serializer, plane)
        serializer.serializer_field_mapping = {models.CharField: Upper}
        assert assert_same(serializer, plane) == {"tail_number": "N1"}

    @isolate_apps()
    def test_code_of_a_model_runs_as_often_as_in_stock(self):
        calls = []

        class Target(models.Model):
            class Meta:
                app_label = "flights"

        def chosen():
            calls.append("choices")
            return [("x", "X")]

        def limited():
            calls.append("limit")
            return {"pk": 1}

        class Made(models.Model):
            a = models.CharField(max_length=1, choices=chosen)

            class Meta:
                app_label = "flights"

        class Limited(models.Model):
            to = models.ForeignKey(Target, models.CASCADE, limit_choices_to=limited)

            class Meta:
                app_label = "flights"

        for model in (Made, Limited):
            meta = type("Meta", (), {"model": model, "fields": "__all__"})
            serializer = type("Rows", (serializers.ModelSerializer,), {"Meta": meta})
            assert_same(serializer, model(id=1), calls=calls)

    def test_the_name_of_urls_changes_later(self):
        class Urls(serializers.HyperlinkedModelSerializer):
            class Meta:
                model = Airline
                fields = "__all__"
                extra_kwargs = {"url": {"view_name": "airline-detail"}}

        airline = Airline(code="UA", name="United")
        context = {"request": None}
        assert_same(Urls, airline, context=context)
        with override_settings(REST_FRAMEWORK={"URL_FIELD_NAME": "name"}):
            assert_same(Urls, airline, context=context)

    def test_a_name_of_urls_that_a_serializer_got_leaves_it_pending(self):
        serializer = PlaneSerializer(Plane(tail_number="x"))
        assert not makes_fields(PlaneSerializer, serializer.instance)
        serializer.url_field_name = "url"
        assert serializer.data
        assert "fields" not in vars(serializer)
        serializer.url_field_name = "link"
        assert serializer.to_representation(serializer.instance)
        assert "fields" in vars(serializer)


def test_settings_that_change_later_are_seen():
    serializer = serializer_of(a=serializers.DecimalField(5, 2))
    assert not makes_fields(serializer, {"a": Decimal(1)})
    for coerce in (True, False, True):
        with override_settings(REST_FRAMEWORK={"COERCE_DECIMAL_TO_STRING": coerce}):
            data = assert_same(serializer, {"a": Decimal(1)})
        assert (type(data["a"]) is str) == coerce


def test_a_class_with_many_changes_is_given_up():
    point = point_class()
    for number in range(20):
        point._declared_fields[f"n{number}"] = serializers.IntegerField(default=number)
        assert_same(point, POINT)
    assert class_state(point).cloner() is None
    assert makes_fields(point, POINT)


def test_throw_away_classes_do_not_live_on():
    references = []
    for _ in range(3):
        point = point_class()
        meta = type("Meta", (), {"model": Plane, "fields": "__all__"})
        planes = type("Planes", (serializers.ModelSerializer,), {"Meta": meta})
        assert not makes_fields(point, POINT)
        assert not makes_fields(planes, Plane(tail_number="x"))
        references += [weakref.ref(point), weakref.ref(planes)]
    del point, planes, meta
    gc.collect()
    assert [reference() for reference in references] == [None] * 6


def test_plans_do_not_keep_what_belongs_to_a_request():
    class User:
        pass

    point = point_class()
    users = []
    for _ in range(4):
        user = User()
        users.append(weakref.ref(user))
        assert point(POINT, context={"user": user}).data
        assert fastschema.compile(point(context={"user": user})).dumps(POINT)
    del user
    gc.collect()
    assert [reference() for reference in users] == [None] * 4


def test_a_class_made_of_the_attributes_of_another_has_fields_of_its_own():
    class Original(serializers.ModelSerializer):
        class Meta:
            model = Plane
            fields = ("tail_number",)

    plane = Plane(tail_number="N1", seats=149)
    for _ in range(3):
        assert Original(plane).data == {"tail_number": "N1"}
    meta = type("Meta", (Original.Meta,), {"fields": ("seats",)})
    copied = type(Original)("Original", Original.__bases__, {**vars(Original), "Meta": meta})
    for _ in range(3):
        assert copied(plane).data == {"seats": 149}


def test_clones_are_prepared_when_somebody_looks_at_the_fields():
    point = point_class()
    for _ in range(3):
        assert point(POINT).data
    cloner = class_state(point).cloner()
    assert "_bound_cloner" not in vars(cloner)
    assert point(POINT).fields["x"].parent is not None
    assert cloner._bound_cloner is not None


def test_choices_that_are_made_when_they_are_needed_are_made_for_each_serializer():
    rows = {"a": "before"}

    class Lazy(serializers.Serializer):
        choice = serializers.ChoiceField(choices=lazy(lambda: list(rows.items()), list)())

    for label in ("before", "after"):
        rows["a"] = label
        for _ in range(3):
            assert Lazy({"choice": "a"}).data == {"choice": "a"}
            assert Lazy().fields["choice"].choices == {"a": label}
