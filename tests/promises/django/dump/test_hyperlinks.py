"""Addresses of objects, reversed by stock for each row and by fastschema once for each dump."""

import uuid
from functools import partial

import pytest
from django.conf.urls.i18n import i18n_patterns
from django.db import models
from django.http import HttpRequest, QueryDict
from django.test import RequestFactory
from django.urls import (
    include,
    path,
    re_path,
    register_converter,
    resolve,
    set_script_prefix,
    set_urlconf,
)
from django.urls.resolvers import URLResolver
from django.utils import translation
from rest_framework import serializers, versioning
from rest_framework.relations import PKOnlyObject
from rest_framework.request import Request
from rest_framework.reverse import reverse
from rest_framework.test import APIRequestFactory

import fastschema
from flights.models import Airline, Flight
from tests.promises.django.differential import (
    Thing,
    Witness,
    assert_returns_as_in_stock,
    assert_same,
    assert_same_each_time,
    outcome,
    serializer_of,
)


class Doubled:
    regex = "[0-9]+"

    def to_python(self, value):
        return int(value) // 2

    def to_url(self, value):
        return str(value * 2)


def view(request, **kwargs):
    raise NotImplementedError


register_converter(Doubled, "doubled")

inner = ([path("<str:pk>/", view, name="thing")], "inner")
versioned = [path("things/<str:pk>/", view, name="versioned")]
urlpatterns = [
    path("int/<int:pk>/", view, name="int"),
    path("str/<str:pk>/", view, name="str"),
    path("str/<str:pk>.<str:format>", view, name="str"),
    path("slug/<slug:pk>/", view, name="slug"),
    path("uuid/<uuid:pk>/", view, name="uuid"),
    path("path/<path:pk>", view, name="path"),
    path("code/<str:code>/", view, name="code"),
    path("doubled/<doubled:pk>/", view, name="doubled"),
    path("sp ace/é/%/<str:pk>/%s/", view, name="odd"),
    path("twice/<int:pk>/", view, name="two"),
    path("twice/other/<str:pk>/", view, name="two"),
    path("default/", view, {"pk": 1}, name="default"),
    path("more/<str:pk>/", view, {"more": 1}, name="more"),
    path("without/", view, name="without"),
    re_path(r"^regex/(?P<pk>[^/.]+)/$", view, name="regex"),
    re_path(r"^two-digits/(?P<pk>[0-9]{2})/$", view, name="two-digits"),
    re_path(r"^optional/(?:(?P<pk>[a-z]+)/)?$", view, name="optional"),
    re_path(r"^choice/(?P<pk>1|UA)$", view, name="choice"),
    path("in/<int:room>/", include(inner)),
    path("a/", include(inner, namespace="first")),
    path("b/", include(inner, namespace="second")),
    path("c/", include(([path("d/", include(inner, namespace="deep"))], "outer"))),
    path("v1/", include((versioned, "v1"), namespace="v1")),
    re_path(r"^(?P<version>v\d)/by-path/(?P<pk>\w+)/$", view, name="by-path"),
    path("hubs/<int:hub>/gates/<str:pk>/", view, name="nested"),
    re_path(r"^(?P<version>v\d)/hubs/(?P<hub>\d+)/(?P<pk>\w+)/$", view, name="nested-by-path"),
    re_path(r"^(?P<version>[^/]+)/any/(?P<pk>\w+)/$", view, name="by-any-path"),
    *i18n_patterns(path("language/<str:pk>/", view, name="language")),
]

pytestmark = [pytest.mark.urls(__name__), pytest.mark.django_db]

VIEWS = [
    "int", "str", "slug", "uuid", "path", "doubled", "odd", "two", "default", "more", "without",
    "regex", "two-digits", "optional", "choice", "inner:thing", "first:thing", "second:thing",
    "outer:deep:thing", "outer:inner:thing", "none:thing", "nothing", "language",
]  # fmt: skip  # a table, to be seen at a glance
KEYS = [
    "UA", "a-b_c", "12", "1", "a b", "a/b", "a.b", "..", ".", "é", "%", "%s", "//", "?x", "#x",
    "a\nb", "UA\n", "ﬁ", "٣", "", None, 0, 1, 12, -3, 2**70, True, 1.5, uuid.UUID(int=5),
    b"UA", Thing(),
]  # fmt: skip  # a table, to be seen at a glance


