"""Loading relations is an offer: what is not of a plain kind, or cannot be loaded, is stock's."""

import uuid
from unittest.mock import Mock

import pytest
from django import VERSION
from django.db import DatabaseError, connection, models
from django.db.models import Prefetch
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps
from rest_framework import serializers

import fastschema
from flights.models import Airline, Flight
from tests.instruments.relations import on_demand
from tests.promises.django.differential import serializer_of as of
from tests.promises.django.serializers import Named
from tests.promises.django.tables import NamedBase, tables_of

pytestmark = pytest.mark.django_db
LOADING = override_settings(FASTSCHEMA={"LOAD_RELATIONS": True})


def outcome(represent):
    """What a function returns or raises, and how many queries that takes."""
    with CaptureQueriesContext(connection) as captured:
        try:
            answer = represent()
        except Exception as error:
            answer = type(error), str(error)
    return answer, len(captured)


def assert_same(serializer, rows, expected_queries=None):
    """Assert that a list is represented as by stock, in turns, and in no more queries.

    :param rows: makes the list
    """
    with fastschema.disabled():
        stock, stock_queries = outcome(lambda: serializer(rows(), many=True).data)
    for _ in range(2):
        with LOADING:
            answer, queries = outcome(lambda: serializer(rows(), many=True).data)
        assert answer == stock
        assert queries <= stock_queries
        assert expected_queries is None or queries == expected_queries


class CaselessField(models.CharField):
    """As users write it: the database takes keys for equal that Python does not."""

    def db_type(self, connection):
        return "citext" if connection.vendor == "postgresql" else "varchar(10) COLLATE NOCASE"


class CaselessKey(models.ForeignKey):
    """A foreign key of users' own, whose values are compared in a way of their own."""

    def get_local_related_value(self, instance):
        return tuple(key and key.lower() for key in super().get_local_related_value(instance))


@pytest.fixture(scope="module")
def odd(django_db_setup, django_db_blocker):
    """Models with relations that look plain, and others that are."""
    with isolate_apps("flights"):

        class Caseless(NamedBase):
            key = CaselessField(primary_key=True, max_length=10)

        class Word(NamedBase):
            key = models.CharField(primary_key=True, max_length=10)

            class Meta:
                app_label = "flights"
                db_table = "flights_exact_word"

        class Plain(NamedBase):
            number = models.UUIDField(primary_key=True)

        class Owner(NamedBase):
            caseless = models.ForeignKey(
                Caseless, models.DO_NOTHING, null=True, db_constraint=True, related_name="+"
            )
            word = CaselessKey(Word, models.DO_NOTHING, null=True, related_name="+")
            exact_word = models.ForeignKey(Word, models.CASCADE, null=True, related_name="+")
            plain = models.ForeignKey(Plain, models.CASCADE, null=True, related_name="owners")

            class Meta:
                app_label = "flights"
                ordering = ("pk",)

    created = [Caseless, Word, Plain, Owner]
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("CREATE EXTENSION IF NOT EXISTS citext")
    with tables_of(created, django_db_blocker):
        yield type("Models", (), {cls.__name__: cls for cls in created})


class TestKeys:
    def test_a_key_of_a_class_of_users_is_not_known_to_be_exact(self, odd):
        odd.Caseless.objects.create(key="ABC", name="there")
        for key in ("abc", "ABC", "Abc"):
            odd.Owner.objects.create(name=key, caseless_id=key)
        assert_same(of(caseless=Named()), lambda: odd.Owner.objects.order_by("pk"), 4)

    def test_a_foreign_key_of_a_class_of_users_is_left_to_stock(self, odd):
        odd.Word.objects.create(key="abc", name="there")
        for name in ("a", "b"):
            odd.Owner.objects.create(name=name, word_id="abc")
        assert_same(of(word=Named()), lambda: odd.Owner.objects.order_by("pk"), 3)

    def test_plain_keys_are_loaded_at_once(self, odd):
        for number in range(4):
            plain = odd.Plain.objects.create(number=uuid.UUID(int=number), name=f"p{number}")
            odd.Owner.objects.create(name="o", plain=plain)
        assert_same(of(plain=Named()), lambda: odd.Owner.objects.order_by("pk"), 2)

    def test_more_keys_than_the_database_takes_are_loaded_in_parts(self, odd):
        plains = [odd.Plain(number=uuid.UUID(int=number), name="p") for number in range(2500)]
        odd.Plain.objects.bulk_create(plains)
        odd.Owner.objects.bulk_create([odd.Owner(name="o", plain=plain) for plain in plains])
        assert_same(of(plain=Named()), lambda: odd.Owner.objects.order_by("pk"), 1 + 3)

    def test_so_are_those_behind_the_list_of_one_object(self, odd):
        plain = odd.Plain.objects.create(number=uuid.UUID(int=1), name="p")
        words = [odd.Word(key=f"w{number}", name="w") for number in range(1100)]
        odd.Word.objects.bulk_create(words)
        odd.Owner.objects.bulk_create(
            [odd.Owner(name="o", plain=plain, exact_word=word) for word in words]
        )
        serializer = of(owners=of(exact_word=Named())(many=True))
        assert_same(serializer, lambda: odd.Plain.objects.all(), 1 + 1 + 2)


