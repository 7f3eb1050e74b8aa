"""DRF serializers with dates, used while the time stands still: a script for ``frozen.run``."""

from __future__ import annotations

from tests.frozen import run


def make():
    import django
    from django.conf import settings

    settings.configure(
        INSTALLED_APPS=["rest_framework", "fastschema.contrib.django"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        USE_TZ=True,
    )
    django.setup()
    from django.db import connection, models
    from django.utils import timezone
    from rest_framework import serializers
    from rest_framework.renderers import JSONRenderer

    from fastschema.contrib.django.renderers import FastJSONRenderer
    from tests.instruments.core import thresholds

    thresholds.rows_worth_reading = thresholds.few_for_django = 1
    thresholds.uses_worth_an_exemplar = 1

    class Entry(models.Model):
        day = models.DateField()
        time = models.TimeField()
        zoned = models.DateTimeField()
        made = models.DateTimeField(default=timezone.now)
        changed = models.DateField(auto_now=True)

        class Meta:
            app_label = "frozen"

    with connection.schema_editor() as editor:
        editor.create_model(Entry)

    class EntrySerializer(serializers.ModelSerializer):
        class Meta:
            model = Entry
            fields = ("day", "time", "zoned", "made", "changed")

    class Dates(serializers.Serializer):
        day = serializers.DateField()
        time = serializers.TimeField()
        zoned = serializers.DateTimeField()
        duration = serializers.DurationField()
        in_format = serializers.DateField(source="day", format="%d.%m.%Y", read_only=True)
        as_it_is = serializers.DateField(source="day", format=None, read_only=True)
        moment_as_it_is = serializers.DateTimeField(source="zoned", format=None, read_only=True)
        days = serializers.ListField(child=serializers.DateField(), source="several")
        by_default = serializers.DateTimeField(default=timezone.now)

    def spelt(value):
        """Values with their classes; of moments that may have passed, no more than that."""
        passing = ("made", "by_default", "_state", "id")
        return {
            key: (type(each), None if key in passing else repr(each)) for key, each in value.items()
        }

    def use(values):
        row = {**values, "several": [values["day"]], "by_default": values["zoned"]}
        dumped = [Dates(row).data, *Dates([row] * 5, many=True).data]
        try:
            swapped = Dates({**row, "day": values["naive"]}).data
        except (AssertionError, AttributeError) as error:
            swapped = repr(error)
        written = [
            renderer().render(Dates([row] * 5, many=True).data)
            for renderer in (FastJSONRenderer, JSONRenderer)
        ]
        texts = {**dumped[0]}
        del texts["by_default"]
        several = [Dates(data=texts) for _ in range(3)]
        valid = [each.is_valid() and spelt(each.validated_data) for each in several]
        refused = Dates(data={**texts, "day": "x", "zoned": 5})
        assert not refused.is_valid()

        Entry.objects.all().delete()
        for _ in range(3):
            serializer = EntrySerializer(data={**texts, "made": texts["zoned"]})
            serializer.is_valid(raise_exception=True)
            serializer.save()
        rows = EntrySerializer(Entry.objects.all(), many=True).data
        instances = [spelt(vars(each)) for each in Entry.objects.all()]
        valid.append(refused.errors)
        return [*map(spelt, dumped)], swapped, written, valid, rows, instances

    return use


if __name__ == "__main__":
    run(make, "rest_framework")
