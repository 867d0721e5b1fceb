"""Arrays of other packages as numpy arrays, without a copy where none is needed. No other package is imported."""
from __future__ import annotations

import logging
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

from . import errors
from ._core import ffi, lib

log = logging.getLogger("sotto")


def numpy() -> Any:
    """The numpy module, imported at its first use."""
    import numpy as np
    return np


def plain(value: Any, what: str) -> Any:
    """Any array-like as a numpy array: torch tensors (also on a GPU), frames and series, DLPack, lists."""
    np = numpy()
    if isinstance(value, np.ndarray):
        return value
    try:
        if callable(getattr(value, "detach", None)) and callable(getattr(value, "cpu", None)):
            value = value.detach().cpu()
        if callable(getattr(value, "to_numpy", None)):
            return value.to_numpy()
        if hasattr(value, "__array_interface__") or callable(getattr(value, "__array__", None)):
            return np.asarray(value)
        if callable(getattr(value, "numpy", None)):
            return np.asarray(value.numpy())
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
        if isinstance(value, (list, tuple, range)):
            return np.asarray(value)
    except errors.Error:
        raise
    except Exception as problem:  # whatever a foreign object raises
        raise errors.InvalidArgument(f"{what}: cannot be read as an array: {problem}") from problem
    raise errors.InvalidArgument(f"{what}: an array is wanted, not {type(value).__name__}")


def is_sparse(value: Any) -> bool:
    """Whether it is a matrix of scipy.sparse."""
    return hasattr(value, "tocsr")


def dense_rows(data: Any) -> Any:
    """The features of a dataset that holds them sparse, as a read-only dense array."""
    np = numpy()
    out = np.empty((int(data.graph.nodes), int(data.features.cols)), dtype=np.float32)
    lib.sotto_dataset_rows(ffi.cast("float *", out.ctypes.data), data, 0, out.shape[0])
    out.flags.writeable = False
    return out


def features(value: Any, nodes: int | None) -> Any:
    """Features as float32 in C order, one row a node; the array itself where it is that already. A matrix of scipy.sparse
    becomes one of float32 by rows."""
    np = numpy()
    if is_sparse(value):
        value = value.tocsr().astype(np.float32)
        if nodes is not None and value.shape[0] != nodes:
            raise errors.InvalidArgument(f"x: {value.shape[0]} rows for {nodes} nodes")
        log.debug("x: sparse features are copied, %d entries", value.nnz)
        return value
    out = plain(value, "x")
    if out.ndim == 1:
        out = out.reshape(-1, 1)
    if out.ndim != 2:
        raise errors.InvalidArgument(f"x: a row a node is wanted, not an array of {out.ndim} dimensions")
    if nodes is not None and out.shape[0] != nodes:
        raise errors.InvalidArgument(f"x: {out.shape[0]} rows for {nodes} nodes")
    if out.dtype == np.float32 and out.flags.c_contiguous and out.flags.aligned and out.dtype.isnative:
        return out
    if out.dtype.kind == "O":
        try:
            out = out.astype(np.float64)
        except (TypeError, ValueError) as problem:
            raise errors.InvalidArgument(f"x: not numbers: {problem}") from problem
    if out.dtype.kind not in "fiub":
        raise errors.InvalidArgument(f"x: numbers are wanted, not {out.dtype}")
    with np.errstate(over="ignore"):  # what becomes infinite is refused by the library, with its place
        converted = np.ascontiguousarray(out, dtype=np.float32)
    log.info("x: %s is copied as float32 in C order, %d bytes", form(out), converted.nbytes)
    return converted


def form(array: Any) -> str:
    """Type and order of an array, for people: "big-endian float64 in Fortran order"."""
    order = "" if array.flags.c_contiguous else " in Fortran order" if array.flags.f_contiguous else " with gaps"
    return f"{'' if array.dtype.isnative else 'big-endian '}{array.dtype.name}{order}"