class Text(str):
    pass


def request(path="/", drf=True, **extra):
    made = APIRequestFactory().get(path, **extra)
    return Request(made) if drf else made


def identity(view_name, **options):
    return serializer_of(url=serializers.HyperlinkedIdentityField(view_name, **options))


def is_compiled(serializer):
    return all(field.compiled for field in fastschema.compile(serializer).explain())


@pytest.fixture
def lookups(monkeypatch):
    """How often the patterns of the URL configuration are looked at, to reverse one of them."""
    found = []
    stock = URLResolver.reverse_dict
    assert resolve("/without/")  # they are all known before

    def reverse_dict(self):
        found.append(self)
        return stock.fget(self)

    monkeypatch.setattr(URLResolver, "reverse_dict", property(reverse_dict))
    return found


@pytest.mark.parametrize("view_name", VIEWS)
def test_an_address_is_that_of_stock_whatever_the_key(view_name):
    serializer, context = identity(view_name), {"request": request()}
    for key in [*KEYS, Text("UA")]:
        assert_same(serializer, Airline(code=key), context=context)
        assert_same(serializer, Thing(pk=key), context=context)
    assert_same(serializer, Airline(code="UA"), context={"request": None})


def test_an_address_is_reversed_once_for_all_rows(lookups):
    serializer = identity("str")
    assert is_compiled(serializer)
    rows = [Airline(code=f"A{number}") for number in range(100)]
    data = serializer(rows, many=True, context={"request": request()}).data
    assert data[99] == {"url": "http://testserver/str/A99/"}
    assert len(lookups) < 5
    with fastschema.disabled():
        assert serializer(rows, many=True, context={"request": request()}).data == data
    assert len(lookups) > 100


def test_a_hyperlink_knows_its_object(flights):
    class Links(serializers.HyperlinkedModelSerializer):
        class Meta:
            model = Flight
            fields = ("url", "airline")
            extra_kwargs = {"url": {"view_name": "int"}, "airline": {"view_name": "str"}}

    flight = Flight.objects.get(pk=1)
    for _ in range(3):
        data = Links(flight, context={"request": request()}).data
        assert data["url"].obj is flight
        assert data["url"].is_hyperlink
        assert type(data["airline"].obj) is PKOnlyObject
        assert data["airline"].obj.pk == "UA"


class TestRelations:
    def related(self, view_name="str", **options):
        return serializers.HyperlinkedRelatedField(view_name=view_name, read_only=True, **options)

    def test_a_foreign_key_needs_no_query(self, flights, lookups):
        serializer = serializer_of(airline=self.related(), destination=self.related())
        assert is_compiled(serializer)
        rows = list(Flight.objects.all())
        data = assert_same(serializer, rows, many=True, context={"request": request()})
        assert data[3]["destination"] is None
        lookups.clear()
        rows *= 10
        assert serializer(rows, many=True, context={"request": request()}).data == data * 10
        assert len(lookups) < 5

    def test_another_attribute_is_read_from_the_object(self, flights):
        serializer = serializer_of(
            airline=self.related("code", lookup_field="code"),
            origin=self.related("code", lookup_field="name", lookup_url_kwarg="code"),
        )
        assert is_compiled(serializer)
        for rows in (
            Flight.objects.all(),
            Flight.objects.select_related("airline", "origin"),
            Flight.objects.select_related("airline").only("airline__name", "origin"),
        ):
            assert_same_each_time(
                serializer,
                lambda rows=rows: list(rows.all()),
                many=True,
                context={"request": request()},
            )

    @pytest.mark.parametrize(
        "value", [None, "", 5, Thing(pk=1), Thing(pk=None), PKOnlyObject(None), PKOnlyObject("x")]
    )
    def test_objects_that_are_no_models(self, value):
        serializer = serializer_of(a=self.related(), b=self.related("code", lookup_field="code"))
        for context in ({"request": request()}, {}):
            assert_same(serializer, Thing(a=value, b=value), context=context)
            assert_same(serializer, {"a": value, "b": value}, context=context)
            assert_same(serializer, Thing(a=lambda: value, b=lambda: value), context=context)

    def test_objects_are_read_as_often_as_in_stock(self):
        calls = []
        witness = Witness(calls, pk="UA", code="x")
        for lookup_field in ("pk", "code"):
            serializer = identity("code", lookup_field=lookup_field, lookup_url_kwarg="code")
            assert_same(serializer, witness, calls=calls, context={"request": request()})

    def test_a_model_with_a_key_of_its_own_is_read_as_often_as_in_stock(self):
        calls = []

        class Keyed(Airline):
            class Meta:
                app_label = "flights"
                proxy = True

            @property
            def pk(self):
                calls.append("pk")
                return "UA"

        assert_same(identity("str"), Keyed(), calls=calls, context={"request": request()})


