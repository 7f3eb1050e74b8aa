"""Whether fields and instances are made, and by what."""

from fastschema.contrib.django import installation
from fastschema.contrib.django.front_end.pending import has_made_fields, made_fields
from fastschema.contrib.django.front_end.record import class_record
from fastschema.contrib.django.lists import queryset_rows
from fastschema.contrib.django.lists.prefetching import fetch_rows
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList

__all__ = [
    "LazyInstanceList",
    "fetch_rows",
    "field_maker_of",
    "has_made_fields",
    "installation",
    "made_fields",
    "queryset_rows",
]


def field_maker_of(serializer_class):
    """What clones the fields of a class, if it is known."""
    return class_record(serializer_class).field_maker()
