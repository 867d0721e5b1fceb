#!/usr/bin/env python3
"""A perceptron (64 columns) by Opacus: DP-SGD with Adam on Poisson batches, clip 1, at the noise that Opacus finds for epsilon."""
import os
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import peer
import sklearn.metrics  # noqa: F401  loaded before the clock starts
import torch
from opacus import GradSampleModule
from opacus.accountants import RDPAccountant
from opacus.accountants.utils import get_noise_multiplier
from opacus.optimizers import DPOptimizer
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)
warnings.filterwarnings("ignore")


def work(job):
    torch.manual_seed(job["seed"])
    data, options = peer.Data(job["data"]), job["options"]
    rate, steps = options["batch-rate"], options["steps"]
    x, labels = torch.from_numpy(data.features.toarray()), torch.from_numpy(data.labels)
    train, validation, test = (torch.from_numpy(part) for part in data.parts)
    noise = get_noise_multiplier(target_epsilon=job["epsilon"], target_delta=job["delta"], sample_rate=rate, steps=steps, accountant="rdp")
    model = GradSampleModule(nn.Sequential(nn.Linear(x.shape[1], 64), nn.SELU(), nn.Linear(64, data.classes)))
    optimiser = DPOptimizer(torch.optim.Adam(model.parameters(), lr=options["learning-rate"]), noise_multiplier=noise, max_grad_norm=1.0,
                            expected_batch_size=rate * len(train))
    accountant = RDPAccountant()
    rows, said = x[train], labels[train]
    for _ in range(steps):
        chosen = torch.rand(len(train)) < rate
        optimiser.zero_grad()
        functional.cross_entropy(model(rows[chosen]), said[chosen]).backward()
        optimiser.step()
        accountant.step(noise_multiplier=noise, sample_rate=rate)
    with torch.no_grad():
        right = (model(x[validation]).argmax(1) == labels[validation]).float().mean().item()
        scores = model(x[test]).numpy()
    return {**peer.measures(scores, data.labels[data.parts[2]]), "validation": right, "epsilon_theirs": accountant.get_epsilon(job["delta"]),
            "compose": [f"subsampled-gaussian noise={noise!r} rate={rate!r} count={steps}"]}


if __name__ == "__main__":
    peer.main(work, "opacus")
