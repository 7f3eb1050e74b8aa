"""Clones of fields beside the fields that stock makes: users cannot tell one from the other."""

import copy
import datetime
import decimal
import pickle
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core import validators
from django.db import models
from django.db.models import QuerySet
from django.test.utils import isolate_apps
from django.utils import translation
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy
from rest_framework import serializers
from rest_framework.fields import Field
from rest_framework.utils.formatting import lazy_format

import fastschema
from flights.models import Airline, Airport, Flight
from tests.instruments.django import field_maker_of
from tests.promises.django.differential import assert_returns_as_in_stock, outcome

ATOMS = (
    *(datetime.timedelta, str, int, float, bytes, bool, type(None), decimal.Decimal, re.Pattern),
    type,
)


class Picture:
    """Everything that can be told of fields, equal for fields that users cannot tell apart.

    :param shared: the ids of what fields of other serializers have as well
    """

    def __init__(self, shared):
        self._shared = shared
        self._seen = {}
        self._kept = []  # so that no other object gets the same id

    def of(self, value):
        if isinstance(value, Promise):
            return ("lazy", str(value))
        if isinstance(value, (*ATOMS, datetime.tzinfo)):
            return (type(value), value)
        if id(value) in self._shared:
            return ("shared", type(value), str(value))
        if id(value) in self._seen:
            return ("again", self._seen[id(value)])
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)
        return (name_of(type(value)), [(name, self.of(each)) for name, each in parts(value)])


def name_of(cls):
    """A class; those that stock makes anew each time have the same name."""
    return cls.__qualname__ if "<locals>" in cls.__qualname__ else cls


def parts(value):
    """What an object is made of."""
    if isinstance(value, Field):
        _ = value.validators
        own = {name: vars(value)[name] for name in sorted(vars(value))}
        del own["_creation_counter"]
        # Whether validators are those that it was given does not matter.
        arguments = own["_kwargs"].items()
        own["_kwargs"] = {name: each for name, each in arguments if name != "validators"}
        return list(own.items())
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if isinstance(value, set):
        return [(each, None) for each in sorted(map(str, value))]
    if isinstance(value, QuerySet):
        return [("query", f"{value.model} {value.query} {value.db}")]
    if isinstance(value, lazy_format):
        return [("text", (value.format_string, value.args, value.kwargs))]
    if isinstance(value, SimpleLazyObject):
        return [("text", str(value))]
    return sorted(vars(value).items())


def ids_in(value, found):
    """The ids of all that fields are made of."""
    if not isinstance(value, (*ATOMS, Promise, datetime.tzinfo)) and id(value) not in found:
        found[id(value)] = value
        for _, each in parts(value):
            ids_in(each, found)
    return found


def picture(make):
    """Everything that can be told of the fields that a function makes, each time that it does."""
    one, other = make(), make()
    in_one, in_other = ids_in(one, {}), ids_in(other, {})
    return Picture(in_one.keys() & in_other.keys()).of(one)


def assert_alike(serializer_class):
    """Assert that fields of a class are what they are in stock."""

    def pictures():
        unbound = picture(lambda: serializer_class().get_fields())
        return unbound, picture(lambda: dict(serializer_class().fields))

    assert_returns_as_in_stock(pictures)


def is_cloned(serializer_class):
    """Whether no code of users runs for the fields of a class, and fastschema knows it."""
    maker = field_maker_of(serializer_class)
    return maker is not None and maker.is_complete


class Inner(serializers.Serializer):
    number = serializers.IntegerField(min_value=1)


class Remembering:
    requires_context = True

    def __init__(self, what):
        self.what = what
        self.seen = []

    def __call__(self, field):
        return self.what


STYLE = {"template": "a.html", "inner": {"rows": 3}}


