"""What is compared: datasets, and for each task the peers, ours, and a grid of at most two points for each."""
import os

import works

SETS = {"cora": ["planetoid:cora"], "photo": ["npz/amazon_electronics_photo.npz"],
        "computers": ["npz/amazon_electronics_computers.npz"], "facebook": ["facebook100/UConn91.mat", "--target", "year:1000"]}
CLASSES = {"cora": 7, "photo": 8, "computers": 10, "facebook": 5}
LAYERS = [{"layers": 1}, {"layers": 2}]
PROGRAM = [{"layers": 1, "dropout": 0.0}, {"layers": 1, "dropout": 0.5}]
NODE = {"max-degree": 50, "degree-cut": True}


def both(name, grid, ours=None, **more):
    return [{"peer": name, "method": name, "grid": grid, "job": more},
            {"peer": "sotto", "method": name, "grid": ours or grid}]


def sbm(runner, name, nodes, features, seed):
    path = f"{runner.work}/{name}.sotto"
    runner.program.call("data", "generate", "sbm", "--nodes", nodes, "--features", features, "--seed", seed, "--out", path)
    return path


def here(args, name):
    """The words that name a dataset of --data-dir, or None."""
    if not args.data_dir:
        return None
    path = SETS[name][0]
    file = f"{path.split(':')[0]}/ind.{path.split(':')[1]}.graph" if ":" in path else path
    return [f"{args.data_dir}/{path}", *SETS[name][1:]] if os.path.exists(f"{args.data_dir}/{file}") else None


def edge(name, data, seeds, epochs):
    """Every program has K = 1: a second layer differs by less than one seed of noise tells, so one seed cannot choose it."""
    grid = points(epochs, LAYERS[:1])
    peers = {"photo": ("gap",), "computers": ("gap", "progap"), "facebook": ("gap", "progap")}.get(name, ("gap", "progap", "caribou", "lpgnet"))
    return {"name": "edge level", "dataset": name, "data": data, "seeds": seeds,
            "job": {"level": "edge", "epsilon": 1, "delta": 1e-6},
            "entries": [{"peer": "sotto", "method": "best", "grid": points(epochs, [{}])},
                        *[{"peer": "progap_program", "method": peer, "grid": points(epochs, PROGRAM)} for peer in peers if peer in ("gap", "progap")],
                        *[{**entry, **more_seeds(peer, seeds)} for peer in peers for entry in both(peer, grid)]]}


def more_seeds(peer, seeds):
    """Three seeds do not tell LPGNet's loop and ours apart."""
    return {"seeds": list(range(1, 11))} if peer == "lpgnet" and len(seeds) > 1 else {}


def points(epochs, grid=LAYERS):
    return [{**point, **({"epochs": epochs} if epochs else {})} for point in grid]


def node(name, data, seeds, epochs):
    return {"name": "node level", "dataset": name, "data": data, "seeds": seeds,
            "job": {"level": "node", "epsilon": 8, "delta": 1e-6, "max_degree": 50},
            "entries": [*[{"peer": peer, "method": "progap", "grid": [{"layers": 1, **({"epochs": 2} if epochs else {})}]}
                          for peer in ("progap", "progap_program")],
                        *[{"peer": "sotto", "method": method, "fixed": {"classes": CLASSES.get(name, 0)},
                           "grid": [{**layers, **NODE, **({"epochs": epochs} if epochs else {})}]}
                          for method, layers in (("progap", {"layers": 1}), ("best", {}))]]}


NETWORKS = (("gcn", "gnn", {"aggregator": "gcn"}), ("gin", "gnn", {"aggregator": "gin"}), ("sage", "sage", {}))


def plain(name, data, seeds, epochs, networks=NETWORKS, grid=LAYERS):
    """Without privacy."""
    entries = []
    for theirs, method, fixed in networks:
        entries += [{"peer": "pyg", "method": theirs, "grid": points(epochs or 100, grid)},
                    {"peer": "sotto", "method": method, "fixed": fixed, "grid": [{**point, **fixed} for point in points(epochs or 100, grid)]}]
    return {"name": "without privacy", "dataset": name, "data": data, "seeds": seeds, "job": {}, "entries": entries}


