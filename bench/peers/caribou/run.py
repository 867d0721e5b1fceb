#!/usr/bin/env python3
"""CARIBOU's training loop, re-implemented: Zheng et al. 2026, edge level, in PyTorch, full batches.

An encoder is trained on labels without edges. Its rows of unit norm pass K contractive layers: the mean over neighbours times C_L,
plus the first row, plus Gaussian noise, scaled back into the unit ball. A perceptron reads the last layer alone. Two departures keep its claim
true: degrees below a public floor count as the floor, for the least degree of the graph is private, and no hop follows the noise."""
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import dp_accounting
import numpy
import peer
import sklearn.metrics  # noqa: F401  loaded before the clock starts
import torch
from dp_accounting.rdp import RdpAccountant  # noqa: F401
from networks import Classifier, Encoder, csr, fit, noise_for, renyi, rows_of, table, unit
from scipy import sparse

FLOOR = 100
CONTRACTION = 0.9


def event(z, layers):
    """K contractive layers as one Gaussian mechanism (theorem 4): mu grows with K to a limit."""
    power = CONTRACTION ** layers
    factor = math.sqrt((1 - power) / (1 + power) * (1 + CONTRACTION) / (1 - CONTRACTION))
    return dp_accounting.GaussianDpEvent(z / factor)


def work(job):
    torch.manual_seed(job["seed"])
    data, layers, hidden = peer.Data(job["data"]), job["options"]["layers"], 64
    degrees = numpy.maximum(numpy.asarray(data.adjacency.sum(1)).ravel(), FLOOR)
    graph = csr((sparse.diags((1 / degrees).astype(numpy.float32)) @ data.adjacency).tocsr())
    tables, labels = rows_of(data)
    encoder = Encoder(data.features.shape[1], hidden, data.classes)
    fit(encoder, tables, labels, job["options"].get("epochs", 100))
    z = noise_for(lambda z: event(z, layers), job["epsilon"], job["delta"])
    # A neighbour more or less moves a mean of at most FLOOR rows by 1 / FLOOR, of more rows by less than 2 / FLOOR; two rows change.
    sigma = z * CONTRACTION * math.sqrt(2) * 2 / FLOOR
    with torch.no_grad():
        first = x = unit(encoder.embed(table(data.features)))
        for layer in range(layers):
            x = CONTRACTION * (graph @ x) + first + sigma * torch.randn_like(x)
            x = x if layer + 1 == layers else x / x.norm(dim=1, keepdim=True).clamp(min=1)
        x = unit(x)
    model = Classifier([hidden], hidden, data.classes)
    right = fit(model, [[x[part]] for part in data.parts[:2]], labels, job["options"].get("epochs", 100))
    with torch.no_grad():
        scores = model([x[data.parts[2]]]).numpy()
    return {**peer.measures(scores, data.labels[data.parts[2]]), "validation": right,
            "compose": [f"contractive noise={z!r} layers={layers} lipschitz={CONTRACTION}"],
            "epsilon_theirs": renyi(event(z, layers), job["delta"])}


if __name__ == "__main__":
    peer.main(work, "torch")
