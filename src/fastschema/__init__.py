"""fastschema speeds up the schemas you already have."""

from fastschema import json
from fastschema.comparing import assert_loads_same, assert_same
from fastschema.installation import install, uninstall
from fastschema.plan import Plan, compile, forget
from fastschema.relations import load_relations
from fastschema.runtime.registration import Refused, register
from fastschema.runtime.report import FieldReport, Report
from fastschema.runtime.statistics import Statistics, stats
from fastschema.runtime.switch import disabled, enabled

__version__ = "0.1.0"

__all__ = [
    "FieldReport",
    "Plan",
    "Refused",
    "Report",
    "Statistics",
    "assert_loads_same",
    "assert_same",
    "compile",
    "disabled",
    "enabled",
    "forget",
    "install",
    "json",
    "load_relations",
    "register",
    "stats",
    "uninstall",
]
