#!/usr/bin/env python3
"""GAP and ProGAP by their authors' own program (Sajadmanesh et al. 2023; Sajadmanesh and Gatica-Perez 2024), from a checkout of it that the
variable PROGAP_CHECKOUT names. Nothing of it is in this folder.

What its requirements want beyond PyPI is replaced: pyg-lib's sampling of neighbours by the same draw in numpy, torch-sparse and wandb, which these
methods do not use, by empty modules; a check of Opacus that later versions do not export, by nothing. Its delta has as many digits as the data has edges or training nodes; here delta is the task's. An undirected edge
changes two sums, and its noise is for one: at edge level the noise is scaled by the square root of 2, so that its epsilon is that of an undirected edge."""
import math
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import numpy
import peer
import sklearn.metrics  # noqa: F401  loaded before the clock starts
import torch

CHECKOUT = os.environ.get("PROGAP_CHECKOUT")


class Quiet:
    """A logger that writes nothing; the program's own lacks a call that it makes."""

    def __getattr__(self, _):
        return lambda *_: None


def neighbours(colptr, row, seed, num_neighbors, **_):
    """At most so many neighbours of each seed, without replacement: ends and seeds, in the numbers of the graph."""
    rng = numpy.random.default_rng(torch.randint(2**31, (1,)).item())
    starts, targets, most = colptr.numpy(), row.numpy(), num_neighbors[0]
    taken = [rng.permutation(targets[starts[v]:starts[v + 1]])[:most] for v in seed.numpy()]
    ends = numpy.concatenate(taken).astype(numpy.int64)
    seeds = numpy.repeat(seed.numpy(), [len(some) for some in taken])
    return torch.from_numpy(ends), torch.from_numpy(seeds), None, None, None, None


def stand_ins():
    for name, parts in (("pyg_lib", {}), ("pyg_lib.sampler", {"neighbor_sample": neighbours}), ("torch_sparse", {"SparseTensor": object}),
                        ("wandb", {}), ("wandb.wandb_run", {"Run": object})):
        module = types.ModuleType(name)
        module.__dict__.update(parts)
        sys.modules[name] = module
    import opacus.privacy_engine
    if not hasattr(opacus.privacy_engine, "forbid_accumulation_hook"):
        opacus.privacy_engine.forbid_accumulation_hook = lambda *_: None


def program():
    """The program's classes, with the task's delta in the place of its own rule."""
    if not CHECKOUT or not os.path.isdir(f"{CHECKOUT}/core/methods/progap"):
        raise SystemExit("PROGAP_CHECKOUT names no checkout of ProGAP's program")
    stand_ins()
    sys.path.insert(0, CHECKOUT)
    from core import console
    console.log_level = console.CRITICAL
    from core.data.transforms.bound_degree import BoundOutDegree
    BoundOutDegree.__abstractmethods__ = frozenset()  # later versions of PyTorch Geometric ask for another name of its call
    from core.methods.gap import edge as gap_edge, node as gap_node
    from core.methods.progap import edge as progap_edge, node as progap_node
    return {("gap", "edge"): (gap_edge, "EdgeLevelGAP"), ("gap", "node"): (gap_node, "NodeLevelGAP"),
            ("progap", "edge"): (progap_edge, "EdgeLevelProGAP"), ("progap", "node"): (progap_node, "NodeLevelProGAP")}


def graph_of(data):
    from torch_geometric.data import Data
    from torch_geometric.utils import to_torch_csr_tensor
    coo = data.adjacency.tocoo()
    edges = torch.stack([torch.from_numpy(coo.row.astype("int64")), torch.from_numpy(coo.col.astype("int64"))])
    masks = [torch.zeros(len(data.labels), dtype=torch.bool) for _ in data.parts]
    for mask, part in zip(masks, data.parts):
        mask[torch.from_numpy(part)] = True
    return Data(x=torch.from_numpy(data.features.toarray()), y=torch.from_numpy(data.labels), num_nodes=len(data.labels),
                adj_t=to_torch_csr_tensor(edges, size=data.adjacency.shape), train_mask=masks[0], val_mask=masks[1], test_mask=masks[2])


def releases(job, noise, train, epochs, trainings):
    layers = job["options"]["layers"]
    sums = f"gaussian noise={noise!r} count={layers}"
    if job["level"] == "edge":
        return [sums]
    steps = epochs * train // 256 * trainings
    return [f"subsampled-gaussian noise={noise!r} rate={256 / train!r} count={steps}", sums]


def work(job):
    torch.manual_seed(job["seed"])
    torch.set_num_threads(1)
    module, name = program()[job["method"], job["level"]]
    node, layers = job["level"] == "node", job["options"]["layers"]
    digits = round(-math.log10(job["delta"]))
    module.str = lambda _: "0" * digits
    if not node:
        from core.privacy.mechanisms.commons import GaussianMechanism
        perturb = GaussianMechanism.perturb
        GaussianMechanism.perturb = lambda self, rows, sensitivity: perturb(self, rows, math.sqrt(2) * sensitivity)
    data = peer.Data(job["data"])
    epochs = job["options"].get("epochs", 10 if node else 100)
    words = {"depth" if job["method"] == "progap" else "hops": layers, "hidden_dim": 64, "epsilon": job["epsilon"], "epochs": epochs,
             "verbose": False, "device": "cpu", "logger": Quiet(), "dropout": job["options"].get("dropout", 0.0),
             **({"max_degree": job["max_degree"]} if node else {})}
    method = getattr(module, name)(num_classes=data.classes, **words)
    said = method.run(graph_of(data))
    scores = method.predict()
    scores = (scores[1] if isinstance(scores, tuple) else scores).detach().numpy()[data.parts[2]]
    train = len(data.parts[0])
    return {**peer.measures(scores, data.labels[data.parts[2]]), "validation": float(said["val/acc"]) / 100, "epsilon_theirs": job["epsilon"],
            "compose": releases(job, float(method.noise_scale), train, epochs, layers + 1 if job["method"] == "progap" else 2)}


if __name__ == "__main__":
    peer.main(work, "torch")
