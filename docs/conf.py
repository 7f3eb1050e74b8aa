"""How Sphinx makes the site: ``make docs``.

The pages are those that a code host shows too, so they are plain Markdown, with few directives.
"""

import django
from django.conf import settings

import fastschema

# The API reference imports what stands on DRF, which wants settings.
settings.configure(INSTALLED_APPS=["rest_framework", "fastschema.contrib.django"])
django.setup()

project = "fastschema"
author = "The fastschema developers"
project_copyright = f"%Y, {author}"
version = release = fastschema.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
myst_heading_anchors = 4  # as on a code host, so that links into pages work on both
exclude_patterns = ["_build", "figures"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
copybutton_prompt_text = "$ "
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"fastschema {release}"
html_copy_source = False
html_show_sphinx = False

# Classes of other projects, and names that type annotations show but users never import.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!fastschema\b).*"),
    (r"py:.*", r"fastschema\.(front_end|nodes|recognition)\..*"),
]