class TestRequests:
    @pytest.mark.parametrize("drf", [True, False])
    @pytest.mark.parametrize(
        "extra",
        [{}, {"HTTP_HOST": "localhost:8000"}, {"secure": True}, {"HTTP_HOST": "evil.example"}],
        ids=str,
    )
    def test_the_host_is_that_of_the_request(self, drf, extra):
        context = {"request": request("/some/where", drf, **extra)}
        assert_same(identity("str"), Airline(code="UA"), context=context)

    def test_without_a_request_it_says_so(self):
        for context in ({}, {"request": None}):
            assert_same(identity("str"), Airline(code="UA"), context=context)
            assert_same(identity("str"), [Airline(code="UA")], many=True, context=context)
            assert_same(identity("str"), [], many=True, context=context)

    @pytest.mark.parametrize(
        "scheme",
        [
            versioning.AcceptHeaderVersioning,
            versioning.HostNameVersioning,
            versioning.NamespaceVersioning,
            versioning.QueryParameterVersioning,
            versioning.URLPathVersioning,
        ],
    )
    @pytest.mark.parametrize("version", ["v1", "v9", None, "%(pk)s"])
    @pytest.mark.parametrize(
        "view_name", ["str", "versioned", "by-path", "by-any-path", "inner:thing"]
    )
    def test_versioning_schemes(self, scheme, version, view_name):
        versioned_request = request()
        versioned_request.versioning_scheme, versioned_request.version = scheme(), version
        for key in ("UA", "a b"):
            context = {"request": versioned_request}
            assert_same(identity(view_name), Airline(code=key), context=context)

    def test_a_versioning_scheme_of_a_users_own_is_asked_for_each_row(self):
        calls = []

        class Own(versioning.NamespaceVersioning):
            def get_versioned_viewname(self, viewname, request):
                calls.append(viewname)
                return viewname

        class Upper(versioning.BaseVersioning):
            def reverse(self, viewname, *args, **kwargs):
                calls.append(viewname)
                return super().reverse(viewname, *args, **kwargs).upper()

        for scheme in (Own, Upper):
            own_request = request()
            own_request.versioning_scheme, own_request.version = scheme(), "v1"
            rows = [Airline(code="A"), Airline(code="B")]
            assert_same(
                identity("str"), rows, many=True, calls=calls, context={"request": own_request}
            )

    @pytest.mark.parametrize("context_format", [None, "", "json", "a/b"])
    @pytest.mark.parametrize("field_format", [None, "html", "json"])
    def test_formats(self, context_format, field_format):
        context = {"request": request(), "format": context_format}
        for view_name in ("str", "int"):
            serializer = identity(view_name, format=field_format)
            assert_same(serializer, Airline(code="12"), context=context)

    def test_a_request_that_builds_addresses_in_its_own_way(self):
        class Own(HttpRequest):
            def build_absolute_uri(self, location=None):
                return f"own:{location}"

        own = RequestFactory().get("/")
        own.build_absolute_uri = lambda location: f"set:{location}"
        for made in (Own(), own, Request(Own()), Request(own)):
            assert_same(identity("str"), Airline(code="UA"), context={"request": made})

    @pytest.mark.parametrize("prefix", ["/", "/prefix/", "/pre fix/%s/", "/%(pk)s/", "//"])
    def test_the_script_prefix_comes_first(self, prefix):
        set_script_prefix(prefix)
        try:
            for view_name in ("str", "int", "inner:thing"):
                for context in ({"request": request()}, {"request": None}):
                    assert_same(identity(view_name), Airline(code="12"), context=context)
        finally:
            set_script_prefix("/")


