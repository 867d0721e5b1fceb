#!/usr/bin/env python3
"""Peers of bench/performance.py, run by a Python that has them: one line of JSON a figure, and "skipped" for what is missing.

usage: bench/performance_peers.py [--build build] [--data-dir DIR] [--words NPZ]
One thread each.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NODES, EDGES, FEATURES, CLASSES = 13752, 245861, 767, 10


def say(kernel, peer, value, unit):
    print(json.dumps({"kernel": kernel, "peer": peer, "value": value, "unit": unit}), flush=True)


def best(work, rounds=3):
    fastest = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        fastest = min(fastest, time.perf_counter() - begin)
    return fastest


def random_graph(numpy, nodes, entries):
    rng = numpy.random.default_rng(1)
    return rng.integers(0, nodes, entries), rng.integers(0, nodes, entries)


def products():
    """The even graph of bench_products at 64 columns, by scipy and PyTorch."""
    import numpy
    import scipy
    from scipy import sparse
    nodes, entries = 250000, 12500000
    rows, cols = random_graph(numpy, nodes, entries)
    a = sparse.csr_matrix((numpy.ones(entries, numpy.float32), (rows, cols)), shape=(nodes, nodes))
    x = numpy.random.default_rng(2).standard_normal((nodes, 64), dtype=numpy.float32)
    kernel = "sparse product in floats, even, 12.5M entries, 64 columns"
    say(kernel, f"scipy {scipy.__version__}", 1e3 * best(lambda: a @ x), "ms")
    import torch
    torch.set_num_threads(1)
    t = torch.sparse_csr_tensor(torch.from_numpy(a.indptr), torch.from_numpy(a.indices), torch.from_numpy(a.data),
                                size=a.shape)
    say(kernel, f"PyTorch {torch.__version__}", 1e3 * best(lambda: t @ torch.from_numpy(x)), "ms")


def integers():
    import numpy
    rng = numpy.random.default_rng(1)
    a, b = (rng.integers(-2**62, 2**62, (512, 512)) for _ in range(2))
    say("ring product", f"numpy {numpy.__version__}", 512**3 / best(lambda: a @ b) / 1e9, "G/s")


def peer(name, module):
    """A module of a folder of bench/peers."""
    import importlib.util
    if f"{HERE}/peers" not in sys.path:
        sys.path.insert(0, f"{HERE}/peers")
    spec = importlib.util.spec_from_file_location(f"peer_{name}", f"{HERE}/peers/{name}/{module}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def crypten():
    """A share times public integers by CrypTen, one party: its product over the same ring."""
    import importlib.metadata
    seconds = peer("crypten", "run").product(512)
    say("ring product", f"CrypTen {importlib.metadata.version('crypten')}", 512**3 / seconds / 1e9, "G/s")


def accountant(build):
    import importlib.metadata
    said = subprocess.run([sys.executable, f"{HERE}/accountant.py", "--program", f"{build}/bench/bench_accountant"],
                          capture_output=True, text=True, check=True).stdout
    theirs = re.findall(r"the same +([0-9.]+) ms", said)
    if not theirs:
        raise ImportError(said.splitlines()[-1])
    name = f"dp-accounting {importlib.metadata.version('dp-accounting')}"
    for kernel, value in zip(("pld epsilon, 10,000 sampled steps", "pld noise, 1,000 sampled steps"), theirs):
        say(kernel, name, float(value), "ms")


def times_of_distances(build, folder, pairs, starts):
    """Milliseconds of a pair, POT's and ours; the mean values, and on how many pairs per cent ours is no higher."""
    said = subprocess.run([sys.executable, f"{HERE}/gw.py", "--build", build, "--data", folder, "--pairs", str(pairs), "--starts",
                           str(starts), "--rounds", "2", "--processes", "1"], capture_output=True, text=True, check=True).stdout
    times = re.search(r"POT ([0-9.]+) ms, sotto ([0-9.]+) ms", said).groups()
    values = re.search(r"([0-9.]+) by POT, ([0-9.]+) by sotto, no higher on ([0-9.]+)%", said).groups()
    return [float(word) for word in times + values]


def mid_sized(folder, out, least=30, most=60, count=80):
    """Some graphs of a TUDataset folder that have so many nodes, as a folder of its own."""
    name = os.path.basename(folder)
    with open(f"{folder}/{name}_graph_indicator.txt") as file:
        graph_of = [int(line) for line in file]
    sizes = {}
    for graph in graph_of:
        sizes[graph] = sizes.get(graph, 0) + 1
    kept = {graph: i + 1 for i, graph in enumerate([g for g, size in sizes.items() if least <= size <= most][:count])}
    number = {v: i + 1 for i, v in enumerate(v for v, graph in enumerate(graph_of, 1) if graph in kept)}
    made = f"{out}/{name}"
    os.mkdir(made)

    def write(what, lines):
        with open(f"{made}/{name}_{what}.txt", "w") as file:
            file.writelines(f"{line}\n" for line in lines)

    with open(f"{folder}/{name}_A.txt") as file:
        edges = [tuple(map(int, line.split(","))) for line in file]
    with open(f"{folder}/{name}_graph_labels.txt") as file:
        labels = file.read().split()
    write("A", (f"{number[a]}, {number[b]}" for a, b in edges if a in number))
    write("graph_indicator", (kept[graph_of[v - 1]] for v in number))
    write("graph_labels", (labels[graph - 1] for graph in kept))
    return made


