"""The bounded cache of programs."""

import threading
from types import SimpleNamespace

import pytest

from fastschema.runtime.programs import CACHE_SIZE, ProgramCache, programs
from tests.at_once import at_once


def make_program():
    return SimpleNamespace(node=SimpleNamespace(name="Test"))


@pytest.mark.parametrize("size", [1, 2, 10])
def test_the_cache_never_grows_beyond_its_size(size):
    cache = ProgramCache(size)

    for number in range(50):
        cache.get(number, make_program)
        assert len(cache) <= size


def test_the_cache_of_all_schemas_never_grows_beyond_its_size():
    for number in range(CACHE_SIZE + 1):
        programs.get(("tried", number), make_program)
    assert len(programs) <= CACHE_SIZE


def test_the_oldest_goes_when_room_is_made():
    cache = ProgramCache(4)
    programs = [cache.get(number, make_program) for number in range(4)]

    cache.get("new", make_program)

    assert cache.get(1, make_program) is programs[1]
    assert cache.get(0, make_program) is not programs[0]


def test_an_error_while_making_the_node_is_raised_and_leaves_the_cache_in_order():
    cache = ProgramCache()

    def fail():
        raise LookupError("no node")

    with pytest.raises(LookupError):
        cache.get("a", fail)
    assert cache.get("a", make_program).node.name == "Test"


def test_threads_that_ask_at_once_get_the_same_program():
    cache = ProgramCache()
    programs = at_once(lambda number: cache.get("a", make_program))
    assert len({id(program) for program in programs}) == 1


def test_threads_that_fill_the_cache_keep_it_bounded():
    cache = ProgramCache(8)

    def work(start):
        for number in range(100):
            cache.get((start + number) % 20, make_program)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(cache) <= 8
