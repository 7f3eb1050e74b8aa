"""The addresses of the example project: the API, and the front page that leads to it."""

from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="api-root")),
    path("api/", include("flights.urls")),
]
