"""What is kept with a class."""

from rest_framework import serializers

from fastschema.contrib.django.front_end.record import class_record
from tests.promises.django.differential import serializer_of
from tests.promises.django.test_pending import ROWS, Outer


def test_fields_that_are_others_each_time_do_not_pile_up():
    cls = serializer_of(**{name: serializers.CharField() for name in "abcdefgh"})
    row = {"a": 1, **dict.fromkeys("bcdefgh", 2)}
    for number in range(500):
        serializer = cls([row] * 2, many=True)
        fields = serializer.child.fields
        if number % 2:
            fields[f"n{number}"] = serializers.CharField(source="a")
        fields["b"].source_attrs = ["a" if number % 7 else "c"]
        assert [each["b"] for each in serializer.data] == ["1" if number % 7 else "2"] * 2
    made = class_record(cls).made_programs("dump")._by_names
    assert 1 < sum(map(len, made.values())) <= 64 * 4


def test_serializers_nested_in_one_with_fields_of_its_own_are_not_kept():
    class Rows(Outer):
        pass

    for _ in range(3):
        serializer = Rows(ROWS, many=True)
        assert serializer.child.fields
        assert serializer.data
    made = class_record(Rows).made_programs("dump")._by_names.values()
    assert [reading.compiled.nested for alike in made for reading in alike] == [{}]
