"""Settings of Sphinx for the site; `site.py` puts it beside the pages."""

project = "bellcrank"
author = copyright = "the bellcrank authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["misc.highlighting_failure", "myst.header"]
html_theme = "furo"
html_title = "bellcrank"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_show_sourcelink = False
