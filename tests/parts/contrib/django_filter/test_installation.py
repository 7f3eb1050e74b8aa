"""Where filters on demand are installed, and what the doctor says of them."""

import subprocess
import sys

import django_filters
import pytest
from django.urls import path
from django_filters.rest_framework import DjangoFilterBackend, FilterSet

import fastschema
from fastschema.contrib.django_filter import is_available
from fastschema.doctor.django.survey import diagnosis_of_project, reached
from flights.models import Airline
from tests.promises.django_filter.models import Holder
from tests.promises.django_filter.test_views import ByFields

PROCESS = """
import sys
from importlib import metadata

import django
from django.conf import settings

found = metadata.version
def version(name):
    if name == "django-filter":
        if {version!r} is None:
            raise metadata.PackageNotFoundError(name)
        return {version!r}
    return found(name)
metadata.version = version
apps = ["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"]
settings.configure(
    INSTALLED_APPS=[*apps, "fastschema.contrib.django"], FASTSCHEMA={{"FILTERS": {is_on}}}
)
django.setup()
print("django_filters" in sys.modules)
"""


@pytest.mark.parametrize(
    ("version", "is_on", "is_imported"),
    [("26.2", True, True), ("24.2", True, False), (None, True, False), ("26.2", False, False)],
)
def test_django_filter_is_imported_only_where_it_gains(version, is_on, is_imported):
    source = PROCESS.format(version=version, is_on=is_on)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.stdout.strip() == str(is_imported), done.stderr


def test_it_is_available_here():
    assert is_available()


class ByAllValues(ByFields):
    class filterset_class(FilterSet):  # noqa: N801  # DRF's name for it
        code = django_filters.AllValuesFilter()


class ByTenant(ByFields):
    queryset = Holder.objects.all()
    filterset_fields = ["owned"]


class WithoutFilters(ByFields):
    queryset = Airline.objects.all()
    filter_backends = [DjangoFilterBackend, object()]
    filterset_fields = None


class Urls:
    urlpatterns = [
        path("fields/", ByFields.as_view()),
        path("values/", ByAllValues.as_view()),
        path("tenant/", ByTenant.as_view()),
        path("none/", WithoutFilters.as_view()),
    ]


def test_the_doctor_tells_why_filters_are_made():
    fastschema.forget()  # a class of filters has what other tests have left
    views = diagnosis_of_project(reached(Urls)).views
    assert [each.facts["filters"] for each in views] == [
        "",
        "the choices of the filter code are asked for in any case",
        "its filter set class may be another one for each request",
        "",
    ]
    assert "because the choices of the filter code" in views[1].how
    assert "filters" not in views[0].how