class Reversing(serializers.HyperlinkedIdentityField):
    def get_url(self, obj, view_name, request, format):
        keys = {"pk": obj.pk}
        return self.reverse(view_name, kwargs=keys, request=request, format=format)


def set_host(context):
    http_request = context["request"]._request
    http_request.META["HTTP_HOST"] = "localhost"
    vars(http_request).pop("_current_scheme_host", None)


CHANGES = {
    "nothing": lambda context: None,
    "the request": lambda context: context.update(request=request(HTTP_HOST="localhost")),
    "its class": lambda context: context.update(request=request(drf=False)),
    "no request": lambda context: context.update(request=None),
    "a missing request": lambda context: context.pop("request"),
    "what the request stands for": lambda context: setattr(
        context["request"], "_request", RequestFactory().get("/", HTTP_HOST="localhost")
    ),
    "its host": set_host,
    "its query": lambda context: setattr(
        context["request"]._request, "GET", QueryDict("format=json")
    ),
    "how it builds addresses": lambda context: setattr(
        context["request"]._request, "build_absolute_uri", lambda location: f"own:{location}"
    ),
    "the format": lambda context: context.update(format="json"),
    "the version": lambda context: setattr(context["request"], "version", "v2"),
    "the scheme": lambda context: setattr(context["request"], "versioning_scheme", None),
    "its parameter": lambda context: setattr(
        context["request"].versioning_scheme, "version_param", "other"
    ),
    "the prefix": lambda context: set_script_prefix("/prefix/"),
    "the patterns": lambda context: set_urlconf("config.urls"),
    "the language": lambda context: translation.activate("de"),
    "no language": lambda context: translation.deactivate_all(),
}


@pytest.fixture(params=CHANGES.values(), ids=CHANGES.keys())
def change(request):
    """What changes while addresses are made."""
    yield request.param
    set_everything_back()


def set_everything_back():
    set_script_prefix("/")
    set_urlconf(None)
    translation.deactivate()


def context_of_version():
    made = request()
    made.versioning_scheme, made.version = versioning.URLPathVersioning(), "v1"
    return {"request": made, "format": None}


@pytest.mark.parametrize("field", [serializers.HyperlinkedIdentityField, Reversing])
class TestChanges:
    def links(self, field):
        return {"url": field("by-path"), "other": field("str"), "third": field("language")}

    @pytest.mark.parametrize("is_looked_at", [False, True])
    def test_the_next_row_of_a_serializer_notices(self, field, change, is_looked_at):
        def represent_all():
            set_everything_back()
            context = context_of_version()
            serializer = serializer_of(**self.links(field))(context=context)
            if is_looked_at:
                for number in range(30):  # fewer fields are not compared
                    serializer.fields[f"{number}"] = serializers.CharField(source="code")
            found = [serializer.to_representation(Airline(code="UA")) for _ in range(3)]
            change(context)
            for row in (Airline(code="UA"), Airline(code="LH")):
                found.append(outcome(partial(serializer.to_representation, row), []))
            return found

        assert_returns_as_in_stock(represent_all)

    @pytest.mark.parametrize("is_nested", [False, True])
    def test_the_next_row_of_a_list_notices(self, field, change, is_nested):
        def make(rows, many):
            set_everything_back()
            return serializer(rows, many=many, context=context_of_version())

        def get_before(self, obj):
            if obj.code == "B":
                change(self.context)
            return obj.code

        links = self.links(field)
        if is_nested:
            links = {"nested": serializer_of(**links)(source="*")}
        serializer = serializer_of(
            before=serializers.SerializerMethodField(), **links, get_before=get_before
        )
        assert_same_each_time(make, lambda: [Airline(code=code) for code in "AABB"], many=True)

    def test_the_next_dump_of_a_plan_notices(self, field, change):
        def dump_twice(dump, context):
            set_everything_back()
            rows = [Airline(code="A"), Airline(code="B")]
            found = [outcome(partial(dump, rows), [])]
            change(context)
            return [*found, outcome(partial(dump, rows), [])]

        context, same_context = context_of_version(), context_of_version()
        serializer = serializer_of(**self.links(field))
        plan = fastschema.compile(serializer(many=True, context=context))
        with fastschema.disabled():
            made = serializer(many=True, context=same_context)
            expected = dump_twice(made.to_representation, same_context)
        assert dump_twice(plan.dump, context) == expected


