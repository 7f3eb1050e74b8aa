"""Who may do what."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from .models import Order


class IsCustomer(BasePermission):
    def has_object_permission(self, request: Request, view: Any, obj: Order) -> bool:
        return obj.customer_id == request.user.id or request.user.is_staff
