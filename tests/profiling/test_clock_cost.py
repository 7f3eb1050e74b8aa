"""What reading the clock costs."""

from fastschema.profiling import clock_cost
from fastschema.profiling.clock_cost import ClockCost, measure


def test_reading_the_clock_costs_something():
    cost = measure()

    assert 0 < cost.empty < 1e-3
    assert 0 <= cost.mark < 1e-3


def test_a_clock_that_stands_still_costs_nothing(monkeypatch):
    monkeypatch.setattr(clock_cost, "clock", lambda: 0.0)
    monkeypatch.setattr("fastschema.profiling.timed_code.clock", lambda: 0.0)

    assert measure() == ClockCost(0.0, 0.0)
