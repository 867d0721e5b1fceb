"""The ledger, the accountant, distances, alignment, audits."""
import math
import os
import pathlib
import threading

import numpy as np
import pytest

import sotto
from sotto import accounting as a


def test_the_accountant_knows_its_closed_forms() -> None:
    assert a.gdp_epsilon(1.0, a.gdp_delta(1.0, 2.0)) == pytest.approx(2.0, abs=1e-8)
    assert a.gdp_mu(a.gdp_epsilon(0.7, 1e-6), 1e-6) == pytest.approx(0.7, rel=1e-8)
    four = a.SelfComposedDpEvent(a.GaussianDpEvent(2.0), 4)
    assert a.epsilon(four, 1e-6, "gdp") == pytest.approx(a.gdp_epsilon(1.0, 1e-6))
    assert a.epsilon(a.LaplaceDpEvent(2.0), 0.0) == pytest.approx(0.5)
    assert a.epsilon([a.LaplaceDpEvent(2.0), a.LaplaceDpEvent(4.0)], 0.0) == pytest.approx(0.75)
    assert a.epsilon(a.RandomizedResponseDpEvent(0.5, 2), 0.0) == pytest.approx(math.log(3))
    assert a.epsilon(a.NoOpDpEvent(), 1e-6) == 0.0
    nested = a.SelfComposedDpEvent(a.ComposedDpEvent([a.GaussianDpEvent(2.0), a.GaussianDpEvent(2.0)]), 2)
    assert a.epsilon(nested, 1e-6, "gdp") == pytest.approx(a.epsilon(four, 1e-6, "gdp"))


def test_curves_are_vectorised() -> None:
    event = a.PoissonSampledDpEvent(0.1, a.GaussianDpEvent(1.0))
    deltas = a.delta(event, np.array([[0.5, 1.0], [2.0, 3.0]]))
    assert deltas.shape == (2, 2) and (np.diff(deltas.reshape(-1)) < 0).all()
    assert a.epsilon(event, deltas.reshape(-1))[1] == pytest.approx(1.0, abs=1e-3)
    assert a.delta(event, 1.0) == deltas[0, 1]
    accountant = a.Accountant("rdp").compose(event, 10)
    assert accountant.get_epsilon(1e-5) > a.Accountant().compose(event, 10).get_epsilon(1e-5)


def test_noise_and_steps_are_inverse_to_epsilon() -> None:
    sigma = a.noise([a.GaussianDpEvent(0)], 0, 1.0, 1e-5, "gdp")
    assert a.epsilon(a.GaussianDpEvent(sigma), 1e-5, "gdp") == pytest.approx(1.0, abs=1e-6)
    times = a.steps([a.GaussianDpEvent(10.0)], 0, 1.0, 1e-5, "gdp")
    within, above = (a.epsilon(a.SelfComposedDpEvent(a.GaussianDpEvent(10.0), n), 1e-5, "gdp") for n in
                     (times, times + 1))
    assert within <= 1.0 < above


@pytest.mark.parametrize("bad, kind", [
    (lambda: a.epsilon(a.GaussianDpEvent(1.0), 2.0), sotto.OutOfRange),
    (lambda: a.epsilon(a.GaussianDpEvent(-1.0), 1e-5), sotto.OutOfRange),
    (lambda: a.epsilon(a.LaplaceDpEvent(1.0), 1e-5, "gdp"), sotto.Unsupported),
    (lambda: a.epsilon(a.PoissonSampledDpEvent(0.1, a.LaplaceDpEvent(1.0)), 1e-5), sotto.Unsupported),
    (lambda: a.epsilon("gaussian", 1e-5), sotto.InvalidArgument),
    (lambda: a.epsilon(a.GaussianDpEvent(1.0), 1e-5, "gpd"), sotto.NotFound),
    (lambda: a.epsilon(a.MechanismDpEvent("gausian", {}), 1e-5), sotto.NotFound),
])
def test_the_accountant_refuses(bad, kind) -> None:
    with pytest.raises(kind):
        bad()


