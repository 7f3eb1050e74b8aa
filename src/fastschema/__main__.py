"""python -m fastschema"""

import sys

from fastschema.tools.cli import main

sys.exit(main())
