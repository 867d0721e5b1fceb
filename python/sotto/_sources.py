"""Inputs of a graph: how objects of other packages are recognised, by their attributes."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _arrays, _core, _frames, errors


@dataclass
class Parts:
    """The arrays of a graph, before the library sees them."""

    sources: Any = None
    targets: Any = None
    offsets: Any = None
    neighbours: Any = None
    x: Any = None
    y: Any = None
    ids: Any = None
    nodes: int | None = None
    train: Any = None
    validation: Any = None
    test: Any = None
    table: _frames.Table | None = None  # a frame of features whose columns have names, in the place of x
    label: str | None = None  # its column of classes


def is_frame(value: Any) -> bool:
    """Is it a frame of pandas or polars, or a table of Arrow?"""
    if callable(getattr(value, "collect_schema", None)) and not hasattr(value, "shape"):
        raise errors.InvalidArgument("a lazy frame has no rows yet; give what its collect() returns")
    return hasattr(value, "shape") and hasattr(value, "__getitem__") and hasattr(value, "columns")


def from_edges(edges: Any, parts: Parts) -> None:
    """Fills in the edges, and all else that their object knows and that was not given."""
    if edges is None:
        return
    if hasattr(edges, "edge_index"):
        _from_pyg(edges, parts)
    elif callable(getattr(edges, "tocsr", None)) and hasattr(edges, "shape"):
        _from_sparse(edges, parts)
    elif callable(getattr(edges, "nodes", None)) and callable(getattr(edges, "edges", None)):
        _from_networkx(edges, parts)
    elif is_frame(edges):
        _from_frame(edges, parts)
    else:
        _from_pairs(edges, parts)


def _from_pyg(data: Any, parts: Parts) -> None:
    for ours, theirs in (("x", "x"), ("y", "y"), ("train", "train_mask"), ("validation", "val_mask"),
                         ("test", "test_mask")):
        if getattr(parts, ours) is None:
            setattr(parts, ours, getattr(data, theirs, None))
    if parts.nodes is None and parts.x is None and getattr(data, "num_nodes", None) is not None:
        parts.nodes = int(data.num_nodes)
    if data.edge_index is not None:
        _from_pairs(data.edge_index, parts)
    elif getattr(data, "adj_t", None) is not None:
        raise errors.InvalidArgument("edges: the data have adj_t and no edge_index; leave out PyG's ToSparseTensor")


def _from_sparse(matrix: Any, parts: Parts) -> None:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise errors.InvalidArgument(f"adjacency: a square matrix is wanted, not {matrix.shape}")
    rows = matrix.tocsr()
    if parts.nodes is None:
        parts.nodes = int(matrix.shape[0])
    parts.offsets = _arrays.indices(rows.indptr, "adjacency")
    parts.neighbours = _arrays.indices(rows.indices, "adjacency")
    if rows.data.size and not rows.data.all():  # stored zeros are no edges
        rows = rows.copy()
        rows.eliminate_zeros()
        parts.offsets = _arrays.indices(rows.indptr, "adjacency")
        parts.neighbours = _arrays.indices(rows.indices, "adjacency")


def _from_networkx(graph: Any, parts: Parts) -> None:
    np = _arrays.numpy()
    if parts.ids is None:
        parts.ids = list(graph.nodes())
    for name in ("x", "y"):
        wanted = getattr(parts, name)
        key = wanted if isinstance(wanted, str) else name if wanted is None else None
        if key is None:
            continue
        found = dict(graph.nodes(data=key))
        if any(value is not None for value in found.values()):
            rows = [found.get(node) for node in parts.ids]
            if name == "x" and any(row is None for row in rows):
                raise errors.InvalidArgument(f"x: some nodes have no attribute {key!r}")
            setattr(parts, name, np.array(rows) if name == "x" else _column(rows))
        elif isinstance(wanted, str):
            raise errors.NotFound(f"{name}: no node has an attribute {wanted!r}")
    pairs = [(edge[0], edge[1]) for edge in graph.edges()]
    parts.sources = _arrays.rows_of(parts.ids, (pair[0] for pair in pairs), "edges")
    parts.targets = _arrays.rows_of(parts.ids, (pair[1] for pair in pairs), "edges")


def _column(values: list[Any]) -> Any:
    np = _arrays.numpy()
    if all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values):
        return np.array(values, dtype=np.int64)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out


def _from_frame(frame: Any, parts: Parts) -> None:
    names = _frames.names(frame)
    if len(names) < 2:
        raise errors.InvalidArgument("edges: a frame needs two columns, of the two ends of an edge")
    first, second = ("source", "target") if {"source", "target"} <= set(names) else names[:2]
    parts.sources = _arrays.plain(frame[first], f"edges: column {first}")
    parts.targets = _arrays.plain(frame[second], f"edges: column {second}")


def _from_pairs(edges: Any, parts: Parts) -> None:
    if _core.is_list(edges) and len(edges) == 2 and not isinstance(edges[0], (int, tuple, str)) and \
            hasattr(edges[0], "__len__"):
        parts.sources, parts.targets = (_arrays.plain(end, "edges") for end in edges)
        if parts.sources.ndim == 1 and parts.targets.ndim == 1 and parts.sources.shape == parts.targets.shape:
            return
        raise errors.InvalidArgument("edges: the two arrays of ends have different lengths or dimensions")
    out = _arrays.plain(edges, "edges")
    if out.size == 0:
        out = out.reshape(2, 0).astype("int64")
    if out.ndim != 2 or 2 not in out.shape:
        raise errors.InvalidArgument(f"edges: an array of 2 x edges or edges x 2 is wanted, not {out.shape}")
    ends = out if out.shape[0] == 2 else out.T
    parts.sources, parts.targets = ends[0], ends[1]


def _take_table(parts: Parts) -> None:
    """Columns with names go to the library's reader as a table; its column `id` has the ids, where none are given."""
    table = _frames.table_of(parts.x)
    index = getattr(parts.x, "index", None)
    if isinstance(parts.ids, str) and parts.ids not in table.columns:
        raise errors.NotFound(f"ids: the frame of features has no column {parts.ids!r}")
    if isinstance(parts.y, str) and parts.y not in table.columns:
        raise errors.NotFound(f"y: the frame of features has no column {parts.y!r}")
    named = index is not None and names_rows(index)
    if "id" in table.columns and parts.ids != "id" and (parts.ids is not None or named):
        raise errors.InvalidArgument("x: the column 'id' has ids, and so have ids or the frame's index; leave one out")
    if isinstance(parts.ids, str):
        parts.ids = table.take(parts.ids)
    elif "id" in table.columns:
        parts.ids = table.take("id")
    elif parts.ids is None and index is not None and named:
        parts.ids = list(index)
    if parts.ids is not None and len({str(item) for item in parts.ids if item is not None}) != len(parts.ids):
        raise errors.InvalidArgument("ids: an id stands twice, or a row has none")
    if isinstance(parts.y, str):
        parts.label, parts.y = parts.y, None
    if parts.nodes not in (None, len(parts.x)):
        raise errors.InvalidArgument(f"x: {len(parts.x)} rows for {parts.nodes} nodes")
    parts.nodes = len(parts.x)
    parts.table, parts.x = table, None