def indices(value: Any, what: str) -> Any:
    """Whole numbers of 32 or 64 bits in one contiguous dimension, as the library reads them."""
    np = numpy()
    out = plain(value, what)
    if out.dtype.kind not in "iu":
        whole = out.dtype.kind == "f" and out.size and bool(np.all(np.isfinite(out)) and np.all(out == np.floor(out)))
        if out.size and not whole:
            raise errors.InvalidArgument(f"{what}: whole numbers are wanted, not {out.dtype}")
        out = out.astype(np.int64)
    if out.dtype.itemsize < 4 or not out.dtype.isnative:
        log.info("%s: %s is copied as int64", what, form(out))
        out = out.astype(np.int64)
    return np.ascontiguousarray(out).reshape(-1)


def one_a_node(value: Any, nodes: int | None, numbers: bool = False) -> Any:
    """Labels, or numbers, in one dimension. Objects are made floats where they are numbers, some with a fraction; with
    `numbers`, where they are numbers."""
    if callable(getattr(value, "to_numpy", None)):  # frames: missing values become None or NaN
        value = value.to_numpy()
    out = plain(value, "y")
    if out.ndim == 2 and out.shape[1] == 1:
        out = out.reshape(-1)
    if out.ndim != 1:
        raise errors.InvalidArgument(f"y: one label a node is wanted, not an array of {out.ndim} dimensions")
    if nodes is not None and out.shape[0] != nodes:
        raise errors.InvalidArgument(f"y: {out.shape[0]} labels for {nodes} nodes")
    return _as_floats(out, numbers) if out.dtype.kind == "O" else out


def _as_floats(objects: Any, whole: bool) -> Any:
    """An array of numbers and None as floats; the array itself, where it has others, or is whole and not wanted so."""
    np = numpy()
    found = objects.tolist()
    absent = [item is None or type(item).__name__ == "NAType" for item in found]
    known = [item for item, none in zip(found, absent) if not none]
    if not all(isinstance(item, (Real, Decimal)) and not isinstance(item, bool) for item in known):
        return objects
    try:
        out = np.array([np.nan if none else float(item) for item, none in zip(found, absent)], dtype=np.float64)
    except (OverflowError, ValueError) as problem:
        raise errors.OutOfRange(f"y: {problem}") from problem
    there = out[~np.isnan(out)]
    return out if whole or not np.all(there == np.floor(there)) else objects


def labels(value: Any, nodes: int | None) -> tuple[Any, Any]:
    """Labels as int32 with -1 where unknown, and the names of classes, or None where labels are numbers."""
    np = numpy()
    out = one_a_node(value, nodes)
    if out.dtype.kind in "iu":
        if out.size and (out.min() < -1 or out.max() > 2**31 - 2):
            raise errors.OutOfRange(f"y: labels are -1 (unknown) to 2^31 - 2, and here is {out.min()} to {out.max()}")
        if not out.dtype.isnative:
            log.info("y: %s is copied as int32", form(out))
        return np.ascontiguousarray(out, dtype=np.int32), None
    if out.dtype.kind == "f":
        known = ~np.isnan(out)
        if not np.all(out[known] == np.floor(out[known])) or (known.any() and np.abs(out[known]).max() > 2**31):
            raise errors.InvalidArgument("y: labels are classes: whole numbers or names, with NaN where unknown. Numbers are "
                                         "learnt with task=\"regression\"; or give their ranges as classes (pandas.cut)")
        whole = np.full(out.shape, -1, dtype=np.int64)
        whole[known] = out[known].astype(np.int64)
        return labels(whole, nodes)
    if out.dtype.kind not in "OUSb" and out.dtype.kind != "T":
        raise errors.InvalidArgument(f"y: numbers or names are wanted, not {out.dtype}")
    known = np.array([item is not None and item == item for item in out.tolist()], dtype=bool)
    try:
        names, found = np.unique(out[known], return_inverse=True)
    except TypeError as problem:
        raise errors.InvalidArgument("y: names of classes are of different types") from problem
    whole = np.full(out.shape, -1, dtype=np.int32)
    whole[known] = found.reshape(-1)
    return whole, names


def _column_of(value: Any, edges: Any, what: str) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return edges[value]
    except (KeyError, IndexError, TypeError, ValueError) as problem:
        raise errors.InvalidArgument(f"{what}: edges have no column {value!r}") from problem


