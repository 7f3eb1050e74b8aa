"""Dates while freezegun or time-machine stops the clock, at first or later."""

import subprocess
import sys

import pytest

from tests.frozen import TOOLS, WHEN


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("when", WHEN)
def test_dates_are_dumped_and_loaded_as_by_stock_while_the_time_stands_still(tool, when):
    command = [sys.executable, "-m", "tests.promises.marshmallow.frozen_schemas", tool, when]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
