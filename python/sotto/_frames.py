"""Tables of pandas, polars and Arrow as CSV, which the library's one reader of tables reads. No other package is imported.

A column has the type of its values: numbers, texts, dates, true or false. What these mean is the reader's to say.
"""
from __future__ import annotations

import csv
import datetime
import decimal
import numbers
import os
import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from . import errors

_LIKE_A_NUMBER = re.compile(r"\s*[+-]?[0-9][0-9.,]*\s*")
_WHOLE = 2.0**53  # floats below it are whole numbers with all digits


@dataclass
class Table:
    """Columns by name, what their values are, and the types of those whose texts alone would mislead the reader."""

    columns: dict[str, list[Any]] = field(default_factory=dict[str, list[Any]])
    kinds: dict[str, type | None] = field(default_factory=dict[str, "type | None"])
    types: dict[str, str] = field(default_factory=dict[str, str])

    def take(self, name: str) -> list[Any]:
        """Takes a column out."""
        self.types.pop(name, None)
        self.kinds.pop(name)
        return self.columns.pop(name)

    def write(self, path: str) -> None:
        """Writes CSV with a header."""
        try:
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(self.columns)
                writer.writerows(zip(*(_texts(values, self.kinds[name]) for name, values in self.columns.items())))
        except UnicodeEncodeError as problem:
            raise errors.InvalidArgument(f"a text of the table is not Unicode: {problem}") from problem


def names(frame: Any) -> list[Any]:
    """Names of the columns of a frame, or of a table of Arrow."""
    return list(frame.column_names if hasattr(frame, "column_names") else frame.columns)


def is_named(frame: Any) -> bool:
    """Do its columns have names, other than the numbers that a frame of an array has?"""
    return any(isinstance(name, str) for name in names(frame))


def _values(frame: Any, name: Any) -> tuple[list[Any], bool]:
    """The values of a column, None where there is none; and whether it is one of categories."""
    column = frame[name]
    if getattr(column, "ndim", 1) != 1:
        raise errors.InvalidArgument(f"column {name!r} stands twice, or has levels; each column needs a name of its own")
    found = list(column.to_list() if hasattr(column, "to_list") else column.to_pylist())
    if callable(getattr(column, "isna", None)):
        found = [None if absent else value for value, absent in zip(found, column.isna().tolist())]
    kind = str(getattr(column, "dtype", getattr(column, "type", "")))
    return found, kind.lower().startswith(("category", "categorical", "enum", "dictionary"))


def _kind_of(name: str, kind: type) -> type:
    if kind is bool or kind.__name__ in ("bool_", "bool"):
        return bool
    for known in (str, datetime.date):
        if issubclass(kind, known):
            return known
    if issubclass(kind, (numbers.Real, decimal.Decimal)):
        return float
    raise errors.Unsupported(f"column {name!r} has values of type {kind.__name__}; leave it out, or make it numbers, texts or "
                             "dates")


def _kind(name: str, values: list[Any]) -> type | None:
    """What the values of a column are: bool, str, float or date; None: it has none."""
    found = {kind: _kind_of(name, kind) for kind in set(map(type, values)) if kind is not type(None)}
    kinds = set(found.values())
    if float in kinds and not any(value == value for value in values if found.get(type(value)) is float):
        kinds.discard(float)  # NaN stands for no value, in a column of texts too
    if len(kinds) > 1:
        several = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise errors.InvalidArgument(f"column {name!r} has values of several types: {several}; make them one")
    return kinds.pop() if kinds else None


def table_of(frame: Any) -> Table:
    """The columns of a frame of pandas or polars, or of a table of Arrow."""
    out = Table()
    for given in names(frame):
        name = str(given)
        if not isinstance(given, (str, int)) or name in out.columns:
            raise errors.InvalidArgument(f"column {given!r} stands twice, or has levels; each column needs a name of its own")
        values, categories = _values(frame, given)
        kind = _kind(name, values)
        if categories or (kind is str and any(_is_like_a_number(value) for value in values)):
            out.types[name] = "category"
        elif kind is bool:
            out.types[name] = "flag"
        elif kind is datetime.date:
            out.types[name] = "date"
        out.columns[name], out.kinds[name] = values, kind
    return out


def are_real(table: Table, name: str) -> bool:
    """Does a column have numbers, some with a fraction?"""
    values = [value for value in table.columns[name] if value is not None and value == value]
    return table.kinds[name] is float and not _are_whole(values)


def _is_like_a_number(value: Any) -> bool:
    return isinstance(value, str) and _LIKE_A_NUMBER.fullmatch(value) is not None


def _texts(values: list[Any], kind: type | None) -> list[str]:
    """Cells of one column. Whole floats are written as whole numbers, which pandas makes floats where one is missing."""
    if kind is None:
        return [""] * len(values)
    found = [None if value is None or value != value else value for value in values]
    if kind is bool:
        return ["" if value is None else "true" if value else "false" for value in found]
    if kind is datetime.date:
        return ["" if value is None else _date(value) for value in found]
    if kind is float:
        whole = _are_whole(found)
        return ["" if value is None else str(int(value)) if whole else _number(value) for value in found]
    return ["" if value is None else value for value in found]


def _are_whole(values: list[Any]) -> bool:
    floats = [value for value in values if value is not None and type(value) is not int]
    return all(not isinstance(value, decimal.Decimal) and abs(float(value)) < _WHOLE and float(value).is_integer()
               for value in floats)


def _number(value: Any) -> str:
    if isinstance(value, decimal.Decimal):
        return str(value)
    return str(int(value)) if isinstance(value, numbers.Integral) else repr(float(value))


def _date(value: Any) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return str(value.isoformat())


def add_types(into: dict[str, str], found: dict[str, str], columns: list[str], label: str | None) -> None:
    """Adds types that were found to those that were given, but for the columns of ids, classes and parts."""
    others = {"id", "label", "split", label}
    if "id" not in columns and "id" not in into.values() and columns:
        others.add(columns[0])
    for name, kind in found.items():
        if name not in others:
            into.setdefault(name, kind)


@contextmanager
def folder() -> Generator[str, None, None]:
    """A folder in memory, where there is such a place, for tables that the library reads."""
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="sotto-table-", dir=memory) as path:
        yield path


@contextmanager
def named(path: str, name: str) -> Generator[None, None, None]:
    """Errors speak of `name` in the place of a file in that folder."""
    try:
        yield
    except errors.Error as problem:
        text = str(problem)
        if path not in text:
            raise
        raise type(problem)(text.replace(path, name)) from None
