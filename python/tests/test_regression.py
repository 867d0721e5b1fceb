"""Numbers that the program learns from features alone, against ridge regression of scikit-learn on the same split."""
import csv
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

PROGRAM = os.environ.get("SOTTO", "")
NODES, COLUMNS = 900, 5


def write_tables(folder: pathlib.Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A table with salaries that features tell, but for noise, and any edges; the features, salaries and parts."""
    random = np.random.default_rng(5)
    x = random.normal(size=(NODES, COLUMNS)) * [1, 10, 0.1, 3, 1] + [0, 40, 0, 0, 5]
    y = 30000 + x @ [900, 120, 4000, -300, 0] + random.normal(size=NODES) * 400
    parts = np.where(np.arange(NODES) % 10 < 6, "train", np.where(np.arange(NODES) % 10 < 7, "validation", "test"))
    (folder / "g.csv").write_text("source,target\n" + "".join(f"n{v},n{(v * 7 + 1) % NODES}\n" for v in range(NODES)))
    with open(folder / "g.nodes.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *[f"x{j}" for j in range(COLUMNS)], "salary", "split"])
        rows.writerows([f"n{v}", *map(repr, map(float, x[v])), float(y[v]), parts[v]] for v in range(NODES))
    return x, y, parts


@pytest.mark.skipif(not PROGRAM, reason="$SOTTO names no program")
def test_features_alone_predict_as_well_as_ridge_regression(tmp_path: pathlib.Path) -> None:
    linear = pytest.importorskip("sklearn.linear_model", reason="scikit-learn is not there to compare with")
    from sklearn.metrics import mean_absolute_error, r2_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    x, y, parts = write_tables(tmp_path)
    fitted = make_pipeline(StandardScaler(), linear.Ridge(alpha=1e-3)).fit(x[parts == "train"], y[parts == "train"])
    ridge = r2_score(y[parts == "test"], fitted.predict(x[parts == "test"]))
    run = tmp_path / "run"
    words = ["train", "--method", "mlp", "--adjacency", "none", "--task", "regression", "--label", "salary", "--split",
             "planetoid", "--feature-scale", "standard", "--encoder-epochs", "300", "--data", "g.csv", "--out", str(run)]
    for command in (words, ["predict", str(run)]):
        subprocess.run([PROGRAM, *command], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(run / "predictions.csv", newline="") as file:
        found = {row["id"]: float(row["number"]) for row in csv.DictReader(file)}
    tested = np.flatnonzero(parts == "test")
    predicted = np.array([found[f"n{v}"] for v in tested])
    result = json.loads((run / "result.json").read_text())["test"]
    assert ridge > 0.8
    assert r2_score(y[tested], predicted) > ridge - 0.02
    assert result["r2"]["mean"] == pytest.approx(r2_score(y[tested], predicted), abs=1e-4)
    assert result["mae"]["mean"] == pytest.approx(mean_absolute_error(y[tested], predicted), rel=1e-3)
