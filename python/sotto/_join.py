"""Several graphs as one: side by side, or what two parties have of the same nodes."""
from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

from . import _arrays, _core, _options, errors
from .graph import Graph


def stacked(graphs: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    """Offsets, neighbours and features of graphs that stand one after the other, and the first node of each."""
    np = _arrays.numpy()
    made = [graph if isinstance(graph, Graph) else Graph(graph) for graph in _core.listed(graphs, "graphs")]
    if not made:
        raise errors.InvalidArgument("graphs: at least one is wanted")
    if len({graph.x.shape[1] for graph in made}) > 1:
        raise errors.InvalidArgument("graphs: they have different numbers of features")
    first = np.concatenate([[0], np.cumsum([graph.num_nodes for graph in made])]).astype(np.uint64)
    offsets: list[Any] = [np.zeros(1, dtype=np.uint64)]
    ends: list[Any] = []
    shift = np.uint64(0)
    for graph, start in zip(made, first):
        own, targets = graph.adjacency
        offsets.append(own[1:] + shift)
        ends.append(targets + start.astype(np.uint32))
        shift += own[-1]
    x = np.ascontiguousarray(np.concatenate([graph.x for graph in made]))
    return np.concatenate(offsets), np.concatenate(ends), x, first


def _pairs(offsets: Any, neighbours: Any) -> Any:
    np = _arrays.numpy()
    sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets.astype(np.int64)))
    return sources, np.asarray(neighbours, dtype=np.uint32)


def two_parties(firm: Graph, partner: Graph) -> Graph:
    """One graph of the edges and features of a data party and the labels of a label party."""
    if firm.num_nodes != partner.num_nodes or firm.ids != partner.ids:
        raise errors.InvalidArgument("parties: they do not have the same nodes in the same order; sotto.align finds "
                                     "those in common")
    if partner.y is None:
        raise errors.InvalidArgument("parties: the second one, the label party, has no labels")
    y = partner.y if partner._class_names is None else _named(partner)
    parts = {name: partner.part(name) for name in ("train", "validation", "test")}
    return Graph(_pairs(*firm.adjacency), firm.x, y, ids=None, nodes=firm.num_nodes, name=firm.name,
                 **{name: part for name, part in parts.items() if part is not None and part.any()})


def _named(graph: Graph) -> Any:
    np = _arrays.numpy()
    out = np.array([None] * graph.num_nodes, dtype=object)
    known = graph.y != -1
    out[known] = graph.classes[graph.y[known]]
    return out


def clients(graphs: Sequence[Graph]) -> tuple[Graph, str]:
    """One graph of what all clients have, without edges between them, and a file with the client of each node."""
    np = _arrays.numpy()
    if any(graph.y is None for graph in graphs):
        raise errors.InvalidArgument("parties: every client needs labels")
    offsets, neighbours, x, first = stacked(graphs)
    names = {tuple(graph.classes.tolist()) for graph in graphs if graph._class_names is not None}
    if len(names) > 1 or (names and any(graph._class_names is None for graph in graphs)):
        raise errors.InvalidArgument("parties: the clients have different names of classes")
    y = np.concatenate([_named(graph) if names else graph.y for graph in graphs])
    whole = Graph(_pairs(offsets, neighbours), x, y, nodes=int(first[-1]), name="clients")
    with tempfile.NamedTemporaryFile("w", prefix="sotto-clients-", delete=False) as file:
        for number, graph in enumerate(graphs, 1):
            file.write(f"{number}\n" * graph.num_nodes)
    return whole, file.name


def topology(method: str) -> str:
    """Who takes part in a run of a method."""
    return _options.methods()[method].parties
