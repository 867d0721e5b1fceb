#!/usr/bin/env python3
"""Peers of bench/performance.py, run by a Python that has them: one line of JSON a figure, and "skipped" for what is missing.

usage: bench/performance_peers.py [--build build] [--data-dir DIR]
One thread each.
"""
import argparse
import json
import os
import re
import subprocess
import sys
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


def distances(build, data):
    import ot
    if not data or not os.path.isdir(f"{data}/tu/MUTAG"):
        raise ImportError("--data-dir has no tu/MUTAG")
    said = subprocess.run([sys.executable, f"{HERE}/gw.py", "--build", build, "--data", f"{data}/tu/MUTAG", "--pairs", "200",
                           "--processes", "1"], capture_output=True, text=True, check=True).stdout
    theirs, ours = re.search(r"POT ([0-9.]+) ms, sotto ([0-9.]+) ms", said).groups()
    say("Gromov-Wasserstein, MUTAG", "sotto", float(ours), "ms")
    say("Gromov-Wasserstein, MUTAG", f"POT {ot.__version__}", float(theirs), "ms")


def training():
    """A GCN of 64 columns, full batch, by PyTorch Geometric: seconds of 200 epochs, from some of them."""
    import numpy
    import torch
    import torch_geometric
    from torch_geometric.nn import GCNConv
    torch.set_num_threads(1)
    rows, cols = random_graph(numpy, NODES, EDGES)
    edges = torch.from_numpy(numpy.stack([numpy.concatenate([rows, cols]), numpy.concatenate([cols, rows])]))
    adjacency = torch.sparse_coo_tensor(edges, torch.ones(2 * EDGES), (NODES, NODES)).coalesce().to_sparse_csr()
    x, y = torch.randn(NODES, FEATURES), torch.randint(0, CLASSES, (NODES,))
    for how, graph in (("CSR", adjacency), ("edge list", edges)):
        first, last = GCNConv(FEATURES, 64, cached=True), GCNConv(64, CLASSES, cached=True)
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
        say("gcn, 200 epochs", f"PyTorch Geometric {torch_geometric.__version__}, {how}", 200 * best(epoch), "s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{HERE}/../build")
    parser.add_argument("--data-dir")
    args = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for what, work in (("products", products), ("integers", integers), ("accountant", lambda: accountant(args.build)),
                       ("distances", lambda: distances(args.build, args.data_dir)), ("training", training)):
        try:
            work()
        except (ImportError, OSError, AttributeError, RuntimeError, subprocess.CalledProcessError) as problem:
            print(json.dumps({"skipped": what, "why": str(problem).splitlines()[-1][:200] if str(problem) else repr(problem)}),
                  flush=True)


if __name__ == "__main__":
    main()
