"""Models with all kinds of columns and relations, in tables of their own; see people.py."""

import uuid

from django.db import connection, models
from django.test.utils import isolate_apps

from tests.promises.django.tables import Base

with isolate_apps("flights"):

    class Country(Base):
        code = models.CharField(max_length=3, primary_key=True)
        name = models.CharField(max_length=20)
        area = models.FloatField(null=True)

    class City(Base):
        name = models.CharField(max_length=20, unique=True)
        country = models.ForeignKey(Country, models.CASCADE, null=True, related_name="cities")
        twin = models.ForeignKey(
            "self", models.SET_NULL, null=True, to_field="name", related_name="twins"
        )
        founded = models.DateField(null=True)

    class Language(Base):
        name = models.CharField(max_length=20)

        class Meta:
            app_label = "flights"
            ordering = ("name",)

        def __str__(self):
            return self.name

    class Person(Base):
        class Rank(models.IntegerChoices):
            LOW = 1, "low"
            HIGH = 2, "high"

        key = models.UUIDField(primary_key=True, default=uuid.uuid4)
        name = models.CharField(max_length=20)
        age = models.IntegerField(null=True)
        wealth = models.DecimalField(max_digits=10, decimal_places=2, null=True)
        height = models.FloatField(null=True)
        is_active = models.BooleanField(null=True)
        born = models.DateField(null=True)
        seen = models.DateTimeField(null=True)
        wakes = models.TimeField(null=True)
        sleeps = models.DurationField(null=True)
        notes = models.JSONField(null=True)
        token = models.UUIDField(null=True)
        rank = models.IntegerField(choices=Rank.choices, null=True)
        city = models.ForeignKey(City, models.CASCADE, related_name="people")
        birthplace = models.ForeignKey(City, models.SET_NULL, null=True, related_name="natives")
        languages = models.ManyToManyField(Language, related_name="speakers")
        friends = models.ManyToManyField("self")

        def shout(self):
            return f"{self.name}!"

    class Profile(Base):
        person = models.OneToOneField(Person, models.CASCADE)
        motto = models.CharField(max_length=20)
        country = models.ForeignKey(Country, models.CASCADE, null=True)

    class Tame(models.Manager):
        """Hides some, as many managers do, and notes whenever it is asked."""

        asked = []

        def get_queryset(self):
            self.asked.append("get_queryset")
            return super().get_queryset().filter(is_tame=True)

    class Pet(Base):
        name = models.CharField(max_length=20)
        is_tame = models.BooleanField(default=True)
        owner = models.ForeignKey(Person, models.CASCADE, related_name="pets")

        objects = Tame()

    class Letter(Base):
        """Its keys may be equal to the database, and not to Python."""

        code = models.CharField(
            primary_key=True,
            max_length=5,
            db_collation="nocase" if connection.vendor == "sqlite" else None,
        )

    class Word(Base):
        letter = models.ForeignKey(Letter, models.CASCADE, related_name="words")
        first = models.OneToOneField(Letter, models.CASCADE, related_name="first")

    class Worker(Person):
        salary = models.IntegerField()

    class Citizen(Person):
        class Meta:
            proxy = True
            app_label = "flights"


MODELS = [Country, City, Language, Person, Profile, Pet, Letter, Word, Worker]
"""Those with tables, each after what it refers to."""
