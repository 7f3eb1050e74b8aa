"""Where the time of a dump goes, field by field: what :meth:`fastschema.Plan.profile` returns."""

from fastschema.tools.profile import FieldTime, Profile

__all__ = ["FieldTime", "Profile"]
