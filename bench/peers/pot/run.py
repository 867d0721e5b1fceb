#!/usr/bin/env python3
"""Gromov-Wasserstein distances of random pairs of graphs by POT: shortest paths, square loss; one pair after the other by conditional
gradient, or all at once by ot.batch, whose solver is another and finds another optimum."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import numpy
import ot
import peer
import scipy.sparse
from scipy.sparse.csgraph import shortest_path


def load(path):
    """The matrix of shortest paths of each graph; one more than the longest where there is no path."""
    with numpy.load(path) as file:
        indptr, indices, first = (file[name].astype(numpy.int64) for name in ("indptr", "indices", "graph_first"))
    whole = scipy.sparse.csr_matrix((numpy.ones(len(indices)), indices, indptr), shape=(len(indptr) - 1,) * 2)
    for begin, end in zip(first, first[1:]):
        d = shortest_path(whole[begin:end, begin:end], directed=False, unweighted=True)
        d[numpy.isinf(d)] = d[numpy.isfinite(d)].max() + 1
        yield d


def loop(graphs, pairs):
    return numpy.array([ot.gromov.gromov_wasserstein2(graphs[a], graphs[b], ot.unif(len(graphs[a])), ot.unif(len(graphs[b])), "square_loss")
                        for a, b in pairs])


def batch(graphs, pairs):
    size = max(map(len, graphs))

    def stack(chosen):
        costs, weights = numpy.zeros((len(chosen), size, size)), numpy.zeros((len(chosen), size))
        for i, d in enumerate(graphs[k] for k in chosen):
            costs[i, :len(d), :len(d)] = d
            weights[i, :len(d)] = 1 / len(d)
        weights = numpy.maximum(weights, 1e-8)  # its logarithms take no weight of 0
        return costs, weights / weights.sum(1, keepdims=True)
    (first, a), (second, b) = stack(pairs[:, 0]), stack(pairs[:, 1])
    return numpy.asarray(ot.batch.solve_gromov_batch(first, second, reg=0.01, a=a, b=b).value)


def work(job):
    graphs = list(load(job["data"]))
    rng, count = numpy.random.default_rng(job["seed"]), job["options"]["pairs"]
    pairs = numpy.array([rng.choice(len(graphs), 2, replace=False) for _ in range(count)])
    found = {"loop": loop, "batch": batch}[job["method"]](graphs, pairs)
    return {"items": count, "value": float(found.mean())}


if __name__ == "__main__":
    peer.main(work, "POT")
