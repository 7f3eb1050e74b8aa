"""Random views whose own code decides, by request, language, time zone or a flag, what is shown."""

from __future__ import annotations

import datetime
import functools
import random
from typing import Any

from django.db.models import Value
from django.utils import timezone, translation
from django.utils.functional import cached_property
from rest_framework import generics, pagination, renderers, serializers
from rest_framework.fields import SkipField

from fastschema.contrib.django.renderers import FastJSONRenderer
from tests.promises.django.lists.models import City, Country, Language, Person, Pet, Profile
from tests.promises.django.lists.random_views import collections_of, pick, relations_of
from tests.promises.django.requests_in_turns import FLAGS, visitor_of

TEXTS = {
    Person: ["name", "age", "rank", "key"],
    City: ["name", "founded", "pk"],
    Country: ["name", "code", "area"],
    Language: ["name", "pk"],
    Profile: ["motto", "pk"],
    Pet: ["name", "is_tame"],
}


class Code:
    """The own code of one view's classes: what it answers is random, but the same each time.

    :param calls: what it logs to
    """

    def __init__(self, chance: random.Random, calls: list[Any]) -> None:
        self.random = chance
        self.calls = calls

    def chance(self) -> float:
        """A number from 0 to 1."""
        return self.random.random()

    def log(self, *words: Any) -> None:
        """Note a call."""
        self.calls.append(words)

    def decision(self) -> Any:
        """A function that says yes or no, by what it is given and what is around it."""
        by = pick(self.chance, ["user", "user", "flag", "language", "zone", "version"])

        def decide(serializer: Any = None) -> bool:
            if by == "user" and serializer is not None:
                return visitor_of(serializer) == "admin"
            if by == "version" and serializer is not None:
                request = serializer.context.get("request")
                return getattr(request, "version", None) == "v2"
            if by == "language":
                return translation.get_language() == "de"
            if by == "zone":
                return timezone.get_current_timezone_name() == "Asia/Tokyo"
            return FLAGS["is_on"]

        return decide


def own_field(code: Code, source: str) -> serializers.Field:
    """A field of a user's own class, which decides in one of its methods."""
    decide = code.decision()
    kind = int(code.chance() * 6)

    class Own(serializers.ReadOnlyField):
        if kind == 0:

            def get_attribute(self, instance):
                code.log("get_attribute", self.field_name)
                if decide(self):
                    return f"own {instance.pk}"
                return super().get_attribute(instance)

        elif kind == 1:

            def to_representation(self, value):
                code.log("to_representation of a field", self.field_name)
                return [value, decide(self)]

        elif kind == 2:

            def bind(self, field_name, parent):
                code.log("bind", field_name)
                super().bind("pk" if decide() else field_name, parent)
                self.field_name = field_name

        elif kind == 3:

            def __init__(self, **kwargs):
                code.log("__init__ of a field")
                self.suffix = decide()
                super().__init__(**kwargs)

            def to_representation(self, value):
                return [value, self.suffix]

        elif kind == 4:

            def get_attribute(self, instance):
                if decide(self):
                    raise SkipField
                return super().get_attribute(instance)

    if kind == 5:

        class Default:
            requires_context = True

            def __call__(self, field):
                code.log("default", field.field_name)
                return decide(field)

        return serializers.CharField(source=f"missing_{source}", default=Default())
    return Own(source=source)


def own_methods(code: Code, model: Any, names: list[str], *, is_model_serializer: bool) -> Any:
    """Methods by which a serializer chooses its fields or what they show."""
    decide = code.decision()
    hidden = pick(code.chance, names)
    other = pick(code.chance, [name for name in TEXTS[model] if name != hidden])
    kind = int(code.chance() * (12 if is_model_serializer else 9))

    def get_fields(self):
        code.log("get_fields", type(self).__name__)
        fields = super(self.own, self).get_fields()
        if decide(self):
            fields[hidden] = serializers.ReadOnlyField(source=other)
        return fields

    def get_fewer_fields(self):
        code.log("get_fields", type(self).__name__)
        fields = super(self.own, self).get_fields()
        if decide(self):
            del fields[hidden]
        return fields

    def demanding(self):
        request = self.context["request"]
        code.log("get_fields", request.GET["user"])
        fields = super(self.own, self).get_fields()
        if request.GET["user"] == "admin":
            fields["extra"] = serializers.ReadOnlyField(source=other)
        return fields

    def init(self, *args, **kwargs):
        code.log("__init__", type(self).__name__)
        super(self.own, self).__init__(*args, **kwargs)
        if decide():
            self.fields.pop(hidden, None)

    def to_representation(self, instance):
        code.log("to_representation", type(self).__name__)
        found = super(self.own, self).to_representation(instance)
        found["shown"] = decide(self)
        return found

    def to_representation_with_fewer(self, instance):
        if decide(self):
            self.fields.pop(hidden, None)
        return super(self.own, self).to_representation(instance)

    def fields(self):
        code.log("fields", type(self).__name__)
        found = super(self.own, self).fields
        if decide(self):
            found.pop(hidden, None)
        return found

    def get_field_names(self, declared_fields, info):
        code.log("get_field_names")
        found = list(super(self.own, self).get_field_names(declared_fields, info))
        return [name for name in found if name != hidden or not decide(self)]

    def get_extra_kwargs(self):
        code.log("get_extra_kwargs")
        found = super(self.own, self).get_extra_kwargs()
        if decide(self) and hidden not in self._declared_fields:
            found[hidden] = {"source": other} if other != hidden else {}
        return found

    def build_standard_field(self, field_name, model_field):
        code.log("build_standard_field", field_name)
        if decide(self):
            return serializers.ReadOnlyField, {}
        return super(self.own, self).build_standard_field(field_name, model_field)

    return [
        {"get_fields": get_fields},
        {"get_fields": get_fewer_fields},
        {"get_fields": demanding},
        {"__init__": init},
        {"to_representation": to_representation},
        {"to_representation": to_representation_with_fewer},
        {"fields": property(fields)},
        {"fields": functools.cached_property(fields)},
        {"fields": cached_property(fields)},
        {"get_field_names": get_field_names},
        {"get_extra_kwargs": get_extra_kwargs},
        {"build_standard_field": build_standard_field},
    ][kind]