def _take_columns(parts: Parts) -> None:
    """A frame whose columns are numbered is an array; its index is the ids where none are given."""
    if isinstance(parts.ids, str) or isinstance(parts.y, str):
        raise errors.NotFound("ids, y: the columns of the frame of features have no names")
    if parts.ids is None and hasattr(parts.x, "index") and names_rows(parts.x.index):
        parts.ids = list(parts.x.index)


def settle_ids(parts: Parts) -> None:
    """Ids of nodes become row numbers."""
    np = _arrays.numpy()
    if is_frame(parts.x):
        (_take_table if _frames.is_named(parts.x) else _take_columns)(parts)
    if isinstance(parts.ids, str) or isinstance(parts.x, str) or isinstance(parts.y, str):
        raise errors.InvalidArgument("x, y, ids: a name stands for a column of a frame or an attribute of networkx's "
                                     "nodes, and there is neither")
    if parts.ids is not None:
        parts.ids = list(parts.ids) if _core.is_list(parts.ids) else _arrays.plain(parts.ids, "ids").tolist()
        parts.nodes = len(parts.ids) if parts.nodes is None else parts.nodes
    if parts.sources is None:
        return
    for end in (parts.sources, parts.targets):
        if end.ndim != 1:
            raise errors.InvalidArgument("edges: the ends are not in one dimension")
    if parts.sources.dtype.kind not in "iufb" and parts.ids is None:
        try:
            parts.ids = np.unique(np.concatenate([parts.sources, parts.targets])).tolist()
        except TypeError as problem:
            raise errors.InvalidArgument(f"edges: {problem}") from problem
        if parts.nodes is None:
            parts.nodes = len(parts.ids)


def map_ends(parts: Parts, given_ids: bool) -> None:
    """Ends of edges that are ids as row numbers."""
    if given_ids and parts.sources is not None:
        parts.sources = _arrays.rows_of(parts.ids, parts.sources.tolist(), "edges")
        parts.targets = _arrays.rows_of(parts.ids, parts.targets.tolist(), "edges")


def names_rows(index: Any) -> bool:
    """Does a frame's index name its rows, other than by their numbers?"""
    np = _arrays.numpy()
    values = np.asarray(index)
    return not (values.dtype.kind in "iu" and bool(np.array_equal(values, np.arange(len(values)))))
