"""A plugin of pytest: no test finds orjson or msgspec.

``python -m pytest -p tests.without_orjson``
"""

import sys

sys.modules["orjson"] = sys.modules["msgspec"] = None
