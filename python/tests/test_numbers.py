"""Numbers that estimators learn, with the task regression: data, answers, measures, and what is refused."""
import csv
import os
import pathlib
import pickle
import subprocess
from decimal import Decimal

import numpy as np
import pandas
import polars
import pytest

import sotto

PROGRAM = os.environ.get("SOTTO", "")
NODES, COLUMNS = 600, 5
LEARNS = {"best": {"epsilon": 4.0}, "gnn": {}, "mlp": {"adjacency": "none"}, "sage": {}, "vesper": {"epsilon": 4.0}}


def salaries(seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Features, and numbers that they tell, but for noise."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(NODES, COLUMNS)) * [1, 10, 0.1, 3, 1] + [0, 40, 0, 0, 5]
    return x, 30000 + x @ [900, 120, 4000, -300, 0] + random.normal(size=NODES) * 400


def made(x: np.ndarray, y: object, **more: object) -> sotto.Graph:
    v = np.arange(NODES)
    return sotto.Graph([v, (v * 7 + 1) % NODES], x, y, train=v % 10 < 6, validation=v % 10 == 6, test=v % 10 > 6, **more)


def estimator(method: str, **more: object) -> sotto.estimators.Estimator:
    kind = sotto.estimators.BY_METHOD[method]
    return kind(task="regression", split="planetoid", feature_scale="standard", seed=1, **{**LEARNS[method], **more})


@pytest.fixture(scope="module")
def fitted() -> sotto.estimators.Estimator:
    return estimator("mlp", encoder_epochs=300).fit(made(*salaries()))


def test_features_alone_predict_as_well_as_ridge_regression(fitted) -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not there to compare with")
    from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    x, y = salaries()
    train, test = np.arange(NODES) % 10 < 6, np.arange(NODES) % 10 > 6
    reference = make_pipeline(StandardScaler(), linear.Ridge(alpha=1e-3)).fit(x[train], y[train])
    ridge, found = r2_score(y[test], reference.predict(x[test])), fitted.predict()
    assert found.shape == (NODES,) and found.dtype == np.float32
    assert ridge > 0.8 and fitted.score() > ridge - 0.02
    assert fitted.score() == pytest.approx(r2_score(y[test], found[test]), abs=1e-6)
    result = fitted.result["test"]
    assert set(result) == {"r2", "rmse", "mae"}
    assert result["r2"]["mean"] == pytest.approx(fitted.score(), abs=1e-6)
    assert result["rmse"]["mean"] == pytest.approx(root_mean_squared_error(y[test], found[test]), rel=1e-5)
    assert result["mae"]["mean"] == pytest.approx(mean_absolute_error(y[test], found[test]), rel=1e-5)


def test_score_is_that_of_scikit_learn_for_any_nodes_and_numbers(fitted) -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not there to compare with")
    x, y = salaries(6)
    other, rows = made(x, np.where(np.arange(NODES) % 3 == 0, np.nan, y)), np.array([5, 1, 400, 2])
    known = np.isfinite(other.numbers)
    found = fitted.predict(other)
    assert fitted.score(other) == pytest.approx(metrics.r2_score(other.numbers[known], found[known]), abs=1e-6)
    assert fitted.score(other, nodes=rows) == pytest.approx(metrics.r2_score(y[rows], found[rows]), abs=1e-6)
    assert fitted.score(other, y[::-1]) == pytest.approx(metrics.r2_score(y[::-1], found), abs=1e-5)
    assert fitted.score(other, y[::-1]) < 0
    assert np.isnan(fitted.score(other, nodes=[0, 3]))
    assert np.array_equal(fitted.predict(other, rows), found[rows]) and fitted.predict(nodes=[]).shape == (0,)
    with pytest.raises(sotto.InvalidArgument, match="the graph has no numbers"):
        fitted.score(made(x, None))


@pytest.mark.parametrize("method", sorted(LEARNS))
def test_methods_that_learn_numbers_answer_with_them(method: str, tmp_path: pathlib.Path) -> None:
    graph = made(*salaries(), name="salaries")
    model = estimator(method).fit(graph)
    found = model.predict()
    assert found.shape == (NODES,) and abs(found.mean() - np.nanmean(graph.numbers)) < 2000
    assert model.score() > 0 and set(model.result["test"]) == {"r2", "rmse", "mae"}
    assert all(np.isfinite(record["validation"]) for record in model.history if "validation" in record)
    with sotto.Ledger() as ledger:
        assert len(ledger.charges(graph)) == (method in ("best", "vesper"))
    model.save(tmp_path / "model")
    loaded = sotto.load_model(tmp_path / "model", graph)
    assert np.array_equal(loaded.predict(), found) and loaded.score() == model.score()
    again = pickle.loads(pickle.dumps(model)).attach(graph)
    assert np.array_equal(again.predict(), found)


def test_other_data_are_charged_for_numbers_alone() -> None:
    other = made(*salaries(6), name="other")
    model = estimator("vesper").fit(made(*salaries(), name="salaries"))
    with pytest.raises(sotto.InvalidArgument, match="other data is another release"):
        model.predict(other)
    with pytest.raises(sotto.Unsupported, match="predict gives the numbers"):
        model.predict_proba(other, epsilon=1.0)
    with sotto.Ledger() as ledger:
        before = ledger.spent(other)["charges"]
        assert model.predict(other, epsilon=1.0).shape == (NODES,) and ledger.spent(other)["charges"] == before + 1
    assert 0 < model.score(other, again=1) <= 1


@pytest.mark.skipif(not PROGRAM, reason="$SOTTO names no program")
def test_the_program_and_the_package_learn_the_same_model(tmp_path: pathlib.Path) -> None:
    graph = made(*salaries())
    graph.save(tmp_path / "g.sotto")
    model = estimator("mlp", encoder_epochs=20).fit(graph)
    run = tmp_path / "run"
    words = ["train", "--method", "mlp", "--adjacency", "none", "--task", "regression", "--split", "planetoid", "--feature-scale",
             "standard", "--seed", "1", "--encoder-epochs", "20", "--data", "g.sotto", "--out", str(run)]
    for command in (words, ["predict", str(run)]):
        subprocess.run([PROGRAM, *command], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(run / "predictions.csv", newline="") as file:
        written = np.array([float(row["number"]) for row in csv.DictReader(file)])
    loaded = sotto.load_model(run, sotto.load(tmp_path / "g.sotto"))
    assert loaded.digest == model.digest and np.array_equal(loaded.predict(), model.predict())
    assert written == pytest.approx(model.predict(), rel=1e-5)


def _objects(y: np.ndarray) -> np.ndarray:
    return np.array([None, *map(Decimal, y[1:].tolist())], dtype=object)


FORMS = {"float64": lambda y: y, "float32": lambda y: y.astype(np.float32), "big-endian": lambda y: y.astype(">f8"),
         "one column": lambda y: y.reshape(-1, 1), "list": lambda y: [None, *y[1:].tolist()], "decimals": _objects,
         "pandas": pandas.Series, "pandas with NA": lambda y: pandas.Series([None, *y[1:]], dtype="Float64"),
         "polars": lambda y: polars.Series([None, *y[1:].tolist()])}


@pytest.mark.parametrize("form", sorted(FORMS))
def test_real_numbers_are_numbers_in_any_form(form: str) -> None:
    x, y = salaries()
    y[0] = np.nan
    graph = made(x, FORMS[form](y))
    assert np.array_equal(graph.numbers, y.astype(np.float32), equal_nan=True) and not graph.numbers.flags.writeable
    assert graph.y is None and len(graph.classes) == 0 and "numbers" in repr(graph)


@pytest.mark.parametrize("whole", [np.arange(NODES) % 4, (np.arange(NODES) % 4).astype(float),
                                   np.array([None, *np.arange(1, NODES) % 4], dtype=object)])
def test_whole_numbers_are_classes_unless_the_task_says_otherwise(whole: np.ndarray) -> None:
    x = salaries()[0]
    assert made(x, whole).numbers is None and len(made(x, whole).classes) == 4
    graph = made(x, whole, task="regression")
    assert graph.y is None and graph.numbers[1:5].tolist() == [1, 2, 3, 0]
    with pytest.raises(sotto.InvalidArgument, match=r'sotto.Graph\(..., task="regression"\)'):
        estimator("mlp").fit(made(x, whole))
    edges = np.stack([np.arange(NODES), (np.arange(NODES) + 1) % NODES])
    with pytest.raises(sotto.InvalidArgument, match="no features"):  # y was for this task, else it would say so
        estimator("mlp").fit(edges, whole)


@pytest.mark.parametrize("frame_of", [pandas.DataFrame, polars.DataFrame])
def test_a_column_of_a_table_has_the_numbers(frame_of, tmp_path: pathlib.Path) -> None:
    x, y = salaries()
    columns = {f"x{j}": x[:, j] for j in range(COLUMNS)}
    graph = made(frame_of({**columns, "salary": y}), "salary")
    assert np.array_equal(graph.numbers, y.astype(np.float32)) and graph.x.shape == (NODES, COLUMNS)
    assert {column.name: column.type for column in graph.schema.columns}["salary"] == "outcome"
    again = made(frame_of({**columns, "salary": y}), None, schema=graph.schema)
    assert again.digest == graph.digest
    table = frame_of({**columns, "label": y})
    with pytest.raises(sotto.InvalidArgument, match="task regression"):
        made(table, None)
    assert made(table, None, task="regression").digest == graph.digest
    with pytest.raises(sotto.InvalidArgument, match="leave one out"):
        made(table, y, task="regression")
    v = np.arange(NODES)
    edges = frame_of({"source": v, "target": (v * 7 + 1) % NODES})
    read = sotto.import_table(edges, frame_of({"id": v, **columns, "salary": y}), label="salary", task="regression")
    assert np.array_equal(read.numbers, graph.numbers)


def test_scikit_learn_takes_it_for_a_regressor() -> None:
    base = pytest.importorskip("sklearn.base", reason="scikit-learn is not there to compare with")
    assert base.is_regressor(sotto.MLP(task="regression")) and not base.is_classifier(sotto.MLP(task="regression"))
    assert base.is_classifier(sotto.MLP()) and base.clone(sotto.MLP(task="regression")).task == "regression"


def test_what_has_no_classes_says_so(fitted) -> None:
    with pytest.raises(sotto.Unsupported, match="predict gives the numbers"):
        fitted.predict_proba()
    with pytest.raises(AttributeError, match="has no classes"):
        fitted.classes_
    with pytest.raises(sotto.Unsupported, match="not written for torch"):
        fitted.to_torch()


@pytest.mark.parametrize("bad, kind, text", [
    (lambda g, x, y: sotto.MLP().fit(g), sotto.InvalidArgument, 'learn them with task="regression"'),
    (lambda g, x, y: sotto.Best(epsilon=1.0).fit(g), sotto.InvalidArgument, 'learn them with task="regression"'),
    (lambda g, x, y: sotto.GAP(task="regression", epsilon=1.0).fit(g), sotto.Unsupported, "these methods learn numbers"),
    (lambda g, x, y: sotto.Best(task="regression", epsilon=1.0, adjacency="node").fit(g), sotto.Unsupported, "level"),
    (lambda g, x, y: sotto.MLP(task="regression", label_epsilon=1.0).fit(g), sotto.Unsupported, "label-epsilon"),
    (lambda g, x, y: sotto.MLP(task="regresion").fit(g), sotto.NotFound, "classification, regression"),
    (lambda g, x, y: sotto.Party("label", {"data": None}, task="regression"), sotto.Unsupported, "a Party learns classes"),
    (lambda g, x, y: made(x, np.where(y > 30000, -1, y)), sotto.InvalidArgument, "has -1 where"),
    (lambda g, x, y: made(x, np.where(y > 30000, -999, y)), sotto.InvalidArgument, "has -999 where"),
    (lambda g, x, y: made(x, np.where(y > 30000, np.inf, y)), sotto.NotFinite, "finite"),
    (lambda g, x, y: made(x, y * 1e300, task="regression"), sotto.NotFinite, "finite"),
    (lambda g, x, y: made(x, ["a", "b"] * (NODES // 2), task="regression"), sotto.InvalidArgument, "numbers to learn"),
    (lambda g, x, y: made(x, y, task="classification"), sotto.InvalidArgument, 'task="regression"'),
])
def test_what_does_not_fit_is_refused(bad, kind, text: str) -> None:
    graph = made(*salaries())
    with pytest.raises(kind, match=text):
        bad(graph, *salaries())
    with sotto.Ledger() as ledger:
        assert ledger.charges(graph) == []


def test_two_parties_in_one_process_learn_the_numbers_of_the_second() -> None:
    x, y = salaries()
    both, firm, partner = made(x, y), made(x, None), made(None, y)
    settings = {"split": "planetoid", "adjacency": "none", "encoder_epochs": 5, "seed": 1, "task": "regression"}
    assert sotto.simulate("mlp", [firm, partner], **settings).digest == sotto.MLP(**settings).fit(both).digest
    with pytest.raises(sotto.InvalidArgument, match="has no numbers to learn"):
        sotto.simulate("mlp", [both, firm], **settings)
    with pytest.raises(sotto.InvalidArgument, match="has no labels"):
        sotto.simulate("mlp", [firm, partner], **{**settings, "task": None})


def test_a_party_does_not_see_numbers() -> None:
    party = sotto.Party("data", {"label": "127.0.0.1:1"}, insecure_loopback=True)
    assert party._own(made(*salaries()))[0].numbers == sotto._core.NULL
