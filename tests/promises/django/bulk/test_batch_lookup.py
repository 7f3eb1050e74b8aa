"""Lists of input that ask the database at once: the errors and values of stock."""

import random
import re

import pytest
from django.db import connection, models, transaction
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from rest_framework import serializers
from rest_framework.validators import UniqueValidator

import fastschema
from fastschema.contrib.django.bulk.mixins import FastBulkMixin
from tests.marks import seeds
from tests.promises.django.differential import exactly, outcome
from tests.promises.django.input.models import Author, Book, Label, LabelledBook

pytestmark = pytest.mark.usefixtures("books")


class PlainBook(serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = "__all__"


class BulkBook(FastBulkMixin, PlainBook):
    pass


def row(turn, **values):
    """A right row."""
    return {"isbn": f"new {turn}", "number": 100 + turn, "author": turn % 3 + 1, **values}


def answer(serializer_class, rows, **options):
    """What a serializer says of rows."""
    serializer = serializer_class(data=rows, many=True, **options)
    is_valid = serializer.is_valid()
    return is_valid, serializer.errors, serializer.validated_data


def by_row(errors):
    """The errors of wrong rows by their numbers: DRF before 3.18 has a list, with {} for others."""
    listed = enumerate(errors) if isinstance(errors, list) else errors.items()
    return {int(number): each for number, each in listed if each}


def without_class(value):
    """A value without its class, to compare values of two serializer classes."""
    return str(exactly(value)).replace("BulkBook", "PlainBook")


def assert_same(rows, plain=PlainBook, bulk=BulkBook, **options):
    """Assert that rows are taken as in stock; return the errors, and how many queries it took."""
    answers = []

    def ask():
        answers.append(answer(bulk, rows, **options))
        return answers[-1]

    expected = outcome(lambda: answer(plain, rows, **options), [])
    with CaptureQueriesContext(connection) as queries:
        actual = outcome(ask, [])
    assert actual.error == expected.error
    assert without_class(actual.value) == without_class(expected.value)
    return answers[-1][1] if answers else None, len(queries)


def bulk(serializer_class):
    return type("Bulk", (FastBulkMixin, serializer_class), {})


def of_fields(**fields):
    return type("Fields", (serializers.Serializer,), fields)


def test_right_rows_cost_a_query_for_each_field():
    errors, queries = assert_same([row(number, editor=1) for number in range(20)])
    assert not errors
    assert queries == 4  # isbn, number, author, editor


def test_one_query_holds_as_many_values_as_the_database_takes(monkeypatch):
    monkeypatch.setattr(type(connection.features), "max_query_params", 8)
    _, queries = assert_same([row(number) for number in range(20)])
    # Half of the places are for what the queryset is filtered by.
    assert queries == 11  # five for isbn, five for number, one for author


@pytest.mark.parametrize(
    "values",
    [
        *({"isbn": "isbn 1"}, {"isbn": " isbn 2 "}, {"isbn": ""}),
        *({"isbn": "much too long for it"}, {"isbn": "\x00"}, {"isbn": "\ud800"}, {"number": 1}),
        *({"number": 2.0}, {"number": None}, {"number": 10**30}, {"author": 9}, {"author": " 2 "}),
        *({"author": "a"}, {"author": True}, {"author": ""}, {"author": 10**30}, {"author": [1]}),
        *({"author": "\ud800"}, {"editor": ""}, {"sequel": 1}, {"sequel": 7}),
    ],
    ids=ascii,
)
def test_a_wrong_row_among_right_ones_gets_stocks_errors(values):
    assert_same([row(1), row(2, **values), row(3)])


@pytest.mark.parametrize("missing", ["isbn", "number", "author"])
def test_a_value_that_is_missing(missing):
    wrong = row(2)
    del wrong[missing]
    assert_same([row(1), wrong])


@pytest.mark.parametrize(
    "rows",
    [[], [5], [[]], [None], ["text"], {}, {"isbn": 1}, 5, None, [{}], [row(1), 5], (row(1),)],
    ids=repr,
)
def test_what_is_no_list_of_rows_gets_stocks_errors(rows):
    assert_same(rows)


def test_a_sequel_that_another_book_has():
    Book.objects.filter(pk=1).update(sequel=2)
    errors, _ = assert_same([row(1, sequel=2), row(2, sequel=1)])
    assert list(by_row(errors)) == [0]
    assert errors[0]["sequel"][0].code == "unique"


@pytest.mark.parametrize("seed", seeds(*range(40)))
def test_random_rows(seed):
    chance = random.Random(seed)
    rows = []
    for number in range(15):
        values = {}
        if chance.random() < 0.3:
            values["author"] = chance.choice([1, "2", 9, "x", None, [], 10**20, 2.0])
        if chance.random() < 0.2:
            values["editor"] = chance.choice([1, "", None, 8, {}])
        if chance.random() < 0.2:
            values["number"] = chance.choice([None, "x", 10**12 + number, f"{500 + number}"])
        if chance.random() < 0.2:
            values["isbn"] = chance.choice(["", None, [], f"é{number}", f" {number}\t"])
        rows.append(row(number, **values) if chance.random() < 0.95 else chance.choice([5, {}]))
    rows[3] = row(3, isbn="isbn 1") if chance.random() < 0.5 else row(3, number=2)
    assert_same(rows)


def test_a_serializer_is_as_before_when_the_list_is_over():
    serializer = BulkBook(data=[row(1), row(2, isbn="isbn 1")], many=True)
    fields = serializer.child.fields
    before = {name: (list(field.validators), set(vars(field))) for name, field in fields.items()}
    serializer.is_valid()
    assert before == {
        name: (list(field.validators), set(vars(field))) for name, field in fields.items()
    }


def test_slugs():
    plain = of_fields(
        handle=serializers.SlugRelatedField(slug_field="handle", queryset=Author.objects),
        name=serializers.SlugRelatedField(
            slug_field="name", queryset=Author.objects.all(), required=False
        ),
    )
    rows = [{"handle": "a1"}, {"handle": "a9"}, {"handle": "a2"}, {"handle": 5}, {"handle": None}]
    _, queries = assert_same(rows, plain, bulk(plain))
    assert queries == 3  # one, and one each for what is not there
    _, queries = assert_same([{"handle": "a1", "name": "Ben"}] * 5, plain, bulk(plain))
    assert queries == 2


def test_a_slug_that_several_objects_have_is_stocks_error():
    plain = of_fields(
        name=serializers.SlugRelatedField(slug_field="name", queryset=Author.objects.all())
    )
    rows = [{"name": "Ben"}, {"name": "Ann"}]
    assert_same(rows, plain, bulk(plain))
    with pytest.raises(Author.MultipleObjectsReturned):
        answer(bulk(plain), rows)


def test_many_related_objects():
    class Plain(serializers.ModelSerializer):
        class Meta:
            model = LabelledBook
            fields = ("title", "labels")

    keys = [str(key) for key in Label.objects.values_list("pk", flat=True)]
    rows = [{"title": "x", "labels": keys}, {"title": "y", "labels": keys[:1]}] * 3
    _, queries = assert_same(rows, Plain, bulk(Plain))
    assert queries == 1
    wrong = [[], ["zzz"], "text", None, [None], [5], [keys[0], str(Label().pk)], {keys[0]: 1}]
    assert_same([*rows, *({"title": "z", "labels": each} for each in wrong)], Plain, bulk(Plain))


class Own(models.QuerySet):
    def get(self, *args, **kwargs):
        return super().get(name="Ben")


@pytest.mark.parametrize(
    "queryset",
    [
        lambda: Own(Author),
        lambda: Author.objects.order_by("pk")[:2],
        lambda: Author.objects.filter(name="Ann"),
        lambda: Author.objects.filter(books__isnull=False),
        lambda: Author.objects.union(Author.objects.all()),
    ],
    ids=["own", "slice", "filtered", "joined", "union"],
)
def test_querysets_of_all_kinds(queryset):
    plain = of_fields(author=serializers.PrimaryKeyRelatedField(queryset=queryset()))
    assert_same([{"author": 1}, {"author": 2}, {"author": 3}], plain, bulk(plain))


def test_a_queryset_that_depends_on_the_request_is_asked_for_once():
    calls = []

    class OfUser(serializers.PrimaryKeyRelatedField):
        def get_queryset(self):
            calls.append(self.context["user"])
            return Author.objects.filter(name=self.context["user"])

    plain = of_fields(author=OfUser(queryset=Author.objects.all()))
    rows = [{"author": 1}, {"author": 3}]
    assert answer(bulk(plain), rows, context={"user": "Ann"})[0]
    assert calls == ["Ann"]
    assert not answer(bulk(plain), rows, context={"user": "Ben"})[0]


def test_a_relation_with_its_own_method_finds_the_known_objects():
    class Lenient(serializers.PrimaryKeyRelatedField):
        def to_internal_value(self, data):
            return super().to_internal_value(data or 1)

    plain = of_fields(author=Lenient(queryset=Author.objects.all()))
    _, queries = assert_same([{"author": each} for each in (1, 2, 3, 0)], plain, bulk(plain))
    assert queries == 1


def test_validators_of_ones_own_are_called_for_each_row():
    calls = []

    class Noting(UniqueValidator):
        def __call__(self, value, field):
            calls.append(value)
            super().__call__(value, field)

    def note(value):
        calls.append(value)

    plain = of_fields(
        isbn=serializers.CharField(
            validators=[note, UniqueValidator(Book.objects.all()), Noting(Book.objects.all())]
        )
    )
    rows = [{"isbn": "isbn 1"}, {"isbn": "x"}]
    answer(plain, rows)
    expected = list(calls)
    calls.clear()
    answer(bulk(plain), rows)
    assert calls == expected == ["isbn 1", "isbn 1", "x", "x"]


def test_methods_of_the_serializer_are_called_as_in_stock():
    calls = []

    class Plain(PlainBook):
        def validate_isbn(self, value):
            calls.append(value)
            return value.upper()

        def validate(self, attrs):
            calls.append(sorted(attrs))
            calls.append([getattr(v, "lookup", None) for v in self.fields["isbn"].validators])
            return attrs

    rows = [row(1), row(2, isbn="isbn 1"), row(3)]
    found = []
    for serializer_class in (Plain, bulk(Plain)):
        calls.clear()
        is_valid, errors, _ = answer(serializer_class, rows)
        found.append((is_valid, exactly(errors), list(calls)))
    assert str(found[0]) == str(found[1]).replace("Bulk", "Plain")


def test_where_texts_may_be_equal_to_the_database_only_all_are_asked_for(monkeypatch):
    monkeypatch.setattr(connection, "vendor", "another")
    _, queries = assert_same([row(1), row(2), row(3)])
    assert queries == 3
    _, queries = assert_same([row(1), row(2, isbn="isbn 1"), row(3)])
    assert queries == 3 + 3


def test_objects_that_are_updated_are_asked_for_one_by_one():
    class Updating(serializers.ListSerializer):
        def run_child_validation(self, data):
            self.child.instance = Book.objects.get(pk=data["id"])
            return super().run_child_validation(data)

    class Plain(PlainBook):
        class Meta(PlainBook.Meta):
            list_serializer_class = Updating

    rows = [row(1, id=1, isbn="isbn 1"), row(2, id=2, isbn="isbn 1")]
    instances = list(Book.objects.all())
    assert_same(rows, Plain, bulk(Plain), instance=instances)


def test_the_setting_is_for_all_serializers_but_those_that_say_no():
    rows = [row(1), row(2)]

    class Not(PlainBook):
        fastschema_bulk_input = False

    with override_settings(FASTSCHEMA={"BULK_INPUT": True}):
        for serializer_class, expected in ((PlainBook, 3), (Not, 6)):
            with CaptureQueriesContext(connection) as queries:
                assert answer(serializer_class, rows)[0]
            assert len(queries) == expected
    with fastschema.disabled(), CaptureQueriesContext(connection) as queries:
        assert answer(BulkBook, rows)[0]
    assert len(queries) == 6


class UndoneError(Exception):
    pass


class TestWhatIsLeftAlone:
    def test_nested_serializers_and_lists_are_validated_once(self):
        calls = []

        class Inner(serializers.Serializer):
            name = serializers.CharField()

            def validate_name(self, value):
                calls.append(value)
                return value

        note = serializers.CharField(validators=[calls.append])
        plain = of_fields(
            inner=Inner(), several=Inner(many=True), texts=serializers.ListField(child=note)
        )
        one = {"inner": {"name": "a"}, "several": [{"name": "b"}], "texts": ["c"]}
        for serializer_class in (plain, bulk(plain)):
            calls.clear()
            assert answer(serializer_class, [one, one])[0]
            assert calls == ["a", "b", "c"] * 2

    def test_a_fail_of_ones_own_is_called_once(self):
        calls = []

        class Noting(serializers.IntegerField):
            def fail(self, key, **kwargs):
                calls.append(key)
                super().fail(key, **kwargs)

        plain = of_fields(
            number=Noting(validators=[UniqueValidator(Book.objects.all())], required=False)
        )
        for serializer_class in (plain, bulk(plain)):
            calls.clear()
            assert not answer(serializer_class, [{"number": "x"}, {"number": 5}])[0]
            assert calls == ["invalid"]

    def test_a_unique_validator_of_a_nested_serializer_is_asked_for_each_row(self):
        class Inner(serializers.ModelSerializer):
            class Meta:
                model = Author
                fields = ("handle",)

        plain = of_fields(inner=Inner())
        _, queries = assert_same([{"inner": {"handle": "a"}}] * 3, plain, bulk(plain))
        assert queries == 3

    @pytest.mark.parametrize("creates", [True, False], ids=["create", "get_or_create"])
    @pytest.mark.parametrize("is_own", [True, False], ids=["mixin", "setting"])
    @pytest.mark.parametrize("many", [False, True], ids=["one", "many"])
    def test_a_nested_list(self, creates, is_own, many):
        class Tag(serializers.ModelSerializer):
            class Meta:
                model = Author
                fields = ("name", "handle")

        if is_own:
            Tag = bulk(Tag)  # noqa: N806  # a class

        class Tagged(serializers.Serializer):
            title = serializers.CharField()
            tags = Tag(many=True)

            def create(self, validated_data):
                tags = validated_data["tags"]
                if creates:
                    return [tag.handle for tag in self.fields["tags"].create(tags[1:])]
                return [Author.objects.get_or_create(**tag)[0].handle for tag in tags]

        data = {"title": "x", "tags": [{"name": each, "handle": each} for each in "aba"]}

        def saved():
            try:
                with transaction.atomic():
                    serializer = Tagged(data=[data] if many else data, many=many)
                    serializer.is_valid(raise_exception=True)
                    answer = serializer.save()
                    raise UndoneError
            except UndoneError:
                return answer, list(Author.objects.values_list("handle", flat=True))

        def asked():
            found = outcome(saved, [])
            # Each savepoint has a name of its own.
            queries = [(re.sub(r'"s\w+"', "", sql), params) for sql, params in found.queries]
            return found.error, found.value, queries

        with fastschema.disabled():
            expected = asked()
        assert expected[0] is None
        with override_settings(FASTSCHEMA={"BULK_INPUT": not is_own}):
            assert asked() == expected

    def test_a_field_that_looks_at_all_its_objects(self):
        class Looking(serializers.PrimaryKeyRelatedField):
            def to_internal_value(self, data):
                assert 1 in [each.pk for each in self.get_queryset()]
                assert self.get_queryset().get(name="Ben").pk == 2
                assert self.choices
                return super().to_internal_value(data)

        plain = of_fields(author=Looking(queryset=Author.objects.all()))
        assert_same([{"author": 1}, {"author": 2}], plain, bulk(plain))

    def test_a_list_that_is_too_long_asks_nothing(self):
        for options in ({"max_length": 2}, {"min_length": 9}, {"allow_empty": False}):
            _, queries = assert_same(
                [row(1), row(2), row(3)][: 0 if "allow_empty" in options else 3], **options
            )
            assert queries == 0

    def test_a_get_queryset_is_not_called_without_values(self):
        class OfUser(serializers.PrimaryKeyRelatedField):
            def get_queryset(self):
                return Author.objects.filter(name=self.context["user"])

        plain = of_fields(author=OfUser(queryset=Author.objects.all(), allow_null=True))
        assert_same([{"author": None}, {"author": None}], plain, bulk(plain))
        assert "author" in fastschema.compile(bulk(plain)).explain().loading.notes[0]

    @pytest.mark.parametrize(
        "queryset",
        [
            lambda: Author.objects.only("name"),
            lambda: Author.objects.annotate(n=models.Window(models.Count("*"))),
        ],
        ids=["deferred", "over a window"],
    )
    def test_querysets_that_are_others_for_several_rows(self, queryset):
        plain = of_fields(
            author=serializers.SlugRelatedField(slug_field="handle", queryset=queryset())
        )
        _, queries = assert_same([{"author": "a1"}, {"author": "a2"}], plain, bulk(plain))
        assert queries == 2

    def test_validators_in_a_tuple(self):
        class Plain(PlainBook):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                field = self.fields["isbn"]
                field.validators = tuple(field.validators)

        _, queries = assert_same([row(1), row(2, isbn="isbn 1")], Plain, bulk(Plain))
        assert queries == 4  # number, author, and isbn for each row


def test_lookups_that_ignore_case_are_asked_one_by_one():
    plain = of_fields(
        isbn=serializers.CharField(
            validators=[UniqueValidator(Book.objects.all(), lookup="iexact")]
        )
    )
    _, queries = assert_same([{"isbn": "ISBN 1"}, {"isbn": "x"}], plain, bulk(plain))
    assert queries == 2
