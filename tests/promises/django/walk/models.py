"""Models that are nested in each other twice, in tables of their own; see conftest.py."""

from django.db import models
from django.test.utils import isolate_apps
from django.utils.translation import gettext_lazy as _

from tests.promises.django.tables import Base

with isolate_apps("flights"):

    class Land(Base):
        name = models.CharField(max_length=20)
        code = models.CharField(max_length=3)

    class Town(Base):
        name = models.CharField(max_length=20)
        size = models.IntegerField(null=True)
        land = models.ForeignKey(Land, models.CASCADE, related_name="towns")

    class Guest(Base):
        name = models.CharField(max_length=20)
        age = models.IntegerField(null=True)
        time = models.DateTimeField(_("Time"), null=True)
        town = models.ForeignKey(Town, models.CASCADE, related_name="guests")
        visited = models.ManyToManyField(Town, related_name="visitors")


MODELS = [Land, Town, Guest]
"""Each after what it refers to."""