def per_edge(value: Any, edges: Any, what: str) -> Any:
    """Amounts as float32, or times as days since 2000-01-01 in float64; of a column of the frame `edges` by its name."""
    np = numpy()
    if value is None:
        return None
    out = np.asarray(_column_of(value, edges, what))
    if out.dtype.kind == "M":
        if what == "amounts":
            raise errors.InvalidArgument("amounts: numbers are wanted, not dates")
        out = (out - np.datetime64("2000-01-01")) / np.timedelta64(1, "D")
    if out.ndim != 1 or out.dtype.kind not in "fiu":
        raise errors.InvalidArgument(f"{what}: a number an edge is wanted, not {out.dtype} in {out.ndim} dimensions")
    return np.ascontiguousarray(out, dtype=np.float32 if what == "amounts" else np.float64)


def kinds(value: Any, edges: Any, names: list[str]) -> Any:
    """Kinds of transfers, words or numbers below the count of names, as uint8; of a column of the frame by its name."""
    np = numpy()
    if value is None:
        return None
    if not names:
        raise errors.InvalidArgument("kinds: have no names; declare them, as in schema=sotto.Schema([], kinds=['cash', 'card'])")
    out = np.asarray(_column_of(value, edges, "kinds"))
    if out.ndim != 1:
        raise errors.InvalidArgument(f"kinds: a word an edge is wanted, not {out.ndim} dimensions")
    if out.dtype.kind in "iu":
        bad = np.flatnonzero((out < 0) | (out >= len(names)))
    else:
        numbers = {name: number for number, name in enumerate(names)}
        words = out.tolist()
        out = np.array([numbers.get(word, -1) if isinstance(word, str) else -1 for word in words], dtype=np.int64)
        bad = np.flatnonzero(out < 0)
        if len(bad):
            raise errors.InvalidArgument(f"kinds: element {bad[0]}, {words[bad[0]]!r}, is none of the declared kinds")
    if len(bad):
        raise errors.OutOfRange(f"kinds: element {bad[0]} is {out[bad[0]]}, and there are {len(names)} kinds")
    return np.ascontiguousarray(out, dtype=np.uint8)


def mask(value: Any, nodes: int, what: str) -> Any:
    """A part of the split, a mask or an array of indices, as one byte a node."""
    np = numpy()
    out = plain(value, what)
    if out.ndim == 2 and 1 in out.shape:
        out = out.reshape(-1)
    if out.ndim != 1:
        raise errors.InvalidArgument(f"{what}: a mask or node numbers in one dimension are wanted")
    if out.dtype.kind == "b":
        if out.shape[0] != nodes:
            raise errors.InvalidArgument(f"{what}: a mask of {out.shape[0]} for {nodes} nodes")
        return np.ascontiguousarray(out).view(np.uint8)
    rows = indices(out, what)
    if rows.size and (rows.min() < 0 or rows.max() >= nodes):
        raise errors.OutOfRange(f"{what}: node numbers are 0 to {nodes - 1}, and here is {rows.min()} to {rows.max()}")
    taken = np.zeros(nodes, dtype=np.uint8)
    taken[rows] = 1
    return taken


def rows_of(ids: Sequence[Any] | Any, values: Any, what: str) -> Any:
    """Row numbers of values among ids."""
    np = numpy()
    try:
        place = {item: row for row, item in enumerate(ids)}
        if len(place) != len(ids):
            raise errors.InvalidArgument("ids: an id stands twice")
        return np.fromiter((place[item] for item in values), dtype=np.int64)
    except KeyError as problem:
        raise errors.NotFound(f"{what}: {problem.args[0]!r} is not among the ids of nodes") from None
    except TypeError as problem:
        raise errors.InvalidArgument(f"{what}: {problem}") from problem


class Held:
    """Memory of the library as numpy sees it; keeps its owner alive."""

    def __init__(self, owner: Any, address: int, shape: tuple[int, ...], kind: str) -> None:
        self._owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "typestr": kind}


def held(owner: Any, address: int, shape: tuple[int, ...], kind: str) -> Any:
    """A read-only array over memory that the owner keeps."""
    np = numpy()
    if 0 in shape:
        return np.zeros(shape, dtype=kind)
    return np.asarray(Held(owner, address, shape, kind))
