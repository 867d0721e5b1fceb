#!/usr/bin/env python3
"""What a user does in Python, in lines of code: runs short programs for a task, by package, and counts their lines.

python3 bench/python_lines.py    # needs sotto, and of torch, torch_geometric, opacus, dp_accounting, ot what is counted
"""
import importlib.metadata
import os
import tempfile

EVENTS = {
    "sotto": """
from sotto import accounting as a
epsilon = a.epsilon(a.SelfComposedDpEvent(a.PoissonSampledDpEvent(0.01, a.GaussianDpEvent(1.0)), 1000), 1e-5)
""",
    "dp-accounting": """
import dp_accounting as d
from dp_accounting.pld import PLDAccountant
steps = d.SelfComposedDpEvent(d.PoissonSampledDpEvent(0.01, d.GaussianDpEvent(1.0)), 1000)
epsilon = PLDAccountant().compose(steps).get_epsilon(1e-5)
""",
    "opacus": """
from opacus.accountants import PRVAccountant
accountant = PRVAccountant()
accountant.history = [(1.0, 0.01, 1000)]
epsilon = accountant.get_epsilon(1e-5)
"""}
DISTANCES = {
    "sotto": """
import sotto
table = [[sotto.gw.distance(one, other) for other in costs] for one in costs]
""",
    "pot": """
import ot
table = [[ot.gromov_wasserstein2(one, other) for other in costs] for one in costs]
"""}
GRAPH = {
    "sotto": """
import sotto
model = sotto.GNN(aggregator="gcn", split="planetoid").fit(data)
answers = model.predict_proba()
""",
    "torch_geometric": """
import torch
from torch_geometric.nn import GCN
model = GCN(data.num_features, 64, 2, int(data.y.max()) + 1, dropout=0.5)
optimiser = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for _ in range(200):
    optimiser.zero_grad()
    scores = model(data.x, data.edge_index)
    torch.nn.functional.cross_entropy(scores[data.train_mask], data.y[data.train_mask]).backward()
    optimiser.step()
model.eval()
answers = model(data.x, data.edge_index).softmax(1)
"""}
NODES = {
    "sotto": """
import sotto
model = sotto.MLP(adjacency="node", epsilon=4.0, delta=1e-4, classes=3, split="planetoid").fit(data)
accuracy = model.result["test"]["accuracy"]["mean"]
""",
    "opacus": """
import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, TensorDataset
model = torch.nn.Sequential(torch.nn.Linear(data.num_features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 3))
optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
loader = DataLoader(TensorDataset(data.x[data.train_mask], data.y[data.train_mask]), batch_size=32)
model, optimiser, loader = PrivacyEngine().make_private_with_epsilon(
    module=model, optimizer=optimiser, data_loader=loader, epochs=20, target_epsilon=4.0, target_delta=1e-4,
    max_grad_norm=1.0)
for _ in range(20):
    for rows, labels in loader:
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(rows), labels).backward()
        optimiser.step()
model.eval()
right = model(data.x[data.test_mask]).argmax(1) == data.y[data.test_mask]
accuracy = float(right.float().mean())
"""}
EDGES = {
    "sotto": """
import sotto
model = sotto.GAP(epsilon=4.0, split="planetoid").fit(data)
answers = model.predict_proba()
"""}
TASKS = {"epsilon of 1,000 steps of DP-SGD": EVENTS, "distances between six graphs": DISTANCES,
         "a graph network from PyG's Data, and its answers": GRAPH, "a perceptron by DP-SGD, nodes protected": NODES,
         "a graph network with protected edges, charged to a ledger, and its answers": EDGES}


def inputs() -> dict[str, object]:
    """A graph with three classes, as PyG's Data where PyG is there; six small matrices."""
    import numpy as np
    import sotto
    made = sotto.generate("sbm", nodes=600, classes=3, features=16, degree_inside=6, degree_outside=2, seed=1)
    offsets, neighbours = made.adjacency
    ends = np.stack([np.repeat(np.arange(600), np.diff(offsets.astype(np.int64))), neighbours.astype(np.int64)])
    rng = np.random.default_rng(1)
    points = [rng.normal(size=(20, 2)) for _ in range(6)]
    given: dict[str, object] = {"costs": [np.linalg.norm(one[:, None] - one[None], axis=2) for one in points]}
    try:
        import torch
        from torch_geometric.data import Data
    except ImportError:
        return given
    place = torch.from_numpy(rng.permutation(600))
    return {**given, "data": Data(x=torch.from_numpy(np.array(made.x)), edge_index=torch.from_numpy(ends),
                                  y=torch.from_numpy(np.array(made.y)).long(), train_mask=place < 360,
                                  val_mask=(place >= 360) & (place < 420), test_mask=place >= 420)}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HOME": folder, "SOTTO_LEDGER": f"{folder}/ledger.db", "SOTTO_LEDGER_KEY": f"{folder}/key"}
        import sotto
        sotto.Ledger.create().close()
        given = inputs()
        for task, programs in TASKS.items():
            for package, program in programs.items():
                names = dict(given)
                try:
                    exec(program, names)
                except (ImportError, NameError) as problem:
                    print(f"{task}: {package} cannot be counted: {problem}")
                    continue
                version = sotto.__version__ if package == "sotto" else importlib.metadata.version(package)
                shown = next((f"{name} {names[name]:.4g}" for name in ("epsilon", "accuracy") if name in names), "")
                print(f"{task}: {package} {version}, {len(program.strip().splitlines())} lines  {shown}")


if __name__ == "__main__":
    main()
