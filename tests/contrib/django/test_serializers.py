"""Serializers and views that are compiled one by one, where fastschema is not installed."""

import pytest
from django.test import override_settings
from rest_framework import serializers
from rest_framework.generics import GenericAPIView, ListAPIView
from rest_framework.mixins import RetrieveModelMixin
from rest_framework.response import Response
from rest_framework.routers import SimpleRouter
from rest_framework.serializers import ListSerializer
from rest_framework.test import APIRequestFactory
from rest_framework.viewsets import GenericViewSet, ReadOnlyModelViewSet

import fastschema
from fastschema.contrib.django.front_end.customization import STOCK_TO_REPRESENTATION
from fastschema.contrib.django.renderers import FastJSONRenderer
from fastschema.contrib.django.serializers import FastSerializerMixin, speed_up
from fastschema.contrib.django.views import FastViewMixin, StreamingListMixin
from flights.models import Airline
from flights.serializers import AirlineSerializer
from tests.contrib.django.differential import assert_same, exactly


class Plain(serializers.Serializer):
    a = serializers.CharField()
    b = serializers.IntegerField(required=False)


class Fast(FastSerializerMixin, Plain):
    pass


class Own(Plain):
    def to_representation(self, instance):
        return {**super().to_representation(instance), "own": True}


@pytest.fixture(autouse=True)
def not_installed():
    with override_settings(FASTSCHEMA={"INSTALL": False}):
        assert serializers.Serializer.to_representation is STOCK_TO_REPRESENTATION
        yield


@pytest.fixture
def compiled_rows():
    """Count the rows that generated code has dumped since the test began."""
    before = fastschema.stats().compiled_rows
    return lambda: fastschema.stats().compiled_rows - before


ROWS = [{"a": 1, "b": 2}, {"a": "x"}, {"a": None}]


class TestMixin:
    def test_other_classes_are_not_compiled(self, compiled_rows):
        assert Plain(ROWS[0]).data == {"a": "1", "b": 2}
        assert Plain(ROWS, many=True).data == [{"a": "1", "b": 2}, {"a": "x"}, {"a": None}]
        assert compiled_rows() == 0

    def test_it_answers_as_stock_in_every_way(self):
        for row in [*ROWS, {}, {"b": 1}, {"a": 1, "b": "no"}, 7]:
            assert_same(Fast, row)
        assert_same(Fast, ROWS, many=True)

    def test_an_own_method_that_calls_super_is_compiled_below(self, compiled_rows):
        class FastOwn(FastSerializerMixin, Plain):
            def to_representation(self, instance):
                return {**super().to_representation(instance), "own": True}

        assert FastOwn(ROWS[0]).data == Own(ROWS[0]).data
        assert compiled_rows() == 1
        assert fastschema.compile(FastOwn).explain().override == "to_representation"

    def test_the_method_of_another_base_is_never_hidden(self):
        class Mixed(FastSerializerMixin, Own):
            pass

        class Below(Mixed):
            pass

        class Beside(Fast, Own):
            pass

        class Calling(FastSerializerMixin, Own):
            def to_representation(self, instance):
                return {**super().to_representation(instance), "calling": True}

        for cls in (Mixed, Below, Beside):
            assert cls(ROWS[0]).data == Own(ROWS[0]).data
            assert cls(ROWS, many=True).data == Own(ROWS, many=True).data
            assert fastschema.compile(cls).explain().override == "to_representation"
            outer = type("Outer", (FastSerializerMixin, Plain), {"inner": cls()})
            assert_same(outer, {"a": 1, "inner": ROWS[0]})
        assert Calling(ROWS[0]).data == {"a": "1", "b": 2, "own": True, "calling": True}

    def test_a_list_serializer_that_is_asked_for_is_left_alone(self):
        class OwnList(ListSerializer):
            pass

        class Listed(FastSerializerMixin, Plain):
            class Meta:
                list_serializer_class = OwnList

        assert type(Listed(many=True)) is OwnList
        assert Listed(ROWS, many=True).data == Plain(ROWS, many=True).data

    def test_keyword_arguments_reach_the_list_serializer(self):
        many = Fast(many=True, allow_empty=False, max_length=3, label="rows", context={"x": 1})
        assert (many.allow_empty, many.max_length, many.label) == (False, 3, "rows")
        assert many.child.context == {"x": 1}

    def test_listed_last_it_is_an_error(self):
        with pytest.raises(TypeError, match="Late: list FastSerializerMixin before the serializer"):
            type("Late", (Plain, FastSerializerMixin), {})

    def test_for_a_list_serializer_there_is_another(self):
        with pytest.raises(TypeError, match="Rows: derive list serializers from FastListSer"):
            type("Rows", (FastSerializerMixin, ListSerializer), {})

    def test_it_works_where_fastschema_is_installed_too(self, compiled_rows):
        with override_settings(FASTSCHEMA={"INSTALL": True}):
            assert_same(Fast, ROWS, many=True)
            assert_same(Fast, ROWS[0])
        assert compiled_rows() > 0