REPLACED = 11.4  # epsilon for replacing a node, at the noise that Opacus has for adding or removing one at epsilon 8


def perceptron(name, data, seeds, steps):
    """Ours protects against a node that is replaced, Opacus against one that comes or goes: ours also at the noise of Opacus."""
    rates = [{"learning-rate": 0.01, "batch-rate": 0.05, "steps": steps}, {"learning-rate": 0.03, "batch-rate": 0.05, "steps": steps}]
    return {"name": "DP-SGD", "dataset": name, "data": data, "seeds": seeds, "job": {"level": "node", "epsilon": 8, "delta": 1e-6},
            "entries": [{"peer": "opacus", "method": "mlp", "grid": rates},
                        {"peer": "sotto", "method": "mlp", "fixed": {"classes": CLASSES.get(name, 0)}, "grid": rates},
                        {"peer": "sotto", "method": "mlp", "fixed": {"classes": CLASSES.get(name, 0)}, "grid": [{**rates[0], "epsilon": REPLACED}]}]}


def federated(name, data, seeds, rounds, secure=False):
    grid = [{"rounds": rounds, "clients": 10, **({"secure-aggregation": True} if secure else {})}]
    return {"name": "averaging by secure sums" if secure else "federated averaging", "dataset": name, "data": data, "seeds": seeds, "job": {},
            "entries": [{"peer": "flower", "method": "fedavg", "grid": grid},
                        {"peer": "sotto", "method": "fedavg", "grid": grid}]}


def parts(name, data, seeds, rounds):
    """Fedsage and feddep with their own rounds, OpenFGL with its own."""
    clients = 3 if rounds else 10
    few = {"rounds": rounds} if rounds else {}
    theirs = [{"rounds": rounds or 100, "clients": clients}]
    ours = [{**few, "clients": clients}]
    return {"name": "parts of one graph", "dataset": name, "data": data, "seeds": seeds, "job": {},
            "entries": [*[{"peer": "openfgl", "method": method, "grid": theirs} for method in ("fedavg", "fedsage_plus", "feddep")],
                        *[{"peer": "sotto", "method": method, "grid": ours} for method in ("fedsage", "fedsage+", "feddep")]]}


def collection(args, runner):
    """A TUDataset folder; else nothing, for there is no generator of labelled collections."""
    folder = f"{args.data_dir}/tu/MUTAG"
    if args.data_dir and os.path.isdir(folder):
        return folder
    runner.skip("pot, wl", "--data-dir has no tu/MUTAG")
    return None


def tasks(args, runner):
    seeds, epochs = ([1], 5) if args.quick else ([1, 2, 3], None)
    data = {name: here(args, name) for name in SETS}
    if args.data_dir is None or args.quick:
        data = {"made": [sbm(runner, "made", 400 if args.quick else 3000, 16, 1)]}
    for name, words in data.items():
        if words is None:
            runner.skip(name, "--data-dir does not have it")
    there = {name: words for name, words in data.items() if words}
    small = "cora" if "cora" in there else next(iter(there), None)
    for name, words in there.items():
        yield edge(name, words, seeds, epochs)
    for name in ("computers", "facebook", "made"):
        if name in there:
            yield node(name, there[name], seeds[:2], epochs)
    if small:
        yield plain(small, there[small], seeds, epochs)
        yield perceptron(small, there[small], seeds, 5 if args.quick else 400)
        for secure in (False, True):
            yield federated(small, there[small], seeds, 3 if args.quick else 30, secure)
        yield parts(small, there[small], seeds, 2 if args.quick else None)
    if "photo" in there:
        yield plain("photo", there["photo"], seeds[:2], epochs, NETWORKS[1:2], LAYERS[1:])
    yield from works.tasks(args, runner, None if args.quick else collection(args, runner), seeds)
