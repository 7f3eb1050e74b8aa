"""A plugin of pytest: no test finds orjson, but they find msgspec.

``python -m pytest -p tests.with_msgspec``
"""

import sys

sys.modules["orjson"] = None
