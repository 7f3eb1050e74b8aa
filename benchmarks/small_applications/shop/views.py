"""The views of the API."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from rest_framework import generics, viewsets
from rest_framework.permissions import IsAuthenticated

from .models import Order, Product, Review
from .permissions import IsCustomer
from .serializers import (
    OrderSerializer,
    PriceSerializer,
    ProductDetailSerializer,
    ProductSerializer,
    ReviewSerializer,
)


class PriceList(generics.ListAPIView):
    queryset = Product.objects.all()
    serializer_class = PriceSerializer


class ProductViewSet(viewsets.ModelViewSet):
    queryset = Product.objects.select_related("category").prefetch_related("tags")
    filterset_fields = {
        "category": ["exact"],
        "tags": ["exact"],
        "status": ["exact", "in"],
        "price": ["gte", "lte"],
        "name": ["icontains"],
        "stock": ["gt"],
    }

    def get_queryset(self) -> QuerySet[Product]:
        queryset = super().get_queryset()
        if self.action == "retrieve":
            return queryset.prefetch_related("reviews__author", "reviews__product")
        return queryset

    def get_serializer_class(self) -> type[ProductSerializer]:
        return ProductDetailSerializer if self.action == "retrieve" else ProductSerializer


class ProductsByPage(generics.ListAPIView):
    """The products, which no request filters."""

    queryset = ProductViewSet.queryset
    serializer_class = ProductSerializer
    filter_backends = []


class ReviewViewSet(viewsets.ModelViewSet):
    """Forgets to load products and authors: queries for each row."""

    queryset = Review.objects.all()
    serializer_class = ReviewSerializer
    filterset_fields = ["product", "stars"]

    def perform_create(self, serializer: Any) -> None:
        serializer.save(author=self.request.user)


class OrderViewSet(viewsets.ModelViewSet):
    serializer_class = OrderSerializer
    permission_classes = [IsAuthenticated, IsCustomer]
    filterset_fields = ["is_paid"]

    def get_queryset(self) -> QuerySet[Order]:
        orders = Order.objects.select_related("customer").prefetch_related("lines")
        return orders if self.request.user.is_staff else orders.filter(customer=self.request.user)

    def perform_create(self, serializer: Any) -> None:
        serializer.save(customer=self.request.user)
