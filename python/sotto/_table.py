"""Tables of Parquet and Arrow files, and of pandas and polars: written as CSV, and read by the library's one reader of tables."""
from __future__ import annotations

import os
from typing import Any

from . import _core, _frames, _sources, errors
from .graph import Graph, load

_COLUMNAR = (".parquet", ".feather", ".arrow", ".ipc")
_FRAME = "arrays.csv"  # the data are then called arrays, as those of sotto.Graph
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


def _types(arrow: Any, table: Any) -> dict[str, str]:
    """Columns of texts in which a cell looks like a number: they stay texts, as the file has them. Columns of flags."""
    found: dict[str, str] = {}
    for name, column in zip(table.column_names, table.columns):
        if arrow.types.is_boolean(column.type):
            found[name] = "flag"
        elif arrow.types.is_string(column.type) or arrow.types.is_large_string(column.type):
            if arrow.compute.any(arrow.compute.match_substring_regex(column, _LIKE_A_NUMBER)).as_py():
                found[name] = "category"
    return found


def _frame_as_text(frame: Any, folder: str, types: dict[str, str] | None, label: str | None) -> str:
    index = getattr(frame, "index", None)
    if index is not None and _sources.names_rows(index):
        frame = frame.reset_index()
    table = _frames.table_of(frame)
    if types is not None:
        _frames.add_types(types, table.types, list(table.columns), label)
    path = os.path.join(folder, _FRAME)
    table.write(path)
    return path


def _as_text(source: Any, folder: str, types: dict[str, str] | None, label: str | None) -> Any:
    """A file that the library reads. `types`: of a table of nodes; it gets those columns whose texts would mislead."""
    if _sources.is_frame(source):
        return _frame_as_text(source, folder, types, label)
    source = os.fsdecode(_core.encoded(source, "edges, nodes"))
    if not source.endswith(_COLUMNAR):
        return source
    arrow = _pyarrow()
    table = _plain(arrow, _read(arrow, source), source)
    if types is not None:
        _frames.add_types(types, _types(arrow, table), table.column_names, label)
    path = os.path.join(folder, os.path.splitext(os.path.basename(source))[0] + ".csv")
    arrow.csv.write_csv(table, path)
    return path


def import_table(edges: Any, nodes: Any = None, *, label: str | None = None, types: dict[str, str] | None = None,
                 missing: str | None = None, schema: Any = None, edges_to_others: Any = None, **options: Any) -> Graph:
    """Reads a list of edges, and a table of nodes: each a CSV, Parquet or Arrow file, or a frame of pandas or polars.

    All but text files are written as CSV in memory, and read by the rules of `sotto.load`. A column of texts stays one,
    whatever its texts look like. Parquet and Arrow files need the package pyarrow.

    Parameters
    ----------
    edges : path or frame
        ``.parquet``, ``.feather``, ``.arrow`` or ``.ipc``; or any list of edges that `sotto.load` reads; or a frame of
        pandas or polars, or a table of pyarrow.
    nodes : path or frame, optional
        The table of nodes, in one of the same forms. The index of a pandas frame is its first column, unless it counts
        the rows.
    edges_to_others : path or frame, optional
        Edges from own nodes to nodes of other owners, in one of the same forms; as for `sotto.load`.
    label, types, missing, schema, **options
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
    with _frames.folder() as folder:
        os.mkdir(os.path.join(folder, "nodes"), 0o700)
        found = kinds if schema is None else None
        table = None if nodes is None else _as_text(nodes, os.path.join(folder, "nodes"), found, label)
        listed = _as_text(edges, folder, None, None)
        if os.path.dirname(listed) == folder:
            options.setdefault("header", True)  # columns of such a table have names
        if edges_to_others is not None:
            os.mkdir(os.path.join(folder, "others"), 0o700)
            options["edges_to_others"] = _as_text(edges_to_others, os.path.join(folder, "others"), None, None)
        with _frames.named(os.path.join(folder, "nodes", _FRAME), "nodes"), \
                _frames.named(os.path.join(folder, "others", _FRAME), "edges_to_others"), \
                _frames.named(os.path.join(folder, _FRAME), "edges"):
            return load(listed, nodes=table, label=label, types=kinds or None, missing=missing, schema=schema, **options)
