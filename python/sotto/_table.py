"""Tables of Parquet and Arrow: written as CSV by pyarrow, and read by the library's one reader of tables."""
from __future__ import annotations

import os
import tempfile
from typing import Any

from . import errors
from .graph import Graph, load

_COLUMNAR = (".parquet", ".feather", ".arrow", ".ipc")
_LIKE_A_NUMBER = r"^\s*[+-]?[0-9][0-9.,]*\s*$"


def _pyarrow() -> Any:
    try:
        import pyarrow  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import pyarrow.compute  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import pyarrow.csv  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import pyarrow.feather  # type: ignore[import-untyped, import-not-found, unused-ignore]
        import pyarrow.parquet  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except ImportError as problem:
        raise errors.Unsupported("import_table: Parquet and Arrow are read by the package pyarrow, which is not installed; "
                                 "pip install pyarrow") from problem
    return pyarrow


def _read(arrow: Any, path: str) -> Any:
    try:
        return arrow.parquet.read_table(path) if path.endswith(".parquet") else arrow.feather.read_table(path)
    except FileNotFoundError as problem:
        raise errors.NotFound(f"{path}: there is no such file") from problem
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, OSError) as problem:
        raise errors.ParseError(f"{path}: is not Parquet or Arrow, as its name says: {problem}") from problem


def _plain(arrow: Any, table: Any, path: str) -> Any:
    """The table without dictionaries. Columns of lists or records are refused."""
    for i, field in enumerate(table.schema):
        kind = field.type
        if arrow.types.is_dictionary(kind):
            table = table.set_column(i, field.name, table.column(i).cast(kind.value_type))
        elif arrow.types.is_nested(kind) or arrow.types.is_binary(kind) or arrow.types.is_large_binary(kind):
            raise errors.Unsupported(f"{path}: column {field.name!r} is of {kind}; leave it out, or make it columns of "
                                     "numbers or texts")
    return table


def _texts_like_numbers(arrow: Any, table: Any) -> list[str]:
    """Columns of texts in which a cell looks like a number: they stay texts, as the file has them."""
    found = []
    for name, column in zip(table.column_names, table.columns):
        if not (arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type)):
            continue
        if arrow.compute.any(arrow.compute.match_substring_regex(column, _LIKE_A_NUMBER)).as_py():
            found.append(name)
    return found


def _keep_texts(arrow: Any, table: Any, types: dict[str, str], label: str | None) -> None:
    """Adds to the types the columns of texts that look like numbers, unless they are ids, classes or parts."""
    names = table.column_names
    others = {"id", "label", "split", label}
    if "id" not in names and "id" not in types.values():
        others.add(names[0])
    for name in _texts_like_numbers(arrow, table):
        if name not in others:
            types.setdefault(name, "category")


def _as_text(source: str, folder: str, types: dict[str, str] | None, label: str | None) -> str:
    """A file that the library reads. `types`: of a table of nodes; it gets the columns that are texts."""
    if not source.endswith(_COLUMNAR):
        return source
    arrow = _pyarrow()
    table = _plain(arrow, _read(arrow, source), source)
    if types is not None:
        _keep_texts(arrow, table, types, label)
    path = os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + ".csv")
    arrow.csv.write_csv(table, path)
    return path


def import_table(edges: str | os.PathLike[str], nodes: str | os.PathLike[str] | None = None, *, label: str | None = None,
                 types: dict[str, str] | None = None, missing: str | None = None, **options: Any) -> Graph:
    """Reads a list of edges, and a table of nodes, of which each may be Parquet or Arrow (Feather, IPC).

    They are written as CSV in memory, and read by the rules of `sotto.load`. A column of texts stays one, whatever its
    texts look like. Needs the package pyarrow.

    Parameters
    ----------
    edges : path
        ``.parquet``, ``.feather``, ``.arrow`` or ``.ipc``; or any list of edges that `sotto.load` reads.
    nodes : path, optional
        The table of nodes, in one of the same forms.
    label, types, missing, **options
        As for `sotto.load`.

    Returns
    -------
    Graph

    Raises
    ------
    Unsupported
        pyarrow is not installed, or a column has lists or records.
    NotFound, ParseError, InvalidArgument
        As for `sotto.load`.
    """
    kinds = dict(types or {})
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(prefix="sotto-table-", dir=memory) as folder:
        os.mkdir(os.path.join(folder, "nodes"), 0o700)
        table = None if nodes is None else _as_text(os.fspath(nodes), os.path.join(folder, "nodes"), kinds, label)
        listed = _as_text(os.fspath(edges), folder, None, None)
        if listed != os.fspath(edges):
            options.setdefault("header", True)  # columns of such a file have names
        return load(listed, nodes=table, label=label, types=kinds or None, missing=missing, **options)