class TestCompiled:
    def test_one_object(self, compiled_rows):
        assert exactly(speed_up(Plain(ROWS[0])).data) == exactly(Plain(ROWS[0]).data)
        assert compiled_rows() == 1

    def test_many(self, compiled_rows):
        assert exactly(speed_up(Plain(ROWS, many=True)).data) == exactly(
            Plain(ROWS, many=True).data
        )
        assert compiled_rows() == 3

    def test_a_list_serializer_of_ones_own(self, compiled_rows):
        class OwnList(ListSerializer):
            def to_representation(self, data):
                return [*super().to_representation(data), "end"]

        rows = [{"a": "x", "b": 1}] * 3
        assert speed_up(OwnList(rows, child=Plain())).data[-1] == "end"
        assert compiled_rows() == 3

    def test_what_overrides_its_method_stays_as_it_is(self):
        assert speed_up(Own(ROWS[0])).data == Own(ROWS[0]).data
        assert speed_up(Own(ROWS, many=True)).data == Own(ROWS, many=True).data

    def test_what_is_no_serializer_stays_as_it_is(self):
        assert speed_up(None) is None


class TestView:
    class View(FastViewMixin, GenericAPIView):
        serializer_class = Plain

    def view(self):
        view = self.View()
        view.setup(APIRequestFactory().get("/"))
        view.format_kwarg = None
        return view

    def test_one_object(self, compiled_rows):
        assert self.view().get_serializer(ROWS[0]).data == {"a": "1", "b": 2}
        assert compiled_rows() == 1

    def test_many(self, compiled_rows):
        assert len(self.view().get_serializer(ROWS, many=True).data) == 3
        assert compiled_rows() == 3

    def test_the_serializer_is_that_of_the_view_with_its_context(self):
        view = self.view()
        serializer = view.get_serializer(ROWS[0])
        assert type(serializer) is Plain
        assert serializer.context["view"] is view


class TestListView:
    class Airlines(FastViewMixin, ListAPIView):
        queryset = Airline.objects.all()
        serializer_class = AirlineSerializer
        renderer_classes = [FastJSONRenderer]
        pagination_class = None

    @pytest.fixture
    def airlines(self, db):
        Airline.objects.create(code="UA", name="United")
        Airline.objects.create(code="DL", name="Delta")

    def answer(self, view_class):
        response = view_class.as_view()(APIRequestFactory().get("/")).render()
        return type(response), response.content, exactly(response.data)

    def check(self, view_class):
        """Assert that a view answers as in stock."""
        with fastschema.disabled():
            expected = self.answer(view_class)
        assert self.answer(view_class) == expected

    def test_the_answer_is_that_of_stock(self, airlines):
        self.check(self.Airlines)

    def test_the_list_of_another_base_is_never_hidden(self, airlines):
        class Listing:
            def list(self, request, *args, **kwargs):
                return Response(["own"])

        class Own(FastViewMixin, Listing, GenericAPIView):
            renderer_classes = [FastJSONRenderer]

            def get(self, request):
                return self.list(request)

        self.check(Own)
        assert Own.list is Listing.list

    def test_a_streamed_list_stays_streamed(self, airlines):
        class Streamed(FastViewMixin, StreamingListMixin, ListAPIView):
            queryset = Airline.objects.all()
            serializer_class = AirlineSerializer
            renderer_classes = [FastJSONRenderer]

        assert Streamed.as_view()(APIRequestFactory().get("/")).streaming

    def test_a_view_without_a_list_has_none_with_the_mixin(self):
        class One(FastViewMixin, RetrieveModelMixin, GenericViewSet):
            queryset = Airline.objects.all()

        class All(FastViewMixin, ReadOnlyModelViewSet):
            queryset = Airline.objects.all()

        assert not hasattr(One, "list")
        assert not hasattr(One(), "list")
        router = SimpleRouter()
        router.register("one", One, "one")
        router.register("all", All, "all")
        assert [each.name for each in router.urls] == ["one-detail", "all-list", "all-detail"]
