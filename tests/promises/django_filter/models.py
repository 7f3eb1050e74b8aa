"""Models whose related objects are others for each request."""

from __future__ import annotations

from contextvars import ContextVar

from django.db import models

tenant: ContextVar[str] = ContextVar("tenant", default="a")


class TenantManager(models.Manager):
    def get_queryset(self):
        return super().get_queryset().filter(tenant=tenant.get())


class TenantQuerySet(models.QuerySet):
    def _clone(self):
        made = super()._clone()
        made.query.where.children = []
        made.query.add_q(models.Q(tenant=tenant.get()))
        return made


def of_tenant():
    """What a relation is limited to."""
    return {"tenant": tenant.get()}


class Owned(models.Model):
    tenant = models.CharField(max_length=1)

    objects = TenantManager()

    class Meta:
        app_label = "flights"


class Cloned(models.Model):
    tenant = models.CharField(max_length=1)

    objects = TenantQuerySet.as_manager()

    class Meta:
        app_label = "flights"


class Free(models.Model):
    tenant = models.CharField(max_length=1)

    class Meta:
        app_label = "flights"


class Holder(models.Model):
    owned = models.ForeignKey(Owned, models.CASCADE)
    cloned = models.ForeignKey(Cloned, models.CASCADE)
    limited = models.ForeignKey(
        Free, models.CASCADE, limit_choices_to=of_tenant, related_name="limited_holders"
    )
    free = models.ForeignKey(Free, models.CASCADE)

    class Meta:
        app_label = "flights"
