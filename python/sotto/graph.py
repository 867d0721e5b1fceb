"""Graphs with features and labels, made of what other packages have in memory or of files."""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import _arrays, _core, _frames, _numbers, _options, _sources, errors
from ._core import NULL, ffi, lib
from ._reading import Reading, dataset
from .schema import Schema, as_schema, names_of

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


def _from_arrays(arrays: Any, keep: Any) -> Any:
    return dataset(lambda out: _core.call(lib.sotto_dataset_from_arrays, out, arrays), keep)


def _fill_from_table(arrays: Any, table: Any, parts: _sources.Parts) -> None:
    """Features, labels and split of a table that the library has read, borrowed from it."""
    if table.features.cols > 0:  # dense, as all tables are
        arrays.features, arrays.feature_columns, arrays.borrow_features = table.features.data, table.features.cols, True
    if table.labels != NULL:
        if parts.y is not None:
            raise errors.InvalidArgument("x, y: a column of x has labels, and so has y; leave one out")
        arrays.labels, arrays.classes = table.labels, table.classes
    if table.numbers != NULL:
        if parts.y is not None:
            raise errors.InvalidArgument("x, y: a column of x has numbers to learn, and so has y; leave one out")
        arrays.numbers = table.numbers
    if table.split != NULL:
        if any(part is not None for part in (parts.train, parts.validation, parts.test)):
            raise errors.InvalidArgument("x, train, validation, test: the column 'split' of x has parts, and so have these; "
                                         "leave one out")
        address = int(ffi.cast("uintptr_t", table.split))
        found = _arrays.held(table, address, (int(table.graph.nodes),), "|u1")
        parts.train, parts.validation, parts.test = (found == number for number in (
            lib.SOTTO_PART_TRAIN, lib.SOTTO_PART_VALIDATION, lib.SOTTO_PART_TEST))


def _schema_of(data: Any) -> Schema | None:
    return Schema._made(lambda out: _core.call(lib.sotto_schema_of, out, data))


def _numbered(found: Any, names: Any, classes: list[str]) -> Any:
    """Labels by the numbers that a schema gives their names."""
    np = _arrays.numpy()
    place = {name: number for number, name in enumerate(classes)}
    lost = [str(name) for name in names.tolist() if str(name) not in place]
    if lost:
        raise errors.InvalidArgument(f"y: the schema has no class {', '.join(lost[:5])}; it has {', '.join(classes[:20])}")
    return np.array([place[str(name)] for name in names.tolist()] + [-1], dtype=np.int32)[found]


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


@dataclass
class _Transfers:
    """What pairs have, as transfers from the first end to the second."""
    amounts: Any
    times: Any
    kinds: Any
    names: Schema | None  # which declares the kinds
    directed: bool


def _set_transfers(arrays: Any, transfers: _Transfers, parts: _sources.Parts, keep: list[Any]) -> None:
    if transfers.amounts is None and transfers.times is None and transfers.kinds is None and not transfers.directed:
        return
    count = 0 if parts.sources is None else len(parts.sources)
    if parts.sources is None:
        raise errors.InvalidArgument("amounts, times, kinds, directed: they are of pairs; give the edges as pairs")
    arrays.directed = transfers.directed
    if transfers.kinds is not None and transfers.names is not None:
        keep.append(transfers.names)
        arrays.kind_names = ffi.addressof(transfers.names._schema, "kinds")
    for name, array, kind in (("amounts", transfers.amounts, "float *"), ("times", transfers.times, "double *"),
                              ("kinds", transfers.kinds, "uint8_t *")):
        if array is None:
            continue
        if len(array) != count:
            raise errors.InvalidArgument(f"{name}: {len(array)} for {count} edges")
        keep.append(array)
        setattr(arrays, name, _pointer(kind, array))