def test_accounts_and_changes_are_listed(graph) -> None:
    with sotto.Ledger() as ledger:
        ledger.new_account("customers", "agreed")
        ledger.add_version("customers", graph)
        ledger.set_budget(graph, epsilon=8, delta=1e-6, reason="board")
        assert [row["name"] for row in ledger.accounts()] == ["customers"]
        assert {row["kind"] for row in ledger.changes()} >= {"account", "version", "budget"}
        assert ledger.spent(graph)["budget"] == {"epsilon": 8.0, "delta": 1e-6}
        with pytest.raises(sotto.InvalidArgument):
            ledger.spent("abc")


def test_a_budget_covers_versions_of_a_graph() -> None:
    rng = np.random.default_rng(7)
    edges, x, y = rng.integers(0, 100, (2, 300)), rng.normal(size=(100, 4)).astype(np.float32), rng.integers(0, 2, 100)
    may, order = sotto.Graph(edges, x=x, y=y), rng.permutation(100)
    june = sotto.Graph(np.argsort(order)[edges[:, 5:]], x=x[order], y=y[order])  # other rows, five edges less
    other = sotto.Graph(edges[:, 5:], x=rng.normal(size=(100, 4)).astype(np.float32), y=y)
    with sotto.Ledger() as ledger:
        ledger.set_budget(may, epsilon=2, delta=1e-6)
        assert ledger.spent(june)["budget"] == {"epsilon": 2.0, "delta": 1e-6}
        assert ledger.spent(other)["budget"] is None
        with pytest.raises(sotto.BudgetExceeded, match="the budget is 2"):
            sotto.GAP(epsilon=3, delta=1e-6, epochs=2, encoder_epochs=2).fit(june, ledger=ledger)
        sotto.GAP(epsilon=2, delta=1e-6, epochs=2, encoder_epochs=2).fit(june, ledger=ledger)
        assert ledger.spent(may)["charges"] == ledger.spent(june)["charges"] == 1


def test_a_file_remembers_its_ledger(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "graph.csv"
    path.write_text("source,target\na,b\nb,c\n", encoding="utf-8")
    with sotto.Ledger() as ledger, sotto.Ledger.create(tmp_path / "empty.db") as empty:
        ledger.set_budget(sotto.load(path), epsilon=2, delta=1e-6)
        with pytest.raises(sotto.BudgetExceeded, match="is another one"):
            empty.spent(sotto.load(path))
        empty.move(path, "a new office")
        assert empty.spent(sotto.load(path))["charges"] == 0


def test_a_closed_ledger_says_so() -> None:
    ledger = sotto.Ledger()
    ledger.close()
    ledger.close()
    with pytest.raises(sotto.Closed):
        ledger.charges()
    with pytest.raises(sotto.NotFound):
        sotto.Ledger("/nowhere/ledger.db")


def test_a_ledger_serves_eight_threads(graph) -> None:
    failures = []
    with sotto.Ledger() as ledger:
        def work(number: int) -> None:
            try:
                for turn in range(5):
                    ledger.set_budget(graph, epsilon=1 + number, delta=1e-6)
                    ledger.spent(graph)
            except Exception as problem:
                failures.append(problem)
        workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert not failures and len(ledger.changes(graph)) == 40


def test_distances_are_those_of_hand() -> None:
    triangle, path = 1.0 - np.eye(3), np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]])
    assert sotto.gw.distance(triangle, path) == pytest.approx(2 / 9)
    rounded = triangle * np.array([[1, 1 + 1e-15, 1], [1, 1, 1], [1, 1, 1]])
    assert sotto.gw.distance(rounded, path) == pytest.approx(2 / 9)
    plan = sotto.gw.plan(path, path[[1, 0, 2]][:, [1, 0, 2]])
    assert plan.sum(axis=1) == pytest.approx([1 / 3] * 3) and plan[1, 0] == pytest.approx(1 / 3)
    assert sotto.gw.distance(path, path, p=[0.5, 0.25, 0.25], q=[0.5, 0.25, 0.25]) == pytest.approx(0, abs=1e-12)
    fused = sotto.gw.distance(path, path, M=np.array([[0.0, 1, 2], [1, 0, 1], [2, 1, 0]]), alpha=0.5)
    assert fused == pytest.approx(0, abs=1e-12)
    mean = sotto.gw.barycenter(3, [path, path])
    assert mean.C.shape == (3, 3) and mean.value == pytest.approx(0, abs=1e-9)
    line = sotto.Graph([[0, 1], [1, 2]], nodes=3)
    assert np.array_equal(sotto.gw.paths(line), path)
    ring = sotto.Graph([[0, 1, 2], [1, 2, 0]], nodes=3)
    table = sotto.gw.pairwise([line, ring, line])
    assert table == pytest.approx(np.array([[0, 2, 0], [2, 0, 2], [0, 2, 0]]) / 9, abs=1e-9)
    with pytest.raises(sotto.InvalidArgument):
        sotto.gw.distance(path, path[:2])
    with pytest.raises(sotto.InvalidArgument):
        sotto.gw.distance(np.triu(path), path)
    with pytest.raises(sotto.NotFinite):
        sotto.gw.distance(path * np.nan, path)


