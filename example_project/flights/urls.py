"""The addresses of the API, under ``/api/``."""

from django.urls import include, path
from rest_framework.routers import DefaultRouter

from flights import views

router = DefaultRouter()
router.register("airlines", views.AirlineViewSet)
router.register("airports", views.AirportViewSet)
router.register("planes", views.PlaneViewSet)
router.register("flights", views.FlightViewSet)

urlpatterns = [
    # Before the router, which would take "bulk", "compact" and "import" for the keys of flights.
    path("flights/bulk/", views.BulkFlightView.as_view(), name="flight-bulk"),
    path("flights/compact/", views.CompactFlightView.as_view(), name="flight-compact"),
    path("flights/import/", views.ImportFlightView.as_view(), name="flight-import"),
    path("", include(router.urls)),
]
