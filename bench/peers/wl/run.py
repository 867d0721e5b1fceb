#!/usr/bin/env python3
"""The Weisfeiler-Lehman subtree kernel (Shervashidze et al. 2011) with scikit-learn's support vector machine: ten folds, whose constant
is chosen by five folds within the training part."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import collections

import numpy
import peer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC


def kernel(path, rounds):
    """Counts of the labels of all rounds, multiplied. The first label of a node is its row of features."""
    with numpy.load(path) as file:
        indptr, indices, first = (file[name].astype(int) for name in ("indptr", "indices", "graph_first"))
        labels, features = file["labels"], file["features"]
    graph_of = numpy.repeat(numpy.arange(len(first) - 1), numpy.diff(first))
    words, seen, counts = [row.tobytes() for row in features], {}, collections.Counter()
    for _ in range(rounds + 1):
        now = [seen.setdefault(word, len(seen)) for word in words]
        counts.update(zip(graph_of.tolist(), now))
        words = [(now[v], *sorted(now[u] for u in indices[indptr[v]:indptr[v + 1]])) for v in range(len(now))]
    table = numpy.zeros((len(first) - 1, len(seen)))
    for (graph, label), count in counts.items():
        table[graph, label] = count
    table /= numpy.maximum(numpy.linalg.norm(table, axis=1, keepdims=True), 1e-12)
    return table @ table.T, labels


def work(job):
    gram, labels = kernel(job["data"], job["options"]["rounds"])
    right = []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=job["seed"]).split(gram, labels):
        search = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.1, 1, 10, 100]}, cv=5)
        search.fit(gram[numpy.ix_(train, train)], labels[train])
        right.append(search.score(gram[numpy.ix_(test, train)], labels[test]))
    return {"accuracy": float(numpy.mean(right))}


if __name__ == "__main__":
    peer.main(work, "scikit-learn")
