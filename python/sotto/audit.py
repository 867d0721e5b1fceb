"""Audits: what an adversary can show about a mechanism or a model by running it, against what is stated.

Examples
--------
>>> import sotto
>>> "laplace" in sotto.audit.mechanisms()
True
>>> found = sotto.audit.mechanism("laplace", epsilon=1.0, delta=1e-3, trials=5000)
>>> found["holds"], found["lower"] <= found["stated"]
(True, True)
"""
from __future__ import annotations

import math
from typing import Any

from . import _arrays, _core, errors
from ._answers import as_graph
from ._core import NULL, ffi, lib
from ._estimator import Estimator
from ._watch import Watch
from .graph import Graph
from .model import LoadedModel


def _names(list_of: Any) -> list[str]:
    out: list[str] = []
    while list_of[len(out)] != NULL:
        out.append(_core.text(list_of[len(out)]))
    return out


def mechanisms() -> list[str]:
    """The mechanisms that can be audited."""
    return _names(lib.sotto_audit_names())


def attacks() -> list[str]:
    """The attacks on models."""
    return _names(lib.sotto_attack_names())


def mechanism(name: str, *, epsilon: float, delta: float = 1e-3, trials: int = 100_000,
              layers: int = 1) -> dict[str, Any]:
    """Runs a mechanism on two neighbouring inputs that are the worst for it, and applies the likelihood-ratio test.

    Parameters
    ----------
    name : str
        One of `mechanisms()`.
    epsilon, delta : float
        What it is calibrated to: 0.1 to 20, 1e-6 to 0.5.
    trials : int, optional
        On each of the two inputs, 1000 to 2^23.
    layers : int, optional
        Of a release, 1 to 16.

    Returns
    -------
    dict
        `stated`, `lower` (shown with 95% confidence) and `holds`. An audit that holds proves nothing.
    """
    options = ffi.new("sotto_audit_options *")
    options.epsilon, options.delta = _core.real(epsilon, "epsilon"), _core.real(delta, "delta")
    options.trials = _core.whole(trials, "trials", 0, 2**63)
    options.layers = _core.whole(layers, "layers", 0, 2**32 - 1)
    out, watch = ffi.new("sotto_audit_result *"), Watch()
    which = _core.encoded(name, "name")
    watch.run(lambda: _core.call(lib.sotto_audit_mechanism, out, which, options, watch.observer))
    return {"stated": out.stated, "lower": out.lower, "holds": bool(out.holds)}


def _scores(value: Any, what: str) -> Any:
    np = _arrays.numpy()
    out = _arrays.plain(value, what)
    if out.ndim != 1 or out.dtype.kind not in "iuf":
        raise errors.InvalidArgument(f"{what}: numbers in one dimension are wanted")
    return np.ascontiguousarray(out, dtype=np.float64)


def bound(first: Any, second: Any, delta: float) -> float:
    """A lower bound on epsilon that holds with 95% confidence, from values of a statistic on a first input and as
    many on a neighbouring second one."""
    a, b = _scores(first, "first"), _scores(second, "second")
    if a.size != b.size:
        raise errors.InvalidArgument(f"second: {b.size} values, and first has {a.size}")
    out = ffi.new("double *")
    _core.call(lib.sotto_audit_bound, out, ffi.cast("double *", a.ctypes.data), ffi.cast("double *", b.ctypes.data),
               a.size, _core.real(delta, "delta"))
    return float(out[0])


def _attacked(found: Any) -> dict[str, Any]:
    out = {name: getattr(found, name) for name in ("auc", "auc_low", "auc_high", "tpr_1", "tpr_01", "implied")}
    out.update(members=int(found.members), others=int(found.others), queries=int(found.queries))
    for name in ("precision", "recall"):
        if not math.isnan(getattr(found, name)):
            out[name] = getattr(found, name)
    return out


