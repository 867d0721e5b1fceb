"""Several parties: in one call, and in two threads over the loopback."""
import asyncio
import os
import subprocess
import threading

import numpy as np
import pytest

import sotto

OPTIONS = {"hidden": 16, "encoder_epochs": 4, "epochs": 4, "seed": 1, "insecure_seed": 3, "grace": 60.0,
           "publication": "layers"}


def parties(address: str, **more):
    """A data party that listens and a label party."""
    data = sotto.Party("data", {"partner": None}, listen=address, insecure_loopback=True, **OPTIONS, **more)
    label = sotto.Party("label", {"bank": address}, insecure_loopback=True, **OPTIONS, **more)
    return data, label


def together(*calls):
    """Results of calls, a thread each."""
    out, failures = [None] * len(calls), []

    def work(at: int) -> None:
        try:
            out[at] = calls[at]()
        except BaseException as problem:
            failures.append(problem)
    workers = [threading.Thread(target=work, args=(at,)) for at in range(len(calls))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    return out


def test_two_parties_train_and_answer_in_two_threads(arrays, loopback) -> None:
    data, label = parties(f"{loopback}:7301")
    firm = sotto.Graph(arrays["edges"], arrays["x"])
    partner = sotto.Graph(None, None, arrays["y"])
    together(lambda: data.train(firm), lambda: label.train(partner))
    assert label.result["test"]["accuracy"]["mean"] > 0.5
    assert data.statement["method"]["name"] == "vesper" and label.history
    answers = together(lambda: data.predict_proba(firm), lambda: label.predict_proba(partner, nodes=[3, 5]))
    assert answers[0] is None
    nodes, rows = answers[1]
    assert nodes.tolist() == [3, 5] and rows.shape == (2, 2)


def test_two_parties_train_what_one_process_trains(arrays, loopback) -> None:
    data, label = parties(f"{loopback}:7302")
    whole = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    together(lambda: data.train(whole), lambda: label.train(whole))
    alone = sotto.simulate("vesper", whole, **{name: OPTIONS[name] for name in OPTIONS if name != "grace"})
    assert label.result["test"] == alone.result["test"]


def identities(folder):
    """Two folders of parties that trust each other."""
    for name in ("bank", "partner"):
        assert sotto.identity.init(name, folder=folder / name)["name"] == name
    assert sotto.identity.trust(folder / "partner" / "own.crt", folder=folder / "bank") == "partner"
    assert sotto.identity.trust(folder / "bank" / "own.crt", folder=folder / "partner") == "bank"
    assert sotto.identity.trusted(folder=folder / "bank") == ["partner"]
    return folder / "bank", folder / "partner"


def test_two_parties_train_over_tls(arrays, loopback, tmp_path) -> None:
    bank, partner = identities(tmp_path)
    whole = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    data = sotto.Party("data", {"partner": None}, listen=f"{loopback}:7305", folder=bank, **OPTIONS)
    label = sotto.Party("label", {"bank": f"{loopback}:7305"}, folder=partner, **OPTIONS)
    together(lambda: data.train(whole), lambda: label.train(whole))
    assert label.result["test"]["accuracy"]["mean"] > 0.5


def test_a_key_that_was_revoked_is_refused(arrays, loopback, tmp_path) -> None:
    bank, partner = identities(tmp_path)
    assert sotto.identity.revoke("partner", folder=bank)["name"] == "partner"
    assert sotto.identity.trusted(folder=bank) == []
    with pytest.raises(sotto.InvalidArgument):
        sotto.identity.init("bank", folder=bank)
    with pytest.raises(sotto.NotFound):
        sotto.identity.check(folder=tmp_path / "nobody")
    data = sotto.Party("data", {"partner": None}, listen=f"{loopback}:7306", folder=bank, **OPTIONS)
    with pytest.raises(sotto.Error, match="partner"):
        data.train(sotto.Graph(arrays["edges"], arrays["x"]))


def test_a_party_and_the_program_train_together(arrays, loopback, tmp_path) -> None:
    program = os.environ.get("SOTTO", "")
    if not program:
        pytest.skip("$SOTTO names no program")
    bank, partner = identities(tmp_path)
    whole = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    whole.save(tmp_path / "g.sotto")
    flags = [text for name, value in OPTIONS.items() for text in (f"--{name.replace('_', '-')}", str(value))]
    (tmp_path / "run.yaml").write_text("method: vesper\n")
    other = subprocess.Popen([program, "run", tmp_path / "run.yaml", "--role", "label", "--data", tmp_path / "g.sotto",
                              "--dir", partner, "--peer", f"bank={loopback}:7307", "--out", tmp_path / "out", *flags],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    data = sotto.Party("data", {"partner": None}, listen=f"{loopback}:7307", folder=bank, **OPTIONS)
    data.train(whole)
    assert other.wait() == 0, other.stderr.read()
    assert (tmp_path / "out" / "statement.json").exists()


def test_parties_run_under_asyncio(arrays, loopback) -> None:
    data, label = parties(f"{loopback}:7303")
    whole = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])

    async def both():
        return await asyncio.gather(asyncio.to_thread(data.train, whole), asyncio.to_thread(label.train, whole))
    asyncio.run(both())
    assert label.result["test"]["accuracy"]["mean"] > 0.5


