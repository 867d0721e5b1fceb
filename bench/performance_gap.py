"""GAP's training loop, re-implemented for bench/performance_peers.py: Sajadmanesh et al. 2023, edge level, in PyTorch, full batches.

An encoder (a layer of `hidden` units and a head) is trained on labels without edges. Its embeddings are scaled to unit norm, then K
times: summed over neighbours, Gaussian noise added, scaled to unit norm again. A perceptron a hop, joined, and a head are trained
on the K + 1 tables. Both trainings look at the validation nodes after each epoch, and keep the best. Adam at rate 0.01, SELU,
dropout 0.5. Features enter as a sparse table where that is faster: both are tried by who calls.
"""
import copy
import math

import numpy
import scipy.sparse
import torch
from torch import nn
from torch.nn import functional


def read(path):
    with numpy.load(path, allow_pickle=True) as file:
        parts = {name: file[name] for name in file.files}
    adjacency, features = (scipy.sparse.csr_matrix((parts[f"{name}_data"], parts[f"{name}_indices"], parts[f"{name}_indptr"]),
                                                   shape=parts[f"{name}_shape"]) for name in ("adj", "attr"))
    adjacency = adjacency.maximum(adjacency.T).tocsr()
    adjacency.setdiag(0)
    adjacency.eliminate_zeros()
    return adjacency, features.astype(numpy.float32), torch.from_numpy(parts["labels"].astype(numpy.int64))


def csr(matrix):
    return torch.sparse_csr_tensor(torch.from_numpy(matrix.indptr.astype(numpy.int64)),
                                   torch.from_numpy(matrix.indices.astype(numpy.int64)),
                                   torch.from_numpy(matrix.data.astype(numpy.float32)), size=matrix.shape)


class First(nn.Module):
    """A layer that reads a dense or a sparse table; dropout acts on what is not 0."""

    def __init__(self, columns, hidden):
        super().__init__()
        self.linear = nn.Linear(columns, hidden)

    def forward(self, x):
        if not x.is_sparse_csr:
            return self.linear(functional.dropout(x, 0.5, self.training))
        values = functional.dropout(x.values(), 0.5, self.training)
        dropped = torch.sparse_csr_tensor(x.crow_indices(), x.col_indices(), values, size=x.shape)
        return dropped @ self.linear.weight.t() + self.linear.bias


class Encoder(nn.Module):
    def __init__(self, columns, hidden, classes):
        super().__init__()
        self.first, self.head = First(columns, hidden), nn.Linear(hidden, classes)

    def embed(self, x):
        return functional.selu(self.first(x))

    def forward(self, x):
        return self.head(functional.dropout(self.embed(x), 0.5, self.training))


class Classifier(nn.Module):
    def __init__(self, hops, hidden, classes):
        super().__init__()
        self.hops = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(hops))
        self.head = nn.Linear(hops * hidden, classes)

    def forward(self, tables):
        joined = torch.cat([functional.selu(hop(table)) for hop, table in zip(self.hops, tables)], dim=1)
        return self.head(functional.dropout(joined, 0.5, self.training))


def fit(model, rows, labels, epochs):
    """`rows`: inputs of the training, and of the validation nodes."""
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    best, kept = -1, None
    for _ in range(epochs):
        model.train()
        optimiser.zero_grad()
        functional.cross_entropy(model(rows[0]), labels[0]).backward()
        optimiser.step()
        model.eval()
        with torch.no_grad():
            right = (model(rows[1]).argmax(1) == labels[1]).float().mean().item()
        if right > best:
            best, kept = right, copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)


def run(data, hidden=64, hops=2, epochs=100, epsilon=4, delta=1e-6, sparse=False):
    """Test accuracy."""
    adjacency, features, labels = data
    graph = csr(adjacency)
    norms = numpy.sqrt(numpy.asarray(features.multiply(features).sum(1)).ravel())
    features = (scipy.sparse.diags((1 / numpy.maximum(norms, 1e-12)).astype(numpy.float32)) @ features).tocsr()
    order, nodes, classes = torch.randperm(len(labels)), len(labels), int(labels.max()) + 1
    parts = torch.tensor_split(order, (nodes * 7 // 10, nodes * 8 // 10))
    tables = [csr(features[part.numpy()]) if sparse else torch.from_numpy(features[part.numpy()].toarray()) for part in parts[:2]]
    encoder = Encoder(features.shape[1], hidden, classes)
    fit(encoder, tables, [labels[part] for part in parts], epochs)
    with torch.no_grad():
        whole = csr(features) if sparse else torch.from_numpy(features.toarray())
        x = functional.normalize(encoder.embed(whole))
        # Of one Gaussian release of K sums that an edge changes by sqrt 2 each; the simple bound, for time does not depend on it.
        sigma = math.sqrt(2 * hops) * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
        embedded = [x]
        for _ in range(hops):
            x = graph @ x
            x = functional.normalize(x + sigma * torch.randn_like(x))
            embedded.append(x)
    classifier = Classifier(hops + 1, hidden, classes)
    fit(classifier, [[table[part] for table in embedded] for part in parts[:2]], [labels[part] for part in parts], epochs)
    with torch.no_grad():
        scores = classifier([table[parts[2]] for table in embedded])
    return (scores.argmax(1) == labels[parts[2]]).float().mean().item()
