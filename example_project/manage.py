#!/usr/bin/env python
"""The command line of the example project: ``python manage.py <command>``."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line


def main() -> None:
    """Run the management command named in the program's arguments."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A mistyped environment variable deserves a sentence, not a traceback.
        sys.exit(f"The example project is not set up properly: {error}")


if __name__ == "__main__":
    main()
