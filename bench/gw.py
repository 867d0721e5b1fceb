#!/usr/bin/python3
"""Gromov-Wasserstein distances compared with POT (Debian's python3-pot): the same random pairs, shortest paths, square loss,
sotto on all cores, POT in one process and in one a core, turn by turn.

usage: bench/gw.py [--build build] [--data ../shared/data/tu/MUTAG] [--pairs 300] [--starts 6] [--processes 2] [--rounds 5]
"""
import argparse
import multiprocessing
import os
import subprocess
import sys
import time

try:
    import numpy as np
    import ot
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import shortest_path
except ImportError as missing:
    print(f"SKIPPED: the comparison with POT needs Debian's python3-pot ({missing})")
    sys.exit(0)


def load(folder):
    """The matrix of shortest paths of each graph of a TUDataset folder."""
    name = os.path.basename(folder.rstrip("/"))
    graph_of = np.loadtxt(f"{folder}/{name}_graph_indicator.txt", dtype=int) - 1
    edges = np.loadtxt(f"{folder}/{name}_A.txt", dtype=int, delimiter=",") - 1
    first = np.searchsorted(graph_of, np.arange(graph_of[-1] + 2))
    out = []
    for g in range(graph_of[-1] + 1):
        mine = edges[graph_of[edges[:, 0]] == g] - first[g]
        n = first[g + 1] - first[g]
        d = shortest_path(csr_matrix((np.ones(len(mine)), (mine[:, 0], mine[:, 1])), shape=(n, n)), directed=False,
                          unweighted=True)
        d[np.isinf(d)] = d[np.isfinite(d)].max() + 1
        out.append(d)
    return out


def pot(pair):
    a, b = graphs[pair[0]], graphs[pair[1]]
    return ot.gromov.gromov_wasserstein2(a, b, ot.unif(len(a)), ot.unif(len(b)), "square_loss")


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=f"{here}/../build")
    parser.add_argument("--data", default=f"{os.environ.get('SOTTO_SHARED', here + '/../../shared')}/data/tu/MUTAG")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--starts", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    args = parser.parse_args()
    if not os.path.isdir(args.data):
        print(f"SKIPPED: there is no {args.data}")
        return
    global graphs
    graphs = load(args.data)
    rng = np.random.default_rng(1)
    pairs = [tuple(rng.choice(len(graphs), 2, replace=False)) for _ in range(args.pairs)]
    text = "\n".join(f"{i} {j}" for i, j in pairs)
    times = {"POT, 1 process": [], f"POT, {args.processes} processes": [], "sotto": []}
    processor = {"POT": [], "sotto": []}
    # The threads that OpenBLAS makes when it is loaded yield in a loop for 40 ms, which is twice as long as all pairs take.
    quiet = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    with multiprocessing.Pool(args.processes) as pool:
        pool.map(pot, pairs[:20])
        for _ in range(args.rounds):
            before = time.process_time()
            times["POT, 1 process"].append(timed(lambda: [pot(p) for p in pairs])[0])
            processor["POT"].append(time.process_time() - before)
            seconds, theirs = timed(lambda: pool.map(pot, pairs))
            times[f"POT, {args.processes} processes"].append(seconds)
            lines = subprocess.run([f"{args.build}/bench/bench_gw", args.data, str(args.starts)], input=text, text=True,
                                   capture_output=True, check=True, env=quiet).stdout.split("\n")
            said = dict(line.split() for line in lines[len(pairs):] if line)
            times["sotto"].append(float(said["seconds"]))
            processor["sotto"].append(float(said["processor"]))
    theirs = np.array(theirs)
    ours = np.array([float(x) for x in lines[:len(pairs)]])
    no_higher = np.mean(ours <= theirs * (1 + 1e-9) + 1e-12)
    print(f"{os.path.basename(args.data)}, {len(pairs)} pairs, POT {ot.__version__}, {args.starts} starts; mean value "
          f"{theirs.mean():.6f} by POT, {ours.mean():.6f} by sotto, no higher on {100 * no_higher:.1f}% of pairs")
    print(f"{'':18}{'best: pairs a second':>22}{'median':>10}{'sotto to it, best':>20}{'median':>10}")
    for name, seconds in times.items():
        best, median = min(seconds), np.median(seconds)
        print(f"{name:18}{len(pairs) / best:22.0f}{len(pairs) / median:10.0f}{best / min(times['sotto']):20.1f}"
              f"{median / np.median(times['sotto']):10.1f}")
    ms = {name: 1e3 * min(seconds) / len(pairs) for name, seconds in processor.items()}
    by_core = ms["POT"] / ms["sotto"]
    wall = {how: of(times["POT, 1 process"]) / of(times["sotto"]) for how, of in (("best", min), ("median", np.median))}
    cores = os.cpu_count()
    print(f"processor time of a pair, the least of {args.rounds}: POT {ms['POT']:.3f} ms, sotto {ms['sotto']:.3f} ms")
    print(f"sotto on {cores} cores to POT in one process, pairs a second: by the clock {wall['best']:.1f} (best) and "
          f"{wall['median']:.1f} (median) times; by processor time {by_core:.1f} times a core, {cores * by_core:.1f} times "
          f"on {cores}")
    print(f"a copy in another order is at less than 1e-8 for {100 * float(said['self']):.1f}% of graphs")


if __name__ == "__main__":
    main()
