"""A URL configuration with serializers and views of every sort, for the tools to find."""

from io import StringIO

from django.core.management import call_command
from django.http import HttpResponse
from django.urls import include, path, re_path
from rest_framework import serializers, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.generics import ListAPIView, ListCreateAPIView, RetrieveAPIView
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter
from rest_framework.views import APIView

from flights.models import Airline

HERE = __name__


def run(*arguments):
    """What the command prints."""
    stdout = StringIO()
    call_command("fastschema", *arguments, stdout=stdout)
    return stdout.getvalue()


class Shout(serializers.CharField):
    def to_representation(self, value):
        return super().to_representation(value).upper()


class AirlineSerializer(serializers.ModelSerializer):
    name = Shout()

    class Meta:
        model = Airline
        fields = ("code", "name")


class WholeSerializer(serializers.Serializer):
    def to_representation(self, instance):
        return {"whole": instance}


class OuterSerializer(serializers.Serializer):
    airline = AirlineSerializer()
    wholes = WholeSerializer(many=True)


class Backwards(serializers.ListSerializer):
    def to_representation(self, data):
        return super().to_representation(data)[::-1]


class ListedSerializer(serializers.Serializer):
    code = serializers.CharField()

    class Meta:
        list_serializer_class = Backwards


class DynamicSerializer(serializers.Serializer):
    code = serializers.CharField()

    def get_fields(self):
        fields = super().get_fields()
        if self.context["view"].action == "retrieve":
            fields["name"] = serializers.CharField()
        return fields


class Airlines(viewsets.ReadOnlyModelViewSet):
    queryset = Airline.objects.all()
    serializer_class = AirlineSerializer

    @action(detail=False, serializer_class=OuterSerializer)
    def outer(self, request):
        return Response([])


class Dynamic(viewsets.ReadOnlyModelViewSet):
    queryset = Airline.objects.all()
    serializer_class = DynamicSerializer


class Listed(ListCreateAPIView):
    queryset = Airline.objects.all()
    serializer_class = ListedSerializer


class Picky(ListAPIView):
    def get_serializer_class(self):
        return {"a": AirlineSerializer}[self.request.GET["kind"]]


class Fake(RetrieveAPIView):
    """A view that knows of tools."""

    def get_serializer_class(self):
        assert self.swagger_fake_view
        assert self.request.version is None
        assert self.request.user.is_anonymous if self.request.user else True
        return AirlineSerializer


class Named(APIView):
    serializer_class = AirlineSerializer

    def get(self, request):
        return Response()


class Misnamed(APIView):
    serializer_class = dict

    def get(self, request):
        return Response()


class Unnamed(APIView):
    def get(self, request):
        return Response()


@api_view(["GET"])
def function(request):
    """A view that is a function."""
    return Response()


def plain(request):
    """A view of Django's own."""
    return HttpResponse()


router = DefaultRouter()
router.register("airlines", Airlines)
router.register("dynamic", Dynamic, basename="dynamic")

urlpatterns = [
    path("", include(router.urls)),
    path("listed/", Listed.as_view()),
    path("picky/", Picky.as_view()),
    re_path(r"^fake/(?P<pk>\w+)/$", Fake.as_view()),
    path("named/", Named.as_view()),
    path("misnamed/", Misnamed.as_view()),
    path("unnamed/", Unnamed.as_view()),
    path("function/", function),
    path("plain/", plain),
]
