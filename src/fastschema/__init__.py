"""fastschema speeds up the schemas you already have."""

__version__ = "0.1.0"  # what is imported asks for it

from fastschema import json
from fastschema.comparing import assert_loads_same, assert_same
from fastschema.plan import Plan, compile, forget
from fastschema.registration import Refused, register
from fastschema.relations import load_relations
from fastschema.report import FieldReport, Report
from fastschema.statistics import Statistics, stats
from fastschema.switch import disabled, enabled, install, uninstall

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
