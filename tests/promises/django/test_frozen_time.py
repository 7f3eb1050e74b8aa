"""Dates while freezegun or time-machine stops the clock, before Django is set up and after."""

import os
import subprocess
import sys

import pytest

from tests.frozen import TOOLS, WHEN


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("when", WHEN)
def test_dates_are_written_and_validated_as_by_stock_while_the_time_stands_still(tool, when):
    command = [sys.executable, "-m", "tests.promises.django.frozen_serializers", tool, when]
    environment = {key: each for key, each in os.environ.items() if key != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
