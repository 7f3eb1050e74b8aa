"""``get_FOO_display`` and files without instances: what stock returns, in whatever language."""

import uuid

import pytest
from django.core.files.storage import FileSystemStorage
from django.db import connection, models
from django.test.utils import isolate_apps
from django.utils import translation
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy, pgettext_lazy
from rest_framework import serializers

from tests.promises.django.differential import serializer_of
from tests.promises.django.list_views import FlightList, assert_same_outcome, view_of
from tests.promises.django.lists.hand_built import (
    assert_built_as_in_stock,
    in_dictionary,
    of_data,
    of_function,
    of_page,
    of_plan,
    reads_rows,
)
from tests.promises.django.lists.models import City, Profile
from tests.promises.django.lists.test_row_layout import CALLS, model_of

pytestmark = pytest.mark.usefixtures("people")


def shown(source="get_rank_display", **options):
    """A serializer of what is shown for a column, as text and as it is."""
    fields = {
        "text": serializers.CharField(source=source, **options),
        "raw": serializers.ReadOnlyField(source=source, **options),
    }
    return type("Shown", (serializers.Serializer,), fields)


def ranked(choices, **methods):
    """The queryset of a model with these choices."""
    rank = models.IntegerField(choices=choices, null=True)
    return model_of(rank=rank, **methods).objects.order_by("pk")


class Days(models.IntegerChoices):
    MONDAY = 0, gettext_lazy("Monday")
    MAY = 1, pgettext_lazy("alt. month", "May")


@pytest.mark.at_once
@pytest.mark.parametrize(
    "choices",
    [
        Days,
        Days.choices,
        [(0, "none"), (1, "one"), (2, "two")],
        [("Some", [(0, "none"), (1, "one")]), ("Others", [(2, "two"), (None, "unknown")])],
        [(True, "true"), (0, "none")],
        [(1, ""), (2, "\u2028 <é>")],
        {0: "none", 1: "one"},
    ],
)
def test_labels_are_those_of_stock(choices):
    queryset = ranked(choices)
    for language in ("en", "de", "pl"):
        with translation.override(language):
            assert_built_as_in_stock(of_data, queryset.all, shown())
            assert_same_outcome(
                view_of(FlightList, serializer_class=shown(), queryset=queryset.all())
            )
    assert reads_rows(queryset.all(), shown())


def said(text):
    """A label of the user's own."""
    CALLS.append(text)
    return text


def chosen():
    """Choices of the user's own."""
    CALLS.append("choices")
    return [(0, "none"), (1, "one")]


class Text(str):
    __slots__ = ()

    def __str__(self):
        CALLS.append("str")
        return "?"


@pytest.mark.parametrize(
    "make_queryset",
    [
        lambda: ranked(chosen),
        lambda: ranked([(0, lazy(said, str)("none")), (1, "one")]),
        lambda: ranked([(0, Text("none")), (1, Text("one"))]),
        lambda: ranked([(0.0, "none"), (1, "one")]),
        lambda: ranked(Days, get_rank_display=lambda self: CALLS.append(self.rank) or "own"),
        lambda: ranked(
            Days, _get_FIELD_display=lambda self, field: CALLS.append(field.name) or "own"
        ),
    ],
)
def test_labels_that_are_code_of_users_are_left_to_stock(make_queryset):
    queryset = make_queryset()
    assert_built_as_in_stock(of_data, queryset.all, shown(), CALLS)
    assert not reads_rows(queryset.all(), shown())


@pytest.mark.at_once
def test_a_language_that_changes_between_two_rows():
    class Switching(serializers.CharField):
        def to_representation(self, value):
            translation.activate("de" if CALLS.count(value) % 2 else "en")
            CALLS.append(value)
            return value

    class Shown(shown()):
        name = Switching(source="rank", allow_null=True)
        again = serializers.CharField(source="get_rank_display")

    with translation.override("en"):
        assert_built_as_in_stock(of_data, ranked(Days).all, Shown, CALLS)
        assert reads_rows(ranked(Days), Shown)


@pytest.mark.at_once
def test_labels_of_related_objects():
    def profiles():
        return Profile.objects.select_related("person", "country").order_by("pk")

    assert_built_as_in_stock(of_data, profiles, shown("person.get_rank_display"))
    assert reads_rows(profiles(), shown("person.get_rank_display"))
    assert_built_as_in_stock(of_data, profiles, shown("country.get_rank_display"))
    assert_built_as_in_stock(of_data, profiles, shown("country.get_rank_display", default="-"))