def distances(build, data):
    import ot
    if not data or not os.path.isdir(f"{data}/tu/MUTAG"):
        raise ImportError("--data-dir has no tu/MUTAG")
    with tempfile.TemporaryDirectory() as out:
        sets = [("MUTAG", f"{data}/tu/MUTAG", 200)]
        for name in ("PROTEINS", "IMDB-BINARY"):
            if os.path.isdir(f"{data}/tu/{name}"):
                sets.append((f"{name}, 30 to 60 nodes", mid_sized(f"{data}/tu/{name}", out), 100))
        for name, folder, pairs in sets:
            for words, starts in (("one start", 1), ("six starts", 6)):
                kernel = f"Gromov-Wasserstein, {words}, {name}"
                theirs, ours, value, own, no_higher = times_of_distances(build, folder, pairs, starts)
                if own > value or no_higher < 50:
                    why = f"mean value {own}, {value} by POT; no higher on {no_higher} % of pairs"
                    print(json.dumps({"skipped": kernel, "why": why}), flush=True)
                    continue
                say(kernel, "sotto", ours, "ms")
                say(kernel, f"POT {ot.__version__}", theirs, "ms")
            batched(kernel, folder)


def batched(kernel, folder):
    """POT's solver of many pairs at once, where it has one; entropic or proximal, so not the same optimum."""
    import ot
    solve = getattr(getattr(ot, "batch", None), "solve_gromov_batch", None)
    if solve is None:
        print(json.dumps({"skipped": f"ot.batch for {kernel}", "why": f"POT {ot.__version__} has no ot.batch.solve_gromov_batch"}), flush=True)
        return
    import numpy
    sys.argv, words = [sys.argv[0]], sys.argv
    import gw
    sys.argv = words
    graphs = gw.load(folder)
    size, pairs = max(map(len, graphs)), 10
    rng = numpy.random.default_rng(1)
    chosen = [rng.choice(len(graphs), 2, replace=False) for _ in range(pairs)]

    def stack(side):
        costs, weights = numpy.zeros((pairs, size, size)), numpy.zeros((pairs, size))
        for i, pair in enumerate(chosen):
            d = graphs[pair[side]]
            costs[i, :len(d), :len(d)] = d
            weights[i, :len(d)] = 1 / len(d)
        return costs, weights

    (first, a), (second, b) = stack(0), stack(1)
    seconds = best(lambda: solve(first, second, reg=0.01, a=a, b=b), 1)
    say(kernel, f"POT {ot.__version__}, ot.batch, another optimum", 1e3 * seconds / pairs, "ms")


def training(aggregator):
    """A network of 64 columns, full batch, by PyTorch Geometric: seconds of 200 epochs, from some of them."""
    import numpy
    import torch
    import torch_geometric
    from torch_geometric.nn import GCNConv, GINConv
    torch.set_num_threads(1)
    rows, cols = random_graph(numpy, NODES, EDGES)
    edges = torch.from_numpy(numpy.stack([numpy.concatenate([rows, cols]), numpy.concatenate([cols, rows])]))
    adjacency = torch.sparse_coo_tensor(edges, torch.ones(2 * EDGES), (NODES, NODES)).coalesce().to_sparse_csr()
    x, y = torch.randn(NODES, FEATURES), torch.randint(0, CLASSES, (NODES,))
    layers = {"gcn": lambda rows, cols: GCNConv(rows, cols, cached=True), "gin": lambda rows, cols: GINConv(torch.nn.Linear(rows, cols))}
    for how, graph in (("CSR", adjacency), ("edge list", edges)):
        first, last = layers[aggregator](FEATURES, 64), layers[aggregator](64, CLASSES)
        optimiser = torch.optim.Adam([*first.parameters(), *last.parameters()])
        dropout = torch.nn.functional.dropout

        def forward(training):
            hidden = first(dropout(x, 0.5, training), graph).relu()
            return last(dropout(hidden, 0.5, training), graph)

        def epoch():
            optimiser.zero_grad()
            torch.nn.functional.cross_entropy(forward(True), y).backward()
            optimiser.step()
            with torch.no_grad():
                forward(False)

        epoch()
        say(f"{aggregator}, 200 epochs", f"PyTorch Geometric {torch_geometric.__version__}, {how}", 200 * best(epoch, 2), "s")


def gap(build, data, words):
    """A re-implementation of GAP's training loop; processor seconds from the exported arrays to the test accuracy."""
    loop = peer("gap", "loop")
    import peer as shared
    import torch
    for name, path in (("computers", f"{data}/npz/amazon_electronics_computers.npz"), ("bag of words", words)):
        if not path or not os.path.exists(path):
            raise ImportError("there is no --data-dir with npz, or no --words")
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([f"{build}/sotto", "data", "export", path, f"{out}/data.npz"], capture_output=True, check=True)
            begin = time.process_time()
            read = shared.Data(f"{out}/data.npz")
            scores = loop.run(read, 1, layers=2, epsilon=4, delta=1e-6)[0]
            seconds = time.process_time() - begin
        accuracy = (scores.argmax(1) == read.labels[read.parts[2]]).mean()
        say(f"gap, whole run, {name}", f"GAP re-implemented in PyTorch {torch.__version__}, accuracy {accuracy:.3f}", seconds, "s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{HERE}/../build")
    parser.add_argument("--data-dir")
    parser.add_argument("--words")
    args = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for what, work in (("products", products), ("integers", integers), ("CrypTen; numpy's ring stands for it", crypten),
                       ("accountant", lambda: accountant(args.build)),
                       ("distances", lambda: distances(args.build, args.data_dir)), ("gcn", lambda: training("gcn")),
                       ("gin", lambda: training("gin")), ("gap", lambda: gap(args.build, args.data_dir, args.words))):
        try:
            work()
        except (ImportError, OSError, AttributeError, RuntimeError, TypeError, ValueError, subprocess.CalledProcessError) as problem:
            print(json.dumps({"skipped": what, "why": str(problem).splitlines()[-1][:200] if str(problem) else repr(problem)}),
                  flush=True)


if __name__ == "__main__":
    main()
