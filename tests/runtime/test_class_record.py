"""The record of a class: what is found, what is bounded, what is forgotten."""

import pytest

from fastschema.runtime import class_record, thresholds
from fastschema.runtime.class_record import MOST_CHANGES, MOST_EXEMPLARS, ClassRecord, MadePrograms
from fastschema.runtime.guard import Snapshot, generations


class Field:
    def __init__(self, option):
        self.option = option


class Watched:
    option = 1


class Compiled:
    """What objects with such fields run, as long as it is current."""

    def __init__(self, fields):
        self.matches = Snapshot(fields, frozenset(["option"]), lambda field: ()).matches
        self.is_stale = False

    def is_current(self):
        return not self.is_stale


class Programs:
    """Some programs, and how many were compiled."""

    def __init__(self):
        self.programs = MadePrograms()
        self.compilations = 0

    def find(self, names, fields, **options):
        def compile():
            self.compilations += 1
            return Compiled(fields)

        return self.programs.find(names, fields, compile, **options)


def test_objects_with_such_fields_run_what_the_first_of_them_compiled_to():
    programs = Programs()
    first = programs.find(("a",), [Field(1)])
    assert programs.find(("a",), [Field(1)]) is first


def test_what_is_not_current_any_more_makes_room_for_another():
    programs = Programs()
    for number in range(10):
        first = programs.find(("a",), [Field(number)])
        assert programs.find(("a",), [Field(number)]) is first
        first.is_stale = True
        another = programs.find(("a",), [Field(number)])
        assert another is not first
        another.is_stale = True


@pytest.mark.parametrize(("names", "option"), [(("a",), 2), (("b",), 1)])
def test_other_options_or_names_run_another_program(names, option):
    programs = Programs()
    first = programs.find(("a",), [Field(1)])
    assert programs.find(names, [Field(option)]) is not first


def test_a_few_programs_are_kept_for_each_set_of_names():
    programs = Programs()
    found = [programs.find(("a",), [Field(number)]) for number in range(20)]
    kept = class_record._MOST_FOR_NAMES
    assert [each is not None for each in found] == [True] * kept + [False] * (20 - kept)


def test_after_many_misses_nobody_compares():
    programs = Programs()
    for number in range(class_record._MOST_MISSES):
        programs.find(("a",), [Field(number)])
    assert programs.find(("a",), [Field(0)]) is None
    before = programs.compilations
    assert programs.find(("a",), [Field(0)], is_worth_reading=True) is not None
    assert programs.compilations == before + 1


def test_what_cannot_be_kept_is_compiled_if_that_pays():
    programs = Programs()
    for number in range(class_record._MOST_NAMES):
        programs.find((str(number),), [])
    assert programs.find(("other",), []) is None
    assert programs.find(("other",), [], is_worth_reading=True) is not None


def test_a_class_is_in_use_once_enough_objects_were_counted(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 24)
    record = ClassRecord(Watched)
    assert not record.count(23)
    assert not record.is_in_use
    assert record.count(1)
    assert record.is_in_use


def test_objects_with_fields_chosen_for_once_count_by_themselves(monkeypatch):
    monkeypatch.setattr(thresholds, "rows_worth_reading", 3)
    record = ClassRecord(Watched)
    counted = [record.count(1, number) for number in (*range(500), 0, 0, 499, 499)]
    assert counted == [False] * 501 + [True, False, False]


def test_a_change_of_a_class_that_takes_part_forgets_all_but_the_count(monkeypatch):
    record = ClassRecord(Watched)
    record.count(100)
    record.watch([Watched])
    exemplar = record.exemplar("key", object)
    programs = record.made_programs("dump")
    assert record.refresh()
    assert record.exemplar("key", object) is exemplar
    monkeypatch.setattr(Watched, "option", 2)
    assert record.refresh()
    assert record.exemplar("key", object) is not exemplar
    assert record.made_programs("dump") is not programs
    assert record.is_in_use


def test_a_class_that_changes_again_and_again_runs_as_stock(monkeypatch):
    record = ClassRecord(Watched)
    for number in range(MOST_CHANGES + 1):
        assert record.refresh()
        record.watch([Watched])
        monkeypatch.setattr(Watched, "option", ("another", number))
    assert not record.refresh()


def test_that_there_is_no_exemplar_is_known_from_then_on():
    record = ClassRecord(Watched)
    assert record.exemplar("key", lambda: None) is None
    assert record.exemplar("key", object) is None


def test_exemplars_are_bounded():
    record = ClassRecord(Watched)
    exemplars = [record.exemplar(number, object) for number in range(MOST_EXEMPLARS)]
    assert None not in exemplars
    assert record.exemplar("one more", object) is None
    assert record.exemplar(0, object) is exemplars[0]


def test_all_is_forgotten_on_request():
    class Owner:
        pass

    record = ClassRecord.of(Owner)
    assert ClassRecord.of(Owner) is record
    generations.forget()
    assert ClassRecord.of(Owner) is not record
