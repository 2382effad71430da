"""How Sphinx builds the docs."""

import medharvest

project = "medharvest"
release = medharvest.__version__
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"medharvest {release}"
html_show_copyright = False
html_show_sphinx = False
