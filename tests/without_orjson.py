"""A plugin of pytest: no test finds orjson.

``python -m pytest -p tests.without_orjson``
"""

import sys

sys.modules["orjson"] = None
