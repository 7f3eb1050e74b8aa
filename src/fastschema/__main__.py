"""python -m fastschema"""

from fastschema.tools.cli import main

main()
