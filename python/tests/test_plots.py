"""Pictures of runs and ledgers."""
import sys

import pytest

import sotto

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed: pictures are not tested")
matplotlib.use("Agg")


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_run_is_drawn_with_a_line_a_stage(graph) -> None:
    model = sotto.GAP(epsilon=4.0, encoder_epochs=3, epochs=5, seeds=2, seed=1).fit(graph)
    ax = model.plot()
    assert ax.get_ylabel() == "validation" and sorted(texts(ax)) == ["decoder", "encoder"]
    by_stage = {line.get_label(): line for line in ax.lines}
    assert list(by_stage["encoder"].get_xdata()) == [1, 2, 3] and list(by_stage["decoder"].get_xdata()) == [1, 2, 3, 4, 5]
    first = [record["validation"] for record in model.history if record["stage"] == "decoder" and record["epoch"] == 1]
    assert len(first) == 2 and by_stage["decoder"].get_ydata()[0] == pytest.approx(sum(first) / 2)
    assert len(ax.collections) == 2  # bands of two seeds
    assert ax.get_title() == model.statement["verdicts"][0]["text"] and "epsilon" in ax.get_title()
    assert model.plot(ax) is ax


def test_a_ledger_is_drawn_with_its_budget(graph) -> None:
    with sotto.Ledger() as ledger:
        ledger.set_budget(graph, epsilon=8, delta=1e-5)
        for seed in range(2):
            sotto.GAP(epsilon=2.0, delta=1e-6, encoder_epochs=1, epochs=1, seed=seed, ledger=ledger).fit(graph)
        ax, spent = ledger.plot(graph), ledger.spent(graph)
        assert [round(bar.get_height(), 6) for bar in ax.patches] == [
            round(charge["epsilon"], 6) for charge in ledger.charges(graph)]
        assert {f"together: epsilon {spent['epsilon']:.4g}", "budget: epsilon 8"} <= set(texts(ax))
        assert "epsilon at edge level" == ax.get_ylabel()
        page = ledger._repr_html_()  # a budget at its level, and not at one that is stricter
        assert "sbm" in page and "<td style='text-align:left'>8</td>" in page
    assert "closed" in ledger._repr_html_()


def test_a_bound_that_is_none_is_not_drawn(graph) -> None:
    with sotto.Ledger() as ledger:
        sotto.GAP(epsilon=2.0, encoder_epochs=1, epochs=1, ledger=ledger).fit(graph)
        ax = ledger.plot(graph, "node")
        assert not ax.patches
        sotto.GNN(epochs=1, ledger=ledger).fit(graph)
        unprotected = ledger.spent(graph)["unprotected"]
        labels = texts(ledger.plot(graph))
        assert (unprotected > 0) == (not any(label.startswith("together") for label in labels))


def test_without_matplotlib_it_says_what_to_install(graph, monkeypatch: pytest.MonkeyPatch) -> None:
    model = sotto.MLP(encoder_epochs=1).fit(graph)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(sotto.NotFound, match="pip install matplotlib"):
        model.plot()
