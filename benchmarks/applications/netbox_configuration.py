"""NetBox's configuration, which its settings import; it says where its servers are."""

import os
from urllib.parse import urlsplit

from applications.postgresql import address

ALLOWED_HOSTS = ["*"]
SECRET_KEY = "of a benchmark, " * 4
API_TOKEN_PEPPERS = {1: "of a benchmark, " * 4}
CENSUS_REPORTING_ENABLED = False
TIME_ZONE = "UTC"

_server = address()
DATABASES = {
    "default": {
        "NAME": os.environ["NETBOX_DATABASE"],
        **{name.upper(): _server[name] for name in ("host", "port", "user", "password")},
        "CONN_MAX_AGE": 300,
    }
}
_redis = urlsplit(os.environ["REDIS_URL"])
REDIS = {
    name: {"HOST": _redis.hostname, "PORT": _redis.port, "DATABASE": number}
    for number, name in enumerate(("tasks", "caching"))
}

# For its own tests, which `--tests` runs.
PLUGINS = os.environ.get("NETBOX_PLUGINS", "").split()
DEFAULT_PERMISSIONS = {}
"""None but those that are given, as in the configuration of NetBox's own tests."""
