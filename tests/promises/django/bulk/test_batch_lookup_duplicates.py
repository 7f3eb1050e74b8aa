"""Of two rows with one unique value, the later is wrong."""

import uuid

import pytest
from rest_framework import serializers
from rest_framework.validators import UniqueValidator

from tests.promises.django.bulk.test_batch_lookup import (
    BulkBook,
    PlainBook,
    answer,
    assert_same,
    bulk,
    by_row,
    of_fields,
    row,
)
from tests.promises.django.input.models import Account, Author, Book, Label

pytestmark = pytest.mark.usefixtures("books")


@pytest.mark.parametrize("others", [1, 20])
def test_the_later_row_gets_stocks_error(others):
    rows = [row(1), row(2, isbn=" new 1"), *(row(3 + number) for number in range(others))]
    is_valid, errors, _ = answer(BulkBook, rows)
    assert not is_valid
    assert by_row(errors) == {1: {"isbn": ["book with this isbn already exists."]}}
    assert errors[1]["isbn"][0].code == "unique"
    assert answer(PlainBook, rows)[0]


def test_values_that_are_null_are_no_values():
    assert_same([row(3, number=None), row(4, number=None)])


def test_a_row_that_is_wrong_counts_for_nothing():
    assert_same([row(1, author=9), row(2, isbn="new 1")])


def test_other_errors_are_told_with_it():
    _, errors, _ = answer(BulkBook, [row(1), row(2, author=9), row(3, isbn="new 1", number=101)])
    assert {number: sorted(each) for number, each in by_row(errors).items()} == {
        1: ["author"],
        2: ["isbn", "number"],
    }


def test_the_objects_of_one_to_one_relations():
    class Plain(serializers.ModelSerializer):
        class Meta:
            model = Account
            fields = ("holder", "owner")

    rows = [{"holder": "a1", "owner": 1}, {"holder": "a2", "owner": 1}]
    errors = by_row(answer(bulk(Plain), rows)[1])
    assert {number: list(each) for number, each in errors.items()} == {1: ["owner"]}


def test_the_primary_key_by_its_other_name():
    class Plain(serializers.ModelSerializer):
        key = serializers.UUIDField(source="pk", validators=[UniqueValidator(Label.objects)])

        class Meta:
            model = Label
            fields = ("key", "slug")

    keys = [str(uuid.uuid4()), str(uuid.uuid4()), str(Label.objects.first().pk)]
    rows = [{"key": key, "slug": f"new-{number}"} for number, key in enumerate(keys)]
    assert list(by_row(assert_same(rows, Plain, bulk(Plain))[0])) == [2]
    errors = answer(bulk(Plain), [rows[0], {**rows[1], "key": keys[0]}])[1]
    assert list(by_row(errors)) == [1]


def test_values_are_compared_as_they_would_be_saved():
    class Numbering(PlainBook):
        def validate_isbn(self, value):
            return f"{value} {Book.objects.count() + len(self.seen)}"

        @property
        def seen(self):
            return self.__dict__.setdefault("_seen", [])

        def validate(self, values):
            self.seen.append(1)
            return values

    assert_same([row(1), row(2, isbn="new 1")], Numbering, bulk(Numbering))


@pytest.mark.parametrize(
    "queryset",
    [lambda: Book.objects.exclude(isbn="new 1"), lambda: Author.objects.all()],
    ids=["some rows", "another table"],
)
def test_a_validator_of_other_rows_compares_nothing(queryset):
    class Plain(serializers.ModelSerializer):
        isbn = serializers.CharField(validators=[UniqueValidator(queryset())], source="handle")

        class Meta:
            model = Book
            fields = ("isbn",)

    assert_same([{"isbn": "new 1"}, {"isbn": "new 1"}], Plain, bulk(Plain))


def test_without_a_table_nothing_is_compared():
    plain = of_fields(isbn=serializers.CharField(validators=[UniqueValidator(Book.objects.all())]))
    assert_same([{"isbn": "new 1"}, {"isbn": "new 1"}], plain, bulk(plain))
