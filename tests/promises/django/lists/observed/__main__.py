"""Print as JSON what can be seen of a list view of each observed model: see answers.py.

python -m tests.promises.django.lists.observed
"""

import tempfile
from importlib import import_module

import django
from django.conf import settings

from tests.instruments.core import thresholds

settings.configure(
    ALLOWED_HOSTS=["testserver"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[
        *("django.contrib.contenttypes", "django.contrib.auth", "rest_framework", "polymorphic"),
        *("parler", "simple_history", "djmoney", "fastschema.contrib.django"),
        "tests.promises.django.lists.observed",
    ],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    MEDIA_ROOT=tempfile.mkdtemp(),
    MIGRATION_MODULES={"observed": None},
    USE_TZ=True,
)
django.setup()
thresholds.rows_worth_reading = thresholds.few_for_django = 1
thresholds.uses_worth_an_exemplar = 1
# Models can be imported now.
import_module("tests.promises.django.lists.observed.answers").main()