class Declared(serializers.Serializer):
    text = serializers.CharField(max_length=5, min_length=1, help_text=gettext_lazy("Name"))
    styled = serializers.CharField(style=STYLE, trim_whitespace=False, source="other.name")
    like_it = serializers.CharField(style=STYLE, validators=[validators.MinLengthValidator(3)])
    number = serializers.IntegerField(max_value=5, min_value=1, error_messages={"invalid": "no"})
    price = serializers.DecimalField(5, 2, max_value=decimal.Decimal(3))
    price_by_name = serializers.DecimalField(max_digits=5, decimal_places=2, default=None)
    ratio = serializers.FloatField(default=1.5, min_value=0)
    mail = serializers.EmailField(required=False)
    slug = serializers.SlugField(allow_unicode=True)
    link = serializers.URLField(label=gettext_lazy("Name"))
    pattern = serializers.RegexField(re.compile("a+"))
    pattern_by_text = serializers.RegexField("a+", max_length=3)
    address = serializers.IPAddressField(protocol="ipv4")
    key = serializers.UUIDField(format="hex")
    at = serializers.DateTimeField(format="%Y", input_formats=["%Y"], default_timezone=datetime.UTC)
    day = serializers.DateField(input_formats=["%Y"])
    duration = serializers.DurationField(max_value=datetime.timedelta(1))
    chosen = serializers.ChoiceField([("a", gettext_lazy("Name")), ("g", [(1, "one"), (2, "two")])])
    named = serializers.ChoiceField(choices=["x", "y"], allow_blank=True, html_cutoff=3)
    several = serializers.MultipleChoiceField(choices={"a": "A"}, default=set)
    flag = serializers.BooleanField(allow_null=True)
    values = serializers.ListField(child=serializers.CharField(max_length=2), max_length=3)
    listed = serializers.ListField(default=[1, [2]])
    table = serializers.DictField(child=serializers.ListField(child=serializers.IntegerField()))
    store = serializers.HStoreField()
    anything = serializers.JSONField(binary=True, initial={"a": []})
    shown = serializers.ReadOnlyField(source="text")
    hidden = serializers.HiddenField(default=serializers.CurrentUserDefault())
    remembered = serializers.CharField(default=Remembering(["a"]))
    once = serializers.CharField(default=serializers.CreateOnlyDefault("x"))
    computed = serializers.SerializerMethodField()
    computed_so = serializers.SerializerMethodField(method_name="other")
    file = serializers.FileField(max_length=9, use_url=False)
    image = serializers.ImageField()
    airline = serializers.PrimaryKeyRelatedField(queryset=Airline.objects.all(), allow_null=True)
    by_manager = serializers.PrimaryKeyRelatedField(queryset=Airline.objects)
    filtered = serializers.SlugRelatedField("name", queryset=Airline.objects.filter(code="UA"))
    airports = serializers.PrimaryKeyRelatedField(many=True, queryset=Airport.objects.all())
    strings = serializers.StringRelatedField(many=True)
    url = serializers.HyperlinkedIdentityField("airline-detail", lookup_field="code")
    inner = Inner(required=False, default=dict)
    inners = Inner(many=True, allow_empty=False, max_length=3)
    instanced = Inner({"number": 1}, context={"a": [1]}, partial=True)


def test_declared_fields():
    assert_alike(Declared)
    assert is_cloned(Declared)


def model_serializer(model_class, **meta):
    """A class of model serializers, with all fields if none are named."""
    meta = {"model": model_class, "fields": "__all__", **meta}
    base = meta.pop("base", serializers.ModelSerializer)
    return type("Rows", (base,), {"Meta": type("Meta", (), meta)})


class Labels(models.TextChoices):
    A = "a", gettext_lazy("Name")


