"""Gromov-Wasserstein distances between graphs. Arguments are named as in POT. Nothing here is made private.

Examples
--------
>>> import numpy as np, sotto
>>> triangle = 1.0 - np.eye(3)
>>> path = np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
>>> round(sotto.gw.distance(triangle, path), 4)
0.2222
>>> sotto.gw.distance(path, path[::-1, ::-1])
0.0
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _arrays, _core, errors
from ._core import NULL, ffi, lib
from ._join import stacked
from ._watch import Watch
from .graph import Graph, _from_arrays, _set_index

_LOSSES = {"square_loss": "SOTTO_GW_SQUARE", "kl_loss": "SOTTO_GW_KL"}
_SOLVERS = {"conditional_gradient": "SOTTO_GW_CONDITIONAL", "PGD": "SOTTO_GW_PROXIMAL", "PPA": "SOTTO_GW_PROXIMAL",
            "entropic": "SOTTO_GW_ENTROPIC"}
_METRICS = {"euclidean": "SOTTO_GW_EUCLIDEAN", "cosine": "SOTTO_GW_COSINE", "correlation": "SOTTO_GW_CORRELATION"}
_BY = {"paths": "SOTTO_GW_BY_PATHS", "features": "SOTTO_GW_BY_FEATURES", "fused": "SOTTO_GW_BY_FUSED",
       "kernel": "SOTTO_GW_BY_KERNEL", "edits": "SOTTO_GW_BY_EDITS", "size": "SOTTO_GW_BY_SIZE"}


def _choice(table: dict[str, str], value: Any, what: str) -> Any:
    return getattr(lib, _core.chosen(value, table, what))


def _doubles(value: Any, what: str, shape: tuple[int | None, ...]) -> Any:
    np = _arrays.numpy()
    out = _arrays.plain(value, what)
    if out.dtype.kind not in "fiub":
        raise errors.InvalidArgument(f"{what}: numbers are wanted, not {out.dtype}")
    if out.ndim != len(shape) or any(want is not None and got != want for got, want in zip(out.shape, shape)):
        wanted = " x ".join("n" if size is None else str(size) for size in shape)
        raise errors.InvalidArgument(f"{what}: an array of {wanted} is wanted, not {out.shape}")
    return np.ascontiguousarray(out, dtype=np.float64)


def _address(array: Any) -> Any:
    return ffi.cast("double *", array.ctypes.data)


class _Space:
    """A sotto_gw_space and the arrays that it borrows."""

    def __init__(self, distance: Any, weight: Any, what: str) -> None:
        np = _arrays.numpy()
        self.distance = _doubles(distance, what, (None, None))
        self.points = self.distance.shape[0]
        if self.distance.shape[1] != self.points:
            raise errors.InvalidArgument(f"{what}: a square matrix is wanted, not {self.distance.shape}")
        turned = self.distance.T
        if not np.array_equal(self.distance, turned) and np.allclose(self.distance, turned, rtol=1e-9, atol=0):
            self.distance = (self.distance + turned) / 2  # what rounding alone made differ
        self.weight = None if weight is None else _doubles(weight, f"weights of {what}", (self.points,))
        self.struct = ffi.new("sotto_gw_space *", [self.points, _address(self.distance),
                                                   NULL if self.weight is None else _address(self.weight)])


def _options(loss_fun: str, solver: str, starts: int | None, max_iter: int | None, tol: float | None,
             epsilon: float | None) -> Any:
    out = ffi.new("sotto_gw_options *")
    out[0] = lib.sotto_gw_defaults()
    out.loss, out.solver = _choice(_LOSSES, loss_fun, "loss_fun"), _choice(_SOLVERS, solver, "solver")
    for name, value, what in (("starts", starts, "starts"), ("iterations", max_iter, "max_iter")):
        if value is not None:
            setattr(out, name, _core.whole(value, what, 0, 2**32 - 1))
    for name, number, what in (("tolerance", tol, "tol"), ("entropy", epsilon, "epsilon")):
        if number is not None:
            setattr(out, name, _core.real(number, what))
    return out


def _solve(C1: Any, C2: Any, p: Any, q: Any, options: Any, M: Any, alpha: float, plan: bool) -> tuple[float, Any]:
    np = _arrays.numpy()
    a, b = _Space(C1, p, "C1"), _Space(C2, q, "C2")
    cost = None if M is None else _doubles(M, "M", (a.points, b.points))
    if cost is not None:
        options.alpha, options.feature_cost = _core.real(alpha, "alpha"), _address(cost)
    out = ffi.new("sotto_gw_result *")
    transport = np.empty((a.points, b.points)) if plan else None
    _core.call(lib.sotto_gw_distance, out, NULL if transport is None else _address(transport), a.struct, b.struct,
               options)
    return float(out.value), transport


def distance(C1: Any, C2: Any, p: Any = None, q: Any = None, loss_fun: str = "square_loss", *, M: Any = None,
             alpha: float = 0.5, solver: str = "conditional_gradient", starts: int | None = None,
             max_iter: int | None = None, tol: float | None = None, epsilon: float | None = None) -> float:
    """The Gromov-Wasserstein value of the best plan found, as POT's ``gromov_wasserstein2``.

    Parameters
    ----------
    C1, C2 : arrays of shape (n, n) and (m, m)
        Distances within each space: finite, symmetric but for rounding.
    p, q : arrays of shape (n,) and (m,), optional
        Weights, positive, with sum 1; default: uniform.
    loss_fun : {"square_loss", "kl_loss"}, optional
    M : array of shape (n, m), optional
        Cost between features: the value is then the fused one (Vayer et al. 2019).
    alpha : float, optional
        Weight of the structure where there is `M`.
    solver : {"conditional_gradient", "PPA", "entropic"}, optional
    starts : int, optional
        Starts of which the best is taken, 1 to 64; default 6 (POT: 1).
    max_iter, tol, epsilon : optional
        Steps of the outer loop, the gain at which it stops, the weight of entropy.

    Returns
    -------
    float
        An upper bound of the minimum, which is not convex.

    Raises
    ------
    InvalidArgument, OutOfRange, NotFinite
    """
    options = _options(loss_fun, solver, starts, max_iter, tol, epsilon)
    return _solve(C1, C2, p, q, options, M, alpha, False)[0]


def plan(C1: Any, C2: Any, p: Any = None, q: Any = None, loss_fun: str = "square_loss", *, M: Any = None,
         alpha: float = 0.5, solver: str = "conditional_gradient", starts: int | None = None,
         max_iter: int | None = None, tol: float | None = None, epsilon: float | None = None) -> Any:
    """The plan itself, n x m, as POT's ``gromov_wasserstein``; arguments as `distance`."""
    options = _options(loss_fun, solver, starts, max_iter, tol, epsilon)
    return _solve(C1, C2, p, q, options, M, alpha, True)[1]


