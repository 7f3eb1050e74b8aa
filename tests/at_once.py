"""Many threads that do the same at the same moment."""

import threading
import time

SECONDS = 60
"""How long to wait for threads that may never end."""


def at_once(work, count=16):
    """Call a function in threads that begin together; return the results, in their order.

    :param work: is given the number of its thread
    :raises KeyError: if one of them raises something, or does not end
    """
    barrier = threading.Barrier(count, timeout=SECONDS)
    results = {}

    def run(number):
        barrier.wait()
        results[number] = work(number)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + SECONDS
    for thread in threads:
        thread.join(max(0, end - time.monotonic()))
    return [results[number] for number in range(count)]
