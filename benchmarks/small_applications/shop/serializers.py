"""What the API shows and accepts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from rest_framework import serializers

from .models import Category, Order, OrderLine, Product, Review, Tag

VAT = Decimal("1.20")


class CategorySerializer(serializers.ModelSerializer):
    class Meta:
        model = Category
        fields = ["id", "name", "slug", "parent"]


class TagSerializer(serializers.ModelSerializer):
    class Meta:
        model = Tag
        fields = ["id", "name"]


class PriceSerializer(serializers.ModelSerializer):
    """A line of the price list: nothing but columns."""

    class Meta:
        model = Product
        fields = [
            *("id", "sku", "name", "price", "weight", "stock", "status", "category"),
            *("available_from", "created"),
        ]


class ProductSerializer(serializers.ModelSerializer):
    category = CategorySerializer(read_only=True)
    tags = TagSerializer(many=True, read_only=True)
    is_in_stock = serializers.BooleanField(read_only=True)
    status_label = serializers.CharField(source="get_status_display", read_only=True)
    price_with_vat = serializers.SerializerMethodField()

    class Meta:
        model = Product
        fields = [
            *("id", "sku", "name", "description", "price", "price_with_vat", "weight", "stock"),
            *("is_in_stock", "status", "status_label", "category", "tags", "available_from"),
            "created",
        ]

    def get_price_with_vat(self, product: Product) -> str:
        return str((product.price * VAT).quantize(Decimal("0.01")))


class ReviewSerializer(serializers.ModelSerializer):
    author = serializers.StringRelatedField()
    product_name = serializers.CharField(source="product.name", read_only=True)

    class Meta:
        model = Review
        fields = ["id", "product", "product_name", "author", "stars", "text", "created"]


class ProductDetailSerializer(ProductSerializer):
    reviews = ReviewSerializer(many=True, read_only=True)
    average_stars = serializers.SerializerMethodField()

    class Meta(ProductSerializer.Meta):
        fields = [*ProductSerializer.Meta.fields, "average_stars", "reviews"]

    def get_average_stars(self, product: Product) -> float | None:
        stars = [review.stars for review in product.reviews.all()]
        return round(sum(stars) / len(stars), 2) if stars else None


class OrderLineSerializer(serializers.ModelSerializer):
    total = serializers.SerializerMethodField()

    class Meta:
        model = OrderLine
        fields = ["product", "quantity", "unit_price", "total"]
        read_only_fields = ["unit_price"]

    def get_total(self, line: OrderLine) -> str:
        return str(line.unit_price * line.quantity)

    def validate_quantity(self, value: int) -> int:
        if not 1 <= value <= 100:
            raise serializers.ValidationError("Between 1 and 100, please.")
        return value


class OrderSerializer(serializers.ModelSerializer):
    customer = serializers.ReadOnlyField(source="customer.username")
    lines = OrderLineSerializer(many=True, allow_empty=False)

    class Meta:
        model = Order
        fields = ["id", "customer", "note", "is_paid", "created", "lines"]
        read_only_fields = ["is_paid"]

    def create(self, validated_data: dict[str, Any]) -> Order:
        lines = validated_data.pop("lines")
        order = Order.objects.create(**validated_data)
        OrderLine.objects.bulk_create(
            OrderLine(order=order, unit_price=line["product"].price, **line) for line in lines
        )
        return order
