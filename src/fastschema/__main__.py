"""python -m fastschema"""

from fastschema.doctor.cli import main

main()
