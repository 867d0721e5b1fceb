#!/usr/bin/env python3
"""GCN, GIN and GraphSAGE by PyTorch Geometric, without privacy: full batches, 64 columns, dropout 0.5, Adam at rate 0.01, and the epoch
with the best validation accuracy."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import copy

import peer
import sklearn.metrics  # noqa: F401  loaded before the clock starts
import torch
from torch.nn import functional
from torch_geometric.nn import GCNConv, GINConv, SAGEConv

torch.set_num_threads(1)
LAYERS = {"gcn": lambda rows, cols: GCNConv(rows, cols, cached=True), "gin": lambda rows, cols: GINConv(torch.nn.Linear(rows, cols)),
          "sage": SAGEConv}


def work(job):
    torch.manual_seed(job["seed"])
    data, options = peer.Data(job["data"]), job["options"]
    coo = data.adjacency.tocoo()
    edges = torch.stack([torch.from_numpy(coo.row.astype("int64")), torch.from_numpy(coo.col.astype("int64"))])
    x, labels = torch.from_numpy(data.features.toarray()), torch.from_numpy(data.labels)
    train, validation, test = (torch.from_numpy(part) for part in data.parts)
    widths = [x.shape[1], *[64] * (options["layers"] - 1), data.classes]
    layers = torch.nn.ModuleList(LAYERS[job["method"]](a, b) for a, b in zip(widths, widths[1:]))
    optimiser = torch.optim.Adam(layers.parameters(), lr=0.01, weight_decay=5e-4)

    def forward(training):
        row = x
        for i, layer in enumerate(layers):
            row = layer(functional.dropout(row, 0.5, training), edges)
            row = row.relu() if i + 1 < len(layers) else row
        return row
    best, kept = -1, None
    for _ in range(options["epochs"]):
        optimiser.zero_grad()
        functional.cross_entropy(forward(True)[train], labels[train]).backward()
        optimiser.step()
        with torch.no_grad():
            right = (forward(False)[validation].argmax(1) == labels[validation]).float().mean().item()
        if right > best:
            best, kept = right, copy.deepcopy(layers.state_dict())
    layers.load_state_dict(kept)
    with torch.no_grad():
        scores = forward(False)[test].numpy()
    return {**peer.measures(scores, data.labels[data.parts[2]]), "validation": best}


if __name__ == "__main__":
    peer.main(work, "torch-geometric")
