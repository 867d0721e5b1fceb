"""The privacy statement of a run: a dict that a notebook shows as a table."""
from __future__ import annotations

import html
import json
from typing import Any, NamedTuple

from . import _core
from ._core import ffi, lib

COLOURS = {"green": "#1a7f37", "amber": "#9a6700", "red": "#cf222e"}


class Guarantee(NamedTuple):
    """What an epsilon and a delta mean.

    `name` is the class: "strong", "moderate", "weak", "vacuous" or "not protected"; `colour` is "green", "amber" or
    "red". A guess between two neighbouring inputs, by somebody who sees all releases, is right with at most the
    probability `guess`, which `words` says.
    """

    name: str
    colour: str
    guess: float
    words: str


def guarantee(epsilon: float, delta: float = 0.0) -> Guarantee:
    """The class of a guarantee, as statements and reports have it."""
    row = lib.sotto_guarantee_describe(lib.sotto_guarantee_of(epsilon, delta))
    guess = lib.sotto_guarantee_guess(epsilon, delta)
    words = ffi.new("char[]", lib.SOTTO_GUARANTEE_WORDS)
    lib.sotto_guarantee_guess_words(words, lib.SOTTO_GUARANTEE_WORDS, guess)
    return Guarantee(_core.text(row.name), _core.text(row.colour), guess, _core.text(words))


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

    def __str__(self) -> str:
        """The verdicts, one a line: what is protected of whom, and how much."""
        return "\n".join(str(verdict.get("text", "")) for verdict in self.get("verdicts", [])) or super().__str__()

    def _repr_html_(self) -> str:
        lines = "".join(f"<p style='color:{COLOURS.get(verdict.get('colour', ''), COLOURS['red'])};font-weight:600'>"
                        f"{html.escape(str(verdict.get('text', '')))}</p>" for verdict in self.get("verdicts", []))
        return f"<div class='sotto-statement'>{lines}{_cell(self)}</div>"


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