class Graph:
    """An undirected graph with classes or numbers of nodes to learn.

    Directed edges become undirected; self-loops and repeats are dropped, as the program does with files.

    Parameters
    ----------
    edges : object, optional
        One of: an integer array of 2 x edges (PyG's ``edge_index``) or edges x 2, where 2 x 2 is read as the first; a
        pair of arrays; a square ``scipy.sparse`` matrix; a frame of pandas or polars with columns `source` and
        `target`, or whose first two columns are the ends; a ``networkx`` graph; or an object with ``edge_index``,
        such as PyG's ``Data``, whose ``x``, ``y``, ``train_mask``, ``val_mask`` and ``test_mask`` are read too.
    x : array of shape (nodes, columns), optional
        Features: numpy, ``scipy.sparse``, a torch tensor, anything with ``__array__`` or ``__dlpack__``. float32 in C
        order is used where it lies, and must not be changed while the graph lives; all else is converted once, which
        is logged at level info, with the type and the order that it had. With networkx, the name of an attribute.
        Or a table: a frame of pandas or polars whose columns have names, or a table of pyarrow. It is read by the
        rules of `load`: numbers, dates, words and flags become features, the columns `id`, `label` and `split` are
        what they are called, and what is not clear is asked.
    y : array of shape (nodes,), optional
        Labels: whole numbers, -1 or NaN where unknown; or names of classes, None where unknown. Real numbers (some
        with a fraction, NaN where unknown) are numbers to learn. With a table or networkx, the name of a column or
        attribute.
    task : "classification" or "regression", optional
        What `y`, or the column of labels of a table, has: classes, or numbers to learn, which may then be whole. None:
        as `y` says.
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
    schema : Schema, path or dict, optional
        Of a table: its columns, types, words and classes as stated; a cell that does not fit is an error. Of an
        array: the names of its columns and classes.
    others : bool
        Of a table: a word or a class that the schema lacks is read too, and `predict` counts it as unseen.
    types, missing, missing_words : optional
        Of a table: as for `load`.
    amounts, times : array of shape (edges,), optional
        Pairs are transfers from the first end to the second, with these amounts (at least 0) and these times: dates of
        numpy, or days since 2000-01-01. Of a frame `edges`, the name of a column.
    kinds : array of shape (edges,), optional
        The kind of each transfer, a word or a number, of the kinds that `schema` declares: ``Schema([], kinds=[...])``
        declares nothing else. Of a frame `edges`, the name of a column.
    directed : bool
        Pairs are transfers, also without amounts, times and kinds.

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
                 classes: int | None = None, name: str = "arrays", schema: Any = None, others: bool = False,
                 types: dict[str, str] | None = None, missing: str | None = None,
                 missing_words: Sequence[str] | None = None, amounts: Any = None, times: Any = None,
                 kinds: Any = None, directed: bool = False, task: str | None = None) -> None:
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
        self._schema: tuple[Schema | None] | None = None  # once it was asked for
        stated, table = as_schema(schema), None
        declared = stated
        if stated is not None and stated.kinds and not stated.columns and not stated.classes:
            stated = None  # it is of transfers alone
        if task is None and parts.table is not None and parts.label is not None and _frames.are_real(parts.table, parts.label):
            task = "regression"
        told = Reading(label=parts.label, types=types, missing=missing, missing_words=missing_words, schema=stated,
                       others=others, task=task)
        if parts.table is not None:
            table = told.open_table(parts.table, _count_nodes(parts))
        elif others or types is not None or missing is not None or missing_words is not None:
            raise errors.InvalidArgument("types, missing, missing_words, others: they are for a table, and x is none")
        transfers = _Transfers(_arrays.per_edge(amounts, edges, "amounts"), _arrays.per_edge(times, edges, "times"),
                               _arrays.kinds(kinds, edges, [] if declared is None else declared.kinds), declared, directed)
        self._data = self._make(parts, classes, _core.encoded(name, "name"), stated, table, others, transfers, task)

    def _make(self, parts: _sources.Parts, classes: int | None, name: bytes, stated: Schema | None, table: Any,
              others: bool, transfers: _Transfers, task: str | None) -> Any:
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
        if table is not None:
            features = table
            _fill_from_table(arrays, table, parts)
        regression = _options.regression(task)
        if parts.y is not None and (regression or (task is None and _numbers.are_real(parts.y, count))):
            keep.append(_numbers.read(parts.y, count))
            arrays.numbers = _pointer("float *", keep[-1])
        elif parts.y is not None:
            found, self._class_names = _arrays.labels(parts.y, count)
            if self._class_names is not None and stated is not None and stated.classes:
                found, self._class_names = _numbered(found, self._class_names, stated.classes), None
            keep.append(found)
            arrays.labels = _pointer("int32_t *", found)
        names = self._names(table, stated)
        if names is not None:
            keep.append(names)
            arrays.schema = names._schema
            words = table is not None and stated is None
            numbers = self._class_names is not None or (table is not None and table.labels != NULL)
            told = stated is not None and bool(stated.classes)
            arrays.schema_found = others or words or (numbers and classes is None and not told) or \
                (stated is not None and stated._found)
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
        _set_transfers(arrays, transfers, parts, keep)
        return _from_arrays(arrays, features)

    def _names(self, table: Any, stated: Schema | None) -> Schema | None:
        """The names of columns and classes. A table's are there also where it has none: they were looked for."""
        base = stated if table is None else _schema_of(table) or Schema([])
        if self._class_names is None or (base is not None and base.classes):
            return base
        try:
            return Schema([] if base is None else base.columns, [str(name) for name in self._class_names.tolist()])
        except errors.ParseError as problem:
            raise errors.InvalidArgument(f"y: names of classes: {problem}") from problem

    @classmethod
    def _wrap(cls, data: Any) -> Graph:
        out = cls.__new__(cls)
        out._ids, out._class_names, out._schema, out._data = None, None, None, data
        return out

    def __repr__(self) -> str:
        learnt = f"classes={self._data.classes}"
        if self._data.numbers != NULL:
            learnt = "numbers" if self._data.labels == NULL else f"{learnt}, numbers"
        return f"Graph(nodes={self.num_nodes}, edges={self.num_edges}, columns={self._data.features.cols}, {learnt})"

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
        if self._ids is None and self._data.node_ids.count > 0:
            self._ids = names_of(self._data.node_ids)
        return self._ids

    @property
    def schema(self) -> Schema | None:
        """Columns of the features and classes, by name; None: neither has names."""
        if self._schema is None:
            self._schema = (_schema_of(self._data),)
        return self._schema[0]

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
    def numbers(self) -> Any:
        """Numbers to learn, float32, NaN where unknown; None: there are none. Read-only."""
        if self._data.numbers == NULL:
            return None
        address = int(ffi.cast("uintptr_t", self._data.numbers))
        return _arrays.held(self._data, address, (self.num_nodes,), "<f4")

    @property
    def classes(self) -> Any:
        """Names of the classes, an array; numbers where labels were numbers."""
        np = _arrays.numpy()
        if self._class_names is None and self._data.class_names.count > 0:
            self._class_names = np.array(names_of(self._data.class_names))
        return np.arange(int(self._data.classes)) if self._class_names is None else self._class_names

    def _has_class_names(self) -> bool:
        return self._class_names is not None or int(self._data.class_names.count) > 0

    @property
    def _found(self) -> bool:
        """Were words or classes found in the rows, and not declared?"""
        return self._data.reading != NULL and not self._data.reading.stated

    @property
    def adjacency(self) -> tuple[Any, Any]:
        """Offsets and neighbours of the adjacency in CSR form, both ways of each edge. Read-only."""
        graph = self._data.graph
        return (_arrays.held(self._data, int(ffi.cast("uintptr_t", graph.offsets)), (self.num_nodes + 1,), "<u8"),
                _arrays.held(self._data, int(ffi.cast("uintptr_t", graph.targets)), (int(graph.entries),), "<u4"))

    @property
    def transfers(self) -> dict[str, Any] | None:
        """Sources, targets, and amounts, times (days since 2000-01-01) and kinds (numbers of `kind_names`) where there are any,
        by relation; None: edges have no direction. Read-only."""
        found = self._data.transfers
        if found.sources == NULL:
            return None
        types = {"sources": "<u4", "targets": "<u4", "amounts": "<f4", "times": "<f8", "kinds": "|u1"}
        return {name: _arrays.held(self._data, int(ffi.cast("uintptr_t", getattr(found, name))), (int(found.count),), type_)
                for name, type_ in types.items() if getattr(found, name) != NULL}

    @property
    def kind_names(self) -> list[str]:
        """Names of the kinds of transfers; empty: they have none."""
        return names_of(self._data.transfers.kind_names)

    def window(self, *, before: str | None = None, since: str | None = None, known: str | None = None) -> Graph:
        """Transfers of the days from `since` until before `before` (as "2024-01-31"), and their edges: what was known then.

        `known` names a column of dates: labels of nodes whose day is not before the end are unknown.
        """
        how = ffi.new("sotto_window *")
        texts = [(name, ffi.new("char[]", text.encode())) for name, text in
                 (("before", before), ("since", since), ("known", known)) if text is not None]
        for name, text in texts:
            setattr(how, name, text)
        return Graph._wrap(dataset(lambda out: _core.call(lib.sotto_dataset_window, out, self._data, how), None))

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
        """Writes the native format, which the program and `sotto.load` read, with the schema. Ids that were given to
        `Graph` are not in it."""
        _core.call(lib.sotto_dataset_save, self._data, _core.encoded(path, "path"))