@pytest.fixture(scope="module")
def model():
    """A model with every option of which fields are made."""
    with isolate_apps("flights"):

        class Target(models.Model):
            code = models.CharField(max_length=5, unique=True)

            class Meta:
                app_label = "flights"

        class Model(models.Model):
            text = models.CharField("name", max_length=5, validators=[validators.validate_slug])
            name = models.TextField(gettext_lazy("name"), blank=True, help_text="help")
            unique = models.SlugField(unique=True)
            email = models.EmailField(null=True)
            choice = models.CharField(max_length=1, choices=Labels)
            numbers = models.IntegerField(choices=[(1, "one"), (2, "two")], default=1)
            price = models.DecimalField(max_digits=5, decimal_places=2)
            ranked = models.PositiveIntegerField(validators=[validators.MaxValueValidator(9)])
            at = models.DateTimeField(auto_now=True, unique_for_date="day")
            day = models.DateField(unique_for_month="at")
            extra = models.JSONField(default=dict)
            address = models.GenericIPAddressField(protocol="IPv6")
            binary = models.BinaryField(editable=True, max_length=3)
            a = models.IntegerField()
            b = models.IntegerField(null=True)
            one = models.ForeignKey(Target, models.CASCADE, related_name="models")
            by_code = models.ForeignKey(Target, models.CASCADE, "x", to_field="code")
            limited = models.ForeignKey(
                Target, models.CASCADE, "y", limit_choices_to={"code": "a"}, verbose_name="limit"
            )
            only = models.OneToOneField(Target, models.CASCADE, related_name="z")
            many = models.ManyToManyField(Target, related_name="w")

            class Meta:
                app_label = "flights"
                unique_together = [("a", "b")]
                constraints = [
                    models.UniqueConstraint(
                        fields=["ranked"], condition=models.Q(ranked__gt=1), name="u"
                    )
                ]

            @property
            def shown(self):
                return self.text

        yield Model


class TestModels:
    @pytest.mark.parametrize(
        "meta",
        [
            {},
            {"base": serializers.HyperlinkedModelSerializer},
            {"depth": 1},
            {"depth": 2, "base": serializers.HyperlinkedModelSerializer},
            {"fields": ["id", "shown", "text", "pk", "one_id"]},
            {"fields": ["a", "numbers"]},
            {"exclude": ["a", "one"], "fields": None},
            {"read_only_fields": ["unique", "one", "a"]},
            {"extra_kwargs": {"text": {"style": {"a": [1]}, "label": "x", "default": "y"}}},
            {"extra_kwargs": {"shown": {"source": "text"}, "one": {"write_only": True}}},
        ],
        ids=str,
    )
    def test_every_option(self, model, meta):
        serializer_class = model_serializer(model, **meta)
        assert_alike(serializer_class)
        assert is_cloned(serializer_class)

    def test_labels_depend_on_the_language(self, model):
        serializer_class = model_serializer(model)
        for language in ("en", "de", "fr", "en", "de"):
            with translation.override(language):
                assert_alike(serializer_class)
                assert is_cloned(serializer_class)

    def test_a_reverse_relation_that_comes_later(self):
        with isolate_apps("flights"):

            class Before(models.Model):
                class Meta:
                    app_label = "flights"

            serializer_class = model_serializer(Before)
            assert_alike(serializer_class)

            class After(models.Model):
                before = models.ForeignKey(Before, models.CASCADE, related_name="afters")

                class Meta:
                    app_label = "flights"

            assert_alike(serializer_class)
            serializer_class.Meta.fields = ["id", "afters"]
            assert_alike(serializer_class)


CALLS = []


class Loud(serializers.CharField):
    def __init__(self, *args, **kwargs):
        CALLS.append("loud")
        super().__init__(*args, **kwargs)
        self.number = len(CALLS)


class Named(serializers.CharField):
    def bind(self, field_name, parent):
        CALLS.append(("bind", field_name))
        super().bind(field_name, parent)


class Argument:
    def __deepcopy__(self, memo):
        CALLS.append("argument")
        return self


class LoudInner(serializers.Serializer):
    a = serializers.CharField()

    def __init__(self, *args, **kwargs):
        CALLS.append("serializer")
        super().__init__(*args, **kwargs)


class Checked(serializers.CharField):
    def get_validators(self):
        CALLS.append("validators")
        return [*super().get_validators(), validators.MinLengthValidator(2)]


class Choosing(serializers.ChoiceField):
    @property
    def initial(self):
        CALLS.append("initial")
        return "a"

    @initial.setter
    def initial(self, value):
        CALLS.append(("initial", value))


class Children(serializers.ListField):
    child = Loud()


