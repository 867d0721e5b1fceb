"""Graphs with features and labels, made of what other packages have in memory or of files."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from . import _arrays, _core, _sources, errors
from ._core import NULL, ffi, lib

NO_FOLDS = ("its rows cannot be cut into folds, since neighbours would be on both sides, so GridSearchCV and "
            "cross_val_score are not for it. And each fit of a private method is a release of its own, whose epsilon "
            "the ledger adds up. Fit a few values of an option, and compare `validation` in `history` "
            "(docs/python.md)")

_INDEX = {("u", 4): "SOTTO_INDEX_U32", ("u", 8): "SOTTO_INDEX_U64", ("i", 4): "SOTTO_INDEX_I32",
          ("i", 8): "SOTTO_INDEX_I64"}
_MOST_NODES = 2**32 - 2


def _pointer(kind: str, array: Any) -> Any:
    return ffi.cast(kind, array.ctypes.data)


def _set_index(into: Any, array: Any) -> None:
    into.data = _pointer("void *", array)
    into.count = array.size
    into.type = getattr(lib, _INDEX[array.dtype.kind, array.dtype.itemsize])


def _free_dataset(_keep: Any) -> Any:
    """A destructor of a dataset that keeps what it borrows until then."""
    def free(data: Any, _keep: Any = _keep) -> None:
        lib.sotto_dataset_free(data)
    return free


def _dataset(fill: Callable[[Any], None], keep: Any) -> Any:
    out = ffi.new("sotto_dataset *")
    fill(out)
    return ffi.gc(out, _free_dataset(keep))


def _from_arrays(arrays: Any, keep: Any) -> Any:
    return _dataset(lambda out: _core.call(lib.sotto_dataset_from_arrays, out, arrays), keep)


def _count_nodes(parts: _sources.Parts) -> int:
    if parts.nodes is None:
        for value in (parts.x, parts.y):
            if value is not None and hasattr(value, "shape"):
                parts.nodes = int(value.shape[0])
                break
            if value is not None and hasattr(value, "__len__"):
                parts.nodes = len(value)
                break
    if parts.nodes is None and parts.sources is not None:
        ends = [_arrays.indices(end, "edges") for end in (parts.sources, parts.targets)]
        parts.nodes = max((int(end.max()) + 1 for end in ends if end.size), default=0)
    if parts.nodes is None:
        raise errors.InvalidArgument("nodes: neither edges nor x nor y nor nodes say how many there are")
    return _core.whole(parts.nodes, "nodes", 1, _MOST_NODES)


class Graph:
    """An undirected graph for node classification.

    Directed edges become undirected; self-loops and repeats are dropped, as the program does with files.

    Parameters
    ----------
    edges : object, optional
        One of: an integer array of 2 x edges (PyG's ``edge_index``) or edges x 2, where 2 x 2 is read as the first; a
        pair of arrays; a square ``scipy.sparse`` matrix; a frame of pandas or polars with columns `source` and
        `target`, or whose first two columns are the ends; a ``networkx`` graph; or an object with ``edge_index``,
        such as PyG's ``Data``, whose ``x``, ``y``, ``train_mask``, ``val_mask`` and ``test_mask`` are read too.
    x : array of shape (nodes, columns), optional
        Features: numpy, ``scipy.sparse``, a frame, a torch tensor, anything with ``__array__`` or ``__dlpack__``.
        float32 in C order is used where it lies, and must not be changed while the graph lives; all else is copied
        once, which is logged at level debug. With networkx, the name of an attribute.
    y : array of shape (nodes,), optional
        Labels: whole numbers, -1 or NaN where unknown; or names of classes, None where unknown. With a frame of
        features or networkx, the name of a column or attribute.
    adjacency : square sparse matrix, optional
        Another name of `edges`.
    ids : sequence, optional
        Names of the nodes in the order of rows, by which `edges` then speaks; the name of a column of `x`. The index
        of a pandas frame `x` is taken where it does not just count the rows.
    nodes : int, optional
        How many nodes there are, where neither `x` nor `y` says so.
    train, validation, test : array, optional
        The published split: masks, or arrays of node numbers. A node is in one part at most.
    classes : int, optional
        Number of classes; by default one more than the largest label.
    name : str, optional
        What the ledger and statements call the data. Data of one name is charged as versions of one thing; the
        default is no name.

    Raises
    ------
    InvalidArgument, OutOfRange, NotFinite
        What does not fit, with its place.

    Notes
    -----
    The features are nodes x columns float32, an edge takes 8 bytes.

    Examples
    --------
    >>> import numpy as np, sotto
    >>> graph = sotto.Graph([[0, 1, 2], [1, 2, 0]], x=np.eye(3, dtype=np.float32), y=[0, 1, 1])
    >>> graph
    Graph(nodes=3, edges=3, columns=3, classes=2)
    """

    def __init__(self, edges: Any = None, x: Any = None, y: Any = None, *, adjacency: Any = None, ids: Any = None,
                 nodes: int | None = None, train: Any = None, validation: Any = None, test: Any = None,
                 classes: int | None = None, name: str = "arrays") -> None:
        if edges is not None and adjacency is not None:
            raise errors.InvalidArgument("edges, adjacency: give one of them")
        if isinstance(edges, (str, bytes, os.PathLike)):
            raise errors.InvalidArgument("edges: sotto.load reads files")
        parts = _sources.Parts(x=x, y=y, ids=ids, nodes=nodes, train=train, validation=validation, test=test)
        mapped = _mapped_by_networkx(edges)
        _sources.from_edges(adjacency if edges is None else edges, parts)
        _sources.settle_ids(parts)
        if not mapped:
            _sources.map_ends(parts, parts.ids is not None)
        self._ids: list[Any] | None = parts.ids
        self._class_names: Any = None
        self._data = self._make(parts, classes, _core.encoded(name, "name"))

    def _make(self, parts: _sources.Parts, classes: int | None, name: bytes) -> Any:
        count = _count_nodes(parts)
        if self._ids is not None and len(self._ids) != count:
            raise errors.InvalidArgument(f"ids: {len(self._ids)} ids for {count} nodes")
        keep: list[Any] = []  # what the call reads
        features: Any = None  # what the dataset goes on to read
        arrays = ffi.new("sotto_arrays *")
        arrays.nodes, arrays.borrow_features = count, parts.x is not None
        keep.append(ffi.new("char[]", name))
        arrays.name = keep[-1]
        if parts.x is not None:
            features = _arrays.features(parts.x, count)
            if _arrays.is_sparse(features):
                arrays.borrow_features = False
                if features.shape[1] > 0:
                    arrays.feature_columns, arrays.feature_values = features.shape[1], _pointer("float *", features.data)
                    _set_index(arrays.feature_indptr, features.indptr)
                    _set_index(arrays.feature_indices, features.indices)
            elif features.shape[1] > 0:
                arrays.features, arrays.feature_columns = _pointer("float *", features), features.shape[1]
        if parts.y is not None:
            found, self._class_names = _arrays.labels(parts.y, count)
            keep.append(found)
            arrays.labels = _pointer("int32_t *", found)
            if self._class_names is not None:
                classes = max(len(self._class_names), 1) if classes is None else classes
        if classes is not None:
            arrays.classes = _core.whole(classes, "classes", 1, 2**31 - 1)
        for part in ("train", "validation", "test"):
            if getattr(parts, part) is not None:
                keep.append(_arrays.mask(getattr(parts, part), count, part))
                setattr(arrays, part, _pointer("uint8_t *", keep[-1]))
        ends = ((arrays.offsets, parts.offsets), (arrays.neighbours, parts.neighbours),
                (arrays.sources, parts.sources), (arrays.targets, parts.targets))
        for into, array in ends:
            if array is not None:
                keep.append(_arrays.indices(array, "edges"))
                _set_index(into, keep[-1])
        return _from_arrays(arrays, features)

    @classmethod
    def _wrap(cls, data: Any) -> Graph:
        out = cls.__new__(cls)
        out._ids, out._class_names, out._data = None, None, data
        return out

    def __repr__(self) -> str:
        return (f"Graph(nodes={self.num_nodes}, edges={self.num_edges}, columns={self._data.features.cols}, "
                f"classes={self._data.classes})")

    def __reduce__(self) -> Any:
        raise TypeError("a graph is not pickled: write it with Graph.save")

    @property
    def name(self) -> str:
        """What the ledger and statements call the data."""
        return _core.text(self._data.name)

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return int(self._data.graph.nodes)

    @property
    def num_edges(self) -> int:
        """Number of undirected edges."""
        return int(self._data.graph.entries) // 2

    @property
    def num_graphs(self) -> int:
        """Number of graphs of a collection; 0 for a single graph."""
        return int(self._data.graph_count)

    @property
    def ids(self) -> list[Any] | None:
        """Names of the nodes in the order of rows; None: they are their numbers."""
        return self._ids

    @property
    def x(self) -> Any:
        """Features, nodes x columns float32: the caller's memory where it was borrowed, a copy where they are sparse. Read-only."""
        matrix = self._data.features
        if self._data.entries.offsets != NULL:
            return _arrays.dense_rows(self._data)
        address = int(ffi.cast("uintptr_t", matrix.data))
        return _arrays.held(self._data, address, (int(self._data.graph.nodes), int(matrix.cols)), "<f4")

    @property
    def y(self) -> Any:
        """Labels as numbers of classes, -1 where unknown; None: there are none. Read-only."""
        if self._data.labels == NULL:
            return None
        address = int(ffi.cast("uintptr_t", self._data.labels))
        return _arrays.held(self._data, address, (self.num_nodes,), "<i4")

    @property
    def classes(self) -> Any:
        """Names of the classes, an array; numbers where labels were numbers."""
        np = _arrays.numpy()
        return np.arange(int(self._data.classes)) if self._class_names is None else self._class_names

    @property
    def adjacency(self) -> tuple[Any, Any]:
        """Offsets and neighbours of the adjacency in CSR form, both ways of each edge. Read-only."""
        graph = self._data.graph
        return (_arrays.held(self._data, int(ffi.cast("uintptr_t", graph.offsets)), (self.num_nodes + 1,), "<u8"),
                _arrays.held(self._data, int(ffi.cast("uintptr_t", graph.targets)), (int(graph.entries),), "<u4"))

    def part(self, name: str) -> Any:
        """Mask of a part of the published split: "train", "validation" or "test"; None without a split."""
        np = _arrays.numpy()
        parts = {"train": lib.SOTTO_PART_TRAIN, "validation": lib.SOTTO_PART_VALIDATION, "test": lib.SOTTO_PART_TEST}
        wanted = _core.chosen(name, parts, "part")
        if self._data.split == NULL:
            return None
        address = int(ffi.cast("uintptr_t", self._data.split))
        return np.array(_arrays.held(self._data, address, (self.num_nodes,), "|u1") == wanted)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"a graph is no table: {NO_FOLDS}")

    @property
    def digest(self) -> str:
        """BLAKE2b of the content, in hexadecimal: that of a file with the same content."""
        return bytes(ffi.buffer(self._data.digest)).hex()

    @property
    def account(self) -> str:
        """Key of the data's account in a ledger, in hexadecimal: BLAKE2b of the edges."""
        return bytes(ffi.buffer(self._data.account)).hex()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the native format, which the program and `sotto.load` read. Names of nodes and classes are not in
        it."""
        _core.call(lib.sotto_dataset_save, self._data, _core.encoded(path, "path"))


def _mapped_by_networkx(edges: Any) -> bool:
    return not hasattr(edges, "edge_index") and callable(getattr(edges, "nodes", None)) and \
        callable(getattr(edges, "edges", None))


_MISSING = {None: 0, "mean": 1, "zero": 2}
_HEADER = {None: 0, True: 1, False: 2}


def load(path: str | os.PathLike[str], *, target: str | None = None, nodes: str | os.PathLike[str] | None = None,
         label: str | None = None, types: dict[str, str] | None = None, missing: str | None = None,
         missing_words: Sequence[str] | None = None, header: bool | None = None, decimal: str = ".",
         split: str | os.PathLike[str] | None = None) -> Graph:
    """Reads data of any form that the program reads: a native file, ``FOLDER:NAME`` (Planetoid), ``.npz``, ``.mat``,
    a folder of TUDataset files, ``.csv`` or ``.tsv``.

    Parameters
    ----------
    path : path
        The file, recognised by its name.
    target : str, optional
        facebook100: the column that is the label; "year:1000" drops classes with fewer nodes.
    nodes : path, optional
        Edge list: the table of nodes.
    label : str, optional
        The column of classes ("label").
    types : dict, optional
        Columns by name, where cells or names mislead: "number", "date", "category", "flag", "label", "id", "split", "drop".
    missing : "mean" or "zero", optional
        How features without a value are filled; None refuses them.
    missing_words : sequence of str, optional
        Words of cells without a value, in the place of NA, N/A, NaN, null, None and ?.
    header : bool, optional
        Edge list: whether its first line names the columns; None where it is clear.
    decimal : "." or ","
        The decimal sign of numbers.
    split : path, optional
        A file with the part of each node.

    Returns
    -------
    Graph

    Raises
    ------
    NotFound, IOFailure, ParseError, CorruptData
        Naming the file and the place.
    InvalidArgument
        Where a table can be read in two ways, with both.
    """
    if missing not in _MISSING or decimal not in (".", ","):
        raise ValueError("missing is None, 'mean' or 'zero'; decimal is '.' or ','")
    listed = None if types is None else ",".join(f"{name}={kind}" for name, kind in types.items())
    words = None if missing_words is None else ",".join(missing_words)
    options = ffi.new("sotto_import_options *")
    texts = {"target": target, "nodes_table": nodes, "label": label, "types": listed, "missing_words": words, "split": split}
    keep = {key: ffi.new("char[]", _core.encoded(text, "load")) for key, text in texts.items() if text is not None}
    for key, text in keep.items():
        setattr(options, key, text)
    options.missing, options.header, options.decimal_comma = _MISSING[missing], _HEADER[header], decimal == ","
    name = _core.encoded(path, "path")
    return Graph._wrap(_dataset(lambda out: _core.call(lib.sotto_dataset_open, out, name, options), None))
