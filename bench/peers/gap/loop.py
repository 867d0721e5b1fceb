"""GAP's training loop, re-implemented: Sajadmanesh et al. 2023, edge level, in PyTorch, full batches.

An encoder (a layer of `hidden` units and a head) is trained on labels without edges. Its embeddings are scaled to unit norm, then K
times: summed over neighbours, Gaussian noise added, scaled to unit norm again. A perceptron a hop, joined, and a head are trained
on the K + 1 tables. Both trainings look at the validation nodes after each epoch, and keep the best. Adam at rate 0.01, SELU,
dropout 0.5."""
import math

import torch
from networks import Classifier, Encoder, csr, fit, noise_for, renyi, rows_of, table, unit


def released(hops, epsilon, delta):
    """K Gaussian sums, which an undirected edge changes by sqrt 2 each: their noise, and epsilon by Renyi accounting."""
    from dp_accounting import GaussianDpEvent, SelfComposedDpEvent

    def make(z):
        return SelfComposedDpEvent(GaussianDpEvent(z), hops)
    z = noise_for(make, epsilon, delta)
    return {"sigma": z * math.sqrt(2), "epsilon_theirs": renyi(make(z), delta),
            "compose": [f"gaussian noise={z!r} count={hops}"]}


def run(data, seed, layers, epsilon, delta, epochs=100, hidden=64):
    """Scores of the test nodes, validation accuracy, and what was released."""
    torch.manual_seed(seed)
    graph = csr(data.adjacency)
    tables, labels = rows_of(data)
    encoder = Encoder(data.features.shape[1], hidden, data.classes)
    fit(encoder, tables, labels, epochs)
    noise = released(layers, epsilon, delta)
    with torch.no_grad():
        x = unit(encoder.embed(table(data.features)))
        hops = [x]
        for _ in range(layers):
            x = graph @ x
            x = unit(x + noise["sigma"] * torch.randn_like(x))
            hops.append(x)
    classifier = Classifier([hidden] * len(hops), hidden, data.classes)
    right = fit(classifier, [[hop[part] for hop in hops] for part in data.parts[:2]], labels, epochs)
    with torch.no_grad():
        scores = classifier([hop[data.parts[2]] for hop in hops])
    return scores.numpy(), right, noise
