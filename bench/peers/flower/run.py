#!/usr/bin/env python3
"""Federated averaging by Flower's FedAvg strategy, in one process without its network: ten clients with a tenth of the nodes each and
the edges among them, and a GCN of two layers of 64 columns in PyTorch. Bytes are those of Flower's serialised parameters, both ways; with
secure-aggregation, by SecAgg+ (secure.py), those of all its messages."""
import os
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
warnings.filterwarnings("ignore")
import copy
import logging

import numpy
import peer
import secure
import sklearn.metrics  # noqa: F401  loaded before the clock starts
import torch
from flwr.common import Code, FitRes, Status, ndarrays_to_parameters, parameters_to_ndarrays
from flwr.server.strategy import FedAvg
from networks import csr
from scipy import sparse
from torch import nn
from torch.nn import functional

logging.getLogger("flwr").setLevel(logging.ERROR)


class Network(nn.Module):
    def __init__(self, columns, classes):
        super().__init__()
        self.first, self.last = nn.Linear(columns, 64), nn.Linear(64, classes)

    def forward(self, graph, x):
        hidden = graph @ self.first(functional.dropout(x, 0.5, self.training))
        return graph @ self.last(functional.dropout(hidden.relu(), 0.5, self.training))


def clients_of(data, clients, rng):
    owner = rng.integers(0, clients, len(data.labels))
    marks = numpy.zeros(len(data.labels), int)
    for part, rows in enumerate(data.parts, 1):
        marks[rows] = part
    for client in range(clients):
        mine = numpy.flatnonzero(owner == client)
        own = data.adjacency[mine][:, mine] + sparse.identity(len(mine), dtype=numpy.float32, format="csr")
        scale = sparse.diags((1 / numpy.sqrt(numpy.asarray(own.sum(1)).ravel())).astype(numpy.float32))
        yield (csr((scale @ own @ scale).tocsr()), torch.from_numpy(data.features[mine].toarray()), torch.from_numpy(data.labels[mine]),
               torch.from_numpy(marks[mine]))


def work(job):
    torch.manual_seed(job["seed"])
    data, options = peer.Data(job["data"]), job["options"]
    held = list(clients_of(data, options["clients"], numpy.random.default_rng(job["seed"])))
    model, strategy, sent, best = Network(data.features.shape[1], data.classes), FedAvg(), 0, -1
    weights = ndarrays_to_parameters([value.detach().numpy() for value in model.parameters()])
    hidden = secure.SecureAverage(len(held)) if options.get("secure-aggregation") else None
    optimisers = [None] * len(held)
    copies = [copy.deepcopy(model) for _ in held]

    def load(target, parameters):
        with torch.no_grad():
            for value, array in zip(target.parameters(), parameters_to_ndarrays(parameters)):
                value.copy_(torch.from_numpy(array))

    def scores(part):
        model.eval()
        with torch.no_grad():
            return (torch.cat([model(graph, x)[marks == part] for graph, x, _, marks in held]),
                    torch.cat([labels[marks == part] for _, _, labels, marks in held]))
    for round_number in range(options["rounds"]):
        results = []
        for i, (graph, x, labels, marks) in enumerate(held):
            own = copies[i].train()
            load(own, weights)
            optimisers[i] = optimisers[i] or torch.optim.Adam(own.parameters(), lr=0.01, weight_decay=5e-4)
            optimisers[i].zero_grad()
            functional.cross_entropy(own(graph, x)[marks == 1], labels[marks == 1]).backward()
            optimisers[i].step()
            back = ndarrays_to_parameters([value.detach().numpy() for value in own.parameters()])
            sent += 0 if hidden else sum(map(len, weights.tensors)) + sum(map(len, back.tensors))
            results.append((None, FitRes(Status(Code.OK, ""), back, int((marks == 1).sum()), {})))
        if hidden:
            weights = hidden.average(round_number + 1, weights, [result for _, result in results])
        else:
            weights = strategy.aggregate_fit(round_number + 1, results, [])[0]
        load(model, weights)
        said, labels = scores(2)
        right = (said.argmax(1) == labels).float().mean().item()
        if right > best:
            best, kept = right, copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    said, labels = scores(3)
    return {**peer.measures(said.numpy(), labels.numpy()), "validation": best, "sent_bytes": hidden.sent if hidden else sent}


if __name__ == "__main__":
    peer.main(work, "flwr")
