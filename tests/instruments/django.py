"""Whether fields and instances are made."""

from fastschema.contrib.django.front_end.pending import has_made_fields, made_fields
from fastschema.contrib.django.lists.queryset_rows import LazyInstanceList

__all__ = ["LazyInstanceList", "has_made_fields", "made_fields"]