OWN = [
    *(Loud(), Named(), Checked(max_length=3), Choosing(choices=["a"]), Children()),
    *(serializers.ListField(child=Loud()), serializers.DictField(child=Named())),
    *(serializers.CharField(default=Argument()), serializers.CharField(style={"a": [Argument()]})),
    *(LoudInner(), LoudInner(many=True), serializers.ListField(child=LoudInner())),
    serializers.FilePathField(path="/tmp", allow_folders=True, required=False),
]


@pytest.mark.parametrize(
    "own", OWN, ids=[f"{n}-{type(field).__name__}" for n, field in enumerate(OWN)]
)
def test_users_code_makes_its_fields_and_no_others(own):
    class Rows(serializers.ModelSerializer):
        before = serializers.CharField(max_length=3)
        own_field = own
        after = serializers.IntegerField()

        class Meta:
            model = Airline
            fields = ["before", "own_field", "code", "after"]

    def made():
        CALLS.clear()
        fields = Rows().fields
        return list(fields), list(CALLS), [type(each) for each in fields.values()]

    assert_returns_as_in_stock(made)
    maker = field_maker_of(Rows)
    assert list(maker._uncloned) == ["own_field"]


def test_methods_that_users_have_overridden_are_called_as_in_stock():
    calls = []

    def calling(name):
        def method(self, *args):
            shown = [each for each in args if isinstance(each, (str, int))]
            calls.append((name, shown))
            return getattr(super(Rows, self), name)(*args)

        return method

    names = [
        *("build_field", "build_standard_field", "build_relational_field", "build_property_field"),
        *("get_field_names", "get_default_field_names", "get_extra_kwargs"),
        *("get_uniqueness_extra_kwargs", "include_extra_kwargs", "get_fields"),
    ]
    for name in names:
        content = {"extra": serializers.CharField(max_length=4), name: calling(name)}
        Rows = type("Rows", (model_serializer(Flight),), content)  # noqa: N806  # a class

        def made(rows=Rows):
            calls.clear()
            return [(key, repr(each)) for key, each in rows().fields.items()], list(calls)

        expected = assert_returns_as_in_stock(made)
        assert expected[1] or name == "build_property_field"
        # Fields that users' code builds are made after the clones.
        assert_alike(Rows)


def test_code_of_models_runs_as_often_as_in_stock():
    calls = []

    class Asked(models.Manager):
        def get_queryset(self):
            calls.append(self.model.__name__)
            return super().get_queryset()

    class Checked(models.IntegerField):
        @property
        def validators(self):
            calls.append("validators")
            return super().validators

    def chosen():
        calls.append("choices")
        return [("a", "A")]

    def limit():
        calls.append("limit")
        return {"code": 1}

    with isolate_apps("flights"):

        class Target(models.Model):
            code = models.IntegerField()
            objects = Asked()

            class Meta:
                app_label = "flights"

        class Made(models.Model):
            plain = models.CharField(max_length=3)
            conditional = models.IntegerField()
            checked = Checked()
            choice = models.CharField(max_length=1, choices=chosen)
            limited = models.ForeignKey(Target, models.CASCADE, "a", limit_choices_to=limit)
            filtered = models.ForeignKey(Target, models.CASCADE, "b", limit_choices_to={"code": 2})
            objects = Asked()

            class Meta:
                app_label = "flights"
                constraints = [
                    models.UniqueConstraint(
                        fields=["conditional"], condition=models.Q(conditional__gt=1), name="v"
                    )
                ]

        serializer_class = model_serializer(Made)

        def made():
            calls.clear()
            assert serializer_class(Made(id=1)).data
            fields = serializer_class().fields
            return [(name, sorted(each._kwargs)) for name, each in fields.items()], list(calls)

        expected = assert_returns_as_in_stock(made)
        assert set(expected[1]) == {"Made", "Target", "validators", "choices", "limit"}


def test_what_a_method_of_users_gets_by_super_are_clones():
    class Rows(serializers.ModelSerializer):
        class Meta:
            model = Flight
            fields = "__all__"

        def get_fields(self):
            fields = super().get_fields()
            assert all(each.parent is None for each in fields.values())
            fields["airline"].queryset = Airline.objects.filter(code="UA")
            fields["more"] = serializers.CharField(source="number")
            return fields

    assert_alike(Rows)
    assert is_cloned(Rows)


