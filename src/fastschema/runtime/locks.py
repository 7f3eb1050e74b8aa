"""Locks that survive a fork.

A child process has a copy of all memory, but only the thread that forked. A lock that another
thread held at that moment would stay locked in the child for ever.
"""

from __future__ import annotations

import os
import threading
from weakref import WeakSet


class Locked:
    """An object with a lock, which is a new one in each child process.

    The thread that holds it may take it again: a finalizer that runs meanwhile may dump, too.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """To be taken by a ``with`` statement, while something that threads share is changed."""
        _locked.add(self)


_locked: WeakSet[Locked] = WeakSet()


def _renew() -> None:
    """Give each object a new lock. Who holds the old one in this thread lets go of that one."""
    for each in list(_locked):
        each.lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew)
