#!/usr/bin/env python3
"""ProGAP's training loop, re-implemented: Sajadmanesh and Gatica-Perez 2024, in PyTorch; full batches at edge level, DP-Adam at
node level.

Stage 0 is a network on features. Stage s embeds all nodes with the base network of stage s - 1, scales rows to unit norm, adds them
up over neighbours with Gaussian noise and scales again. Its submodel has a base network for the features and for each of these
tables, whose outputs are joined for a new head; base networks of earlier stages are trained further. The last stage is the model.
At node level edges are dropped at random until no node has more than max_degree, and one noise multiplier is calibrated for all
trainings and sums together, as the published program does."""
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
from networks import First, csr, fit, fit_private, noise_for, renyi, table, unit
from scipy import sparse
from torch import nn
from torch.nn import functional


class Submodel(nn.Module):
    def __init__(self, bases, hidden, classes):
        super().__init__()
        self.bases = nn.ModuleList(bases)
        self.head = nn.Linear(len(bases) * hidden, classes)

    def embed(self, tables):
        return torch.cat([functional.selu(base(x)) for base, x in zip(self.bases, tables)], dim=1)

    def forward(self, tables):
        return self.head(functional.dropout(self.embed(tables), 0.5, self.training))


def bounded(adjacency, most, rng):
    """Edges in a random order, kept while both ends have fewer than `most`."""
    upper = sparse.triu(adjacency, 1).tocoo()
    order, degrees, kept = rng.permutation(upper.nnz), [0] * adjacency.shape[0], []
    for i, a, b in zip(order, upper.row[order].tolist(), upper.col[order].tolist()):
        if degrees[a] < most and degrees[b] < most:
            degrees[a] += 1
            degrees[b] += 1
            kept.append(i)
    half = sparse.csr_matrix((numpy.ones(len(kept), numpy.float32), (upper.row[kept], upper.col[kept])), shape=adjacency.shape)
    return (half + half.T).tocsr()


def events(job, nodes, batch, epochs):
    """make(z): everything that is released, as an event; and the same for `sotto account --compose`."""
    layers = job["options"]["layers"]
    if job["level"] == "edge":
        return (lambda z: dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(z), layers),
                lambda z: [f"gaussian noise={z!r} count={layers}"])
    share = batch / nodes
    steps = int(epochs / share) * (layers + 1)

    def make(z):
        sampled = dp_accounting.PoissonSampledDpEvent(share, dp_accounting.GaussianDpEvent(z))
        return dp_accounting.ComposedDpEvent([dp_accounting.SelfComposedDpEvent(sampled, steps),
                                              dp_accounting.SelfComposedDpEvent(dp_accounting.GaussianDpEvent(z), layers)])
    return make, lambda z: [f"subsampled-gaussian noise={z!r} rate={share!r} count={steps}", f"gaussian noise={z!r} count={layers}"]


def train(model, stage, tables, data, labels, z, job):
    if job["level"] == "edge":
        rows = [[data_rows(x, part) for x in tables] for part in data.parts[:2]]
        return fit(model, rows, labels[:2], job["epochs"])
    part = data.parts[0]
    dense = [x if isinstance(x, torch.Tensor) else torch.from_numpy(x[part].toarray()) for x in tables]
    dense = [x if len(x) == len(part) else x[part] for x in dense]
    fit_private(model, lambda chosen: [x[chosen] for x in dense], labels[0], z, job["epochs"])
    with torch.no_grad():
        said = model([data_rows(x, data.parts[1]) for x in tables]).argmax(1)
    return (said == labels[1]).float().mean().item()


def data_rows(x, part):
    return x[part] if isinstance(x, torch.Tensor) else table(x[part])


def work(job):
    torch.manual_seed(job["seed"])
    data, hidden, node = peer.Data(job["data"]), 64, job["level"] == "node"
    job["epochs"] = job["options"].get("epochs", 10 if node else 100)
    adjacency = data.adjacency
    if node:
        adjacency = bounded(adjacency, job["max_degree"], numpy.random.default_rng(job["seed"]))
    graph = csr(adjacency)
    make, compose = events(job, len(data.parts[0]), 256, job["epochs"])
    z = noise_for(make, job["epsilon"], job["delta"])
    sensitivity = math.sqrt(job["max_degree"] if node else 2)
    labels = [torch.from_numpy(data.labels[part]) for part in data.parts]
    tables, bases = [data.features], [First(data.features.shape[1], hidden)]
    for stage in range(job["options"]["layers"] + 1):
        model = Submodel(bases, hidden, data.classes)
        right = train(model, stage, tables, data, labels, z, job)
        if stage == job["options"]["layers"]:
            break
        with torch.no_grad():
            last = tables[-1] if isinstance(tables[-1], torch.Tensor) else table(tables[-1])
            x = graph @ unit(functional.selu(bases[-1].eval()(last)))
            tables.append(unit(x + sensitivity * z * torch.randn_like(x)))
        bases.append(nn.Linear(hidden, hidden))
    with torch.no_grad():
        scores = model([data_rows(x, data.parts[2]) for x in tables]).numpy()
    return {**peer.measures(scores, data.labels[data.parts[2]]), "validation": right, "compose": compose(z),
            "epsilon_theirs": renyi(make(z), job["delta"])}


if __name__ == "__main__":
    peer.main(work, "torch")
