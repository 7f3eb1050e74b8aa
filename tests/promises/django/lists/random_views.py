"""Random serializers and querysets of the models of these tests."""

import datetime

from django import VERSION
from django.db import models
from django.db.models import Count, F, FilteredRelation, Prefetch, Q, Value
from django.db.models.functions import Coalesce, Concat, Upper
from rest_framework import serializers

from tests.promises.django.lists.models import City, Country, Language, Person, Pet, Profile


class Shouting(serializers.CharField):
    def to_representation(self, value):
        return super().to_representation(value).upper()


def of_method(obj):
    """What the method fields return."""
    return f"{obj.pk} {sorted(vars(obj))}"


RELATIONS = {
    Person: {"city": City, "birthplace": City, "profile": Profile},
    City: {"country": Country, "twin": City},
    Profile: {"country": Country, "person": Person},
    Country: {},
    Language: {},
    Pet: {"owner": Person},
}


COLLECTIONS = {
    Person: {"languages": Language, "friends": Person, "pets": Pet},
    Pet: {},
    City: {"people": Person, "natives": Person, "twins": City},
    Language: {"speakers": Person},
    Profile: {},
    Country: {"cities": City, "profile_set": Profile},
}


def relations_of(model):
    """The single relations of a model, and the models they lead to."""
    return next(RELATIONS[base] for base in model.__mro__ if base in RELATIONS)


def collections_of(model):
    """The relations of a model to many objects, and the models they lead to."""
    return next(COLLECTIONS[base] for base in model.__mro__ if base in COLLECTIONS)


def random_field(chance, model, depth, is_plain):
    """A field of a serializer for a model."""
    columns = [
        field for field in model._meta.concrete_fields if not field.is_relation or chance() < 0.2
    ]
    column = pick(chance, columns)
    relations = relations_of(model)
    options = {"read_only": True}
    if chance() < 0.3:
        options = {"required": False}
    elif chance() < 0.2:
        options = {"default": "?"}
    elif chance() < 0.2:
        options = {"allow_null": True}
    collections = collections_of(model)
    if chance() < 0.25 and collections and depth < 2:
        return random_collection(chance, collections, depth, is_plain)
    # Most serializers have nothing that needs instances.
    roll = chance() * (0.4 if is_plain else 1)
    if roll < 0.25 and relations and depth < 3:
        name, related = pick(chance, sorted(relations.items()))
        if chance() < 0.3:
            inner = pick(chance, related._meta.concrete_fields)
            source = f"{name}.{inner.attname}"
            return serializers.CharField(source=source, **options)
        inner = random_serializer(chance, related, depth + 1, is_plain=is_plain)
        return inner(source=name, **options)
    if roll < 0.32 and relations:
        name, related = pick(chance, sorted(relations.items()))
        slug = pick(chance, ["pk", "name", "country__code", "motto"])
        return serializers.SlugRelatedField(source=name, slug_field=slug, read_only=True)
    if roll < 0.37 and relations:
        name = pick(chance, sorted(relations))
        return serializers.PrimaryKeyRelatedField(source=name, read_only=True)
    if 0.36 < roll < 0.4 and issubclass(model, Person):
        return serializers.CharField(source="get_rank_display", **options)
    if 0.4 < roll < 0.42:
        return serializers.StringRelatedField(source="*")
    if 0.38 < roll < 0.46:
        return Shouting(source=pick(chance, ["name", "pk", column.attname]), **options)
    if 0.4 < roll < 0.5:
        return serializers.SerializerMethodField()
    if 0.4 < roll < 0.55:
        return serializers.ReadOnlyField(source=pick(chance, ["pk", "shout", "added", "missing"]))
    if roll < 0.6:
        return serializers.CharField(source=column.attname, **options)
    if column.is_relation:
        return serializers.ReadOnlyField(source=column.attname)
    made, arguments = serializers.ModelSerializer().build_standard_field(column.name, column)
    needed = ("max_digits", "decimal_places", "choices")
    arguments = {name: arguments[name] for name in needed if name in arguments}
    return made(source=column.attname, **arguments, **options)


def random_collection(chance, collections, depth, is_plain):
    """A field of many related objects."""
    name, related = pick(chance, sorted(collections.items()))
    source = f"{name}_found" if chance() < 0.2 else name
    roll = chance()
    if roll < 0.6:
        inner = random_serializer(chance, related, depth + 1, is_plain=is_plain)
        return inner(source=source, many=True)
    if roll < 0.8:
        return serializers.PrimaryKeyRelatedField(source=source, many=True, read_only=True)
    if roll < 0.95:
        slug = pick(chance, ["pk", "name", "country__code"])
        options = {"slug_field": slug, "many": True, "read_only": True}
        return serializers.SlugRelatedField(source=source, **options)
    return serializers.StringRelatedField(source=source, many=True)


