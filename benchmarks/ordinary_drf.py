"""Ordinary serializers of Django REST framework: fields, methods, overrides, chosen fields.

Those with relations are in ``ordinary_drf_relations``. Imported when Django is set up.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from flights.serializers import FlightSerializer
from ordinary_models import MOMENT, WIDE, Article, Author, flight_rows, wide_rows
from ordinary_pattern import Collection, Run, other_objects
from records import Record

DRF = Collection("DRF")
SMALL = ("id", "column_0", "column_1")


def data_of(serializer: Any, rows: list[Any], **options: Any) -> Run:
    """A serializer made for each call, as views make it: of one object, or of a list."""
    if len(rows) == 1:
        [row] = rows
        return lambda: serializer(row, **options).data
    return lambda: serializer(rows, many=True, **options).data


def model_serializer(model_class: Any, names: Any = "__all__", **content: Any) -> Any:
    """A ModelSerializer class."""
    meta = type("Meta", (), {"model": model_class, "fields": names})
    bases = (serializers.ModelSerializer,)
    return type("Serializer", bases, {"__module__": __name__, "Meta": meta, **content})


def plain_serializer(count: int) -> Any:
    """A Serializer class with so many declared fields, named as the columns of a wide model."""
    kinds = [
        serializers.CharField,
        serializers.IntegerField,
        serializers.BooleanField,
        serializers.DateTimeField,
        serializers.CharField,
        lambda: serializers.DecimalField(max_digits=8, decimal_places=2),
        serializers.FloatField,
        serializers.DateField,
    ]
    declared = {f"column_{n}": kinds[n % len(kinds)]() for n in range(count - 1)}
    content = {"__module__": __name__, "id": serializers.IntegerField(), **declared}
    return type("Plain", (serializers.Serializer,), content)


def articles_in_memory(count: int) -> list[Article]:
    """Unsaved articles."""
    author = Author(id=1, name="Ann Author", email="ann@example.com")
    return [
        Article(
            id=n,
            title=f"Article {n}",
            slug=f"article-{n}",
            body="Once upon a time, there was a text. " * 3,
            status=1 + n % 3,
            author=author,
            created=MOMENT,
            updated=MOMENT,
            words=n * 37,
            price=n,
            extra={"source": "import", "rank": n, "labels": ["a", "b"]},
            attachment="" if n % 3 == 0 else f"articles/{n}.pdf",
        )
        for n in range(1, count + 1)
    ]


@DRF.add("Serializer, 3 fields")
def plain_3(count: int) -> Run:
    return data_of(plain_serializer(3), wide_rows(3, count))


@DRF.add("Serializer, 14 fields")
def plain_14(count: int) -> Run:
    return data_of(plain_serializer(14), wide_rows(14, count))


@DRF.add("Serializer, 40 fields")
def plain_40(count: int) -> Run:
    return data_of(plain_serializer(40), wide_rows(40, count))


@DRF.add("ModelSerializer, 3 fields")
def model_3(count: int) -> Run:
    return data_of(model_serializer(WIDE[3]), wide_rows(3, count))


@DRF.add("ModelSerializer, 14 fields")
def model_14(count: int) -> Run:
    return data_of(model_serializer(WIDE[14]), wide_rows(14, count))


@DRF.add("ModelSerializer, 40 fields")
def model_40(count: int) -> Run:
    return data_of(model_serializer(WIDE[40]), wide_rows(40, count))


@DRF.add("ModelSerializer, 10,000 other objects in between", between=other_objects, sizes=(1, 20))
def model_among_others(count: int) -> Run:
    return data_of(model_serializer(WIDE[14]), wide_rows(14, count))


def with_methods(model: Any, number: int) -> Any:
    """A ModelSerializer class with so many method fields."""
    content: dict[str, Any] = {}
    for n in range(number):
        content[f"method_{n}"] = serializers.SerializerMethodField()
        content[f"get_method_{n}"] = lambda self, row, n=n: f"{n}-{row.pk}"
    return model_serializer(model, **content)


@DRF.add("ModelSerializer with a method field")
def one_method(count: int) -> Run:
    return data_of(with_methods(WIDE[14], 1), wide_rows(14, count))


@DRF.add("with a method field, 10,000 other objects in between", between=other_objects)
def one_method_among_others(count: int) -> Run:
    return data_of(with_methods(WIDE[14], 1), wide_rows(14, count))


@DRF.add("two method fields")
def two_methods(count: int) -> Run:
    return data_of(with_methods(WIDE[14], 2), wide_rows(14, count))


@DRF.add("five method fields")
def five_methods(count: int) -> Run:
    return data_of(with_methods(WIDE[14], 5), wide_rows(14, count))


def with_super(base: Any) -> Any:
    """A subclass whose ``to_representation`` calls ``super()`` and adds a key."""

    class Adding(base):
        def to_representation(self, instance: Any) -> Any:
            shown = super().to_representation(instance)
            shown["kind"] = "row"
            return shown

    return Adding


@DRF.add("to_representation with super(), 3 fields")
def super_3(count: int) -> Run:
    return data_of(with_super(plain_serializer(3)), wide_rows(3, count))


@DRF.add("to_representation with super(), 14 fields")
def super_14(count: int) -> Run:
    return data_of(with_super(model_serializer(WIDE[14])), wide_rows(14, count))


@DRF.add("to_representation with super(), the flights' serializer")
def super_flights(count: int) -> Run:
    return data_of(with_super(FlightSerializer), flight_rows(count))


@DRF.add("to_representation with super() on a nested child")
def super_nested(count: int) -> Run:
    names = ("id", "title", "author", "words")
    nested = with_super(model_serializer(Author))()
    return data_of(model_serializer(Article, names, author=nested), articles_in_memory(count))


@DRF.add("to_representation with super() on a field")
def super_field(count: int) -> Run:
    class Upper(serializers.CharField):
        def to_representation(self, value: Any) -> str:
            return super().to_representation(value).upper()

    return data_of(model_serializer(WIDE[14], column_0=Upper()), wide_rows(14, count))


@DRF.add("to_representation with super() on a ListSerializer", sizes=(20, 240))
def super_list(count: int) -> Run:
    class Marked(serializers.ListSerializer):
        def to_representation(self, data: Any) -> Any:
            return [{**each, "kind": "row"} for each in super().to_representation(data)]

    return data_of(with_list(Marked), wide_rows(3, count))


@DRF.add("ListSerializer that loops over self.child.to_representation", sizes=(20, 240))
def list_loop(count: int) -> Run:
    class Looping(serializers.ListSerializer):
        def to_representation(self, data: Any) -> Any:
            return [self.child.to_representation(each) for each in data]

    return data_of(with_list(Looping), wide_rows(3, count))


def with_list(list_class: Any) -> Any:
    """A Serializer class of 3 fields with a ListSerializer of its own."""
    meta = type("Meta", (), {"list_serializer_class": list_class})
    return type("Listed", (plain_serializer(3),), {"Meta": meta})


@DRF.add("loop over serializer.to_representation", sizes=(1, 20, 25, 240))
def loop(count: int) -> Run:
    serializer_class, rows = plain_serializer(3), wide_rows(3, count)

    def run() -> list[Any]:
        serializer = serializer_class()
        return [serializer.to_representation(row) for row in rows]

    return run


@DRF.add("a serializer of many=True made once and used again", sizes=(20, 240))
def used_again(count: int) -> Run:
    serializer, rows = model_serializer(WIDE[14])(many=True), wide_rows(14, count)
    return lambda: serializer.to_representation(rows)


@DRF.add("Serializer(obj).data in a loop", sizes=(20, 240))
def one_by_one(count: int) -> Run:
    serializer, rows = model_serializer(WIDE[14]), wide_rows(14, count)
    return lambda: [serializer(row).data for row in rows]


class Pair(serializers.Serializer):
    """What is made for each row."""

    id = serializers.IntegerField()
    name = serializers.CharField()


def records(count: int, nested: int = 0) -> list[Record]:
    """Objects, with so many others in each."""
    inner = [Record(id=n, name=f"Inner {n}") for n in range(nested)]
    return [Record(id=n, name=f"Outer {n}", all=inner) for n in range(count)]


@DRF.add("a method field that makes a serializer")
def made_by_method(count: int) -> Run:
    class Making(serializers.Serializer):
        id = serializers.IntegerField()
        pair = serializers.SerializerMethodField()

        def get_pair(self, row: Any) -> Any:
            return Pair(row, context=self.context).data

    return data_of(Making, records(count))


@DRF.add("to_representation that makes a serializer by the class of the row")
def made_by_class(count: int) -> Run:
    class Longer(Pair):
        title = serializers.CharField(source="name")

    class Polymorphic(serializers.Serializer):
        def to_representation(self, instance: Any) -> Any:
            made = (Pair, Longer)[instance.id % 2]
            return made(instance, context=self.context).data

    return data_of(Polymorphic, records(count))


def add_short_lists(nested: int) -> None:
    """Add objects with a short list in each."""

    @DRF.add(f"nested lists of {nested}")
    def short_lists(count: int) -> Run:
        class Outer(serializers.Serializer):
            id = serializers.IntegerField()
            all = Pair(many=True)

        return data_of(Outer, records(count, nested))


for nested in range(4):
    add_short_lists(nested)


@DRF.add("fields chosen in __init__")
def chosen_in_init(count: int) -> Run:
    class Chosen(plain_serializer(14)):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            names = kwargs.pop("fields", None)
            super().__init__(*args, **kwargs)
            for name in set(self.fields) - set(names or self.fields):
                self.fields.pop(name)

    return data_of(Chosen, wide_rows(14, count), fields=(*SMALL, "column_3"))


@DRF.add("ModelSerializer with fields chosen in __init__")
def model_chosen_in_init(count: int) -> Run:
    class Chosen(model_serializer(WIDE[14])):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            names = kwargs.pop("fields", None)
            super().__init__(*args, **kwargs)
            for name in set(self.fields) - set(names or self.fields):
                self.fields.pop(name)

    return data_of(Chosen, wide_rows(14, count), fields=(*SMALL, "column_3"))


@DRF.add("fields from get_fields")
def from_get_fields(count: int) -> Run:
    class Chosen(model_serializer(WIDE[14])):
        def get_fields(self) -> Any:
            made = super().get_fields()
            made.pop("column_2")
            made["extra"] = serializers.CharField(source="column_0")
            return made

    return data_of(Chosen, wide_rows(14, count))


@DRF.add("fields from the context")
def from_context(count: int) -> Run:
    class Chosen(model_serializer(WIDE[14])):
        def get_fields(self) -> Any:
            names = self.context["fields"]
            return {name: made for name, made in super().get_fields().items() if name in names}

    return data_of(Chosen, wide_rows(14, count), context={"fields": SMALL})


@DRF.add("ModelSerializer with fields from get_fields and popped in __init__")
def got_and_popped(count: int) -> Run:
    class Chosen(model_serializer(WIDE[14])):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.fields.pop("column_3")

        def get_fields(self) -> Any:
            made = super().get_fields()
            made["column_4"].label = "Another label"
            return made

    return data_of(Chosen, wide_rows(14, count))


@DRF.add("ModelSerializer that builds fields of its own")
def built(count: int) -> Run:
    class Built(model_serializer(WIDE[14], more=serializers.CharField(source="column_0"))):
        def build_standard_field(self, field_name: str, model_field: Any) -> Any:
            field_class, arguments = super().build_standard_field(field_name, model_field)
            return field_class, {**arguments, "help_text": "one of many"}

    return data_of(Built, wide_rows(14, count))


@DRF.add("ModelSerializer with a field that has an own __init__")
def field_with_init(count: int) -> Run:
    class Marked(serializers.CharField):
        def __init__(self, mark: str = "*", **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.mark = mark

    return data_of(model_serializer(WIDE[14], column_0=Marked()), wide_rows(14, count))


@DRF.add("the fields of a ModelSerializer, for a form or a schema", sizes=(1,))
def looked_at(count: int) -> Run:
    serializer_class, rows = model_serializer(WIDE[14]), wide_rows(14, count)
    return lambda: [(name, made.label) for name, made in serializer_class(rows).fields.items()]


@DRF.add("own __init__ that keeps all fields")
def own_init(count: int) -> Run:
    class Owned(model_serializer(WIDE[14])):
        def __init__(self, *args: Any, user: Any = None, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.user = user

    return data_of(Owned, wide_rows(14, count), user="ann")


@DRF.add("custom fields, own __init__ and super()")
def documents(count: int) -> Run:
    class Upper(serializers.Field):
        def to_representation(self, value: Any) -> str:
            return str(value).upper()

    base = model_serializer(WIDE[14], column_0=Upper(), column_4=Upper(allow_null=True))

    class Document(base):
        def __init__(self, *args: Any, user: Any = None, **kwargs: Any) -> None:
            self.user = user
            super().__init__(*args, **kwargs)

        def to_representation(self, instance: Any) -> Any:
            shown = super().to_representation(instance)
            shown["owned"] = self.user == instance.pk
            return shown

    return data_of(Document, wide_rows(14, count), user=1)


@DRF.add("source to a property, a method and a dotted path")
def sources(count: int) -> Run:
    names = ("id", "title", "shown", "minutes", "by", "label")
    serializer = model_serializer(
        Article,
        names,
        shown=serializers.CharField(source="summary"),
        minutes=serializers.IntegerField(source="reading_time"),
        by=serializers.CharField(source="author.name"),
        label=serializers.CharField(source="author.label"),
    )
    return data_of(serializer, articles_in_memory(count))


@DRF.add("get_FOO_display")
def display(count: int) -> Run:
    shown = serializers.CharField(source="get_status_display")
    names = ("id", "title", "status", "shown")
    return data_of(model_serializer(Article, names, shown=shown), articles_in_memory(count))


@DRF.add("ReadOnlyField of a method")
def read_only(count: int) -> Run:
    names = ("id", "title", "reading_time", "initials")
    own = {
        "reading_time": serializers.ReadOnlyField(),
        "initials": serializers.ReadOnlyField(source="author.initials"),
    }
    return data_of(model_serializer(Article, names, **own), articles_in_memory(count))


@DRF.add("choices, JSON and a file")
def odd_fields(count: int) -> Run:
    names = ("id", "status", "extra", "attachment", "published_on", "price")
    return data_of(model_serializer(Article, names), articles_in_memory(count))


@DRF.add("dictionaries, ListField and DictField")
def containers(count: int) -> Run:
    class Containers(serializers.Serializer):
        id = serializers.IntegerField()
        labels = serializers.ListField(child=serializers.CharField())
        counts = serializers.DictField(child=serializers.IntegerField())

    rows = [{"id": n, "labels": ["a", "b"], "counts": {"x": n}} for n in range(count)]
    return data_of(Containers, rows)


@DRF.add("plain objects, nested serializers")
def nested_objects(count: int) -> Run:
    class Inner(serializers.Serializer):
        id = serializers.IntegerField()
        name = serializers.CharField()

    class Outer(serializers.Serializer):
        id = serializers.IntegerField()
        first = Inner()
        all = Inner(many=True)

    inner = [Record(id=n, name=f"Inner {n}") for n in range(3)]
    return data_of(Outer, [Record(id=n, first=inner[n % 3], all=inner) for n in range(count)])
