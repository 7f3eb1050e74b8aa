"""The record of a class: what is found, what is bounded, what is forgotten."""

from fastschema.runtime import thresholds
from fastschema.runtime.class_record import MOST_CHANGES, MOST_EXEMPLARS, ClassRecord
from fastschema.runtime.guard import generations


class Watched:
    option = 1


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
    generations.advance()
    assert ClassRecord.of(Owner) is not record
