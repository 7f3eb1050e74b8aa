"""Random serializers of input whose own code decides, by who asks, what is accepted."""

from __future__ import annotations

import random
from typing import Any

from django.utils.functional import cached_property
from rest_framework import serializers

from tests.promises.django.lists.choosing_views import Code
from tests.promises.django.lists.random_views import pick
from tests.promises.django.requests_in_turns import visitor_of


def choosing_field(code: Code) -> serializers.Field:
    """A field that at random decides in a method of its own."""
    decide, kind = code.decision(), int(code.chance() * 12)

    class Own(serializers.CharField):
        if kind == 0:

            def to_internal_value(self, data):
                code.log("to_internal_value", self.field_name)
                if decide(self):
                    raise serializers.ValidationError("not for you")
                return super().to_internal_value(data)

        elif kind == 1:

            def run_validation(self, data=serializers.empty):
                code.log("run_validation", self.field_name)
                return "own" if decide(self) else super().run_validation(data)

        elif kind == 2:

            def __init__(self, **kwargs):
                code.log("__init__ of a field")
                super().__init__(max_length=3 if decide() else 30, **kwargs)

        elif kind == 3:

            def get_default(self):
                code.log("get_default", self.field_name)
                return "for you" if decide(self) else super().get_default()

        elif kind == 4:

            def bind(self, field_name, parent):
                code.log("bind", field_name)
                self.allow_blank = decide()
                super().bind(field_name, parent)

    class Default:
        requires_context = True

        def __call__(self, field):
            code.log("default", field.field_name)
            return visitor_of(field)

    class Validator:
        requires_context = True

        def __call__(self, value, field):
            code.log("validator", field.field_name)
            if decide(field):
                raise serializers.ValidationError(f"{value} is not for {visitor_of(field)}")

    made = {
        5: lambda: serializers.HiddenField(default=Default()),
        6: lambda: serializers.CharField(default=Default()),
        7: lambda: serializers.CharField(validators=[Validator()]),
        8: lambda: serializers.DateTimeField(required=False),
        9: lambda: serializers.ChoiceField(["a", "b"], required=decide()),
        10: lambda: serializers.ListField(child=serializers.IntegerField(max_value=5)),
        11: lambda: serializers.DecimalField(5, 2, required=False, read_only=decide()),
    }
    return made[kind]() if kind in made else Own(required=False)


def own_methods(code: Code, names: list[str]) -> dict[str, Any]:
    """A method by which a serializer decides on its input."""
    decide, name = code.decision(), pick(code.chance, names)

    def get_fields(self):
        code.log("get_fields")
        fields = super(self.own, self).get_fields()
        if decide(self):
            fields[name] = serializers.IntegerField(max_value=3)
        return fields

    def fields(self):
        code.log("fields")
        fields = super(self.own, self).fields
        if decide(self):
            fields.pop(name, None)
        return fields

    def init(self, *args, **kwargs):
        code.log("__init__")
        super(self.own, self).__init__(*args, **kwargs)
        if decide():
            self.fields[name].required = False
            self.fields[name].validators = []

    def validate(self, attrs):
        code.log("validate", sorted(attrs))
        if decide(self):
            raise serializers.ValidationError({"refused": visitor_of(self)})
        return {**attrs, "by": visitor_of(self)}

    def validate_one(self, value):
        code.log("validate_one", value)
        return [value, decide(self)]

    def to_internal_value(self, data):
        code.log("to_internal_value")
        return {**super(self.own, self).to_internal_value(data), "own": decide(self)}

    def get_validators(self):
        code.log("get_validators")
        return []

    return pick(
        code.chance,
        [
            *({"get_fields": get_fields}, {"__init__": init}, {"validate": validate}),
            *({f"validate_{name}": validate_one}, {"to_internal_value": to_internal_value}),
            *({"get_validators": get_validators}, {"fields": cached_property(fields)}),
        ],
    )


def choosing_serializer(code: Code, depth: int = 0) -> Any:
    """A serializer class, at random with own code, and with others nested in it."""
    names = [name for name in "abcde" if code.chance() < 0.6] or ["a"]
    attributes: dict[str, Any] = {name: choosing_field(code) for name in names}
    if depth < 2 and code.chance() < 0.6:
        inner = choosing_serializer(code, depth + 1)
        attributes["inner"] = inner(many=code.chance() < 0.4, required=code.chance() < 0.5)
    if code.chance() < 0.5:
        attributes.update(own_methods(code, names))
    cls = type("InputSerializer", (serializers.Serializer,), attributes)
    cls.own = cls
    return cls


VALUES = ["a", "b", "", "long enough", 3, 1, None, [1, 2], [9], "1.50", "2024-07-01T12:00:00"]


def random_input(chance: random.Random, depth: int = 0) -> Any:
    """What a client sends: a dictionary, mostly."""
    if chance.random() < 0.05:
        return chance.choice(VALUES)
    data = {name: chance.choice(VALUES) for name in "abcde" if chance.random() < 0.8}
    if depth < 2 and chance.random() < 0.7:
        inner = [random_input(chance, depth + 1) for _ in range(chance.randrange(3))]
        data["inner"] = inner if chance.random() < 0.5 else random_input(chance, depth + 1)
    return data