def paths(graph: Graph) -> Any:
    """Hops between all nodes of a graph, nodes x nodes; at most 10,000 nodes."""
    np = _arrays.numpy()
    if not isinstance(graph, Graph):
        raise errors.InvalidArgument(f"graph: a Graph is wanted, not {type(graph).__name__}")
    if graph.num_nodes > 10000:
        raise errors.OutOfRange(f"graph: {graph.num_nodes} nodes, and at most 10000 are compared")
    out = np.empty((graph.num_nodes, graph.num_nodes))
    graph_field = ffi.addressof(graph._data, "graph")
    _core.call(lib.sotto_gw_paths, _address(out), graph_field)
    return out


class Barycenter(NamedTuple):
    """Distances within the mean space, and the mean value to it."""

    C: Any
    value: float


def barycenter(N: int, Cs: Sequence[Any], ps: Sequence[Any] | None = None, lambdas: Any = None,
               loss_fun: str = "square_loss", *, rounds: int = 100, max_iter: int | None = None,
               tol: float | None = None) -> Barycenter:
    """The space of `N` points that is nearest to others on average (Peyre, Cuturi and Solomon 2016).

    Parameters
    ----------
    N : int
        Points of the mean space.
    Cs : sequence of arrays
        Distances within each space.
    ps : sequence of arrays, optional
        Weights of each.
    lambdas : array, optional
        Positive weights of the spaces with sum 1; default: equal.
    rounds : int, optional
        At most so many.

    Returns
    -------
    Barycenter
        `C` (N x N) and `value`.
    """
    np = _arrays.numpy()
    points = _core.whole(N, "N", 1, 10000)
    if ps is not None and len(_core.listed(ps, "ps")) != len(_core.listed(Cs, "Cs")):
        raise errors.InvalidArgument(f"ps: {len(ps)} arrays for {len(Cs)} spaces")
    spaces = [_Space(space, None if ps is None else ps[i], f"Cs[{i}]") for i, space in enumerate(_core.listed(Cs, "Cs"))]
    rows = ffi.new("sotto_gw_space[]", [space.struct[0] for space in spaces])
    shares = None if lambdas is None else _doubles(lambdas, "lambdas", (len(spaces),))
    options = _options(loss_fun, "conditional_gradient", None, max_iter, tol, None)
    out, value = np.empty((points, points)), ffi.new("double *")
    _core.call(lib.sotto_gw_barycentre, _address(out), value, points, rows,
               NULL if shares is None else _address(shares), len(spaces), _core.whole(rounds, "rounds", 1, 2**32 - 1),
               options)
    return Barycenter(out, float(value[0]))


