"""How the documents are built: Markdown by MyST, the look of Furo, every warning an error (make docs)."""

import logging
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = PROJECT["name"]
author = "The motecast authors"
copyright = author  # the name is Sphinx's
release = version = PROJECT["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "smartquotes"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"{project} {release}"

# A chapter of the tree may still be without pages. This warning has no type that suppress_warnings could name.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(lambda row: getattr(row, "subtype", "") != "empty_glob")
