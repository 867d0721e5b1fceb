"""The privacy statement of a run: a dict that a notebook shows as a table."""
from __future__ import annotations

import html
import json
from typing import Any

from . import _core


class Statement(dict[str, Any]):
    """What was released, what it cost, against whom, and what is not covered.

    The form is docs/statement.schema.json of the project.
    """

    @classmethod
    def from_json(cls, text: str) -> Statement:
        """The statement of a JSON text."""
        return cls(json.loads(text))

    def to_json(self) -> str:
        """The statement as indented JSON."""
        return json.dumps(self, indent=2, ensure_ascii=False)

    def _repr_html_(self) -> str:
        return f"<div class='sotto-statement'>{_cell(self)}</div>"


def _cell(value: Any) -> str:
    if hasattr(value, "items"):
        rows = "".join(f"<tr><th style='text-align:left;vertical-align:top'>{html.escape(name)}</th>"
                       f"<td style='text-align:left'>{_cell(item)}</td></tr>" for name, item in value.items())
        return f"<table>{rows}</table>"
    if _core.is_list(value):
        return "<ul>" + "".join(f"<li>{_cell(item)}</li>" for item in value) + "</ul>" if value else "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "—" if value is None else html.escape(f"{value:g}" if isinstance(value, float) else str(value))
