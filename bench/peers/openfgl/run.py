#!/usr/bin/env python3
"""OpenFGL's fedavg, fedsage_plus and feddep on parts of one graph (Li et al. 2024), from a checkout of it that the variable OPENFGL_CHECKOUT names:
it is not on PyPI. Nothing of it is in this folder. Its own settings but for the network, GraphSAGE of 64 columns (feddep has its own network), and the
data: parts by the Louvain method of networkx, with the nodes of the exported split. feddep samples neighbours by sampler.py."""
import contextlib
import io
import os
import sys
import types

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import numpy
import peer
import sampler
import sklearn.metrics  # noqa: F401  loaded before the clock starts
import torch
import torch_geometric.loader
from torch_geometric.data import Data
from torch_geometric.transforms import BaseTransform
from torch_geometric.utils import from_scipy_sparse_matrix

CHECKOUT = os.environ.get("OPENFGL_CHECKOUT")


def program(options):
    if not CHECKOUT or not os.path.isdir(f"{CHECKOUT}/openfgl/flcore"):
        raise SystemExit("OPENFGL_CHECKOUT names no checkout of OpenFGL")
    sys.path.insert(0, f"{CHECKOUT}/openfgl")
    sys.argv = [sys.argv[0]]  # its settings read the command line
    from config import args
    args.use_cuda, args.dataset, args.model, args.metrics = False, ["Cora"], ["graphsage"], ["accuracy"]
    args.num_clients, args.num_rounds = options["clients"], options["rounds"]
    torch_geometric.loader.NeighborSampler = sampler.NeighborSampler
    BaseTransform.forward.__isabstractmethod__ = False  # it was not when feddep was written
    from flcore import trainer
    from task.node_cls import NodeClsTask
    NodeClsTask.load_train_val_test_split = own_split
    return args, trainer


def own_split(task):
    data = task.data
    task.train_mask, task.val_mask, task.test_mask = data.train_mask, data.val_mask, data.test_mask
    task.splitted_data = {"data": data, "train_mask": data.train_mask, "val_mask": data.val_mask, "test_mask": data.test_mask}
    task.processed_data = task.splitted_data


def owners(data, clients, seed):
    """Communities, the largest first, to the client with the fewest nodes; those above a client's share in pieces."""
    import networkx
    found = networkx.community.louvain_communities(networkx.from_scipy_sparse_array(data.adjacency), seed=seed)
    share = -(-len(data.labels) // clients)
    pieces = [sorted(nodes)[i:i + share] for nodes in found for i in range(0, len(nodes), share)]
    owner, sizes = numpy.zeros(len(data.labels), int), [0] * clients
    for piece in sorted(pieces, key=len, reverse=True):
        client = sizes.index(min(sizes))
        owner[piece] = client
        sizes[client] += len(piece)
    return owner


def part(data, nodes):
    edges, _ = from_scipy_sparse_matrix(data.adjacency[nodes][:, nodes])
    masks = [torch.from_numpy(numpy.isin(nodes, rows)) for rows in data.parts]
    made = Data(x=torch.from_numpy(data.features[nodes].toarray()), edge_index=edges, y=torch.from_numpy(data.labels[nodes]),
                train_mask=masks[0], val_mask=masks[1], test_mask=masks[2])
    made.num_global_classes = data.classes
    return made


def work(job):
    torch.manual_seed(job["seed"])
    torch.set_num_threads(1)
    numpy.random.seed(job["seed"])
    options = job["options"]
    args, trainer = program(options)
    args.fl_algorithm = job["method"]
    args.evaluation_mode = "global_model_on_local_data" if job["method"] == "fedavg" else "local_model_on_local_data"
    data = peer.Data(job["data"])
    owner = owners(data, options["clients"], job["seed"])
    parts = [part(data, numpy.flatnonzero(owner == client)) for client in range(options["clients"])]
    held = types.SimpleNamespace(local_data=parts, global_data=part(data, numpy.arange(len(owner))), processed_dir="")
    trainer.FGLDataset = lambda args: held
    with contextlib.redirect_stdout(io.StringIO()):
        federation = trainer.FGLTrainer(args)
        federation.train()
    result = federation.evaluation_result
    return {"accuracy": float(result["best_test_accuracy"]), "validation": float(result["best_val_accuracy"])}


if __name__ == "__main__":
    peer.main(work, "torch-geometric")
