"""Sphinx of the documents: MyST reads the Markdown files, Breathe what doxygen read of the headers, Furo is the theme."""
import os

project = "Sotto"
author = "the authors of Sotto"
copyright = "the authors of Sotto; Apache-2.0"  # pylint: disable=redefined-builtin
version = release = os.environ.get("SOTTO_VERSION", "")
extensions = ["myst_parser", "breathe"]
root_doc = "index"
source_suffix = {".md": "markdown"}
highlight_language = "none"  # most blocks are what a program printed
myst_heading_anchors = 6
breathe_projects = {"sotto": os.environ.get("SOTTO_DOXYGEN", "")}
breathe_default_project = "sotto"
breathe_domain_by_extension = {"h": "c"}
html_theme = "furo"
html_title = f"Sotto {version}"
html_show_sourcelink = False
html_copy_source = False
