"""What loads relations on demand."""

from fastschema.contrib.django.relations import on_demand

__all__ = ["on_demand"]
