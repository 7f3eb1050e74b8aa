"""marshmallow-oneofschema: schemas that choose another one by the type of an object, compiled.

It is imported when the first class of such schemas is used.
"""

from fastschema.contrib.oneofschema.installation import install

install()
