"""A URL configuration without URLs."""

urlpatterns = []
