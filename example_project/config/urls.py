"""The addresses of the example project: the API, and the race as its front page."""

from django.urls import include, path

from race import django as race

urlpatterns = [
    path("", race.page, name="race"),
    path("api/", include("flights.urls")),
]
