"""Random calls with wrong types, shapes, strides and values: every one ends with a result or an exception.

usage: fuzz.py SEED CALLS THREADS
"""
import datetime
import os
import random
import sys
import tempfile
import threading

import numpy as np
import pandas

import sotto
from sotto import accounting, align, audit, gw


class Hostile:
    """An object whose every promise is broken."""

    shape = (3, 3)
    columns = ["a", "b"]
    edge_index = property(lambda self: 1 / 0)

    def __array__(self, *arguments, **options):
        raise RuntimeError("no array")

    def __len__(self) -> int:
        return -1


def anything(r: random.Random):
    """Any value at all."""
    g = np.random.default_rng(r.getrandbits(32))
    n = r.choice([0, 1, 2, 3, 7, 40])
    return r.choice([
        lambda: None, lambda: -1, lambda: 2**70, lambda: float("nan"), lambda: float("inf"), lambda: "", lambda: "x\0y",
        lambda: b"\xff\xfe", lambda: "é" * 500, lambda: object(), Hostile, lambda: [[1, 2], [3]], lambda: {"a": 1},
        lambda: {1, 2}, lambda: True, lambda: 3 + 4j, lambda: r.random() * 10, lambda: r.randrange(-5, 300),
        lambda: g.normal(size=(n, 3)), lambda: g.normal(size=(n, n)).astype(np.float32),
        lambda: g.integers(-3, 50, size=(2, n)), lambda: g.integers(0, 40, size=(n, 2)).astype(np.uint8),
        lambda: g.integers(0, 2**63, size=(2, n)), lambda: np.full((2, n), np.nan), lambda: np.empty((0, 0)),
        lambda: g.normal(size=(n, n))[::-1, ::-2] if n else np.zeros((0, 5)), lambda: np.zeros((2, 2, 2)),
        lambda: np.array(["a", None, 3], dtype=object), lambda: np.array(["a", "b"]), lambda: np.ma.masked_array([1]),
        lambda: np.zeros(3, dtype=">i8"), lambda: np.zeros(3, dtype="datetime64[s]"), lambda: np.zeros(3, dtype="V8"),
        lambda: np.broadcast_to(np.float32(1), (40, 8)), lambda: np.arange(40) % 2, lambda: np.zeros(40, dtype=bool),
        lambda: g.normal(size=(40, 8)).astype(np.float32), lambda: g.integers(0, 40, size=(2, 60)),
        lambda: g.normal(size=(40, 8)).astype(np.float16), lambda: np.frombuffer(bytes(161), "<f4", offset=1),
    ])()


def near(r: random.Random, good):
    """Mostly the value that fits."""
    return good if r.random() < 0.85 else anything(r)


