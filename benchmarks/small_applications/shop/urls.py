"""The addresses of the API."""

from django.urls import include, path
from rest_framework.routers import DefaultRouter

from . import views

router = DefaultRouter()
router.register("products", views.ProductViewSet)
router.register("reviews", views.ReviewViewSet)
router.register("orders", views.OrderViewSet, basename="order")

urlpatterns = [
    path("api/prices/", views.PriceList.as_view()),
    path("api/products-by-page/", views.ProductsByPage.as_view()),
    path("api/", include(router.urls)),
]