class TestOverrides:
    @pytest.mark.parametrize("scheme", [None, "AcceptHeader", "URLPath", "Namespace"])
    @pytest.mark.parametrize("view_name", VIEWS)
    def test_a_get_url_that_reverses_is_called_for_each_row(self, view_name, scheme):
        calls = []

        class Own(serializers.HyperlinkedIdentityField):
            def get_url(self, obj, view_name, request, format):
                calls.append((obj.pk, view_name, format))
                if obj.pk == "UA":  # as fields do that make the name of a view of the model
                    view_name = "str"
                keys = {self.lookup_url_kwarg: obj.pk}
                return self.reverse(view_name, kwargs=keys, request=request, format=format)

        made = request()
        if scheme is not None:
            made.versioning_scheme = getattr(versioning, f"{scheme}Versioning")()
            made.version = "v1"
        for format in (None, "json"):
            for rows in ([Airline(code=key) for key in ("UA", "1", "a b", "", "12", "2")], []):
                context = {"request": made, "format": format}
                serializer = serializer_of(url=Own(view_name=view_name))
                assert_same(serializer, rows, calls=calls, many=True, context=context)

    @pytest.mark.parametrize(
        "options",
        [
            {"args": ["1"]},
            {"args": ["1"], "kwargs": {"pk": "1"}},
            {"kwargs": {"pk": "1"}, "urlconf": "config.urls"},
            {"kwargs": {"pk": "1"}, "current_app": "second"},
            {"kwargs": {"pk": "1"}, "query": {"a": "b"}},
            {"kwargs": {"pk": "1", "more": 1}},
            {"kwargs": {}},
            {"kwargs": None},
            {},
        ],
    )
    def test_other_arguments_of_reverse(self, options):
        class Own(serializers.HyperlinkedIdentityField):
            def get_url(self, obj, view_name, request, format):
                return self.reverse(view_name, request=request, **options)

        for view_name in ("str", "without", "inner:thing"):
            serializer = serializer_of(url=Own(view_name=view_name))
            assert_same(
                serializer, [Airline(code="UA")] * 2, many=True, context={"request": request()}
            )

    @pytest.mark.parametrize("scheme", [None, "URLPath"])
    @pytest.mark.parametrize("view_name", ["nested", "nested-by-path", "str"])
    def test_a_get_url_that_reverses_with_several_keys(self, view_name, scheme):
        class Own(serializers.HyperlinkedIdentityField):
            def get_url(self, obj, view_name, request, format):
                keys = {"pk": obj.key, "hub": obj.hub}
                return self.reverse(view_name, kwargs=keys, request=request, format=format)

        made = request()
        if scheme is not None:
            made.versioning_scheme = versioning.URLPathVersioning()
            made.version = "v1"
        rows = [
            *(Thing(key=key, hub=hub) for key in ("UA", 7) for hub in (1, "2")),
            *(Thing(key=key, hub=1) for key in ("a b", "a/b", None)),
        ]
        for each in ([row] for row in rows):
            serializer = serializer_of(url=Own(view_name=view_name))
            assert_same(serializer, each * 2, many=True, context={"request": made})
        assert_same(serializer, rows[:4], many=True, context={"request": made})

    @pytest.mark.parametrize("when", ["in the first row", "in each row", "in the last row"])
    def test_a_get_url_that_sets_reverse_finds_it_in_the_next_row(self, when):
        calls = []

        def relative(view_name, kwargs, request, format):
            calls.append(kwargs)
            return reverse(view_name, kwargs=kwargs)

        class Own(serializers.HyperlinkedIdentityField):
            def get_url(self, obj, view_name, request, format):
                if obj.pk in wanted:
                    self.reverse = relative
                return super().get_url(obj, view_name, request, format)

        codes = ("UA", "DL", "ABC")
        wanted = {"in the first row": codes[:1], "in the last row": codes[2:]}.get(when, codes)
        rows = [Airline(code=code) for code in codes]
        data = assert_same(
            serializer_of(url=Own(view_name="str")),
            rows,
            calls=calls,
            many=True,
            context={"request": request()},
        )
        assert data[2]["url"] == "/str/ABC/"

    def test_a_get_url_that_reverses_for_other_requests(self):
        class Own(serializers.HyperlinkedIdentityField):
            def get_url(self, obj, view_name, request, format):
                others = [request, None, request_of_other_host, request]
                return " ".join(
                    str(self.reverse(view_name, kwargs={"pk": obj.pk}, request=each))
                    for each in others
                )

        request_of_other_host = request(HTTP_HOST="localhost")
        rows = [Airline(code="UA"), Airline(code="LH")]
        data = assert_same(
            serializer_of(url=Own(view_name="str")), rows, many=True, context={"request": request()}
        )
        assert data[1]["url"].split()[:3] == [
            "http://testserver/str/LH/",
            "/str/LH/",
            "http://localhost/str/LH/",
        ]

    def test_a_get_url_that_fails_leaves_the_field_as_it_was(self):
        class Own(serializers.HyperlinkedIdentityField):
            def get_url(self, obj, view_name, request, format):
                raise KeyError(obj.pk)

        made = serializer_of(url=Own(view_name="str"))(context={"request": request()})
        with pytest.raises(KeyError):
            made.to_representation(Airline(code="UA"))
        assert made.fields["url"].reverse is reverse

    def test_an_own_reverse_is_called(self):
        class Own(serializers.Serializer):
            url = serializers.HyperlinkedIdentityField("str")

            def get_fields(self):
                fields = super().get_fields()
                fields["url"].reverse = lambda *args, **kwargs: "own"
                return fields

        assert_same(Own, Airline(code="UA"), context={"request": request()})

    def test_a_field_without_a_lookup_is_as_in_stock(self):
        class Numbered(models.Model):
            class Meta:
                app_label = "flights"

        for lookup_field in ("nothing", "_meta", "save", "objects"):
            serializer = identity("code", lookup_field=lookup_field, lookup_url_kwarg="code")
            assert_same(serializer, Numbered(), context={"request": request()})
            assert_same(serializer, Airline(code="UA"), context={"request": request()})

    @pytest.mark.parametrize("lookup_field", ["pk", "name"])
    @pytest.mark.parametrize("many", [False, True])
    def test_a_get_url_of_a_related_object(self, flights, lookup_field, many):
        class Own(serializers.HyperlinkedRelatedField):
            def get_url(self, obj, view_name, request, format):
                calls.append((type(obj), obj.pk))
                keys = {"pk": getattr(obj, self.lookup_field)}
                return self.reverse(view_name, kwargs=keys, request=request, format=format)

        calls = []
        field = Own("str", read_only=True, many=many, lookup_field=lookup_field)
        name = "flights" if many else "airline"
        queryset = (Airline if many else Flight).objects.order_by("pk")
        context = {"request": request()}
        serializer = serializer_of(**{name: field})
        assert_same_each_time(
            serializer, lambda: list(queryset.all()), calls=calls, many=True, context=context
        )