def measure(members: Any, others: Any, delta: float = 0.0) -> dict[str, Any]:
    """How well a score separates members from others: `auc` with its 95% interval, `tpr_1` and `tpr_01` (at 1% and 0.1%
    false positives), and `implied`, the epsilon that these would imply if membership was drawn at random."""
    a, b = _scores(members, "members"), _scores(others, "others")
    out = ffi.new("sotto_attack_result *")
    _core.call(lib.sotto_attack_measure, out, ffi.cast("double *", a.ctypes.data), a.size,
               ffi.cast("double *", b.ctypes.data), b.size, _core.real(delta, "delta"))
    return _attacked(out)


def model(fitted: Estimator | LoadedModel, attack: str = "linkteller", *, graph: Graph | None = None,
          nodes: int | None = None, pairs: int | None = None, trials: int | None = None, shadows: int | None = None,
          of_edges: bool = False, seed: int | None = None, night_data: Graph | None = None) -> dict[str, Any]:
    """Attacks a fitted estimator or a loaded model.

    Parameters
    ----------
    fitted : Estimator or LoadedModel
    attack : str, optional
        One of `attacks()`.
    graph : Graph, optional
        The data of the run; default: the model's.
    nodes, pairs : int, optional
        Size of the sample of nodes or pairs.
    trials : int, optional
        canary: on each input.
    shadows : int, optional
        lira: models that are trained.
    of_edges : bool, optional
        lira: targets are edges, not training nodes.
    seed : int, optional
        Of the sample.
    night_data : Graph, optional
        release, of a run with nights: the data of its latest night; default: the data of the run.

    Returns
    -------
    dict
        `method`, `stated` (epsilon), `holds`, and `findings`, a list of dicts.
    """
    if not isinstance(fitted, (Estimator, LoadedModel)):
        raise errors.InvalidArgument(f"fitted: an estimator or a loaded model is wanted, not {type(fitted).__name__}")
    data = as_graph(graph) if graph is not None else fitted._own_graph()
    ask = ffi.new("sotto_audit_ask *")
    ask[0] = lib.sotto_audit_ask_default()
    for name, value in (("trials", trials), ("shadows", shadows)):
        if value is not None:
            setattr(ask, name, _core.whole(value, name))
    for name, value in (("nodes", nodes), ("pairs", pairs), ("seed", seed)):
        if value is not None:
            setattr(ask.link, name, _core.whole(value, name))
    ask.of_edges = bool(of_edges)
    latest = as_graph(night_data) if night_data is not None else None
    if latest is not None:
        ask.night_data = latest._data
    out, watch = ffi.new("sotto_findings *"), Watch()
    run, which = _core.encoded(fitted._folder(), "folder"), _core.encoded(attack, "attack")
    watch.run(lambda: _core.call(lib.sotto_attack, out, run, data._data, which, ask, watch.observer))
    findings: list[dict[str, Any]] = []
    for at in range(int(out.count)):
        item = out.items[at]
        found: dict[str, Any] = {"attack": _core.text(item.attack), "variant": _core.text(item.variant),
                 "sees": _core.text(item.sees), "decides": bool(item.decides), "holds": bool(item.holds)}
        if item.is_canary:
            found.update({name: getattr(item.canary, name) for name in ("stated", "lower", "mu_stated", "mu_lower")},
                         trials=int(item.canary.trials))
        elif item.is_one_run:
            found.update({name: getattr(item.one_run, name) for name in ("stated", "lower", "mu_stated", "mu_lower")},
                         canaries=int(item.one_run.canaries), guesses=int(item.one_run.guesses),
                         correct=int(item.one_run.correct))
        elif item.is_release:
            found.update({name: bool(getattr(item.release, name)) for name in ("kept", "noise_holds", "edges_hold")},
                         releases=int(item.release.releases), compared=int(item.release.compared),
                         seeds=int(item.release.seeds), draws=int(item.release.draws), edges=int(item.release.edges),
                         moved=item.release.moved, false_alarm=item.release.false_alarm)
        else:
            found.update(_attacked(item.attacked))
        findings.append(found)
    return {"method": _core.text(out.method), "adjacency": _core.text(out.adjacency), "stated": out.stated,
            "delta": out.delta, "holds": bool(lib.sotto_findings_hold(out)), "findings": findings}
