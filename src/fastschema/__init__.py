"""fastschema speeds up the schemas you already have."""

from fastschema import json
from fastschema.plan import Plan, compile, forget
from fastschema.registration import register
from fastschema.relations import load_relations
from fastschema.report import FieldReport, Report
from fastschema.statistics import Statistics, stats
from fastschema.switch import disabled, enabled, install, uninstall

__version__ = "0.1.0"
__all__ = [
    "FieldReport",
    "Plan",
    "Report",
    "Statistics",
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
