"""Several graphs as one: side by side, or what two parties have of the same nodes."""
from __future__ import annotations

import tempfile
from collections.abc import Sequence
from typing import Any

from . import _arrays, _core, _options, errors
from .graph import Graph
from .schema import Column, Schema


def _merged(name: str, found: list[Column]) -> Column:
    """One column of all graphs, with the words of all."""
    if len({column.type for column in found}) > 1:
        raise errors.InvalidArgument(f"graphs: column {name!r} is of different types: {', '.join(c.type for c in found)}")
    words = None if found[0].words is None else tuple(sorted({word for column in found for word in column.words or ()}))
    return Column(name, found[0].type, found[0].missing, words)


def _common(graphs: Sequence[Graph]) -> Schema | None:
    """Columns by name, in the order of the first graph; None: they have no names."""
    features = [{} if graph.schema is None else {c.name: c for c in graph.schema.columns if c.missing is not None}
                for graph in graphs]
    if not any(features):
        return None
    for number, own in enumerate(features[1:], 2):
        lost, more = features[0].keys() - own.keys(), own.keys() - features[0].keys()
        if lost or more:
            raise errors.InvalidArgument(
                f"graphs: graph {number} has not the columns of graph 1. Missing: {', '.join(sorted(lost)) or 'none'}. Not in "
                f"graph 1: {', '.join(sorted(more)) or 'none'}. Rename, add or drop them")
    out = Schema([_merged(name, [own[name] for own in features]) for name in features[0]])
    out._found = any(graph._found for graph in graphs)
    return out


def _in_order(graph: Graph, schema: Schema | None) -> Any:
    """Its features in the order of a schema of all; a word that it does not have is in no row."""
    np = _arrays.numpy()
    if schema is None or graph.schema is None or graph.schema.features == schema.features:
        return graph.x
    place = {name: column for column, name in enumerate(graph.schema.features)}
    out = np.zeros((graph.num_nodes, len(schema.features)), dtype=np.float32)
    for column, name in enumerate(schema.features):
        if name in place:
            out[:, column] = graph.x[:, place[name]]
    return out


def stacked(graphs: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    """Offsets, neighbours and features of graphs that stand one after the other, and the first node of each."""
    np = _arrays.numpy()
    made = [graph if isinstance(graph, Graph) else Graph(graph) for graph in _core.listed(graphs, "graphs")]
    if not made:
        raise errors.InvalidArgument("graphs: at least one is wanted")
    schema = _common(made)
    rows = [_in_order(graph, schema) for graph in made]
    if len({x.shape[1] for x in rows}) > 1:
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
    x = np.ascontiguousarray(np.concatenate(rows))
    return np.concatenate(offsets), np.concatenate(ends), x, first


def _pairs(offsets: Any, neighbours: Any) -> Any:
    np = _arrays.numpy()
    sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint32), np.diff(offsets.astype(np.int64)))
    return sources, np.asarray(neighbours, dtype=np.uint32)


def two_parties(firm: Graph, partner: Graph, regression: bool = False) -> Graph:
    """One graph of the edges and features of a data party and the labels, or numbers to learn, of a label party."""
    if firm.num_nodes != partner.num_nodes or firm.ids != partner.ids:
        raise errors.InvalidArgument("parties: they do not have the same nodes in the same order; sotto.align finds "
                                     "those in common")
    if (partner.numbers if regression else partner.y) is None:
        raise errors.InvalidArgument("parties: the second one, the label party, has no "
                                     f"{'numbers to learn' if regression else 'labels'}")
    y = partner.numbers if regression else _named(partner) if partner._has_class_names() else partner.y
    parts = {name: partner.part(name) for name in ("train", "validation", "test")}
    return Graph(_pairs(*firm.adjacency), firm.x, y, ids=None, nodes=firm.num_nodes, name=firm.name, schema=_common([firm]),
                 task="regression" if regression else "classification",
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
    named = [graph._has_class_names() for graph in graphs]
    if any(named) and not all(named):
        raise errors.InvalidArgument("parties: classes of some clients have names, and of others numbers")
    y = np.concatenate([_named(graph) if any(named) else graph.y for graph in graphs])
    whole = Graph(_pairs(offsets, neighbours), x, y, nodes=int(first[-1]), name="clients", schema=_common(graphs))
    with tempfile.NamedTemporaryFile("w", prefix="sotto-clients-", delete=False) as file:
        for number, graph in enumerate(graphs, 1):
            file.write(f"{number}\n" * graph.num_nodes)
    return whole, file.name


def topology(method: str) -> str:
    """Who takes part in a run of a method."""
    return _options.methods()[method].parties
