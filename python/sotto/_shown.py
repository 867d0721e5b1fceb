"""Tables as notebooks show them."""
from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of HTML; all cells are text."""
    def line(kind: str, cells: Sequence[str]) -> str:
        return "".join(f"<{kind} style='text-align:left'>{html.escape(cell)}</{kind}>" for cell in cells)
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return f"<table><thead><tr>{line('th', head)}</tr></thead><tbody>{body}</tbody></table>"
