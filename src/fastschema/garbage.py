"""Telling those who keep things for later that garbage is about to be collected.

What is kept must not keep alive what nobody else has: schemas refer to their fields, and their
fields to them, so that only the garbage collector can free them.
"""

from __future__ import annotations

import gc
import sysconfig
from collections.abc import Callable

ARE_COLLECTIONS_TOLD = hasattr(gc, "callbacks")
"""Whether anybody tells; where nobody does, what is kept would never be let go."""

# Without a global lock there are no generations: it looks at all objects each time.
_OLDER_GENERATION, _FULL_COLLECTION = (
    (0, 0) if sysconfig.get_config_var("Py_GIL_DISABLED") else (1, 2)
)
_listeners: list[Callable[[bool], None]] = []


def tell(listener: Callable[[bool], None]) -> None:
    """Call a function before garbage is collected, from now on.

    It is not called where the collector looks at the youngest objects alone, which it does all the
    time.

    :param listener: is given whether the collector is about to look at all objects
    """
    if listener not in _listeners:
        _listeners.append(listener)
    if _when_garbage_is_collected not in gc.callbacks:
        gc.callbacks.append(_when_garbage_is_collected)


def _when_garbage_is_collected(phase: str, info: dict[str, int]) -> None:
    if phase == "start" and info["generation"] >= _OLDER_GENERATION:
        is_full = info["generation"] >= _FULL_COLLECTION
        for listener in _listeners:
            listener(is_full)