class Caller:
    """Objects that calls are made on, also closed ones."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.graph = sotto.generate("sbm", nodes=40, classes=2, features=8, degree_inside=4, degree_outside=1)
        self.other = sotto.generate("chains", classes=2, chains_per_class=2, length=5, features=4)
        self.named = sotto.Graph(x=pandas.DataFrame({"age": [1.0, 2.5], "city": ["a", "b"], "label": ["u", "v"]}))
        self.fitted = sotto.GNN(epochs=1).fit(self.graph)
        self.ledger = sotto.Ledger()
        self.closed = sotto.Ledger()
        self.closed.close()

    def graph_of(self, r: random.Random):
        edges = np.random.default_rng(1).integers(0, 40, size=(2, 60))
        names = ("ids", "nodes", "train", "validation", "test", "classes", "name", "adjacency", "task")
        more = {name: anything(r) for name in names if r.random() < 0.15}
        made = sotto.Graph(near(r, edges), near(r, np.ones((40, 8), np.float32)), near(r, np.arange(40) % 2), **more)
        made.part(near(r, "train"))
        return made.x, made.y, made.adjacency

    def table(self, r: random.Random):
        names = r.sample(["id", "label", "split", "age", "city", "born", "=", "a,b", "x\ny", "é" * 90, ""], r.choice([0, 1, 3]))
        cells = [None, float("nan"), 1, -1, 2.5, 2**60, 1e300, "a", "02116", "2024-01-31", "train", "", "x\ny", True, b"b", [1],
                 datetime.date(1, 1, 1), datetime.datetime.max, datetime.timedelta(1), np.float16(1), np.datetime64("NaT")]
        frame = pandas.DataFrame({name: pandas.Series([r.choice(cells[r.randrange(len(cells)):]) for _ in range(5)], dtype=object)
                                  for name in names})
        column = {"name": near(r, "age"), "type": near(r, "number"), **r.choice([{}, {"words": anything(r)}])}
        more = {name: anything(r) for name in ("schema", "others", "types", "missing_words", "ids", "y") if r.random() < 0.1}
        return r.choice([
            lambda: sotto.Graph(x=frame, missing=near(r, "zero"), **more).schema.to_yaml(),
            lambda: sotto.import_table(near(r, frame), near(r, frame), missing=near(r, "zero")),
            lambda: sotto.Schema(near(r, [column]), near(r, ["a", "b"])).to_dict(), lambda: sotto.Schema.from_yaml(anything(r)),
            lambda: sotto.Schema.from_dict(near(r, {"columns": [column], "stated": anything(r)})),
            lambda: self.fitted.predict(sotto.Graph(x=frame, schema=near(r, self.named.schema), others=True)),
            lambda: self.named.schema == anything(r)])()

    def fit(self, r: random.Random):
        kind = r.choice(list(sotto.estimators.BY_METHOD.values()))
        model = kind(**{name: anything(r) for name in r.sample(sorted(kind().get_params()), r.choice([0, 0, 1, 2]))})
        if "epochs" in model.get_params() and r.random() < 0.9:
            model.set_params(epochs=1)
        graph = self.graph if r.random() < 0.9 else anything(r)
        return model.fit(graph, **{name: anything(r) for name in ("epsilon", "delta", "ledger", "y", "callback")
                                   if r.random() < 0.1})

    def answer(self, r: random.Random):
        call = r.choice([self.fitted.predict, self.fitted.predict_proba, self.fitted.score])
        return call(near(r, None), **{name: anything(r) for name in ("nodes", "epsilon") if r.random() < 0.5})

    def of_ledger(self, r: random.Random):
        ledger = r.choice([self.ledger, self.closed])
        return r.choice([
            lambda: ledger.spent(near(r, self.graph), near(r, "edge")), lambda: ledger.charges(near(r, self.graph)),
            lambda: ledger.set_budget(near(r, self.other), epsilon=near(r, 1.0), delta=near(r, 1e-6),
                                      adjacency=near(r, "edge"), reason=near(r, "")),
            lambda: ledger.new_account(anything(r)), lambda: ledger.add_version(anything(r), near(r, self.graph)),
            lambda: ledger.export(near(r, os.path.join(self.folder, "nowhere", "x"))), lambda: ledger.accounts(),
            lambda: ledger.changes(anything(r))])()

    def account(self, r: random.Random):
        event = r.choice([
            lambda: accounting.GaussianDpEvent(anything(r)), lambda: accounting.LaplaceDpEvent(anything(r)),
            lambda: accounting.SelfComposedDpEvent(accounting.GaussianDpEvent(near(r, 1.0)), anything(r)),
            lambda: accounting.PoissonSampledDpEvent(anything(r), accounting.GaussianDpEvent(1.0)),
            lambda: accounting.MechanismDpEvent(anything(r), near(r, {"noise": 1.0})), lambda: anything(r)])()
        return r.choice([lambda: accounting.epsilon(event, near(r, 1e-5), near(r, "rdp")),
                         lambda: accounting.delta(event, near(r, 1.0), "rdp"),
                         lambda: accounting.noise([event], anything(r), near(r, 1.0), near(r, 1e-5), "rdp"),
                         lambda: accounting.gdp_delta(anything(r), anything(r)),
                         lambda: accounting.gdp_epsilon(anything(r), near(r, 1e-5))])()

    def distances(self, r: random.Random):
        good = np.ones((3, 3)) - np.eye(3)
        return r.choice([
            lambda: gw.distance(near(r, good), near(r, good), near(r, None), near(r, None), near(r, "square_loss")),
            lambda: gw.plan(near(r, good), good, M=near(r, good), alpha=near(r, 0.5), starts=near(r, 1)),
            lambda: gw.barycenter(near(r, 3), near(r, [good, good]), lambdas=near(r, None), rounds=near(r, 2)),
            lambda: gw.paths(near(r, self.graph)), lambda: gw.pairwise(near(r, [self.graph]), near(r, "paths"))])()

    def others(self, r: random.Random):
        return r.choice([
            lambda: align.local(near(r, [["a", "b"], ["b"]])), lambda: align.local([anything(r), anything(r)]),
            lambda: audit.bound(near(r, np.zeros(100)), near(r, np.zeros(100)), near(r, 0.1)),
            lambda: audit.measure(anything(r), anything(r)), lambda: audit.mechanism(anything(r), epsilon=anything(r)),
            lambda: audit.model(near(r, self.fitted), near(r, "linkteller"), nodes=near(r, 20)),
            lambda: sotto.load(anything(r)), lambda: sotto.load_model(near(r, self.folder), near(r, self.graph)),
            lambda: sotto.generate(near(r, "chains"), nodes=anything(r)),
            lambda: sotto.generate("sbm", seed=anything(r), nodes=near(r, 40), classes=near(r, 2), features=near(r, 2),
                                   degree_inside=near(r, 3.0), degree_outside=near(r, 1.0)),
            lambda: sotto.Party(near(r, "data"), near(r, {"a": None}), listen=near(r, "127.0.0.1:1")),
            lambda: sotto.set_threads(near(r, 1))])()


def work(seed: int, calls: int, caller: Caller, failures: list[str]) -> None:
    r = random.Random(seed)
    kinds = [caller.graph_of, caller.table, caller.fit, caller.answer, caller.of_ledger, caller.account, caller.distances,
             caller.others]
    for number in range(calls):
        kind = r.choice(kinds)
        try:
            kind(r)
        except (SystemError, AssertionError) as problem:
            failures.append(f"seed {seed}, call {number}, {kind.__name__}: {problem!r}")
        except Exception:  # any other exception is what such a call deserves
            pass


def main(seed: int, calls: int, threads: int) -> int:
    folder = tempfile.mkdtemp()
    os.environ.update(HOME=folder, TMPDIR=folder, SOTTO_LEDGER=os.path.join(folder, "ledger.db"),
                      SOTTO_LEDGER_KEY=os.path.join(folder, "key"))
    sotto.Ledger.create().close()
    caller, failures = Caller(folder), []
    workers = [threading.Thread(target=work, args=(seed + at, calls // threads, caller, failures))
               for at in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print(f"seed {seed}: {calls} calls, {len(failures)} failures", *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