@pytest.mark.usefixtures("flights")
class TestWhatHangsOnInstances:
    """What hung on an instance before hangs on it afterwards, the very object."""

    serializer = of(flights=of(plane=of(seats=serializers.IntegerField())())(many=True))

    def hanging(self, rows):
        return [dict(vars(row).get("_prefetched_objects_cache", {"none": None})) for row in rows]

    def test_a_queryset_that_a_view_has_put_there_and_that_has_not_run(self):
        def rows():
            airlines = list(Airline.objects.order_by("pk"))
            for airline in airlines[:2]:
                visible = airline.flights.filter(number__gt=1)
                airline._prefetched_objects_cache = {"flights": visible}
            return airlines

        assert_same(self.serializer, rows)
        airlines = rows()
        before = self.hanging(airlines)
        with LOADING:
            self.serializer(airlines, many=True).data  # noqa: B018  # it represents
        after = self.hanging(airlines)
        assert [row.keys() for row in after] == [row.keys() for row in before]
        assert all(after[nth]["flights"] is before[nth]["flights"] for nth in range(2))

    def test_instances_that_kept_no_lists_keep_none(self):
        airlines = list(Airline.objects.order_by("pk"))
        before = [vars(airline).keys() for airline in airlines]
        with LOADING:
            self.serializer(airlines, many=True).data  # noqa: B018  # it represents
        assert [vars(airline).keys() for airline in airlines] == before

    def test_lists_that_were_prefetched_are_the_very_objects(self):
        chosen = Prefetch("flights", Flight.objects.filter(number__gt=1))
        airlines = list(Airline.objects.order_by("pk").prefetch_related(chosen))
        before = self.hanging(airlines)
        with LOADING:
            self.serializer(airlines, many=True).data  # noqa: B018  # it represents
        after = self.hanging(airlines)
        assert all(new["flights"] is old["flights"] for new, old in zip(after, before, strict=True))

    def test_an_error_in_the_dump_leaves_nothing_behind(self):
        class Failing(serializers.Serializer):
            flights = of(plane=of(seats=serializers.IntegerField())())(many=True)
            fails = serializers.SerializerMethodField()

            def get_fails(self, airline):
                raise LookupError

        airlines = list(Airline.objects.order_by("pk"))
        before = [vars(airline).keys() for airline in airlines]
        with LOADING, pytest.raises(LookupError):
            Failing(airlines, many=True).data  # noqa: B018  # it represents
        assert [vars(airline).keys() for airline in airlines] == before


@pytest.mark.usefixtures("flights")
class TestErrors:
    def test_whatever_is_raised_while_finding_out_the_rows_are_stocks(self, monkeypatch):
        fail = Mock(side_effect=RuntimeError)
        # Since Django 6.1, the first row may still load for the others.
        for name, queries in (("_missing_of", 5), ("_load", 5 if VERSION < (6, 1) else 2)):
            with monkeypatch.context() as patch:
                patch.setattr(on_demand, name, fail)
                assert_same(of(airline=Named()), lambda: Flight.objects.order_by("pk"), queries)

    def test_an_object_that_cannot_be_made_is_an_error_where_stock_has_it(self, monkeypatch):
        """A default stands for an attribute whose own code raises ``AttributeError``."""

        def from_db_value(value, expression, connection):
            raise AttributeError(value)

        name = Airline._meta.get_field("name")
        monkeypatch.setattr(name, "from_db_value", from_db_value, raising=False)
        serializer = of(airline=Named(default={"name": "nobody"}))
        with fastschema.disabled():
            stock = outcome(lambda: serializer(Flight.objects.order_by("pk"), many=True).data)[0]
        with LOADING:
            found = outcome(lambda: serializer(Flight.objects.order_by("pk"), many=True).data)[0]
        assert found == stock == [{"airline": {"name": "nobody"}}] * 4

    def test_an_error_of_the_database_ends_a_transaction_that_it_has_broken(self, monkeypatch):
        def fail(*arguments, **keywords):
            raise DatabaseError("no more memory")

        monkeypatch.setattr(on_demand, "prefetch_related_objects", fail)
        with LOADING, pytest.raises(DatabaseError, match="no more memory"):
            of(airline=Named())(Flight.objects.order_by("pk"), many=True).data  # noqa: B018  # it represents
