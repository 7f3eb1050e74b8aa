"""python -m fastschema"""

import sys

from fastschema.cli import main

sys.exit(main())