def _mapped_by_networkx(edges: Any) -> bool:
    return not hasattr(edges, "edge_index") and callable(getattr(edges, "nodes", None)) and \
        callable(getattr(edges, "edges", None))


def load(path: str | os.PathLike[str], *, target: str | None = None, nodes: str | os.PathLike[str] | None = None,
         label: str | None = None, types: dict[str, str] | None = None, missing: str | None = None,
         missing_words: Sequence[str] | None = None, header: bool | None = None, decimal: str = ".",
         split: str | os.PathLike[str] | None = None, schema: Any = None, others: bool = False,
         task: str | None = None, edges_to_others: str | os.PathLike[str] | None = None) -> Graph:
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
        The column of classes, or with `task` of numbers to learn ("label").
    types : dict, optional
        Columns by name, where cells or names mislead: "number", "date", "category", "flag", "label",
        "outcome", "id", "split", "drop".
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
    schema : Schema, path or dict, optional
        Columns, types, words and classes as stated: a cell that does not fit is an error.
    others : bool
        A word or a class that the schema lacks is read too, and `predict` counts it as unseen.
    task : "classification" or "regression", optional
        What the column of labels has: classes, or numbers to learn.
    edges_to_others : path, optional
        A list of edges from own nodes to nodes of other owners, such as accounts at other banks. Its first line names
        the columns; the first two have the ids of both ends, of which one is an own node.

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
    return Graph._wrap(Reading(target, nodes, label, types, missing, missing_words, header, decimal, split,
                               as_schema(schema), others, task=task, edges_to_others=edges_to_others).open(path))
