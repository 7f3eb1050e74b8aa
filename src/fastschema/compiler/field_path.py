"""Where generated code finds the field object of a dump or a load."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class FieldPath:
    """Where a field object is found; front ends add what else they know of the place.

    :param expression: in generated code
    :param get: in what slots resolve from (the list of fields, or a load)
    """

    expression: str
    get: Callable[[Any], Any]

    def within(self, suffix: str, get: Callable[[Any], Any]) -> Self:
        """The path to a field inside of this one.

        :param suffix: what follows the expression
        :param get: from the outer field to the inner one
        """
        return replace(
            self,
            expression=f"{self.expression}{suffix}",
            get=lambda source: get(self.get(source)),
        )
