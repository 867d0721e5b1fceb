#!/usr/bin/env python3
"""The Python package against the program: time and memory of a training, and of a graph from arrays.

usage: bench/python.py PROGRAM DATA [REPEATS]     with the wheel installed; DATA as `sotto train --data` takes it
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

METHODS = {"gnn": {"epochs": 60}, "gap": {"epochs": 60, "encoder-epochs": 60, "insecure-seed": 1}}

TRAIN = """
import resource, sys, sotto
options = {name.replace("-", "_"): value for name, value in %r.items()}
model = sotto.estimators.BY_METHOD[%r](**options).fit(sotto.load(%r))
print(model.digest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

ARRAYS = """
import os, time
import numpy as np, sotto
nodes, edges, columns = 10**6, 10**7, 64
g = np.random.default_rng(1)
ends = g.integers(0, nodes, size=(2, edges), dtype=np.%s)
x = np.ones((nodes, columns), dtype=np.float32)
y = (np.arange(nodes) %% 4).astype(np.int32)
sotto.get_threads()
open("/proc/self/clear_refs", "w").write("5")  # the peak begins anew
def kilobytes(name):
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith(name)))
before = kilobytes("VmRSS")
begun = time.process_time()
graph = sotto.Graph(ends, x, y)
seconds = time.process_time() - begun
offsets, neighbours = graph.adjacency
print(seconds, x.nbytes / 2**20, (offsets.nbytes + neighbours.nbytes) / 2**20,
      (kilobytes("VmRSS") - before) / 1024, (kilobytes("VmHWM") - before) / 1024,
      graph.x.ctypes.data == x.ctypes.data)
"""


def run(command):
    """Seconds, seconds of processors, largest memory in MiB and output of a command."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        raise SystemExit(f"{command[0]} failed: {said}")
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, said


def train(program, data, repeats):
    for method, options in METHODS.items():
        seen = {"program": [], "package": []}
        for _ in range(repeats):
            flags = [word for name, value in options.items() for word in (f"--{name}", str(value))]
            with tempfile.TemporaryDirectory() as folder:
                seen["program"].append(run([program, "train", "--method", method, "--data", data, "--out",
                                            os.path.join(folder, "run"), *flags])[:3])
            seen["package"].append(run([sys.executable, "-P", "-c", TRAIN % (options, method, data)])[:3])
        for who, rows in seen.items():
            seconds, cpu, memory = (statistics.median(column) for column in zip(*rows))
            print(json.dumps({"method": method, "by": who, "seconds": round(seconds, 2), "cpu": round(cpu, 2),
                              "MiB": round(memory)}))


def main():
    program, data = sys.argv[1:3]
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    folder = tempfile.mkdtemp()
    os.environ.update(HOME=folder, SOTTO_LEDGER=os.path.join(folder, "ledger.db"),
                      SOTTO_LEDGER_KEY=os.path.join(folder, "key"))
    subprocess.run([program, "ledger", "init"], check=True, stdout=subprocess.DEVNULL)
    imports = [float(run([sys.executable, "-P", "-c", "import time; a = time.perf_counter(); import sotto; "
                          "print(time.perf_counter() - a)"])[3]) for _ in range(4 * repeats)]
    print(json.dumps({"import, ms": round(1000 * statistics.median(imports), 1)}))
    train(program, data, repeats)
    for kind in ("int64", "uint32"):
        seconds, features, graph, kept, peak, borrowed = run([sys.executable, "-P", "-c", ARRAYS % kind])[3].split()
        print(json.dumps({"10^7 edges": kind, "cpu": round(float(seconds), 2), "features, MiB": float(features),
                          "graph, MiB": round(float(graph)), "kept, MiB": round(float(kept)),
                          "peak, MiB": round(float(peak)), "borrowed": borrowed == "True"}))


if __name__ == "__main__":
    main()
