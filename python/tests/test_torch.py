"""Objects of torch and PyG, and models as modules of torch. Without these packages the tests are skipped."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import sotto

torch = pytest.importorskip("torch", reason="torch is not installed: tensors and to_torch are not tested")

CASES = {
    "mlp": (sotto.MLP, {"encoder_epochs": 4}),
    "mlp-tanh": (sotto.MLP, {"encoder_epochs": 4, "activation": "tanh", "feature_scale": "standard"}),
    "gcn": (sotto.GNN, {"aggregator": "gcn"}),
    "mean": (sotto.GNN, {"aggregator": "mean", "layers": 3, "feature_scale": "none"}),
    "gin": (sotto.GNN, {"encoder_epochs": 4}),
    "gin-constant": (sotto.GNN, {"encoder_epochs": 4, "constant": 0.5, "layers": 1, "release_width": 8}),
    "sage": (sotto.SAGE, {}),
    "gap": (sotto.GAP, {"encoder_epochs": 4}),
    "gap-mean": (sotto.GAP, {"encoder_epochs": 4, "aggregator": "mean", "layers": 3, "activation": "relu"}),
}


def trained(name, graph):
    kind, options = CASES[name]
    if kind is not sotto.MLP:
        options = {**options, "epochs": 4}
    return kind(seed=5, **options).fit(graph)


def answers(module, model, *more):
    with torch.no_grad():
        return module(torch.from_numpy(np.array(model._own_graph().x)), *more).softmax(1).numpy()


@pytest.mark.parametrize("name", CASES)
def test_the_module_has_the_same_answers(name, graph, arrays, tmp_path: pathlib.Path) -> None:
    model = trained(name, graph)
    edges = () if name[:3] in ("mlp", "gap") else (torch.from_numpy(arrays["edges"]),)
    expected = model.predict_proba()
    assert np.ptp(expected) > 0.02
    assert np.abs(answers(model.to_torch(), model, *edges) - expected).max() < 1e-5
    model.save(tmp_path / "run")
    loaded = sotto.load_model(tmp_path / "run", graph)
    assert np.abs(answers(loaded.to_torch(), loaded, *edges) - expected).max() < 1e-5


@pytest.mark.parametrize("name", ["gcn", "gin", "sage"])
def test_the_module_of_a_graph_network_reads_other_graphs(name, graph, arrays) -> None:
    model = trained(name, graph)
    other = sotto.Graph(arrays["edges"][:, 100:900], arrays["x"], arrays["y"])
    module, half = model.to_torch(), torch.from_numpy(arrays["edges"][:, 100:900])
    assert np.abs(answers(module, model, half) - model.predict_proba(other)).max() < 1e-5
    with pytest.raises(sotto.OutOfRange):
        module(torch.zeros(3, 8), torch.tensor([[0], [3]]))


def test_the_module_of_gap_answers_about_nodes(graph) -> None:
    model = trained("gap", graph)
    module, nodes = model.to_torch(), [4, 200]
    x = torch.from_numpy(np.array(graph.x)[nodes])
    found = module(x, torch.tensor(nodes)).softmax(1).detach().numpy()
    assert np.abs(found - model.predict_proba(nodes=nodes)).max() < 1e-5


@pytest.mark.parametrize("model", [sotto.Best(epochs=2), sotto.GAP(encoder_epochs=2, epochs=2, combine="max"),
                                   sotto.GNN(epochs=2, encoder_epochs=2, combine="gru")])
def test_what_is_not_written_for_torch_is_refused(model, graph) -> None:
    with pytest.raises(sotto.Unsupported, match="to_torch"):
        model.fit(graph).to_torch()
    with pytest.raises(sotto.NotFitted):
        sotto.GNN().to_torch()


def test_real_tensors(arrays) -> None:
    x = torch.from_numpy(arrays["x"])
    edges, y = torch.from_numpy(arrays["edges"]), torch.from_numpy(arrays["y"]).long()
    graph = sotto.Graph(edges, x, y)
    assert graph.x.ctypes.data == x.data_ptr()
    expected = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    assert graph.digest == expected.digest
    assert sotto.Graph(edges.t(), x.clone().requires_grad_(), y.float()).digest == expected.digest
    assert sotto.Graph(edges, x.t().contiguous().t(), y).digest == expected.digest
    assert sotto.GNN(epochs=2).fit(graph).predict_proba(nodes=torch.tensor([3, 4])).shape == (2, 2)
    for wrong in (x.bfloat16(), x.to_sparse(), x.to("meta")):
        with pytest.raises(sotto.InvalidArgument, match="x"):
            sotto.Graph(edges, wrong, y)


def test_real_data_of_pyg(arrays) -> None:
    data_of = pytest.importorskip("torch_geometric.data", reason="PyG is not installed: its Data is not tested").Data
    mask = torch.arange(300)
    data = data_of(x=torch.from_numpy(arrays["x"]), edge_index=torch.from_numpy(arrays["edges"]),
                   y=torch.from_numpy(arrays["y"]).long(), train_mask=mask < 100, val_mask=(mask >= 100) & (mask < 150),
                   test_mask=mask >= 150)
    graph = sotto.Graph(data)
    assert graph.digest != "" and graph.x.ctypes.data == data.x.data_ptr() and len(graph.classes) == 2
    model = sotto.GNN(epochs=3, split="planetoid").fit(data)
    assert np.array_equal(model._model_for(None, None).part("test"), np.arange(150, 300))
    sparse = data_of(x=data.x, y=data.y, adj_t=data.edge_index)
    with pytest.raises(sotto.InvalidArgument, match="adj_t"):
        sotto.Graph(sparse)


def test_a_module_is_saved_by_torch(graph, arrays, tmp_path: pathlib.Path) -> None:
    model = trained("gcn", graph)
    torch.save(model.to_torch(), tmp_path / "module.pt")
    again = torch.load(tmp_path / "module.pt", weights_only=False)
    expected = model.predict_proba()
    assert np.abs(answers(again, model, torch.from_numpy(arrays["edges"])) - expected).max() < 1e-5


def test_sotto_does_not_import_torch() -> None:
    code = "import sys, sotto; sotto.GNN().get_params(); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
