"""What all benchmarks share.

``measuring`` has one contender: in this process, or in one of its own that is told what to do.
``comparing`` lets contenders take turns, once they have returned the same. ``tables`` shows what
came of it, and keeps it as JSON.
"""
