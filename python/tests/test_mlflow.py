"""Runs in MLflow."""
import pathlib
import sys

import pytest

import sotto
import sotto.mlflow

mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed: autolog is not tested")


@pytest.fixture
def tracked(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    mlflow.set_experiment("test")
    yield mlflow.MlflowClient()
    sotto.mlflow.autolog(False)


def runs(client):
    return client.search_runs([client.get_experiment_by_name("test").experiment_id])


def test_each_fit_is_logged(graph, tracked, tmp_path: pathlib.Path) -> None:
    sotto.mlflow.autolog()
    model = sotto.GAP(epsilon=4.0, encoder_epochs=2, epochs=3, seed=7, ledger=sotto.Ledger()).fit(graph)
    run, = runs(tracked)
    assert (run.data.params["method"], run.data.params["epochs"], run.data.params["seed"]) == ("gap", "3", "7")
    assert not {"ledger", "data", "out", "account"} & set(run.data.params) and str(tmp_path) not in str(run.data.params)
    assert run.data.metrics["epsilon"] == pytest.approx(4.0)
    assert run.data.metrics["accuracy"] == pytest.approx(model.result["test"]["accuracy"]["mean"])
    assert "baseline_accuracy" in run.data.metrics
    curve = tracked.get_metric_history(run.info.run_id, "decoder_validation_seed_7")
    assert [point.step for point in curve] == [1, 2, 3]
    assert run.data.tags["sotto.verdict"] == model.statement["verdict"]
    assert [one.path for one in tracked.list_artifacts(run.info.run_id)] == ["statement.json"]
    assert run.info.status == "FINISHED" and mlflow.active_run() is None
    sotto.mlflow.autolog(False)
    sotto.MLP(encoder_epochs=1).fit(graph)
    assert len(runs(tracked)) == 1


def test_private_measures_stay_at_home(graph, tracked, tmp_path: pathlib.Path) -> None:
    model = sotto.GAP(epsilon=4.0, adjacency="node", classes=2, max_degree=40, encoder_epochs=1, epochs=1, out=str(tmp_path / "run")).fit(graph)
    assert (tmp_path / "run" / "owner-only" / "result.json").exists()
    found = tracked.get_run(sotto.mlflow.log(model)).data.metrics
    assert set(found) <= {"epsilon", "delta"}
    own = tracked.get_run(sotto.mlflow.log(model, private_measures=True)).data.metrics
    assert own["accuracy"] == pytest.approx(model.result["test"]["accuracy"]["mean"])


def test_a_run_that_is_active_is_used_and_left_active(graph, tracked) -> None:
    model = sotto.MLP(encoder_epochs=1).fit(graph)
    with mlflow.start_run() as run:
        assert sotto.mlflow.log(model) == run.info.run_id
        assert mlflow.active_run() is not None
    assert tracked.get_run(run.info.run_id).data.params["method"] == "mlp"


def test_without_mlflow_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(sotto.NotFound, match="pip install mlflow-skinny"):
        sotto.mlflow.autolog()
