"""Memory for long texts."""

import os
import subprocess
import sys
import tracemalloc

import pytest

from fastschema.text_memory import TextMemory

MEGABYTE = 1024 * 1024


def test_texts_as_large_and_somewhat_larger_are_kept():
    memory = TextMemory(is_told=True)

    memory.keep(MEGABYTE)

    assert memory.kept == 2 * MEGABYTE


def test_what_is_kept_is_told_once():
    memory = TextMemory(is_told=True)
    memory.keep(MEGABYTE)

    memory.keep(MEGABYTE + 1)

    assert memory.kept == 2 * MEGABYTE


def test_texts_larger_than_any_threshold_are_let_go():
    memory = TextMemory(is_told=True)
    before = memory.kept

    memory.keep(64 * MEGABYTE)

    assert memory.kept == before


def test_a_library_without_a_threshold_is_told_nothing():
    memory = TextMemory(is_told=False)
    before = memory.kept

    memory.keep(MEGABYTE)

    assert memory.kept == before


def test_where_it_cannot_be_told_nothing_is_kept(monkeypatch):
    monkeypatch.setitem(sys.modules, "ctypes", None)
    memory = TextMemory(is_told=True)

    memory.keep(MEGABYTE)
    monkeypatch.undo()
    kept = memory.kept
    memory.keep(2 * MEGABYTE)

    assert memory.kept == kept > 2 * MEGABYTE


def test_nothing_is_allocated_by_python():
    memory = TextMemory(is_told=True)
    tracemalloc.start()
    try:
        memory.keep(MEGABYTE)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert memory.kept == 2 * MEGABYTE
    assert peak < MEGABYTE


PAGES_OF_DUMPS = """
import resource
import fastschema
from marshmallow import Schema, fields

rows = [{"text": "x" * 300}] * 10_000
plan = fastschema.compile(Schema.from_dict({"text": fields.String()})())
for _ in range(4):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    plan.dumps(rows, many=True)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(
    "CS_GNU_LIBC_VERSION" not in getattr(os, "confstr_names", {}), reason="only glibc is told"
)
def test_a_text_is_written_into_memory_that_the_process_has():
    command = [sys.executable, "-c", PAGES_OF_DUMPS]

    pages = subprocess.run(command, capture_output=True, text=True, check=True)

    assert int(pages.stdout) < 100  # of the 750 that the text has