def test_a_change_of_a_field_is_not_seen_by_others(db):
    def change(fields):
        for field in fields.values():
            field.error_messages["required"] = "changed"
            field.style["a"] = "changed"
            field._kwargs["a"] = "changed"
            for validator in field.validators:
                if not isinstance(validator, type(validators.validate_slug)):
                    vars(validator)["message"] = "changed"
            field.validators.append("changed")
            if isinstance(field, serializers.ChoiceField):
                field.choices["changed"] = "changed"
            for name in ("child", "child_relation"):
                if hasattr(field, name):
                    getattr(field, name).label = "changed"
                    getattr(field, name).error_messages["required"] = "changed"
        fields["values"].child = None
        fields["remembered"].default.seen.append("changed")
        fields["listed"].default[1].append("changed")

    declared = Declared._declared_fields["like_it"].validators[0]
    message = declared.message
    for _ in range(3):
        change(Declared().fields)
    declared.message = message  # which is the same object for all, as in stock
    for field in Declared._declared_fields.values():
        assert "changed" not in str(vars(field))
    assert_alike(Declared)
    assert "changed" not in str(list(map(vars, Declared().fields.values())))


def test_copies_of_clones_are_those_of_stock():
    def pictures():
        return {name: copy.deepcopy(each) for name, each in Declared().fields.items()}

    with fastschema.disabled():
        expected = picture(pictures)
    assert picture(pictures) == expected


def test_clones_can_be_pickled():
    for _ in range(3):
        looked_at = PicklableSerializer()
        restored = pickle.loads(pickle.dumps(looked_at.fields["text"]))
        expected = looked_at.fields["text"].validators
        assert type(restored.validators) is list
        assert list(map(type, restored.validators)) == list(map(type, expected))


class PicklableSerializer(serializers.Serializer):
    text = serializers.CharField(max_length=5, validators=[validators.MinLengthValidator(2)])


def test_a_clone_is_made_by_many_threads_at_once():
    def make_class():
        return type("Rows", (model_serializer(Flight),), {"a": serializers.CharField(max_length=3)})

    for _ in range(5):
        rows = make_class()
        barrier = threading.Barrier(16)

        def made(_, rows=rows, barrier=barrier):
            serializer = rows()
            barrier.wait()
            return picture(lambda: dict(serializer.fields))

        with fastschema.disabled():
            expected = picture(lambda rows=rows: dict(rows().fields))
        with ThreadPoolExecutor(16) as threads:
            for found in threads.map(made, range(16)):
                assert len(found) == len(expected)
        assert_alike(rows)


def test_threads_that_ask_one_clone_for_its_validators_get_the_same():
    for _ in range(20):
        field = Declared().fields["text"]
        barrier = threading.Barrier(8)

        def ask(_, field=field, barrier=barrier):
            barrier.wait()
            return field.validators

        with ThreadPoolExecutor(8) as threads:
            first, *others = threads.map(ask, range(8))
        assert all(each is first for each in others)
        assert field.validators is first


def test_a_field_under_two_names_is_one_object_as_in_stock():
    shared = serializers.CharField(max_length=3)
    assert_alike(type("Rows", (serializers.Serializer,), {"a": shared, "b": shared}))


def test_a_class_that_is_wrong_raises_what_stock_raises():
    class NoColumn(serializers.ModelSerializer):
        class Meta:
            model = Airline
            fields = ["nothing"]

    class NotNamed(serializers.ModelSerializer):
        more = serializers.CharField()

        class Meta:
            model = Airline
            fields = ["code"]

    class NoMeta(serializers.ModelSerializer):
        pass

    class Redundant(serializers.Serializer):
        a = serializers.CharField(source="a")

    for cls in (NoColumn, NotNamed, NoMeta, Redundant):
        with fastschema.disabled():
            expected = outcome(lambda cls=cls: cls().fields, []).error
        for _ in range(3):
            serializer = cls()
            for use in (lambda s: s.fields, lambda s: s.to_representation(Airline())):
                found = outcome(lambda use=use, serializer=serializer: use(serializer), [])
                assert found.error == expected