def test_parties_align() -> None:
    lists = [["a", "b", "c", "d"], ["d", "x", "b"], ["b", "y", "d", "a"]]
    rows = sotto.align.local(lists)
    named = [[lists[party][row] for row in rows[party]] for party in range(3)]
    assert named[0] == named[1] == named[2] and set(named[0]) == {"b", "d"}
    assert sorted(sotto.align.local([[3, 1], [1, 4]], common=True)) == [1]
    with pytest.raises(sotto.ParseError):
        sotto.align.local([["a", "a"], ["a"]])
    with pytest.raises(sotto.InvalidArgument):
        sotto.align.local([["a\nb"], ["a"]])


def test_two_parties_align_over_loopback(loopback) -> None:
    found: list = [None, None]

    def hub() -> None:
        found[0] = sotto.align.party(["a", "b", "c"], {"leaf": f"{loopback}:7201"}, hub=True, listen=True,
                                     insecure_loopback=True, grace=60)

    worker = threading.Thread(target=hub)
    worker.start()
    found[1] = sotto.align.party(["c", "z", "a"], {"hub": f"{loopback}:7201"}, hub=False, insecure_loopback=True,
                                 grace=60)
    worker.join()
    assert {"abc"[row] for row in found[0]} == {"cza"[row] for row in found[1]} == {"a", "c"}


def test_audits_hold() -> None:
    assert sotto.audit.mechanism("gaussian", epsilon=1.0, trials=5000)["holds"]
    scores = np.random.default_rng(1).normal(size=2000)
    assert sotto.audit.bound(scores[:1000], scores[1000:], 1e-3) < 0.5
    assert sotto.audit.bound(scores[:1000], scores[1000:] + 10, 1e-3) > 3
    found = sotto.audit.measure(scores[:1000] + 1, scores[1000:])
    assert 0.7 < found["auc_low"] < found["auc"] < found["auc_high"] < 0.85
    with pytest.raises(sotto.NotFound):
        sotto.audit.mechanism("gausian", epsilon=1.0)


def test_a_model_is_attacked(graph) -> None:
    found = sotto.audit.model(sotto.GNN(epochs=5).fit(graph), "linkteller", nodes=60)
    assert found["method"] == "gnn" and found["findings"][0]["auc"] > 0.5
    with pytest.raises(sotto.NotFound):
        sotto.audit.model(sotto.GNN(epochs=2).fit(graph), "linkteler")


def test_the_backup_and_the_export_of_a_ledger(tmp_path: pathlib.Path) -> None:
    with sotto.Ledger() as ledger:
        ledger.backup(tmp_path / "copy.db")
        ledger.export(tmp_path / "chain.json")
        assert sotto.ledger.verify_export(tmp_path / "chain.json") == ledger.prove()
    assert os.path.exists(tmp_path / "copy.db")
