"""What the load generator does, for ``endpoints.py``: ask for a path again and again.

Run by Locust, which is installed in an environment of its own.
"""

from __future__ import annotations

import os

from locust import FastHttpUser, task


class Visitor(FastHttpUser):
    """Asks for the path in the variable ``VISITED``, the next time when the answer is there."""

    @task
    def visit(self) -> None:
        """One request, whose body is read."""
        self.client.get(os.environ["VISITED"])