def pairwise(graphs: Graph | Sequence[Any], by: str = "paths", *, metric: str = "euclidean", alpha: float = 0.5,
             loss_fun: str = "square_loss") -> Any:
    """Distances of all pairs, count x count, on the threads of the library.

    Parameters
    ----------
    graphs : Graph or sequence of Graph
        A collection (`sotto.load` of a TUDataset folder), or single graphs.
    by : {"paths", "features", "fused", "kernel", "edits", "size"}, optional
        What graphs are compared by.
    metric : {"euclidean", "cosine", "correlation"}, optional
        Of features.
    alpha : float, optional
        Weight of the structure, by "fused".

    Returns
    -------
    array of shape (count, count)
    """
    np = _arrays.numpy()
    data = graphs if isinstance(graphs, Graph) else collection(graphs)
    gw = _options(loss_fun, "conditional_gradient", None, None, None, None)
    gw.alpha = _core.real(alpha, "alpha")
    how = ffi.new("sotto_gw_plan *")
    how.by, how.metric, how.gw = _choice(_BY, by, "by"), _choice(_METRICS, metric, "metric"), gw
    table = ffi.gc(ffi.new("sotto_gw_table *"), lib.sotto_gw_table_free)
    watch = Watch()
    watch.run(lambda: _core.call(lib.sotto_gw_compare, table, data._data, how, watch.observer))
    count = int(table.count)
    address = int(ffi.cast("uintptr_t", table.distance))
    return np.array(_arrays.held(table, address, (count, count), "<f8"))


def collection(graphs: Sequence[Any]) -> Graph:
    """One collection of several graphs."""
    offsets, neighbours, x, first = stacked(graphs)
    arrays = ffi.new("sotto_arrays *")
    arrays.nodes, arrays.graph_count = int(first[-1]), len(first) - 1
    arrays.graph_first = ffi.cast("uint64_t *", first.ctypes.data)
    if x.shape[1]:
        arrays.features, arrays.feature_columns = ffi.cast("float *", x.ctypes.data), x.shape[1]
    _set_index(arrays.offsets, offsets)
    _set_index(arrays.neighbours, neighbours)
    return Graph._wrap(_from_arrays(arrays, None))
