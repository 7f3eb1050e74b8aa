"""Models of books, in tables of their own; see conftest.py."""

import uuid

from django.db import models
from django.test.utils import isolate_apps

from tests.promises.django.tables import Base

with isolate_apps("flights"):

    class Author(Base):
        name = models.CharField(max_length=20)
        handle = models.CharField(max_length=20, unique=True)

    class Label(Base):
        key = models.UUIDField(primary_key=True, default=uuid.uuid4)
        slug = models.SlugField(unique=True)

    class Book(Base):
        isbn = models.CharField(max_length=10, unique=True)
        number = models.IntegerField(unique=True, null=True)
        author = models.ForeignKey(Author, models.CASCADE, related_name="books")
        editor = models.ForeignKey(Author, models.CASCADE, null=True, related_name="edited")
        sequel = models.OneToOneField("self", models.CASCADE, null=True, related_name="prequel")
        added = models.DateTimeField(auto_now_add=True)

    class LabelledBook(Base):
        title = models.CharField(max_length=20)
        labels = models.ManyToManyField(Label)

    class Account(Base):
        holder = models.OneToOneField(
            Author, models.CASCADE, to_field="handle", related_name="account"
        )
        owner = models.OneToOneField(Author, models.CASCADE, related_name="+")


MODELS = [Author, Label, Book, LabelledBook, Account]
