#!/usr/bin/python3
"""Sparse times dense compared with scipy and PyTorch: the same product, the same threads, turn by turn.

usage: bench/spmm.py [--build build] [--data FILE.npz] [--width 64] [--rounds 60]
       (cmake --build build --target benches; needs Debian's python3-scipy and python3-torch)
"""
import argparse
import os
import subprocess
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse as sp
import torch


def load_graph(path):
    with np.load(path, allow_pickle=False) as f:
        a = sp.csr_matrix((f["adj_data"], f["adj_indices"], f["adj_indptr"]), shape=f["adj_shape"])
    a = ((a + a.T) != 0).astype(np.float32).tocsr()
    a.setdiag(0)
    a.eliminate_zeros()
    a.sort_indices()
    return a


def gcn(a):
    a = a + sp.eye(a.shape[0], dtype=np.float32, format="csr")
    scale = sp.diags(1 / np.sqrt(np.asarray(a.sum(1)).ravel()))
    m = (scale @ a @ scale).astype(np.float32).tocsr()
    m.sort_indices()
    return m


def timed(work):
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


class Ours:
    def __init__(self, args, folder, kind, nodes):
        self.y_path = f"{folder}/y"
        self.process = subprocess.Popen(
            [f"{args.build}/bench/bench_spmm", f"{folder}/graph", f"{folder}/x", self.y_path, str(args.width), kind],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = self.process.stdout.readline().strip()
        self.y = np.fromfile(self.y_path, np.float32).reshape(nodes, args.width)

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def bandwidth(args, size):
    return float(subprocess.check_output([f"{args.build}/bench/bench_spmm", "bandwidth", str(size)]))


def compare(args, folder, a, kind, x):
    m = a if kind == "sum" else gcn(a)
    t = torch.sparse_csr_tensor(torch.from_numpy(m.indptr.astype(np.int64)),
                                torch.from_numpy(m.indices.astype(np.int64)), torch.from_numpy(m.data), m.shape)
    tx = torch.from_numpy(x)
    ours = Ours(args, folder, kind, a.shape[0])
    expected = m @ x
    scale = max(1.0, np.abs(expected).max())
    for name, got in (("sotto", ours.y), ("torch", (t @ tx).numpy())):
        gap = np.abs(got - expected).max() / scale
        if not gap < 1e-4:
            raise SystemExit(f"{kind}: {name} and scipy differ by {gap:.2e}")
    times = {"scipy": [], "torch": [], "sotto": []}
    for _ in range(args.rounds):
        # The pauses let the others' worker threads stop spinning before the next one is timed.
        times["scipy"].append(timed(lambda: m @ x))
        time.sleep(0.01)
        t @ tx
        times["torch"].append(timed(lambda: t @ tx))
        time.sleep(0.02)
        ours.run()
        times["sotto"].append(ours.run())
    ours.close()
    return m, times, ours.ready


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=f"{here}/../build")
    parser.add_argument("--data", default=f"{here}/../../shared/data/npz/amazon_electronics_computers.npz")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    warnings.simplefilter("ignore")
    a = load_graph(args.data)
    nodes, entries = a.shape[0], a.nnz
    x = np.random.default_rng(1).standard_normal((nodes, args.width), dtype=np.float32)
    print(f"{os.path.basename(args.data)}: {nodes} nodes, {entries} entries, {args.width} columns, "
          f"PyTorch {torch.__version__} with {torch.get_num_threads()} threads")
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/graph", "wb") as f:
            np.array([nodes, entries], np.uint64).tofile(f)
            a.indptr.astype(np.uint64).tofile(f)
            a.indices.astype(np.uint32).tofile(f)
        x.tofile(f"{folder}/x")
        near, far = bandwidth(args, x.nbytes), bandwidth(args, 1 << 28)
        gathered, once = entries * args.width * 4, 3 * x.nbytes + entries * 4 + nodes * 8
        for kind in ("sum", "gcn"):
            m, times, ready = compare(args, folder, a, kind, x)
            print(f"\n{kind} ({ready})\n{'':8}{'best ms':>9}{'median ms':>11}{'ratio of bests':>16}{'of medians':>12}")
            for name, ms in times.items():
                print(f"{name:8}{min(ms):9.3f}{np.median(ms):11.3f}{min(ms) / min(times['sotto']):16.1f}"
                      f"{np.median(ms) / np.median(times['sotto']):12.1f}")
            print(f"every entry's row read at the rate of a cache that holds all of x ({near:.1f} GB/s; passes beat it): "
                  f"{gathered / near / 1e6:.3f} ms; floor, all data moved once ({far:.1f} GB/s): {once / far / 1e6:.3f} ms")


if __name__ == "__main__":
    main()
