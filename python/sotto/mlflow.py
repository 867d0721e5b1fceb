"""Runs in MLflow: what was trained with which options, how well, and at which epsilon.

MLflow has to be installed. Measures that follow from private data without noise lie in owner-only/ of a run folder, and stay
out of MLflow unless `private_measures` is set: a tracking server has other readers than the owner.

Examples
--------
>>> import sotto.mlflow                                          # doctest: +SKIP
>>> sotto.mlflow.autolog()                                       # doctest: +SKIP
>>> sotto.GAP(epsilon=4.0).fit(graph)                            # doctest: +SKIP
"""
from __future__ import annotations

import importlib
import json
import pathlib
from typing import Any

from . import _estimator, _options, errors
from ._answers import Answers
from ._estimator import Estimator


def _mlflow() -> Any:
    try:
        return importlib.import_module("mlflow")
    except ImportError as problem:
        raise errors.NotFound("mlflow is not installed: pip install mlflow-skinny") from problem


def _readable(folder: pathlib.Path, name: str, private_measures: bool) -> str:
    """A file of a run folder that may be handed on; empty: there is none."""
    own = folder / "owner-only" / name
    path = own if private_measures and own.exists() else folder / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _measures(result: dict[str, Any]) -> dict[str, float]:
    """Means over seeds; with the prefix `baseline_` those of features alone."""
    found = {}
    for part, prefix in (("test", ""), ("baseline", "baseline_")):
        for name, value in (result.get(part) or {}).items():
            mean = value.get("mean") if isinstance(value, dict) else None
            if mean is not None:
                found[prefix + name] = float(mean)
    return found


def _parameters(folder: pathlib.Path, method: str) -> dict[str, str]:
    """Options of the method, without texts: these are paths of this machine, and names of accounts and columns."""
    own = {option.key for option in _options.of_method(method).values() if option.kind != "text"}
    return {name: value for name, value in _options.of_folder(folder).items() if name in own} | {"method": method}


def _curve(client: Any, run: str, lines: str) -> None:
    for line in lines.splitlines():
        record = json.loads(line)
        for name in ("loss", "validation"):
            if "epoch" in record and record.get(name) is not None:
                client.log_metric(run, f"{record['stage']}_{name}_seed_{record['seed']}", float(record[name]),
                                  step=int(record["epoch"]))


def log(model: Answers, *, private_measures: bool = False, run_id: str | None = None) -> str:
    """Logs a trained model: options as parameters, test measures, epsilon and delta as metrics, loss and validation by
    epoch, verdicts as tags, and the statement as an artifact. Weights and data are not logged.

    Parameters
    ----------
    model : Estimator or LoadedModel
    private_measures : bool, optional
        Log measures that lie in owner-only/ too; default: they are left out.
    run_id : str, optional
        The run of MLflow; default: the one that is active, else a new one.

    Returns
    -------
    str
        The id of the run of MLflow.

    Raises
    ------
    NotFound
        MLflow is not installed.
    """
    mlflow = _mlflow()
    folder, statement = model._folder(), dict(model.statement)
    began = run_id is None and mlflow.active_run() is None
    run = run_id or (mlflow.start_run() if began else mlflow.active_run()).info.run_id
    client = mlflow.MlflowClient()
    try:
        for name, value in _parameters(folder, str(statement["method"]["name"])).items():
            client.log_param(run, name, value)
        for name in ("epsilon", "delta"):
            if isinstance(statement.get(name), (int, float)):
                client.log_metric(run, name, float(statement[name]))
        result = _readable(folder, "result.json", private_measures)
        for name, number in _measures(json.loads(result) if result else {}).items():
            client.log_metric(run, name, number)
        _curve(client, run, _readable(folder, "metrics.jsonl", private_measures))
        client.set_tag(run, "sotto.verdict", str(statement.get("verdict", "")))
        client.set_tag(run, "sotto.ledger", str((statement.get("ledger") or {}).get("id", "")))
        client.log_artifact(run, str(folder / "statement.json"))
    finally:
        if began:
            mlflow.end_run()
    return str(run)


def autolog(enable: bool = True, *, private_measures: bool = False) -> None:
    """Logs every `fit` from here on, as `log` does; with `enable` False no more.

    Raises
    ------
    NotFound
        MLflow is not installed.
    """
    if not enable:
        _estimator.fitted = None
        return
    _mlflow()

    def each(model: Estimator) -> None:
        log(model, private_measures=private_measures)

    _estimator.fitted = each
