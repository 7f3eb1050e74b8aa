"""Rows to chunks of bytes."""

import json

import pytest

from fastschema.runtime.encode import JsonArray, JsonLines


def encode(data):
    return json.dumps(data).encode()


def dump_many(rows):
    return [{"row": row} for row in rows]


def chunks(rows, chunk_size):
    return list(JsonArray(rows, dump_many, encode, chunk_size))


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 6, 7, 12])
@pytest.mark.parametrize("chunk_size", [1, 2, 3, 6, 7, 100])
def test_the_chunks_together_are_one_array_of_all_rows(count, chunk_size):
    expected = [{"row": row} for row in range(count)]

    assert json.loads(b"".join(chunks(range(count), chunk_size))) == expected
    assert json.loads(JsonArray(range(count), dump_many, encode, chunk_size).join()) == expected


@pytest.mark.parametrize(
    ("count", "chunk_size", "expected"), [(0, 3, 1), (2, 3, 2), (3, 3, 2), (4, 3, 3), (6, 3, 3)]
)
def test_each_chunk_holds_the_rows_asked_for_and_the_last_one_the_bracket(
    count, chunk_size, expected
):
    assert len(chunks(range(count), chunk_size)) == expected


def test_rows_are_read_when_their_chunk_is_asked_for():
    read = []

    def rows():
        for number in range(10):
            read.append(number)
            yield number

    array = iter(JsonArray(rows(), dump_many, encode, 3))
    assert read == []
    next(array)
    assert read == [0, 1, 2]
    next(array)
    assert read == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("after", [0, 1, 2, 5])
def test_an_error_comes_after_the_chunks_before_it(after):
    def rows():
        yield from range(after)
        raise LookupError("no more rows")

    written = []
    with pytest.raises(LookupError, match="no more rows"):
        written.extend(JsonArray(rows(), dump_many, encode, 2))

    assert len(written) <= after // 2


@pytest.mark.parametrize("chunk_size", [0, -1, "5", 2.5, True])
def test_a_chunk_of_no_rows_is_refused_at_once(chunk_size):
    with pytest.raises(ValueError, match=f"chunk_size must be at least 1, not {chunk_size!r}"):
        JsonArray([], dump_many, encode, chunk_size)


@pytest.mark.parametrize(("count", "pieces"), [(0, 1), (1, 1), (3, 1), (4, 2)])
def test_a_list_that_fits_into_a_chunk_is_written_in_one_piece(count, pieces):
    encoded = []

    def encode_and_count(data):
        encoded.append(data)
        return encode(data)

    text = JsonArray([*range(count)], dump_many, encode_and_count, 3).join()

    assert json.loads(text) == [{"row": row} for row in range(count)]
    assert len(encoded) == pieces


@pytest.mark.parametrize("base", [list, tuple])
def test_a_list_with_an_iterator_of_its_own_is_asked_for_it_once(base):
    class OnlyNext:
        def __init__(self, rows):
            self.rows = rows

        def __next__(self):
            return next(self.rows)

    class Own(base):
        def __iter__(self):
            return OnlyNext(super().__iter__())

    assert json.loads(JsonArray(Own(range(5)), dump_many, encode, 2).join()) == dump_many(range(5))
    assert json.loads(b"".join(chunks(Own(range(5)), 2))) == dump_many(range(5))


def test_a_stop_iteration_of_user_code_is_raised_as_it_is_by_join():
    def stop(rows):
        raise StopIteration("by user code")

    with pytest.raises(StopIteration, match="by user code"):
        JsonArray([1], stop, encode).join()


@pytest.mark.parametrize(("count", "chunk_size"), [(0, 2), (1, 2), (2, 2), (5, 2), (5, 1), (5, 9)])
def test_json_lines_have_a_line_for_each_row(count, chunk_size):
    written = list(JsonLines(range(count), dump_many, encode, chunk_size))

    lines = b"".join(written).splitlines(keepends=True)
    assert [json.loads(line) for line in lines] == [{"row": row} for row in range(count)]
    assert all(line.endswith(b"\n") for line in lines)
    assert len(written) == -(-count // chunk_size) + bool(count)


@pytest.mark.parametrize("chunk_size", [1, 2, 5])
def test_lines_that_end_with_an_error_lack_the_last_newline(chunk_size):
    def rows():
        yield from range(5)
        raise LookupError("no more rows")

    written = []
    with pytest.raises(LookupError):
        written.extend(JsonLines(rows(), dump_many, encode, chunk_size))
    lines = b"".join(written).split(b"\n")
    assert [json.loads(line) for line in lines] == [
        {"row": row} for row in range(5 // chunk_size * chunk_size)
    ]
