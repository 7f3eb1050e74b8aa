"""Models whose primary key is more than one column, in tables of their own."""

import datetime

from django.db import models
from django.test.utils import isolate_apps

from tests.promises.django.tables import Base

with isolate_apps("flights"):

    class Order(Base):
        name = models.CharField(max_length=20)
        placed = models.DateField(default=datetime.date(2020, 1, 1))

    class Line(Base):
        """Has a foreign key in its primary key."""

        pk = models.CompositePrimaryKey("order_id", "number")
        order = models.ForeignKey(Order, models.CASCADE, related_name="lines")
        number = models.IntegerField()
        article = models.CharField(max_length=20, unique=True)

        def __str__(self):
            return self.article

    class Shelf(Base):
        """Has a key of one column, and is found by two others."""

        aisle = models.IntegerField()
        number = models.IntegerField()
        height = models.IntegerField(default=1)

        class Meta(Base.Meta):
            abstract = False
            unique_together = [("aisle", "number")]

    class Delivery(Base):
        """Refers to a line and to a shelf, each by two columns."""

        order = models.ForeignKey(Order, models.CASCADE, related_name="+")
        number = models.IntegerField()
        line = models.ForeignObject(
            Line,
            models.CASCADE,
            from_fields=("order", "number"),
            to_fields=("order", "number"),
            related_name="deliveries",
        )
        shelf = models.ForeignObject(
            Shelf,
            models.CASCADE,
            from_fields=("number", "order"),
            to_fields=("aisle", "number"),
            related_name="deliveries",
        )


MODELS = [Order, Line, Shelf, Delivery]
"""Each after what it refers to."""
