"""Memory for long texts that the C library keeps, instead of asking the system for it every time.

glibc takes pieces over a threshold from the system, page by page as they are first written, and
gives them back when they are freed: a tenth of the time of a dump of many rows. The threshold
becomes the size of the largest piece that was freed (mallopt(3), ``M_MMAP_THRESHOLD``). But a text
that grows while it is written asks for more than it has in the end, so that it stays beyond a
threshold that texts like it have made.
"""

from __future__ import annotations

import os
from typing import Final

_FIRST: Final = 128 * 1024
"""glibc's threshold when a process starts, in bytes."""

_LARGEST: Final = 32 * 1024 * 1024 - 64 * 1024
"""The largest piece that raises the threshold: a little less than glibc's own bound."""


class TextMemory:
    """What the C library was told to keep, so that it is told once and not at every dump.

    :param is_told: whether it understands: other libraries than glibc have no such threshold
    """

    def __init__(self, *, is_told: bool) -> None:
        self.kept = _FIRST if is_told else _LARGEST

    def keep(self, size: int) -> None:
        """Let the memory of texts stay with the process when they are freed, from now on.

        Done by freeing a piece of memory that is twice as large, for texts differ in size from one
        dump to the next. No page of it is touched, and Python's own count of memory is left out.

        :param size: how much memory a text asked for while it was written, in bytes
        """
        if size <= self.kept or size > _LARGEST:
            return
        self.kept = min(2 * size, _LARGEST)
        try:
            _free_untouched(self.kept)
        except Exception:  # there may be no ctypes, and an audit hook may forbid it
            self.kept = _LARGEST


def _free_untouched(size: int) -> None:
    """Allocate memory, and free it."""
    import ctypes

    library = ctypes.CDLL(None)
    library.malloc.argtypes, library.malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
    library.free.argtypes, library.free.restype = [ctypes.c_void_p], None
    library.free(library.malloc(size))  # where memory is scarce, of a null pointer


def _is_glibc() -> bool:
    return "CS_GNU_LIBC_VERSION" in getattr(os, "confstr_names", {})


text_memory = TextMemory(is_told=_is_glibc())