def test_a_party_that_was_stopped_goes_on(arrays, loopback) -> None:
    data, label = parties(f"{loopback}:7308")
    whole = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    with pytest.raises(sotto.Interrupted):  # nobody comes
        data.train(whole, callback=lambda event: data.stop())
    together(lambda: data.train(whole), lambda: label.train(whole))
    assert label.result["test"]["accuracy"]["mean"] > 0.5


def test_other_terms_and_other_nodes_are_refused(arrays, loopback) -> None:
    data, _ = parties(f"{loopback}:7304", layers=1)
    _, label = parties(f"{loopback}:7304", layers=2)
    whole = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    with pytest.raises(sotto.ProtocolError, match="layers"):
        together(lambda: data.train(whole), lambda: label.train(whole))


def test_what_a_party_lacks_is_said(arrays) -> None:
    data, label = parties("127.0.0.1:1")
    with pytest.raises(sotto.InvalidArgument, match="no labels"):
        label.train(sotto.Graph(arrays["edges"], arrays["x"]))
    with pytest.raises(sotto.InvalidArgument, match="no features"):
        data.train(sotto.Graph(arrays["edges"], None, arrays["y"]))
    with pytest.raises(sotto.InvalidArgument):
        sotto.Party("dat", {"bank": None}, listen="127.0.0.1:1")
    with pytest.raises(sotto.NotFound):
        sotto.Party("data", {"bank": None}, listen="127.0.0.1:1", epsilom=1)
    with pytest.raises(sotto.NotFitted):
        data.result


def test_graphs_of_two_parties_give_what_the_whole_gives(arrays) -> None:
    whole = sotto.Graph(arrays["edges"], arrays["x"], arrays["y"])
    options = {name: OPTIONS[name] for name in OPTIONS if name != "grace"}
    halves = [sotto.Graph(arrays["edges"], arrays["x"]), sotto.Graph(None, None, arrays["y"])]
    assert sotto.simulate("vesper", halves, **options).digest == sotto.simulate("vesper", whole, **options).digest
    with pytest.raises(sotto.InvalidArgument, match="same nodes in the same order"):
        sotto.simulate("vesper", [halves[0], sotto.Graph(None, None, arrays["y"][:9])], **options)


def test_clients_bring_graphs_of_their_own(arrays) -> None:
    names = np.array(["no", "yes"])[arrays["y"]]
    graphs = [sotto.Graph(arrays["edges"], arrays["x"], names) for _ in range(3)]
    model = sotto.simulate("fedavg", graphs, rounds=2, adjacency="none", seed=1)
    assert model.predict_proba().shape == (900, 2) and set(model.predict()) <= {"no", "yes"}
    with pytest.raises(sotto.InvalidArgument):
        sotto.simulate("gnn", graphs)


@pytest.mark.parametrize("method, more", [("vfgnn", {"holders": 2, "epochs": 2}),
                                          ("fedavg", {"clients": 3, "rounds": 2, "adjacency": "none"}),
                                          ("mlp", {"encoder_epochs": 2})])
def test_parties_in_one_call(graph, method, more) -> None:
    events: list = []
    model = sotto.simulate(method, graph, callback=events.append, seed=1, **more)
    assert model.statement["method"]["name"] == method and events
    assert np.isfinite(model.result["test"]["accuracy"]["mean"])
