"""Models whose instances other code notices: packages, and code as people write it."""

import base64
from functools import cached_property

from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.db.models.signals import post_init, pre_init
from djmoney.models.fields import MoneyField
from model_utils import FieldTracker
from model_utils.fields import MonitorField
from model_utils.managers import InheritanceManager
from parler.models import TranslatableModel, TranslatedFields
from polymorphic.models import PolymorphicModel
from simple_history.models import HistoricalRecords

calls = []
"""What code of these models' own was called."""


class Named(models.Model):
    name = models.CharField(max_length=20)

    class Meta:
        abstract = True


class Tracked(Named):
    tracker = FieldTracker()


class Monitored(Named):
    changed = MonitorField(monitor="name")


class Animal(Named):
    objects = InheritanceManager()


class Dog(Animal):
    tricks = models.IntegerField()


class Shape(PolymorphicModel):
    name = models.CharField(max_length=20)


class Circle(Shape):
    radius = models.IntegerField()


class Article(TranslatableModel):
    translations = TranslatedFields(name=models.CharField(max_length=20))


class Remembered(Named):
    history = HistoricalRecords()


class Priced(Named):
    price = MoneyField(max_digits=10, decimal_places=2, default_currency="EUR")


class Tagged(Named):
    content_type = models.ForeignKey(ContentType, models.CASCADE, null=True)
    object_id = models.PositiveIntegerField(null=True)
    target = GenericForeignKey()


class Filed(Named):
    file = models.FileField()


class Attached(Named):
    file = models.FileField(null=True)


class Pictured(Named):
    image = models.ImageField(width_field="width", height_field="height")
    width = models.IntegerField(null=True)
    height = models.IntegerField(null=True)


class Computed(Named):
    @cached_property
    def loud(self):
        calls.append("loud")
        return self.name.upper()


class SecretField(models.CharField):
    """Encrypts, after a fashion."""

    def get_prep_value(self, value):
        return base64.b64encode(value.encode()).decode()

    def from_db_value(self, value, expression, connection):
        calls.append(value)
        return base64.b64decode(value).decode()


class Secret(models.Model):
    name = SecretField(max_length=50)


class Loading(models.Manager):
    def get_queryset(self):
        calls.append("get_queryset")
        return super().get_queryset().annotate(size=models.functions.Length("name"))


class Managed(Named):
    objects = Loading()


class WithInit(Named):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        calls.append(("init", self.name))


class Made:
    """Stands behind Model among the bases."""

    def __init__(self):
        calls.append(("made", sorted(vars(self))))


class WithMixin(Named, Made):
    pass


class WithNew(Named):
    def __new__(cls, *args, **kwargs):
        calls.append("new")
        return super().__new__(cls)


class WithFromDb(Named):
    @classmethod
    def from_db(cls, db, field_names, values, **kwargs):
        instance = super().from_db(db, field_names, values, **kwargs)
        instance.name += "!"
        return instance


class WithSetattr(Named):
    def __setattr__(self, name, value):
        calls.append(("set", name))
        super().__setattr__(name, value)


class WithGetattribute(Named):
    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        return value.upper() if name == "name" else value


class WithGetattr(Named):
    def __getattr__(self, name):
        raise AttributeError(name)


class Meta(type(models.Model)):
    def __call__(cls, *args, **kwargs):
        calls.append("made")
        return super().__call__(*args, **kwargs)


class WithMetaclass(Named, metaclass=Meta):
    pass


class Lowering:
    def __get__(self, instance, owner):
        return self if instance is None else instance.__dict__["name"].lower()

    def __set__(self, instance, value):
        calls.append(("set", value))
        instance.__dict__["name"] = value


class LoweringField(models.CharField):
    descriptor_class = type("Lowered", (Lowering,), {"__init__": lambda self, field: None})


class WithDescriptor(models.Model):
    name = LoweringField(max_length=20)


class BeforeInit(Named):
    pass


class AfterInit(Named):
    pass


class ToObserved(Named):
    """Refers to one that is noticed."""

    other = models.ForeignKey(AfterInit, models.CASCADE)


def before(sender, args, **kwargs):
    calls.append(("pre_init", len(args)))


def after(sender, instance, **kwargs):
    calls.append(("post_init", instance.name))


pre_init.connect(before, sender=BeforeInit)
post_init.connect(after, sender=AfterInit)