def choosing_serializer(code: Code, model: Any, depth: int = 0) -> Any:
    """A serializer class for a model, at random with own code, and with others nested in it."""
    chance = code.chance
    names = [name for name in TEXTS[model] if chance() < 0.7] or TEXTS[model][:1]
    is_model_serializer = chance() < 0.5
    attributes: dict[str, Any] = {}
    if is_model_serializer:
        attributes["Meta"] = type("Meta", (), {"model": model, "fields": list(names)})
    for name in names:
        if chance() < 0.25:
            attributes[name] = own_field(code, "pk" if name != "pk" else TEXTS[model][0])
        elif not is_model_serializer or chance() < 0.3:
            attributes[name] = serializers.CharField()
    relations = {**relations_of(model), **collections_of(model)}
    for name, related in sorted(relations.items()):
        if depth < 2 and chance() < (0.6 if depth == 0 else 0.25):
            inner = choosing_serializer(code, related, depth + 1)
            many = name in collections_of(model)
            attributes[name] = inner(many=many, read_only=True)
            if is_model_serializer:
                attributes["Meta"].fields.append(name)
    if chance() < 0.2:
        decide = code.decision()

        def get_told(self, instance):
            code.log("method", instance.pk)
            return [decide(self), instance.pk]

        attributes.update(told=serializers.SerializerMethodField(), get_told=get_told)
        if is_model_serializer:
            attributes["Meta"].fields.append("told")
    if chance() < 0.12:
        decide_on_list = code.decision()

        class OwnList(serializers.ListSerializer):
            def to_representation(self, data):
                code.log("to_representation of a list")
                found = super().to_representation(data)
                return found[:1] if decide_on_list(self) else found

        meta = attributes.setdefault("Meta", type("Meta", (), {}))
        meta.list_serializer_class = OwnList
    # Most have no own code, so that those that have are nested in some that have none.
    if chance() < (0.25 if depth == 0 else 0.45):
        attributes.update(own_methods(code, model, names, is_model_serializer=is_model_serializer))
    base = serializers.ModelSerializer if is_model_serializer else serializers.Serializer
    cls = type(f"{model.__name__}Serializer", (base,), attributes)
    cls.own = cls
    return cls


def loads(code: Code, model: Any) -> tuple[list[str], list[str]]:
    """What a queryset joins and prefetches: most relations, and some of those further on."""
    joined, prefetched = [], []
    for name, related in sorted(relations_of(model).items()):
        if code.chance() < 0.8:
            (joined if code.chance() < 0.6 else prefetched).append(name)
            further = {**relations_of(related), **collections_of(related)}
            prefetched += [f"{name}__{each}" for each in sorted(further) if code.chance() < 0.2]
    prefetched += [name for name in sorted(collections_of(model)) if code.chance() < 0.8]
    return joined, prefetched


class Numbered(pagination.PageNumberPagination):
    page_size = 20


def choosing_view(seed: int, calls: list[Any]) -> Any:
    """A view class with all of its own classes new.

    :param calls: what its code logs to
    """
    code = Code(random.Random(seed), calls)
    chance = code.chance
    model = pick(chance, [Person, Person, City, Profile])
    serializer_class = choosing_serializer(code, model)
    joined, prefetched = loads(code, model)
    other_class = choosing_serializer(code, model) if chance() < 0.15 else serializer_class
    decide_on_class, decide_on_queryset = code.decision(), code.decision()
    is_chosen_by_request = chance() < 0.2
    is_empty_for_some = chance() < 0.1

    class View(generics.ListAPIView, generics.RetrieveAPIView):
        renderer_classes = [FastJSONRenderer, renderers.JSONRenderer]
        pagination_class = pick(chance, [None, None, Numbered])
        filter_backends = []

        def get_queryset(self):
            code.log("get_queryset")
            found = model.objects.order_by("pk").prefetch_related(*prefetched)
            by_request = is_chosen_by_request and decide_on_queryset()
            if joined and not by_request:
                found = found.select_related(*joined)
            if by_request:
                found = found.annotate(added=Value(datetime.date(2020, 1, 1)))
            return found.none() if is_empty_for_some and decide_on_queryset() else found

        def get_serializer_class(self):
            code.log("get_serializer_class")
            return other_class if decide_on_class() else serializer_class

        def get(self, request, *args, **kwargs):
            if "pk" in kwargs:
                return self.retrieve(request, *args, **kwargs)
            return self.list(request, *args, **kwargs)

    View.model = model
    View.serializer_class = serializer_class
    return View
