"""List views whose serializers have method fields, with their queries.

Imported when Django is set up; adds to the patterns of ``ordinary_drf``. Code of users sees each
row. What lies behind a row, it sees in some of the patterns, and not in others.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from flights.models import Flight
from flights.serializers import FlightSerializer
from ordinary_drf import DRF
from ordinary_drf_relations import PREFETCHED, ordinary_article, whole_list
from ordinary_models import articles, flights_in_database
from ordinary_pattern import Run

SIZES = (20, 100, 500)
RELATIONS = ("airline", "origin", "destination", "plane")


class Labelled(FlightSerializer):
    """Has a method field that reads columns."""

    label = serializers.SerializerMethodField()

    def get_label(self, flight: Flight) -> str:
        return f"{flight.number} of {flight.date}"


class Following(FlightSerializer):
    """Has a method field that follows a relation."""

    label = serializers.SerializerMethodField()

    def get_label(self, flight: Flight) -> str:
        return f"{flight.airline.name} {flight.number}"


@DRF.add("a list view of flights, four relations and a method field, with its query", sizes=SIZES)
def columns(count: int) -> Run:
    return whole_list(Labelled, flights_in_database(count).select_related(*RELATIONS))


@DRF.add("the same, and the method field follows one of them", sizes=SIZES)
def following(count: int) -> Run:
    return whole_list(Following, flights_in_database(count).select_related(*RELATIONS))


@DRF.add("a list view of nested objects, many-to-many, two method fields, its queries", sizes=SIZES)
def ordinary(count: int) -> Run:
    return whole_list(ordinary_article(), articles(count).prefetch_related(*PREFETCHED))


@DRF.add("a list view with a method field that asks a prefetched manager, its queries", sizes=SIZES)
def asking(count: int) -> Run:
    class Asking(ordinary_article()):
        first_tag = serializers.SerializerMethodField()

        def get_first_tag(self, article: Any) -> str:
            return str(article.tags.all()[0])

        class Meta(ordinary_article().Meta):
            pass

    return whole_list(Asking, articles(count).prefetch_related(*PREFETCHED))