def test_models_whose_labels_differ_share_no_program():
    one, other = ranked([(1, "one")]), ranked([(1, "another")])
    for queryset in (one, other, one):
        assert_built_as_in_stock(of_data, queryset.all, shown())


class Asked(FileSystemStorage):
    """Tells of each address that it is asked for."""

    def url(self, name):
        CALLS.append(name)
        if name.endswith("5"):
            raise ValueError(name)
        return super().url(name)


class OwnFile(models.fields.files.FieldFile):
    @property
    def url(self):
        return f"{self.instance.pk}: {super().url}"


class OwnFileField(models.FileField):
    attr_class = OwnFile


class Describing(serializers.FileField):
    def to_representation(self, value):
        return f"{value.instance.pk} {value}"


FILES = {
    "file": (models.FileField(upload_to="x"), True),
    "image": (models.ImageField(upload_to="x", null=True), True),
    "base_url": (models.FileField(storage=FileSystemStorage(base_url="/files/")), True),
    "callable": (models.FileField(storage=lambda: FileSystemStorage(base_url="/f")), True),
    "no address": (models.FileField(storage=FileSystemStorage(base_url=None)), True),
    "asked": (models.FileField(storage=Asked()), True),
    "own file": (OwnFileField(), False),
}


@pytest.mark.parametrize("options", [{}, {"use_url": False}, {"use_url": True}], ids=str)
@pytest.mark.parametrize("name", FILES)
def test_files(name, options, settings):
    settings.MEDIA_URL = "http://media.example/"
    made_by, is_rows = FILES[name]
    queryset = model_of(name=made_by).objects.order_by("pk")
    serializer = serializer_of(
        name=serializers.FileField(**options), again=serializers.ImageField(source="name")
    )
    for way in (of_data, of_page, of_function, in_dictionary, of_plan):
        assert_built_as_in_stock(way, queryset.all, serializer, CALLS)
    assert_same_outcome(
        view_of(FlightList, serializer_class=serializer, queryset=queryset.all()), calls=CALLS
    )
    if name != "asked":
        assert reads_rows(queryset.all(), serializer) is is_rows


def test_files_that_are_not_there():
    model = model_of(name=models.FileField(null=True))
    model.objects.filter(pk__lt=uuid.UUID(int=5)).update(name="")
    if connection.vendor == "sqlite":
        fields = {"file": serializers.FileField(source="name")}
        assert_built_as_in_stock(of_data, model.objects.order_by("pk").all, serializer_of(**fields))


@pytest.mark.parametrize(
    "field",
    [
        Describing(),
        serializers.CharField(),
        serializers.ReadOnlyField(source="name.name"),
        serializers.CharField(source="name.url"),
    ],
    ids=repr,
)
def test_more_is_asked_of_a_file_than_its_address(field):
    queryset = model_of(name=models.FileField()).objects.order_by("pk")
    serializer = serializer_of(name=field) if field.source is None else serializer_of(other=field)
    assert_built_as_in_stock(of_data, queryset.all, serializer)
    assert not reads_rows(queryset.all(), serializer)


@pytest.mark.at_once
def test_files_of_related_objects():
    with isolate_apps("flights"):
        meta = type("Meta", (), {"app_label": "flights", "db_table": City._meta.db_table})
        place = type(
            "Place",
            (models.Model,),
            {"__module__": __name__, "Meta": meta, "name": models.FileField()},
        )
    person = model_of(city=models.ForeignKey(place, models.CASCADE), name=models.FileField())
    for load in ("select_related", "prefetch_related"):
        queryset = getattr(person.objects.order_by("pk"), load)("city")
        fields = {
            "place": serializers.FileField(source="city.name"),
            "city": serializer_of(name=serializers.FileField())(),
        }
        serializer = serializer_of(**fields)
        assert_built_as_in_stock(of_data, queryset.all, serializer)
        assert reads_rows(queryset.all(), serializer)
        with_method = serializer_of(
            method=serializers.SerializerMethodField(),
            get_method=lambda self, person: person.name.url,
            **fields,
        )
        assert_built_as_in_stock(of_data, queryset.all, with_method)
