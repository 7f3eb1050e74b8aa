"""Print as JSON what lists with generic foreign keys answer, in stock and with LOAD_RELATIONS.

python -m tests.promises.django.relations.generic

The example project has no content types.
"""

import json

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=["django.contrib.contenttypes", "rest_framework", "fastschema.contrib.django"],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    FASTSCHEMA={"LOAD_RELATIONS": True},
)
django.setup()

from django.contrib.contenttypes.fields import GenericForeignKey, GenericRelation  # noqa: E402  # when it is set up
from django.contrib.contenttypes.models import ContentType  # noqa: E402  # likewise
from django.core.management import call_command  # noqa: E402  # likewise
from django.db import connection, models  # noqa: E402  # likewise
from django.test.utils import CaptureQueriesContext  # noqa: E402  # likewise
from rest_framework import serializers  # noqa: E402  # likewise

import fastschema  # noqa: E402  # likewise


class Page(models.Model):
    name = models.CharField(max_length=10)
    notes = GenericRelation("Note")

    class Meta:
        app_label = "contenttypes"


class Word(models.Model):
    text = models.CharField(max_length=10, primary_key=True)

    class Meta:
        app_label = "contenttypes"


class Hiding(models.Manager):
    def get_queryset(self):
        return super().get_queryset().exclude(pk=2)


class Hidden(models.Model):
    objects = Hiding()

    class Meta:
        app_label = "contenttypes"
        base_manager_name = "objects"


class Note(models.Model):
    content_type = models.ForeignKey(ContentType, models.CASCADE, null=True)
    object_id = models.CharField(max_length=10, null=True)
    about = GenericForeignKey()

    class Meta:
        app_label = "contenttypes"


class About(serializers.RelatedField):
    def to_representation(self, value):
        return f"{type(value).__name__} {value.pk}"


class Notes(serializers.Serializer):
    about = About(read_only=True)


class Texts(serializers.Serializer):
    object_id = serializers.CharField()


class Pages(serializers.Serializer):
    notes = Texts(many=True)


def represented(serializer, queryset):
    """What a serializer makes of a queryset, and how many queries that takes."""
    with CaptureQueriesContext(connection) as captured:
        try:
            found = serializer(queryset, many=True).data
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    return {"found": found, "queries": len(captured)}


def answer(rows):
    """What a serializer makes of some notes, and how many queries that takes."""
    notes = [
        Note.objects.create(content_type=content_type, object_id=key) for content_type, key in rows
    ]
    ContentType.objects.clear_cache()
    queryset = Note.objects.filter(pk__in=[note.pk for note in notes]).order_by("pk")
    return represented(Notes, queryset)


def main():
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for model in (Page, Word, Hidden, Note):
            editor.create_model(model)
    for number in range(1, 4):
        Page.objects.create(name=f"page {number}")
        Word.objects.create(text=f"w{number}")
        Hidden.objects.create()
    page, word, hidden = map(ContentType.objects.get_for_model, (Page, Word, Hidden))
    gone = ContentType.objects.create(app_label="gone", model="gone")
    cases = {
        "two classes": [(page, "1"), (word, "w1"), (page, "2"), (word, "w2"), (page, "1")],
        "nobody": [(page, "1"), (None, None), (page, "77"), (page, None)],
        "a stale type": [(page, "1"), (gone, "1")],
        "no key": [(page, "1"), (page, "x")],
        "a manager of its own": [(hidden, "1"), (hidden, "2"), (hidden, "3")],
    }
    answers = {}
    for name, rows in cases.items():
        with fastschema.disabled():
            stock = answer(rows)
        answers[name] = {"stock": stock, "fast": answer(rows)}
    with fastschema.disabled():
        stock = represented(Pages, Page.objects.order_by("pk"))
    fast = represented(Pages, Page.objects.order_by("pk"))
    answers["a generic relation"] = {"stock": stock, "fast": fast}
    print(json.dumps(answers))


main()
