"""Models of books, in tables of their own; see conftest.py."""

import uuid

from django.db import models
from django.test.utils import isolate_apps

with isolate_apps("flights"):

    class Base(models.Model):
        """What all of them are."""

        class Meta:
            abstract = True
            app_label = "flights"

    class Author(Base):
        """Known by a name, which need not be unique."""

        name = models.CharField(max_length=20)
        handle = models.CharField(max_length=20, unique=True)

    class Label(Base):
        """Has a key that the client makes."""

        key = models.UUIDField(primary_key=True, default=uuid.uuid4)
        slug = models.SlugField(unique=True)

    class Book(Base):
        """Has unique columns and all kinds of relations."""

        isbn = models.CharField(max_length=10, unique=True)
        number = models.IntegerField(unique=True, null=True)
        author = models.ForeignKey(Author, models.CASCADE, related_name="books")
        editor = models.ForeignKey(Author, models.CASCADE, null=True, related_name="edited")
        sequel = models.OneToOneField("self", models.CASCADE, null=True, related_name="prequel")
        added = models.DateTimeField(auto_now_add=True)

    class LabelledBook(Base):
        """Has many labels."""

        title = models.CharField(max_length=20)
        labels = models.ManyToManyField(Label)

    class Account(Base):
        """One for each author, by the key and by another column."""

        holder = models.OneToOneField(
            Author, models.CASCADE, to_field="handle", related_name="account"
        )
        owner = models.OneToOneField(Author, models.CASCADE, related_name="+")


MODELS = [Author, Label, Book, LabelledBook, Account]
