"""NetBox's configuration, which its settings import: DATABASE_URL and REDIS_URL say where to."""

import os
from urllib.parse import unquote, urlsplit

ALLOWED_HOSTS = ["*"]
SECRET_KEY = "of a benchmark, " * 4
API_TOKEN_PEPPERS = {1: "of a benchmark, " * 4}
CENSUS_REPORTING_ENABLED = False
TIME_ZONE = "UTC"

_database = urlsplit(os.environ["DATABASE_URL"])
DATABASES = {
    "default": {
        "NAME": _database.path.removeprefix("/"),
        "USER": unquote(_database.username or ""),
        "PASSWORD": unquote(_database.password or ""),
        "HOST": unquote(_database.netloc.rpartition("@")[2].partition(":")[0]),  # may be a folder
        "PORT": _database.port or "",
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