def pick(chance, choices):
    """One of several."""
    return choices[int(chance() * len(choices))]


def random_serializer(chance, model, depth=0, *, is_plain):
    """A serializer class of some fields; or of all fields of a model."""
    if chance() < 0.3:
        meta = type("Meta", (), {"model": model, "fields": "__all__", "depth": 0})
        return type("Whole", (serializers.ModelSerializer,), {"Meta": meta})
    numbers = range(1 + int(chance() * 6))
    fields = {f"f{n}": random_field(chance, model, depth, is_plain) for n in numbers}
    for name, field in fields.items():
        if field.source == name:
            field.source = None
    methods = {f"get_f{n}": lambda self, obj: of_method(obj) for n in range(7)}
    return type("Some", (serializers.Serializer,), {**fields, **methods})


def random_prefetches(chance, model, depth=0):
    """Some lookups of ``prefetch_related``."""
    lookups = []
    relations = {**relations_of(model), **collections_of(model)}
    for name, related in sorted(relations.items()):
        if chance() < 0.4:
            continue
        further = sorted({**relations_of(related), **collections_of(related)})
        if chance() < 0.3 and further:
            lookups.append(f"{name}__{pick(chance, further)}")
        elif chance() < 0.4:
            queryset = random_related(chance, related, depth)
            to_attr = f"{name}_found" if chance() < 0.5 else None
            lookups.append(Prefetch(name, queryset, to_attr))
        else:
            lookups.append(name)
    return lookups


def random_related(chance, model, depth):
    """A queryset of related objects."""
    roll = chance()
    found = model.objects.order_by("-pk")
    if roll < 0.2 and relations_of(model):
        found = found.select_related(min(relations_of(model)))
    elif roll < 0.3:
        found = found[:2]
    elif roll < 0.4:
        found = found.annotate(added=Upper("pk", output_field=models.CharField()))
    elif roll < 0.5:
        found = found.filter(pk__isnull=False).distinct()
    elif roll < 0.6:
        found = found.only("pk")
    elif roll < 0.7:
        found = found.none()
    elif roll < 0.9 and depth < 2:
        found = found.prefetch_related(*random_prefetches(chance, model, depth + 1))
    return found


def random_queryset(chance, model):
    """A queryset, ordered."""
    found = model.objects.order_by("pk")
    relations = sorted(relations_of(model))
    paths = [*relations, *(["city__country", "city__twin"] if issubclass(model, Person) else [])]
    if chance() < 0.7 and paths:
        chosen = [path for path in paths if chance() < 0.6]
        if chosen or VERSION < (6, 1):  # later, it is deprecated without names
            found = found.select_related(*chosen)
    if chance() < 0.5:
        found = found.prefetch_related(*random_prefetches(chance, model))
    roll = chance()
    if roll < 0.08:
        found = found.only("pk", pick(chance, model._meta.concrete_fields).name)
    elif roll < 0.16:
        found = found.defer(pick(chance, model._meta.concrete_fields).name)
    elif roll < 0.3:
        added = [
            {"added": Upper("pk", output_field=models.CharField())},
            {"added": Value(datetime.date(2020, 1, 1))},
            {"added": Coalesce(Value(None), 5, output_field=models.DecimalField())},
            {"shout": Concat(Value("?"), Value("!"))},
            {"added": Count("pk")},
            {"added": F("pk")},
        ]
        found = found.annotate(**pick(chance, added))
    elif roll < 0.34:
        found = found.extra(select={"added": "1 + 1"})
    elif roll < 0.38 and issubclass(model, Person):
        at_home = FilteredRelation("city", condition=Q(city__name="Oslo"))
        found = found.annotate(home=at_home).select_related("home")
    elif roll < 0.42 and relations:
        found = found.prefetch_related(relations[0])
    elif roll < 0.46:
        found = found.distinct()
    elif roll < 0.5:
        found = found[1:5]
    elif roll < 0.54:
        found = found.none()
    elif roll < 0.57:
        found = found.union(model.objects.order_by())
    elif roll < 0.6 and VERSION < (6, 1):  # deprecated since
        found = found.select_related()
    return found
