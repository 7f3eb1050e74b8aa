"""Lists that are created in bulk: the same objects, all of them or none."""

import pytest
from django.db import (
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
    models,
    transaction,
)
from django.db.models.query_utils import DeferredAttribute
from django.db.models.signals import post_init, post_save, pre_init, pre_save
from django.test import override_settings
from django.test.utils import CaptureQueriesContext, isolate_apps
from rest_framework import serializers

import fastschema
from fastschema.contrib.django.bulk.mixins import FastBulkMixin
from tests.promises.django.input.models import Author, Book, Label, LabelledBook

pytestmark = pytest.mark.usefixtures("books")


def serializer_of(model_class, *bases, names="__all__", **attributes):
    meta = type("Meta", (), {"model": model_class, "fields": names})
    bases = (*bases, FastBulkMixin, serializers.ModelSerializer)
    return type("Made", bases, {"Meta": meta, **attributes})


BookSerializer = serializer_of(Book)


def rows(count=5):
    return [
        {"isbn": f"new {number}", "number": 100 + number, "author": number % 3 + 1}
        for number in range(count)
    ]


def save(serializer_class, data, **options):
    """Save rows; return what was created, and the tables that rows were inserted into."""
    serializer = serializer_class(data=data, many=True)
    assert serializer.is_valid(), serializer.errors
    with CaptureQueriesContext(connection) as queries:
        created = serializer.save(**options)
    assert serializer.instance is created
    inserts = [each["sql"] for each in queries.captured_queries if "INSERT" in each["sql"]]
    return created, len(inserts)


def test_rows_are_inserted_by_one_query():
    created, inserts = save(BookSerializer, rows())
    assert inserts == 1
    assert [(book.isbn, book.author_id) for book in created] == [
        (row["isbn"], row["author"]) for row in rows()
    ]
    assert all(type(book) is Book and book.pk and book.added for book in created)
    assert not any(book._state.adding for book in created)
    assert list(Book.objects.order_by("pk")[2:]) == created


def test_they_are_those_that_stock_creates():
    created, _ = save(BookSerializer, rows())
    with fastschema.disabled():
        expected, inserts = save(
            BookSerializer, [{**row, "isbn": "x", "number": None} for row in rows(1)]
        )
    assert inserts == 1
    assert list(vars(created[0])) == list(vars(expected[0]))
    for name in ("adding", "db", "fetch_mode"):  # the last one is of Django 6.1
        assert getattr(created[0]._state, name, None) == getattr(expected[0]._state, name, None)


