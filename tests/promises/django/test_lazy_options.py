"""What users give to classes of serializers, and to serializers, may be lazy."""

import pytest
from rest_framework import serializers
from rest_framework.validators import UniqueTogetherValidator

import fastschema
from flights.models import Airline, Flight
from tests.lazy_values import CALLS, EACH_OR_ALL, TURNS, cases_of, differing, request_of
from tests.promises.django.differential import exactly, outcome
from tests.promises.django.test_lazy_arguments import is_b, same, text

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.filterwarnings("ignore"),  # as an error, it would end both sides alike
]


def name(who):
    return "name" if is_b(who) else "code"


def names(who):
    return [name(who)]


def meta(rows_of=Airline, **options):
    """A serializer class of a model with options of its own."""
    if not options.keys() & {"fields", "exclude"}:
        options["fields"] = ["code", "name"] if rows_of is Airline else ["id", "airline"]
    of_class = {"Meta": type("Meta", (), {"model": rows_of, **options}), "rows_of": rows_of}
    return type("S", (serializers.ModelSerializer,), of_class), {}


def serializer(**arguments):
    """The arguments that each serializer of a class gets."""
    return meta()[0], arguments


def extra(**arguments):
    return meta(extra_kwargs={"name": arguments})


class Listed(serializers.ListSerializer):
    pass


OPTIONS = {
    "model": lambda lazy: meta(model=lazy(same(Airline)), fields=["code"]),
    "fields": lambda lazy: meta(fields=lazy(names)),
    "all fields": lambda lazy: meta(fields=lazy(same("__all__"))),
    "a field": lambda lazy: meta(fields=["code", lazy(same("name"))]),
    "exclude": lambda lazy: meta(exclude=lazy(names)),
    "an excluded field": lambda lazy: meta(exclude=[lazy(name)]),
    "read_only_fields": lambda lazy: meta(read_only_fields=lazy(names)),
    "a read-only field": lambda lazy: meta(read_only_fields=[lazy(name)]),
    "depth": lambda lazy: meta(Flight, depth=lazy(is_b)),
    "validators": lambda lazy: meta(validators=lazy(same([]))),
    "a validator": lambda lazy: meta(validators=[lazy(same(len))]),
    "names of a validator": lambda lazy: meta(
        validators=[UniqueTogetherValidator(Airline.objects.all(), lazy(same(["code", "name"])))]
    ),
    "queryset of a validator": lambda lazy: meta(
        validators=[
            UniqueTogetherValidator(lazy(lambda who: Airline.objects.all()), ["code", "name"])
        ]
    ),
    "list_serializer_class": lambda lazy: meta(list_serializer_class=lazy(same(Listed))),
    "extra_kwargs": lambda lazy: meta(
        extra_kwargs=lazy(lambda who: {"name": {"default": text(who)}})
    ),
    "arguments of a field": lambda lazy: meta(
        extra_kwargs={"name": lazy(lambda who: {"required": is_b(who)})}
    ),
    **{
        f"{option} of a field": lambda lazy, option=option, give=give: extra(**{option: lazy(give)})
        for option, give in {
            **dict.fromkeys(["default", "initial", "label", "help_text"], text),
            **dict.fromkeys(["required", "read_only", "write_only", "allow_null"], is_b),
            "max_length": same(3),
            "source": name,
            "validators": same([]),
            "style": same({"a": 1}),
            "error_messages": same({"required": "x"}),
        }.items()
    },
    "a validator of a field": lambda lazy: extra(validators=[lazy(same(len))]),
    "queryset of a relation": lambda lazy: meta(
        Flight,
        extra_kwargs={"airline": {"queryset": lazy(lambda who: Airline.objects.filter(code="UA"))}},
    ),
    "label": lambda lazy: serializer(label=lazy(text)),
    "partial": lambda lazy: serializer(partial=lazy(is_b)),
    "context": lambda lazy: serializer(context=lazy(same({"a": 1}))),
    "a context's value": lambda lazy: serializer(context={"request": lazy(same(None))}),
    "required": lambda lazy: serializer(required=lazy(is_b)),
    "default": lambda lazy: serializer(default=lazy(same({"code": "UA"}))),
    "allow_null": lambda lazy: serializer(allow_null=lazy(is_b)),
    "many": lambda lazy: serializer(many=lazy(is_b)),
    "allow_empty": lambda lazy: serializer(many=True, allow_empty=lazy(is_b)),
    "max_length": lambda lazy: serializer(many=True, max_length=lazy(same(1))),
}
INPUTS = [{}, {"code": "ZZ", "name": "long name"}, {"id": 9, "airline": "DL"}, None, []]


def calls(option):
    """What comes of serializers with an option, and the calls of code of users."""
    cls, arguments = option
    rows = list(cls.rows_of.objects.all())
    given = [{"instance": rows[0]}, {"instance": rows, "many": True}]
    given += [{"data": data} for data in INPUTS] + [{"data": INPUTS[1:3], "many": True}]
    outcomes = []
    for who in TURNS:
        with request_of(who):
            for others in given:
                outcomes.append(outcome(lambda: used(cls(**{**others, **arguments})), CALLS))  # noqa: B023  # at once
    return outcomes


def used(serializer):
    if hasattr(serializer, "initial_data"):
        return serializer.is_valid(), serializer.errors, exactly(serializer.validated_data)
    return serializer.data


@EACH_OR_ALL
def test_only_stock_looks_at_an_option(choose, flights):
    cases = choose(cases_of(OPTIONS))
    failures, count = differing(cases, calls, fastschema.disabled)
    assert failures == {}
    assert count > len(cases) / 2
