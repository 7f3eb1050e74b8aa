"""Products, and what they refer to."""

from __future__ import annotations

from django.db import models


class Named(models.Model):
    name = models.CharField(max_length=40)

    class Meta:
        abstract = True


class Maker(Named):
    country = models.CharField(max_length=40)


class Category(Named):
    about = models.TextField()


class Tag(Named):
    class Meta:
        ordering = ("pk",)


class Product(Named):
    price = models.DecimalField(max_digits=8, decimal_places=2)
    stock = models.IntegerField()
    added = models.DateTimeField()
    maker = models.ForeignKey(Maker, models.CASCADE, related_name="products")
    category = models.ForeignKey(Category, models.CASCADE, related_name="products")
    other = models.ForeignKey(Category, models.CASCADE, related_name="+")
    tags = models.ManyToManyField(Tag)

    class Meta:
        ordering = ("pk",)
