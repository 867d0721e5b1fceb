"""Models as files of ONNX, read by onnxruntime."""
import pathlib
import sys

import numpy as np
import pytest

import sotto

onnx = pytest.importorskip("onnx", reason="onnx is not installed: to_onnx is not tested")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: to_onnx is not tested")

CASES = {
    "mlp": (sotto.MLP, {"encoder_epochs": 4}),
    "mlp-standard": (sotto.MLP, {"encoder_epochs": 4, "activation": "tanh", "feature_scale": "standard"}),
    "mlp-l2": (sotto.MLP, {"encoder_epochs": 4, "feature_scale": "l2"}),
    "gap": (sotto.GAP, {"encoder_epochs": 4, "epochs": 4}),
    "gap-mean": (sotto.GAP, {"encoder_epochs": 4, "epochs": 4, "aggregator": "mean", "layers": 3, "activation": "relu"}),
}


def run(path: pathlib.Path, **inputs):
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(["probabilities"], inputs)[0]


@pytest.mark.parametrize("name", CASES)
def test_the_file_has_the_same_answers(name, graph, tmp_path: pathlib.Path) -> None:
    kind, options = CASES[name]
    model, path, nodes = kind(seed=5, **options).fit(graph), tmp_path / "model.onnx", np.array([7, 250, 7])
    model.to_onnx(path)
    expected, x = model.predict_proba(nodes=nodes), np.array(graph.x)[nodes]
    assert np.ptp(expected) > 0.02
    more = {"nodes": nodes} if name.startswith("gap") else {}
    assert np.abs(run(path, x=x, **more) - expected).max() < 1e-5
    model.save(tmp_path / "run")
    sotto.load_model(tmp_path / "run", graph).to_onnx(str(path))
    assert np.abs(run(path, x=x, **more) - expected).max() < 1e-5
    assert sorted(one.name for one in tmp_path.glob("*.onnx*")) == ["model.onnx"]


@pytest.mark.parametrize("model", [sotto.Best(epochs=2), sotto.GNN(epochs=2),
                                   sotto.GAP(encoder_epochs=2, epochs=2, combine="max")])
def test_what_is_not_written_is_refused(model, graph, tmp_path: pathlib.Path) -> None:
    model.fit(graph)
    with pytest.raises(sotto.Unsupported, match="to_onnx"):
        model.to_onnx(tmp_path / "model.onnx")
    assert not list(tmp_path.glob("model.onnx*"))


def test_without_onnx_it_says_what_to_install(graph, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = sotto.MLP(encoder_epochs=1).fit(graph)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(sotto.NotFound, match="pip install onnx"):
        model.to_onnx(tmp_path / "model.onnx")
