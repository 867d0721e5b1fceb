"""Pickles of fitted models: bytes of the run folder, without data and without what is for the owner alone."""
import io
import pathlib
import pickle
import zipfile

import numpy as np
import pytest

import sotto


@pytest.mark.parametrize("kind", [sotto.GAP, sotto.GNN, sotto.Best])
def test_a_pickled_model_gives_the_same_answers(kind, graph) -> None:
    model = kind(epochs=2, seed=3).fit(graph)
    again = pickle.loads(pickle.dumps(model))
    assert again.statement == model.statement and again.digest == model.digest and again.result == model.result
    assert again.option("seed") == 3 and again.option("delta" if kind is sotto.GAP else "epochs") is not None
    with pytest.raises(sotto.NotFitted, match="attach"):
        again.predict_proba()
    assert again.attach(graph) is again
    assert np.array_equal(again.predict_proba(), model.predict_proba()) and again.score() == model.score()
    with sotto.Ledger() as ledger:
        assert ledger.spent(graph)["charges"] == (kind is not sotto.GNN)
    third = pickle.loads(pickle.dumps(again)).attach(graph)
    assert np.array_equal(third.predict_proba(), model.predict_proba())
    assert again.fit(graph).digest == model.digest or kind is not sotto.GNN


def test_a_loaded_model_is_pickled_too(graph, tmp_path: pathlib.Path) -> None:
    model = sotto.GAP(epochs=2, encoder_epochs=2, seeds=2).fit(graph)
    model.save(tmp_path / "model")
    loaded = sotto.load_model(tmp_path / "model", graph, seed=2)
    again = pickle.loads(pickle.dumps(loaded))
    with pytest.raises(sotto.NotFitted, match="attach"):
        again.predict()
    assert np.array_equal(again.attach(graph).predict_proba(), loaded.predict_proba())
    with pytest.raises(sotto.InvalidArgument):
        loaded.attach(graph)


def test_what_is_for_the_owner_alone_is_not_in_a_pickle(graph, tmp_path: pathlib.Path) -> None:
    model = sotto.GAP(epochs=2, encoder_epochs=2).fit(graph)
    model.save(tmp_path / "model")
    names = zipfile.ZipFile(io.BytesIO(model.__getstate__()["_folder_as_zip"])).namelist()
    assert "model.safetensors" in names and not any("owner-only" in name for name in names)
    key = (tmp_path / "model" / "owner-only" / "account.key").read_bytes()
    assert len(key) > 8 and key not in pickle.dumps(model) and graph.digest.encode() not in pickle.dumps(model)


def test_other_data_are_refused_where_the_model_is_private(graph, arrays) -> None:
    again = pickle.loads(pickle.dumps(sotto.GAP(epochs=2, encoder_epochs=2).fit(graph)))
    with pytest.raises(sotto.InvalidArgument):
        again.attach(sotto.Graph(arrays["edges"], arrays["x"] + 1, arrays["y"]))
    with pytest.raises(sotto.NotFitted):
        again.predict()
    with pytest.raises(sotto.InvalidArgument, match="has its data"):
        sotto.GNN(epochs=1).fit(graph).attach(graph)
    with pytest.raises(sotto.NotFitted, match="call fit first"):
        sotto.GNN(epochs=1).attach(graph)


@pytest.mark.parametrize("name", ["../out", "/tmp/out", "a/../../out"])
def test_a_pickle_writes_in_its_own_folder_alone(name) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(sotto.CorruptData):
        sotto.GNN().__setstate__({"_folder_as_zip": data.getvalue()})
    with pytest.raises(sotto.CorruptData):
        sotto.GNN().__setstate__({"_folder_as_zip": b"PK no zip"})
