"""Sphinx of the documents: MyST reads the Markdown files, Breathe what doxygen read of the headers, Furo is the theme."""
import os
import pathlib
import re

import furo

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
html_static_path = ["static"]
html_css_files = ["sotto.css"]
pygments_style = "bw"


def dark_colours():
    """Furo's colours for dark pages, from its own style. Debian's copy of that style has them for readers who ask by the button alone;
    as options of the theme they hold for readers whose system is dark, too."""
    style = pathlib.Path(furo.__file__).parent / "theme/furo/static/styles/furo.css"
    rules = re.findall(r'body\[data-theme="?dark"?\]\s*\{([^}]*)\}', style.read_text(encoding="utf-8"))
    return dict(re.findall(r"--([\w-]+):\s*([^;}]+)", ";".join(rules)))


# Letters of 12 pixels and more, also in the lists at the sides.
html_theme_options = {
    "light_css_variables": {"sidebar-caption-font-size": "0.8rem", "toc-title-font-size": "0.8rem", "toc-font-size": "0.8rem"},
    "dark_css_variables": dark_colours(),
}
