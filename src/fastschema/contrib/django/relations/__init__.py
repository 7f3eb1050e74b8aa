"""Relations that a serializer reads, loaded when its rows are there: ``LOAD_RELATIONS``."""

from fastschema.contrib.django.relations.on_demand import load_relations

__all__ = ["load_relations"]