@pytest.mark.parametrize("is_bulk", [True, False])
def test_an_error_leaves_nothing_and_names_the_row(is_bulk):
    attributes = {} if is_bulk else {"create": lambda self, row: Book.objects.create(**row)}
    serializer_class = serializer_of(Book, names=["isbn", "author"], **attributes)
    serializer = serializer_class(data=rows(), many=True)
    assert serializer.is_valid()
    Book.objects.create(isbn="new 3", author_id=1)  # another request was faster
    with pytest.raises(IntegrityError) as raised:
        serializer.save()
    assert raised.value.__notes__ == ["This is row 3 of 5, counted from 0."]
    assert raised.value.__context__ is raised.value.__cause__  # the database's own
    assert Book.objects.count() == 3


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("canceling statement due to statement timeout"),
        InterfaceError("the connection is closed"),
        InternalError("current transaction is aborted"),
        ProgrammingError("there is no such column"),
        ValueError("no value for a column"),
        Exception("the task has had its time"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_that_is_of_no_row_is_raised_as_it_came(error):
    inserts = []

    def run(execute, sql, params, many, context):
        if not sql.startswith("INSERT"):
            return execute(sql, params, many, context)
        inserts.append(sql)
        if len(inserts) == 1:
            return execute(sql, params, many, context)
        # The one that is asked once more knows only that something is broken.
        raise error if len(inserts) == 2 else AssertionError("this is not what happened")

    serializer = BookSerializer(data=rows(1500), many=True)
    assert serializer.is_valid()
    with pytest.raises(type(error)) as raised, connection.execute_wrapper(run):
        serializer.save()
    assert raised.value is error
    assert not hasattr(error, "__notes__")
    assert error.__context__ is None
    assert len(inserts) == 2
    assert Book.objects.count() == 2


@pytest.mark.parametrize("error", [DataError, IntegrityError, TypeError])
def test_a_row_is_looked_for_if_one_is_to_blame(error):
    def run(execute, sql, params, many, context):
        if sql.startswith("INSERT") and "new 3" in str(params):
            raise error("it is too long")
        return execute(sql, params, many, context)

    serializer = BookSerializer(data=rows(), many=True)
    assert serializer.is_valid()
    with pytest.raises(error, match="it is too long") as raised, connection.execute_wrapper(run):
        serializer.save()
    assert raised.value.__notes__ == ["This is row 3 of 5, counted from 0."]
    assert Book.objects.count() == 2


def test_an_argument_that_the_model_has_not_is_stocks_error():
    serializer = BookSerializer(data=rows(), many=True)
    assert serializer.is_valid()
    with pytest.raises(TypeError, match="Got a `TypeError`") as raised:
        serializer.save(size=5)
    assert raised.value.__notes__ == ["This is row 0 of 5, counted from 0."]


def test_without_bulk_each_row_is_saved_as_in_stock():
    class Plain(serializers.ModelSerializer):
        class Meta:
            model = Book
            fields = "__all__"

    assert save(Plain, rows())[1] == 5
    Book.objects.filter(pk__gt=2).delete()
    with override_settings(FASTSCHEMA={"BULK_INPUT": True}):
        assert save(Plain, rows())[1] == 1


def test_many_to_many_relations_are_saved_one_by_one():
    labels = list(Label.objects.all())
    data = [{"title": str(number), "labels": [label.pk for label in labels]} for number in range(2)]
    created, inserts = save(serializer_of(LabelledBook), data)
    assert inserts == 4
    assert all(set(book.labels.all()) == set(labels) for book in created)


def assert_creates_as_stock(serializer_class, calls):
    """Assert that code of users sees what it sees in stock, be all rows saved or one refused."""

    def create(*, is_refused):
        # In stock, it is the caller's transaction.
        try:
            with transaction.atomic():
                serializer = serializer_class(data=rows(), many=True)
                assert serializer.is_valid(), serializer.errors
                if is_refused:
                    Book.objects.create(isbn="new 3", author_id=1)  # another request was faster
                calls.clear()
                serializer.save()
                raise UndoneError
        except (UndoneError, IntegrityError) as error:
            return type(error), list(calls)

    for is_refused in (False, True):
        with override_settings(FASTSCHEMA={"BULK_INPUT": True}):
            actual = create(is_refused=is_refused)
        with fastschema.disabled():
            assert actual == create(is_refused=is_refused)
        assert actual[0] is (IntegrityError if is_refused else UndoneError)
        assert actual[1]


class UndoneError(Exception):
    pass


@pytest.mark.parametrize("signal", [pre_init, post_init, pre_save, post_save])
def test_receivers_of_signals_are_called_as_in_stock(signal):
    calls = []

    def note(sender, **kwargs):
        calls.append(kwargs["instance"].isbn if "instance" in kwargs else kwargs["kwargs"]["isbn"])

    signal.connect(note, sender=Book)
    try:
        assert_creates_as_stock(serializer_of(Book, names=["isbn", "author"]), calls)
    finally:
        signal.disconnect(note, sender=Book)


def noting(calls, method):
    def note(self, *args, **kwargs):
        calls.append(method.__name__)
        return method(self, *args, **kwargs)

    return note


class NotingColumn(DeferredAttribute):
    calls = []

    def __set__(self, instance, value):
        self.calls.append(value)
        vars(instance)[self.field.attname] = value


class NotingField(models.CharField):
    descriptor_class = NotingColumn


@isolate_apps("flights")
@pytest.mark.parametrize("name", ["__new__", "__init__", "__setattr__", "a property", "a column"])
def test_code_of_users_that_sees_objects_made_runs_as_in_stock(name):
    calls = NotingColumn.calls
    attributes = {
        "isbn": models.CharField(max_length=10, unique=True),
        "author": models.ForeignKey(Author, models.CASCADE, related_name="+"),
        "added": models.DateTimeField(auto_now_add=True),
    }
    fields = {}
    if name == "a property":
        attributes["title"] = property(lambda self: "", lambda self, value: calls.append(value))
        fields = {"title": serializers.CharField(default="title")}
    elif name == "a column":
        attributes["isbn"] = NotingField(max_length=10, unique=True)
    elif name == "__new__":
        attributes[name] = lambda cls, *args, **kwargs: calls.append(name) or object.__new__(cls)
    else:
        attributes[name] = noting(calls, getattr(models.Model, name))
    meta = type("Meta", (), {"app_label": "flights", "db_table": Book._meta.db_table})
    model = type("Seen", (models.Model,), {"__module__": __name__, "Meta": meta, **attributes})
    names = ["isbn", "author", *fields]
    assert_creates_as_stock(serializer_of(model, names=names, **fields), calls)


def test_a_list_serializer_with_its_own_create_is_left_alone():
    calls = []

    class Own(serializers.ListSerializer):
        def create(self, validated_data):
            calls.append(len(validated_data))
            return super().create(validated_data)

    serializer_class = serializer_of(Book)
    serializer_class.Meta.list_serializer_class = Own
    assert save(serializer_class, rows())[1] == 1
    assert calls == [5]
