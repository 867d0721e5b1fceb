#!/usr/bin/env python3
"""LPGNet's training loop, re-implemented: Kolluri et al. 2022, edge level, in PyTorch, full batches.

A perceptron on features predicts classes. Then K times: for each node, counts of its neighbours by predicted class, with Laplace
noise, go with the embeddings of the perceptrons before into the next perceptron, which predicts again. An edge changes two counts
by 1, so a round of scale b costs 2 / b."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import dp_accounting
import numpy
import peer
import sklearn.metrics  # noqa: F401  loaded before the clock starts
import torch
from dp_accounting.pld import PLDAccountant
from networks import Classifier, Encoder, fit, rows_of, table


def work(job):
    torch.manual_seed(job["seed"])
    data, rounds, hidden = peer.Data(job["data"]), job["options"]["layers"], 64
    epochs, scale = job["options"].get("epochs", 100), 2 * rounds / job["epsilon"]
    rng = numpy.random.default_rng(job["seed"])
    tables, labels = rows_of(data)
    encoder = Encoder(data.features.shape[1], hidden, data.classes)
    fit(encoder, tables, labels, epochs)
    with torch.no_grad():
        embedded = encoder.embed(table(data.features))
        scores = encoder.head(embedded)
    inputs = [embedded]
    for _ in range(rounds):
        counts = data.adjacency @ numpy.eye(data.classes, dtype=numpy.float32)[scores.argmax(1).numpy()]
        noisy = counts + rng.laplace(0, scale, counts.shape).astype(numpy.float32)
        vectors = torch.from_numpy(numpy.clip(noisy, 0, None))
        inputs.append(vectors / vectors.sum(1, keepdim=True).clamp(min=1))
        model = Classifier([x.shape[1] for x in inputs], hidden, data.classes)
        right = fit(model, [[x[part] for x in inputs] for part in data.parts[:2]], labels, epochs)
        with torch.no_grad():
            scores = model(inputs)
    theirs = PLDAccountant().compose(dp_accounting.LaplaceDpEvent(scale / 2), rounds).get_epsilon(job["delta"])
    return {**peer.measures(scores[data.parts[2]].numpy(), data.labels[data.parts[2]]), "validation": right,
            "compose": [f"laplace noise={scale / 2!r} count={rounds}"], "epsilon_theirs": theirs}


if __name__ == "__main__":
    peer.main(work, "torch")
