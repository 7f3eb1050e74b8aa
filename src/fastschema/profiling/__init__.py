"""Where the time of a dump goes, field by field: what :meth:`fastschema.Plan.profile` returns."""

from fastschema.profiling.profile import FieldTime, Profile

__all__ = ["FieldTime", "Profile"]
