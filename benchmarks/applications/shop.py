"""A small shop, which uses Django REST framework as a reader of our README may.

Over SQLite; with DATABASE_URL, over PostgreSQL.
"""

from __future__ import annotations

import datetime
import itertools
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from unittest import mock

from applications.application import Request
from applications.django_application import DjangoApplication
from applications.filling import created, created_at_once
from applications.postgresql import django_url, is_there

TOKEN = "t" * 40
START = datetime.datetime(2024, 1, 1, 8, 30, tzinfo=datetime.UTC)
USERS, CATEGORIES, TAGS, PRODUCTS, REVIEWS, ORDERS = 40, 30, 25, 2000, 4000, 1200
NAMES = ("blue lamp", "Café crème", "Zürich chair", 'a "new" oak table', "東京 & <more>", "cup")


class Shop(DjangoApplication):
    """Its API, asked by a customer with a token."""

    title = "A shop in Django REST framework"
    packages = ("django", "djangorestframework", "django-filter")
    own_code = ("small_applications/shop/",)
    masked = frozenset({"id", "created"})
    settings = "small_applications.shop.settings"
    database = "application_shop" if is_there() else ""
    contenders = ("orjson", "fastschema")

    def environment(self, directory: Path) -> dict[str, str]:
        file = f"sqlite:///{directory / 'shop.sqlite3'}"
        return {"SHOP_DATABASE": django_url(self.database) if self.database else file}

    def credentials(self) -> dict[str, str]:
        return {"HTTP_AUTHORIZATION": f"Token {TOKEN}"}

    def migrate(self) -> None:
        from django.core.management import call_command

        super().migrate()
        call_command("migrate", run_syncdb=True, verbosity=0)  # the shop, which refers to users

    def add(self) -> None:
        with minutes_passing():
            users = add_users()
            products = add_products()
            add_reviews(users, products)
            add_orders(users, products)

    def requests(self) -> list[Request]:
        review = {"product": 5, "stars": 4, "text": "très bien"}
        lines = [{"product": 5, "quantity": 2}, {"product": 9, "quantity": 1}]
        changes = {"price": "19.90", "stock": 12}
        found = "category=3&status__in=on sale,sold out&price__lte=900"
        return [
            Request("prices, plain columns, 20", "/api/prices/"),
            Request("prices, 240", "/api/prices/?page_size=240"),
            Request("products, nested, many-to-many, methods, 20", "/api/products/", sampled=True),
            Request("products, 240", "/api/products/?page_size=240"),
            Request("products without django-filter, 20", "/api/products-by-page/"),
            Request("products found by three filters, 20", f"/api/products/?{found}"),
            Request("the customer's orders with their lines, 20", "/api/orders/"),
            Request("reviews whose relations are not loaded, 20", "/api/reviews/"),
            Request("a product with its reviews", "/api/products/7/", sampled=True),
            Request("an order with its lines", "/api/orders/1/"),
            Request("POST a review", "/api/reviews/", "POST", review),
            Request("POST an order with two lines", "/api/orders/", "POST", {"lines": lines}, True),
            Request("PATCH a product", "/api/products/7/", "PATCH", changes),
        ]


APPLICATION = Shop()


@contextmanager
def minutes_passing() -> Iterator[None]:
    """Let each object that is made be a minute and a bit younger than the one before."""
    step = datetime.timedelta(minutes=1, microseconds=1)
    moments = (START + number * step for number in itertools.count())
    with mock.patch("django.utils.timezone.now", side_effect=moments):
        yield


def add_users() -> list[Any]:
    from django.contrib.auth.models import User
    from rest_framework.authtoken.models import Token

    users = created(User, USERS, username="customer {}")
    Token.objects.create(user=users[0], key=TOKEN)
    return users


def add_products() -> list[Any]:
    from small_applications.shop.models import Category, Product, Tag

    categories: list[Any] = []
    for number in range(CATEGORIES):
        parent = categories[number // 3] if number > 4 else None
        category = Category(name=f"Category {number}", slug=f"category-{number}", parent=parent)
        category.save()
        categories.append(category)
    tags = created(Tag, TAGS, name="tag {}")
    first_day = datetime.date(2024, 1, 1)
    products = created_at_once(
        Product,
        PRODUCTS,
        sku=lambda number: uuid.UUID(int=number * 7919),
        name=[f"{name} {{}}" for name in NAMES],
        description=[" ".join((NAMES * 3)[each : each + 12]) for each in range(6)],
        price=lambda number: Decimal(number * 37 % 99_900 + 100) / 100,
        weight=lambda number: None if number % 4 == 0 else number * 0.25 + 0.1,
        stock=list(range(7)),
        status=Product.Status.values,
        category=categories,
        available_from=[first_day + datetime.timedelta(days=each) for each in range(400)],
    )
    tagged = Product.tags.through
    tagged.objects.bulk_create(
        tagged(product=product, tag=tags[(number + each) % TAGS])
        for number, product in enumerate(products)
        for each in range(number % 5)
    )
    return products


def add_reviews(users: list[Any], products: list[Any]) -> None:
    from small_applications.shop.models import Review

    created_at_once(
        Review,
        REVIEWS,
        product=lambda number: products[number * 7 % PRODUCTS],
        author=users,
        stars=[1, 2, 3, 4, 5],
        text=lambda number: " ".join((NAMES * 3)[number % 6 :][: number % 8]),
    )


def add_orders(users: list[Any], products: list[Any]) -> None:
    """Add orders of up to four lines, many of them of the customer who asks."""
    from small_applications.shop.models import Order, OrderLine

    orders = created_at_once(
        Order,
        ORDERS,
        customer=lambda number: users[number // 4 % USERS],
        note=["", "leave at the door", "leave at the door"],
        is_paid=[True, False],
    )
    OrderLine.objects.bulk_create(
        OrderLine(order=order, product=product, quantity=each + 1, unit_price=product.price)
        for number, order in enumerate(orders)
        for each in range(number % 4 + 1)
        for product in [products[(number * 13 + each) % PRODUCTS]]
    )
